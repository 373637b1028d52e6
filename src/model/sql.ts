import { loadGaussianMixture } from "../cluster/index.ts";
import { precisions, whitening } from "../cluster/internal.ts";
import { double, inputError, leastOf } from "../core/internal.ts";
import { setAbove, type CodeRule } from "../features/index.ts";
import { multiply, restoreMatrix, type Matrix } from "../matrix/index.ts";
import { MOST_POINTS, type MixedPlacing } from "../method/internal.ts";
import { isMahalanobis, loadAnyMetric } from "../metric/index.ts";
import type { Scaling } from "../data/index.ts";
import type { ClusteringData } from "./modelForm.ts";
import type { Space } from "./placedForm.ts";
import { featureSteps, ROW, type SqlStep } from "./featureSql.ts";
import { DIALECTS, linear, type Dialect, type SqlDialect } from "./sqlDialect.ts";

/** Names of the three columns that a query adds. */
export interface SqlNames {
  readonly cluster?: string;
  readonly distance?: string;
  readonly second?: string;
}

/**
 * The query that labels the rows of a table in the database: all its columns, and `cluster`, `distance` and
 * `second`, the cluster, the distance to it and the next cluster. Clusters without centres are found by their
 * training rows, which the query lists. Very many of them, densities, kernels and texts are refused with
 * a message. Gaps are filled as in the model.
 *
 * The steps carry a row of the table as one value beside their own columns, so names of the table cannot meet names of
 * the query, and the result has no column but those of the table and the three.
 *
 * @param table what stands behind FROM; its columns have the types of their kinds, null is missing. It is part of the
 *   query as it stands: `tableReference` makes it from a name that somebody else chose.
 */
export function modelSql(
  model: ClusteringData,
  dialect: SqlDialect,
  table: string,
  { cluster = "cluster", distance = "distance", second = "second" }: SqlNames = {},
): string {
  const sql = DIALECTS[dialect];
  if (sql === undefined)
    throw inputError(`there is no SQL of "${String(dialect)}"; there is duckdb, spark and postgres`);
  const { placing, clusters: K } = model;
  const steps: SqlStep[] = spaceSteps(model.space, sql, model.columns);
  const { cols: d } = placing.means;
  const x = (f: number): string => `kindred_x${f}`;
  let scores: string[];
  if (placing.kind === "centers" || isOfFewNumbers(placing)) {
    const map = placing.map && restoreMatrix(placing.map, "the map");
    const stored =
      placing.kind === "centers"
        ? restoreMatrix(placing.centers, "the centres")
        : restoreMatrix(placing.rows, "the rows");
    const at = map === undefined ? stored : multiply(stored, map);
    const points = Array.from({ length: at.rows }, (_, j) =>
      Array.from(at.data.subarray(j * at.cols, (j + 1) * at.cols)),
    );
    let coordinates = coordinatesOf(map, d, x);
    const isWritten = points.length <= MOST_POINTS;
    if (!isWritten && map !== undefined) {
      const columns = coordinates.map((z, r) => `${z} as kindred_u${r}`);
      steps.push({ name: "kindred_coordinates", columns });
      coordinates = coordinates.map((_, r) => `kindred_u${r}`);
    }
    const squareTo = (point: readonly number[]): string =>
      coordinates
        .map((z, r) => (map === undefined ? square : longSquare)(`${z} - ${double(point[r])}`))
        .join(" + ");
    scores = Array.from({ length: K }, (_, k) => {
      const own = points.filter((__, j) => (placing.kind === "centers" ? j : placing.labels[j]) === k);
      // A cluster without points has no position.
      if (own.length === 0) return "1e308";
      return isWritten ? leastOf(own.map(squareTo)) : sql.nearest(own, coordinates);
    });
  } else if (placing.kind === "mixture") {
    scores = mixtureScores(placing.mixture, x);
  } else if (placing.kind === "mixed") {
    steps.push({
      name: "kindred_levels",
      columns: placing.levels.map(({ rule }, v) => `${codeExpression(rule, x)} as kindred_l${v}`),
    });
    scores = mixedScores(placing, x);
  } else {
    throw inputError(
      `a clustering by ${model.method} places rows by its training rows in a way that is not written as SQL, or by too many; ` +
        `models of kmeans, gmm, mixed and others whose clusters have centres can be written`,
      { code: "no-sql" },
    );
  }
  const s = (k: number): string => `kindred_s${k}`;
  const best = leastOf(scores.map((_, k) => s(k)));
  const choose = (value: string, except?: string): string =>
    `case ${scores.map((_, k) => `when ${except === undefined ? "" : `${except} <> ${k} and `}${s(k)} = ${value} then ${k}`).join(" ")} end`;
  const others = scores.map((_, k) => `case when kindred_c = ${k} then null else ${s(k)} end`);
  const distanceTo =
    placing.kind === "centers" || placing.kind === "rows"
      ? "sqrt(kindred_b)"
      : placing.kind === "mixed"
        ? `sqrt(${toMean(restoreMatrix(placing.means, "the means"), x)})`
        : "kindred_b";
  steps.push(
    { name: "kindred_scores", columns: scores.map((score, k) => `${score} as ${s(k)}`) },
    { name: "kindred_nearest", columns: [`${best} as kindred_b`] },
    { name: "kindred_first", columns: [`${choose("kindred_b")} as kindred_c`] },
    ...(K < 2 ? [] : [{ name: "kindred_second", columns: [`${leastOf(others)} as kindred_n`] }]),
  );
  const next = K < 2 ? "null" : choose("kindred_n", "kindred_c");
  // A column of this name would hide the row.
  let source = "kindred_table";
  while (model.columns?.some(({ name }) => name.toLowerCase() === source)) source += "_";
  const written = steps
    // The first step gives the others their row, even if it reads no cell.
    .filter(({ columns }, k) => k === 0 || columns.length > 0)
    .map(({ name, columns }, k, all) => {
      const carried = k === 0 ? `${sql.row(source)} as ${ROW}` : "*";
      const from = k === 0 ? `${table} as ${source}` : all[k - 1].name;
      const selected = [carried, ...columns].join(",\n    ");
      return `${name} as (\n  select ${selected}\n  from ${from}${sql.fence}\n)`;
    });
  const last = steps[steps.length - 1].name;
  const byHeart = placing.kind === "centers" ? (placing.exceptions?.rows.rows ?? 0) : 0;
  return [
    ...(byHeart > 0
      ? [
          `-- ${byHeart} training rows with a cluster of their own go to the nearest centre here like all others`,
        ]
      : []),
    `with ${written.join(", ")}`,
    `select ${sql.fields(ROW)}, kindred_c as ${cluster}, ${distanceTo} as ${distance}, ${next} as ${second}`,
    `from ${last}`,
    "",
  ].join("\n");
}

