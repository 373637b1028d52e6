import type { Points } from "./points.ts";

/** The nearest of K centres for each row, the first among equals. */
export function nearestCenters(points: Points, C: Float64Array, K: number): Int32Array {
  points.nearest(C, K, false);
  return points.labels().slice();
}
