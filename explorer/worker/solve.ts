import { scale, type Scaled } from "kindred/data";
import { isSparse, matrix, takeColumns, type Matrix } from "kindred/matrix";
import { clusterProfiles, type Profile } from "kindred/report";
import type { Found, MethodEntry } from "../methodEntry.ts";
import { methods } from "../methods.ts";
import type { Feature, RowsQuestion, SolveQuestion, Solution, Told, View } from "../protocol.ts";
import { equivalent } from "./equivalent.ts";
import { metricSpace } from "./metricSpace.ts";
import { version } from "../../package.json";

/** Scales the rows, runs the method, and looks at the result from the sides that the page shows. */
export async function solve(asked: SolveQuestion, onProgress: (told: Told) => void): Promise<Solution> {
  const method = methods.find(({ name }) => name === asked.method);
  if (method === undefined) throw new Error(`there is no method "${asked.method}"`);
  requirePairs(asked, method);
  const { scaled, columns } = scaledRows(asked);
  const { X, names } = scaled;
  const { clusters, seed } = asked;
  const pairs = { mustLink: asked.same, cannotLink: asked.different };
  const own = method.settle?.(asked.own, { X, pairs }) ?? asked.own;
  if (clusters !== undefined && clusters > X.rows) {
    throw new Error(`${clusters} clusters cannot be made of ${X.rows} rows`);
  }
  const start = performance.now();
  const found = await method.run(X, {
    clusters,
    seed,
    own,
    pairs,
    onProgress: ({ fraction, label }) => onProgress({ fraction, label }),
  });
  const seconds = (performance.now() - start) / 1000;
  const plain = metricSpace(X, names);
  const { metric, labels } = found;
  const learned = metric === undefined ? undefined : metricSpace(X, names, { metric, labels });
  const { space } = learned ?? plain;
  const raw = takeColumns(tableMatrix(asked), columns);
  const profiles = clusterProfiles(raw, labels, names);
  const text = equivalent({ ...asked, own }, method);
  return {
    method: method.name,
    labels,
    sizes: Array.from(found.sizes),
    converged: found.converged,
    warnings: [...scaled.notes, ...found.warnings],
    facts: facts(found),
    seconds,
    features: describeFeatures(scaled, columns, metric, profiles),
    ...(metric !== undefined && { metric: metric.data }),
    space: { values: Float32Array.from(space.data), dimensions: space.cols },
    plain: plain.view,
    ...(learned !== undefined && { learned: learned.view }),
    profiles: profiles.map(({ words }) => words),
    ...text,
    model: model(asked, found, scaled),
  };
}

/** The rows before they are clustered. */
export function look(asked: RowsQuestion): View {
  const { X, names } = scaledRows(asked).scaled;
  return metricSpace(X, names).view;
}

/** The chosen features on a common scale, and which columns of the table they are. */
export function scaledRows({ table, off, scale: kind }: RowsQuestion): {
  scaled: Scaled<Matrix>;
  columns: number[];
} {
  const { rows, names } = table;
  if (rows < 2) throw new Error(`${table.source} has ${rows} row; clustering needs at least two`);
  const kept = [...names.keys()].filter((j) => !off.includes(names[j]));
  if (kept.length === 0) throw new Error("every feature is switched off; switch at least one on");
  const X = tableMatrix({ table });
  const chosen = kept.length === names.length ? X : takeColumns(X, kept);
  const scaled = scale(chosen, kind, { names: kept.map((j) => names[j]) });
  return { scaled, columns: scaled.kept.map((j) => kept[j]) };
}

function tableMatrix({ table }: Pick<RowsQuestion, "table">): Matrix {
  return matrix(table.rows, table.names.length, table.values);
}

function requirePairs({ same, different }: SolveQuestion, { pairs, title }: MethodEntry): void {
  if (pairs === "needed" && (same.length === 0 || different.length === 0)) {
    throw new Error(
      `${title} learns from hints of both kinds: mark some points as the same and some as different first`,
    );
  }
}

function facts({ objective, iterations, facts: own = [] }: Found): [string, string][] {
  const list = own.map(([name, text]): [string, string] => [name, text]);
  if (objective !== undefined) list.push(["Objective", String(Number(objective.toPrecision(6)))]);
  if (iterations !== undefined) list.push(["Iterations", String(iterations)]);
  return list;
}

function describeFeatures(
  { X, names, scaling }: Scaled<Matrix>,
  columns: readonly number[],
  metric: Matrix | undefined,
  profiles: readonly Profile[],
): Feature[] {
  const [{ center, scale: divisor }] = scaling.groups;
  const weights = variances(X).map((variance, f) => variance * (metric?.data[f * X.cols + f] ?? 1));
  const sum = weights.reduce((all, weight) => all + weight, 0) || 1;
  const explained = new Map(
    profiles.flatMap(({ differences }) => differences).map((one) => [one.feature, one.explained]),
  );
  return names.map((name, f) => ({
    name,
    column: columns[f],
    center: center[f],
    scale: divisor[f],
    weight: weights[f] / sum,
    separation: explained.get(f) ?? 0,
  }));
}

function variances({ rows, cols, data }: Matrix): Float64Array {
  const mean = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let i = 0; i < rows; i++) {
    for (let f = 0; f < cols; f++) {
      const from = data[i * cols + f] - mean[f];
      mean[f] += from / (i + 1);
      squares[f] += from * (data[i * cols + f] - mean[f]);
    }
  }
  return squares.map((sum) => sum / rows);
}

/** The same fields as `kindred cluster --model` writes, and the metric. */
function model(asked: SolveQuestion, found: Found, { scaling, names }: Scaled<Matrix>): object {
  const { centers, metric } = found;
  const rows = (A: Matrix): number[][] =>
    Array.from({ length: A.rows }, (_, i) => Array.from(A.data.subarray(i * A.cols, (i + 1) * A.cols)));
  return {
    kindred: version,
    method: asked.method,
    clusters: found.sizes.length,
    sizes: Array.from(found.sizes),
    centers: centers === undefined || isSparse(centers) ? null : rows(centers),
    objective: found.objective ?? null,
    iterations: found.iterations ?? null,
    converged: found.converged,
    certificate: found.certificate ?? null,
    warnings: found.warnings,
    seed: asked.seed,
    features: names,
    scaling,
    metric: metric === undefined ? null : rows(metric),
    hints: { mustLink: asked.same, cannotLink: asked.different },
  };
}