/** The squared distance to the mean of the assigned cluster. */
function toMean(means: Matrix, x: (f: number) => string): string {
  const cases = Array.from({ length: means.rows }, (_, k) => {
    const squares = Array.from({ length: means.cols }, (__, f) =>
      square(`${x(f)} - ${double(means.data[k * means.cols + f])}`),
    );
    return `when ${k} then ${squares.join(" + ")}`;
  });
  return `case kindred_c ${cases.join(" ")} end`;
}

/** The level of a row, from its features; -1 if it has none. */
function codeExpression(rule: CodeRule, x: (f: number) => string): string {
  if (rule.kind === "sign") return `case when ${x(rule.feature)} > 0 then 1 else 0 end`;
  if (rule.kind === "values") {
    const near = (at: number): string =>
      `abs(${x(rule.feature)} - ${double(at)}) < ${double(rule.tolerance)}`;
    return `case ${rule.at.map((at, level) => `when ${near(at)} then ${level}`).join(" ")} else -1 end`;
  }
  const features = Array.from({ length: rule.count }, (_, f) => x(rule.first + f));
  const set = features.map((feature, f) => `${feature} > ${double(setAbove(rule, f))}`);
  const count = set.map((test) => `case when ${test} then 1 else 0 end`).join(" + ");
  const cases = set.map((test, level) => `when ${test} then ${level}`);
  return `case when ${count} <> 1 then -1 ${cases.join(" ")} end`;
}

/** The scores of a mixture with one covariance, negated: the smallest is the best. */
function mixedScores(placing: MixedPlacing, x: (f: number) => string): string[] {
  const { bias, features, levels } = placing;
  const K = bias.length;
  const weights = restoreMatrix(placing.weights, "the weights");
  const logs = levels.map((column) => restoreMatrix(column.logs, "the levels"));
  return Array.from({ length: K }, (_, k) => {
    const numbers = linear(
      features.map((__, j) => -weights.data[j * K + k]),
      (j) => x(features[j]),
    );
    const own = logs.map(({ cols, data }, v) => {
      const cases = Array.from({ length: cols }, (__, c) => `when ${c} then ${double(-data[k * cols + c])}`);
      return ` + case kindred_l${v} ${cases.join(" ")} else 0e0 end`;
    });
    return `${double(-bias[k])} + ${numbers}${own.join("")}`;
  });
}

