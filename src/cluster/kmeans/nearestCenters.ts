import { fullAssigner } from "./assigner.ts";
import type { Points } from "./points.ts";

/** The nearest of K centres for each row, the first among equals, but that of `before` if it is one of them. */
export function nearestCenters(points: Points, C: Float64Array, K: number, before?: Int32Array): Int32Array {
  if (points.nearest !== undefined) return points.nearest(C, K, before);
  const labels = before?.slice() ?? new Int32Array(points.rows).fill(-1);
  fullAssigner(points, K).assign(C, labels);
  return labels;
}
