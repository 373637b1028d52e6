import { asRows, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { inputError } from "../../core/internal.ts";
import type { Points } from "./points.ts";
import { checkedScale, scaled } from "./numberRange.ts";
import { withPoints } from "./withPoints.ts";

/** The nearest centre of each row of Y. */
export function predictNearest(input: MatrixLike | Sparse, centers: Matrix): Int32Array {
  const Y = asRows(input, "predict");
  if (Y.cols !== centers.cols) {
    throw inputError(`predict: the data has ${Y.cols} columns, but the clusters have ${centers.cols}`);
  }
  const scale = checkedScale(Y, centers);
  const C = scaled(centers, scale).data;
  return withPoints(scaled(Y, scale), (points) => nearestCenters(points, C, centers.rows));
}

/** The nearest of K centres for each row, the first among equals. */
export function nearestCenters(points: Points, C: Float64Array, K: number): Int32Array {
  points.nearest(C, K, false);
  return points.labels().slice();
}
