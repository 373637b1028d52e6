import { inputError, option, optionError } from "../core/internal.ts";
import type { Matrix, Sparse } from "../matrix/index.ts";

type Rows = Pick<Matrix | Sparse, "rows" | "cols">;

/** Refuses an empty table, and more clusters than rows. */
export function requireClusters(method: string, { rows, cols }: Rows, clusters = 1): void {
  if (rows === 0 || cols === 0) throw inputError(`${method}: the data is empty (${rows} x ${cols})`);
  if (clusters > rows) {
    throw optionError(
      `${method}: cannot make ${clusters} clusters of ${rows} ${rows === 1 ? "row" : "rows"}`,
    );
  }
}

/** K of a method that takes it or the starting centres, from which there is one run. */
export function checkStart(
  method: string,
  X: Rows,
  start: {
    readonly clusters?: number | undefined;
    readonly initialCenters?: Matrix | undefined;
    readonly restarts?: number | undefined;
  },
): number {
  const { clusters, initialCenters, restarts } = start;
  const K = clusters ?? initialCenters?.rows;
  requireClusters(method, X, K);
  if (K === undefined || K === 0) {
    throw optionError(`${method}: ${option("clusters")} is required (an integer at least 1)`);
  }
  if (initialCenters === undefined) return K;
  const { rows, cols } = initialCenters;
  if (cols !== X.cols) {
    throw optionError(
      `${method}: ${option("initialCenters")} has ${cols} columns, but the data has ${X.cols}`,
    );
  }
  if (rows !== K) {
    throw optionError(
      `${method}: ${option("clusters")} is ${K}, but ${option("initialCenters")} has ${rows} rows`,
    );
  }
  if (restarts !== undefined && restarts !== 1) {
    throw optionError(
      `${method}: ${option("restarts")} must be 1 with ${option("initialCenters")}: every run would be the same`,
    );
  }
  return K;
}
