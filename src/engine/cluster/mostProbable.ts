import { double } from "../../core/internal.ts";
import type { GaussianMixtureModel } from "../../cluster/index.ts";
import { precisions, whitening } from "../../cluster/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { dot, columnMeans } from "../../matrix/internal.ts";
import { type Dialect } from "../dialect.ts";
import type { EngineTable } from "../engineTable.ts";
import { CLUSTER, featureRows, X } from "./nearestCenter.ts";

/**
 * The rows of a table with the most probable component of a mixture, the first one in a tie: a subquery with
 * the columns `kindred_x0` ... (the features), `kindred_cluster` and the additional columns. Component k is
 * the one with the smallest
 *
 *     ||W_k (x - s) - W_k (mu_k - s)||^2 + log |S_k| - 2 log pi_k,     W_k' W_k = S_k^-1,
 *
 * W_k being lower triangular or diagonal, and s the mean of the centres, so an offset costs no digits.
 */
export function mostProbable(
  table: EngineTable,
  model: GaussianMixtureModel,
  carried: readonly string[] = [],
): string {
  const { first } = SQL[table.engine.dialect.engine];
  return `(select *, ${first} as ${CLUSTER} from ${scoredRows(table, model, carried)}) as kindred_probable`;
}

/** The inputs of a component's score. */
export type Components = Pick<
  GaussianMixtureModel,
  "clusters" | "weights" | "centers" | "covariance" | "covariances"
>;

/** The rows of a table with the scores of all components, as above: the column `kindred_scores`, an array. */
export function scoredRows(table: EngineTable, model: Components, carried: readonly string[] = []): string {
  const { clusters: K, weights, centers, covariance, covariances } = model;
  const d = centers.cols;
  const { dialect } = table.engine;
  const { square, shifted } = SQL[dialect.engine];
  const { logDeterminants, whiteners } = precisions(covariance, covariances, K, d);
  const shift = columnMeans(centers);
  const centered = table.features.map((_, f) => `(${X(f)} - ${double(shift[f])})`);
  const scores = Array.from({ length: K }, (_, k) => {
    const mean = centers.data.subarray(k * d, (k + 1) * d).map((value, f) => value - shift[f]);
    const constant = double(logDeterminants[k] - 2 * Math.log(weights[k]));
    return `${square(whitening(covariance, whiteners, k), mean, centered)} + ${constant}`;
  });
  const rows = `(select *, ${shifted(centered)} from ${featureRows(table, carried)}) as kindred_shifted`;
  return `(select *, ${dialect.array(scores)} as kindred_scores from ${rows}) as kindred_scored`;
}

interface MixtureSql {
  /** A column that all components use. */
  readonly shifted: (centered: readonly string[]) => string;
  /** ||W x - W mean||^2 */
  readonly square: (W: Matrix, mean: Float64Array, centered: readonly string[]) => string;
  /** The position of the smallest score, from 0. */
  readonly first: string;
}

/** For the reasons in `nearestCenter`: list functions on DuckDB, arithmetic on Spark. */
const SQL: Readonly<Record<Dialect["engine"], MixtureSql>> = {
  duckdb: {
    shifted: (centered) => `[${centered.join(", ")}] as kindred_x`,
    square(W, mean, centered) {
      const at = Array.from({ length: W.rows }, (_, r) => dot(rowOf(W, r), mean));
      const turned = at.map((_, r) => {
        const row = rowOf(W, r);
        const only = row.findIndex((w) => w !== 0);
        return isDiagonal(W)
          ? `${double(row[only])} * ${centered[only]}`
          : `list_dot_product(kindred_x, [${Array.from(row, double).join(", ")}]::double[])`;
      });
      return `pow(list_distance([${turned.join(", ")}], [${at.map(double).join(", ")}]::double[]), 2)`;
    },
    first: "cast(list_position(kindred_scores, list_min(kindred_scores)) - 1 as integer)",
  },
  spark: {
    shifted: () => "0 as kindred_x",
    square: (W, mean, centered) =>
      Array.from({ length: W.rows }, (_, r) => {
        const row = rowOf(W, r);
        const terms = centered.flatMap((x, f) => (row[f] === 0 ? [] : [`${double(row[f])} * ${x}`]));
        return `pow(${terms.join(" + ")} - ${double(dot(row, mean))}, 2)`;
      }).join(" + "),
    first: "cast(array_position(kindred_scores, array_min(kindred_scores)) - 1 as int)",
  },
};

function rowOf({ cols, data }: Matrix, r: number): Float64Array {
  return data.subarray(r * cols, (r + 1) * cols);
}

function isDiagonal({ cols, data }: Matrix): boolean {
  return data.every((value, p) => value === 0 || p % (cols + 1) === 0);
}
