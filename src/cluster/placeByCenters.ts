import { asRows, multiply, type Matrix, type MatrixLike, type Sparse } from "../matrix/index.ts";
import { scaled } from "../matrix/internal.ts";
import { checkedScale, requireColumns } from "./clusterInput.ts";
import { withPoints } from "./kmeans/withPoints.ts";

/** The nearest centre, after the map. */
export function placeByCenters(centers: Matrix, map?: Matrix): (Y: MatrixLike | Sparse) => Int32Array {
  if (map === undefined) return (Y) => predictNearest(Y, centers);
  const at = multiply(centers, map);
  return (input) => {
    const Y = asRows(input, "predict");
    requireColumns(Y.cols, centers.cols);
    return predictNearest(multiply(Y, map), at);
  };
}

/** The nearest centre of each row of Y. */
export function predictNearest(input: MatrixLike | Sparse, centers: Matrix): Int32Array {
  const Y = asRows(input, "predict");
  requireColumns(Y.cols, centers.cols);
  const scale = checkedScale(Y, centers);
  const C = scaled(centers, scale).data;
  return withPoints(scaled(Y, scale), (points) => {
    points.nearest(C, centers.rows, false);
    return points.labels().slice();
  });
}