/** Numbers of training rows in a statement: five megabytes of text, which every dialect still plans. */
const MOST_NUMBERS = 200_000;

/** Whether rows get the cluster of the nearest of these training rows, which the SQL lists. */
function isOfFewNumbers(
  placing: ClusteringData["placing"],
): placing is Extract<ClusteringData["placing"], { kind: "rows" }> {
  if (placing.kind !== "rows" || (placing.neighbors ?? 1) > 1) return false;
  return placing.rows.rows * (placing.map ?? placing.rows).cols <= MOST_NUMBERS;
}

const square = (expression: string): string => `(${expression}) * (${expression})`;
/** Of an expression that is too long to be written twice. */
const longSquare = (expression: string): string => `power(${expression}, 2)`;

function coordinatesOf(map: Matrix | undefined, d: number, x: (f: number) => string): string[] {
  if (map === undefined) return Array.from({ length: d }, (_, f) => x(f));
  return Array.from({ length: map.cols }, (_, r) =>
    linear(
      Array.from({ length: d }, (__, f) => map.data[f * map.cols + r]),
      x,
    ),
  );
}

/** ||W_k x - W_k mu_k||^2 + log |S_k| - 2 log pi_k, with W_k' W_k = S_k^-1. */
function mixtureScores(
  stored: Parameters<typeof loadGaussianMixture>[0],
  x: (f: number) => string,
): string[] {
  const mixture = loadGaussianMixture(stored);
  const { clusters: K, weights, covariance, covariances } = mixture;
  const { centers } = mixture;
  const d = centers.cols;
  const { logDeterminants, whiteners } = precisions(covariance, covariances, K, d);
  return Array.from({ length: K }, (_, k) => {
    const W = whitening(covariance, whiteners, k);
    const squares = Array.from({ length: d }, (__, r) => {
      const row = W.data.subarray(r * d, (r + 1) * d);
      const at = row.reduce((sum, w, f) => sum + w * centers.data[k * d + f], 0);
      return longSquare(`${linear(Array.from(row), x)} - ${double(at)}`);
    });
    return `${squares.join(" + ")} + ${double(logDeterminants[k] - 2 * Math.log(weights[k]))}`;
  });
}

/** The steps from the columns of a table to features. */
function spaceSteps(space: Space, sql: Dialect, columns: ClusteringData["columns"]): SqlStep[] {
  const { metric } = space;
  const steps =
    space.kind === "features" ? featureSteps(space.record, sql, columns) : [scalingStep(space.scaling, sql)];
  if (metric === undefined) return steps;
  const loaded = loadAnyMetric(metric);
  if (!isMahalanobis(loaded)) {
    throw inputError(
      `the ${loaded.method} metric is not a matrix over the columns, so SQL cannot express it`,
      {
        code: "no-sql",
      },
    );
  }
  const { factor } = loaded;
  const before = steps[steps.length - 1];
  const inner = {
    ...before,
    columns: before.columns.map((column) => column.replace(/kindred_x(\d+)$/, "kindred_y$1")),
  };
  const under = Array.from({ length: factor.rows }, (_, r) => {
    const row = Array.from(factor.data.subarray(r * factor.cols, (r + 1) * factor.cols));
    return `${linear(row, (f) => `kindred_y${f}`)} as kindred_x${r}`;
  });
  return [...steps.slice(0, -1), inner, { name: "kindred_metric", columns: under }];
}

function scalingStep(scaling: Scaling, sql: Dialect): SqlStep {
  if (scaling.groups.length !== 1) {
    throw inputError("the model scales rows within groups, which SQL cannot express", { code: "no-sql" });
  }
  const [{ center, scale }] = scaling.groups;
  const columns = scaling.kept.map((column, f) => {
    const cell = sql.toDouble(sql.name(scaling.columns[column]));
    const scaled = scale[f] === 0 ? double(0) : `(${cell} - ${double(center[f])}) / ${double(scale[f])}`;
    return `${sql.bounded(scaled)} as kindred_x${f}`;
  });
  return { name: "kindred_features", columns };
}
