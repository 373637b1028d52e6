import { asRows, type MatrixLike } from "../../matrix/asMatrix.ts";
import { inputError } from "../../core/errors.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { nearestCenters } from "./nearestCenters.ts";
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
