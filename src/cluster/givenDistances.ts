import { inputError, rule } from "../core/internal.ts";
import type { Matrix, MatrixLike } from "../matrix/index.ts";
import { placeByRows } from "./spectral/neighborVote.ts";

/** "precomputed": the rows are those of a square matrix of distances, which are any that one likes. */
export const metricRule: rule.DefaultRule<"euclidean" | "precomputed"> = rule.oneOf(
  ["euclidean", "precomputed"] as const,
  "euclidean",
);

/** Refuses what is no matrix of distances: it must be square and symmetric, 0 on the diagonal, finite and not negative. */
export function requireDistances(method: string, { rows: n, cols, data }: Matrix): void {
  if (n !== cols)
    throw inputError(`${method}: distances between rows are a square matrix, got ${n} x ${cols}`);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const d = data[i * n + j];
      const place = `${method}: the distance of rows ${i} and ${j} (counted from 0) is ${d}`;
      if (!(d >= 0 && d < Infinity)) throw inputError(`${place}; distances are finite and not negative`);
      if (i === j && d !== 0) throw inputError(`${place}; a row has distance 0 to itself`);
      const other = data[j * n + i];
      if (Math.abs(d - other) > 1e-9 * Math.max(d, other)) {
        throw inputError(`${place}, but ${other} the other way round; distances are symmetric`);
      }
    }
  }
}

/** New rows take the cluster of the nearest row; with given distances (no X) there is none to measure. */
export function nearestRowPlacing(
  method: string,
  X: Matrix | undefined,
  labels: Int32Array,
  clusters: number,
): {
  readonly placement: "stored-rows";
  predict(Y: MatrixLike): Int32Array;
} {
  const predict =
    X === undefined
      ? (): never => refuseNewRows(method)
      : placeByRows({ clusters, rows: X, labels, neighbors: 1, gamma: 0 });
  return { placement: "stored-rows", predict };
}

export function refuseNewRows(method: string): never {
  throw inputError(`${method}: clusters of given distances place no new rows; give the rows themselves`);
}
