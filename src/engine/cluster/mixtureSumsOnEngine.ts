import { double, leastOf } from "../../core/internal.ts";
import type { Mixture } from "../../cluster/internal.ts";
import { matrix } from "../../matrix/index.ts";
import type { MixtureSums } from "../../scale/internal.ts";
import { type Dialect } from "../dialect.ts";
import { answer } from "../engine.ts";
import type { EngineTable } from "../engineTable.ts";
import { scoredRows } from "./mostProbable.ts";
import { X } from "./nearestCenter.ts";

/**
 * Smaller responsibilities are not summed: this saves most of the work if few components matter for a row.
 */
const NOTHING = 1e-14;

/** Maximum number of sums in one statement: each statement scores all rows again. */
const WIDEST = 600;

/**
 * The sums for a step of EM (see scale/passes/mixtureSums.ts), computed by the engine. With s_k the score of
 * component k (`scoredRows`: -2 log of its weighted density, up to a constant) and m the smallest of them,
 * the responsibilities are
 *
 *     r_k = e_k / sum_l e_l,     e_k = exp((m - s_k) / 2),     log p(x) = log sum_l e_l - m / 2 - d / 2 log 2 pi.
 *
 * A row becomes one row for each of its components, and the sums are grouped by component; if there are too
 * many sums for a statement, they take several passes.
 *
 * @param table its features are those of the mixture: centered, and in units
 */
export async function mixtureSumsOnEngine(table: EngineTable, mixture: Mixture): Promise<MixtureSums> {
  const { kind, weights, means, covariances } = mixture;
  const K = weights.length;
  const d = means.length / K;
  const { engine } = table;
  const { known } = engine.dialect;
  const { at, parts, literal } = SQL[engine.dialect.engine];
  const scored = scoredRows(table, {
    clusters: K,
    weights,
    centers: matrix(K, d, means),
    covariance: kind,
    covariances,
  });
  const xs = Array.from({ length: d }, (_, f) => X(f));
  const scores = Array.from({ length: K }, (_, k) => at("kindred_scores", String(k)));
  const compared = `(select *, ${leastOf(scores)} as kindred_least from ${scored}) as kindred_compared`;
  const es = scores.map((score, k) => `exp((kindred_least - ${score}) / 2) as kindred_e${k}`);
  const weighed = `(select ${[...xs, "kindred_least", ...es].join(", ")} from ${compared}) as kindred_weighed`;
  const names = Array.from({ length: K }, (_, k) => `kindred_e${k}`);
  const total = names.join(" + ");
  const added = `(select *, ${total} as kindred_total from ${weighed}) as kindred_added`;
  // The first of the most probable components, whose e is 1.
  const most = `case ${names.map((name, k) => `when ${name} = 1 then ${k}`).join(" ")} else 0 end`;
  const log = known(`ln(kindred_total) - kindred_least / 2`);
  const shares = names.map((name) => known(`${name} / kindred_total`));
  const exploded = parts(added, [...xs, `${most} as kindred_most`, `${log} as kindred_log`], shares);
  const about = (f: number): string =>
    `(${X(f)} - ${at(literal(Array.from({ length: K }, (_, k) => means[k * d + f])), "kindred_k")})`;
  const own = xs.map((_, f) => `${about(f)} as kindred_y${f}`);
  const rows =
    `(select kindred_k, kindred_r, kindred_most, kindred_log, ${own.join(", ")} from ${exploded} ` +
    `where kindred_r > ${double(NOTHING)}) as kindred_parts`;
  const y = (f: number): string => `kindred_y${f}`;
  const second = secondMoments(kind, d);
  const sums = [
    "sum(kindred_r)",
    "sum(case when kindred_k = kindred_most then 1 else 0 end)",
    "sum(case when kindred_k = kindred_most then kindred_log else 0e0 end)",
    ...xs.map((_, f) => `sum(kindred_r * ${y(f)})`),
    ...second.map((terms) => `sum(kindred_r * (${terms.map(([a, b]) => `${y(a)} * ${y(b)}`).join(" + ")}))`),
  ];
  const counts = new Float64Array(K);
  const sizes = new Float64Array(K);
  const first = matrix(K, d);
  const scatter = covariances.map(({ rows: height, cols }) => matrix(height, cols));
  let logLikelihood = 0;
  const put = (k: number, j: number, value: number): void => {
    if (j === 0) counts[k] = value;
    else if (j === 1) sizes[k] = value;
    else if (j === 2) logLikelihood += value;
    else if (j < 3 + d) first.data[k * d + j - 3] = value;
    else {
      const [[a, b]] = second[j - 3 - d];
      if (kind === "full" || kind === "tied") {
        const { data } = scatter[kind === "full" ? k : 0];
        data[a * d + b] += value;
        if (a !== b) data[b * d + a] += value;
      } else scatter[0].data[k * scatter[0].cols + (kind === "diagonal" ? a : 0)] = value;
    }
  };
  const width = WIDEST;
  for (let from = 0; from < sums.length; from += width) {
    const asked = sums.slice(from, from + width);
    const found = await answer(
      engine,
      `select ${["kindred_k", ...asked].join(", ")} from ${rows} group by kindred_k`,
    );
    for (let g = 0; g < found.rows; g++) {
      asked.forEach((_, j) => put(Number(found.columns[0][g]), from + j, Number(found.columns[1 + j][g])));
    }
  }
  const n = sizes.reduce((sum, size) => sum + size, 0);
  return {
    mixture,
    rows: n,
    counts,
    sizes,
    sums: first,
    scatter,
    logLikelihood: logLikelihood - (n * d * Math.log(2 * Math.PI)) / 2,
  };
}

/** The products of features that the covariances need; each entry is a sum of products. */
function secondMoments(kind: Mixture["kind"], d: number): (readonly [number, number])[][] {
  const features = Array.from({ length: d }, (_, f) => f);
  if (kind === "full" || kind === "tied") {
    return features.flatMap((a) => features.slice(a).map((b) => [[a, b] as const]));
  }
  if (kind === "diagonal") return features.map((f) => [[f, f] as const]);
  return [features.map((f) => [f, f] as const)];
}

interface MixtureSumsSql {
  /** Element k of an array, from 0. */
  readonly at: (array: string, k: string) => string;
  readonly literal: (values: readonly number[]) => string;
  /** One row for each value, with its number `kindred_k` and the value `kindred_r`. */
  readonly parts: (from: string, carried: readonly string[], values: readonly string[]) => string;
}

const SQL: Readonly<Record<Dialect["engine"], MixtureSumsSql>> = {
  duckdb: {
    at: (array, k) => `${array}[${k} + 1]`,
    literal: (values) => `([${values.map(double).join(", ")}]::double[])`,
    parts: (from, carried, values) =>
      `(select ${carried.join(", ")}, unnest([${values.map((_, k) => k).join(", ")}]) as kindred_k, ` +
      `unnest([${values.join(", ")}]) as kindred_r from ${from}) as kindred_exploded`,
  },
  spark: {
    at: (array, k) => `coalesce(${array}[${k}], 0e0)`,
    literal: (values) => `array(${values.map(double).join(", ")})`,
    parts: (from, carried, values) =>
      `(select ${carried.join(", ")}, posexplode(array(${values.join(", ")})) as (kindred_k, kindred_r) ` +
      `from ${from}) as kindred_exploded`,
  },
};
