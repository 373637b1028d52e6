import type { Points } from "./points.ts";

/** The nearest of K centres for each row, the first among equals; where a row may have it, that of `before`. */
export function nearestCenters(points: Points, C: Float64Array, K: number, before?: Int32Array): Int32Array {
  if (points.nearest !== undefined) return points.nearest(C, K, before);
  const n = points.rows;
  const block = Math.max(1, Math.min(n, Math.floor(65536 / K)));
  const D = new Float64Array(block * K);
  const labels = new Int32Array(n);
  for (let first = 0; first < n; first += block) {
    const last = Math.min(n, first + block);
    points.distances(first, last, C, K, D);
    for (let i = first, at = 0; i < last; i++, at += K) {
      let nearest = 0;
      for (let k = 1; k < K; k++) if (D[at + k] < D[at + nearest]) nearest = k;
      labels[i] = nearest;
    }
  }
  return labels;
}
