import { sizesOf } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { withPoints } from "../kmeans/withPoints.ts";
import { requireColumns } from "../clusterInput.ts";

export const LINKAGES = ["ward", "average", "complete", "single"] as const;
export type Linkage = (typeof LINKAGES)[number];

/** Number of rows of Y whose distances are computed at a time. */
const BLOCK = 64;

/**
 * The nearest of K clusters by the linkage for each row of Y; the first among equals.
 *
 * @param rows the means of the clusters for "ward", all rows for the others
 * @param labels the clusters of all rows
 */
export function predictByLinkage(
  linkage: Linkage,
  rows: Matrix,
  labels: Int32Array,
  K: number,
  Y: Matrix,
): Int32Array {
  const sizes = sizesOf(labels, K);
  requireColumns(Y.cols, rows.cols);
  requireFinite(Y);
  const result = new Int32Array(Y.rows);
  const D = new Float64Array(BLOCK * rows.rows);
  const to = new Float64Array(K);
  withPoints(Y, (points) => {
    for (let first = 0; first < Y.rows; first += BLOCK) {
      const last = Math.min(Y.rows, first + BLOCK);
      points.distances(first, last, rows.data, rows.rows, D);
      for (let i = first; i < last; i++) {
        const at = (i - first) * rows.rows;
        if (linkage === "ward") for (let k = 0; k < K; k++) to[k] = (D[at + k] * sizes[k]) / (sizes[k] + 1);
        else gather(D, at, rows.rows, labels, sizes, linkage, to);
        for (let k = 1; k < K; k++) if (to[k] < to[result[i]]) result[i] = k;
      }
    }
  });
  return result;
}

function gather(
  D: Float64Array,
  at: number,
  n: number,
  labels: Int32Array,
  sizes: Int32Array,
  linkage: "average" | "complete" | "single",
  to: Float64Array,
): void {
  to.fill(linkage === "single" ? Infinity : 0);
  for (let j = 0; j < n; j++) {
    const k = labels[j];
    const squared = D[at + j];
    if (linkage === "average") to[k] += Math.sqrt(squared) / sizes[k];
    else if (linkage === "complete") to[k] = Math.max(to[k], squared);
    else to[k] = Math.min(to[k], squared);
  }
}
