import { directions } from "../../graph/internal.ts";
import {
  asMatrix,
  matrix,
  row,
  squaredDistances,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { placeByCenters } from "../placeByCenters.ts";
import { requireColumns } from "../clusterInput.ts";

/**
 * Distances between rows:
 *
 *     euclidean  ||x - y||
 *     manhattan  sum_f |x_f - y_f|
 *     cosine     1 - x'y / (||x|| ||y||)
 */
export type RowDistance = "euclidean" | "manhattan" | "cosine";

/** Rows in a space where distances are simple sums of differences: rows of length 1 for the cosine. */
export function distanceSpace(X: Matrix, kind: RowDistance, who: string): Matrix {
  if (kind !== "cosine") return X;
  return directions(X, (i) => `${who}: all values of row ${i} are 0, and such a row has no cosine to others`);
}

/** The distances of row i of A to all rows of B, both in the space of the distance. */
export function distancesFrom(A: Matrix, i: number, B: Matrix, kind: RowDistance, into: Float64Array): void {
  const { cols: d } = A;
  const from = i * d;
  const x = A.data.subarray(from, from + d);
  const y = B.data;
  const n = B.rows;
  if (kind === "manhattan") {
    for (let j = 0, p = 0; j < n; j++) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += Math.abs(x[f] - y[p++]);
      into[j] = sum;
    }
    return;
  }
  for (let j = 0, p = 0; j < n; j++) {
    let sum = 0;
    for (let f = 0; f < d; f++) {
      const difference = x[f] - y[p++];
      sum += difference * difference;
    }
    into[j] = sum;
  }
  fromSquares(into, kind);
}

/** The distances of all rows to all rows, in the space of the distance. */
export function distancesWithin(Z: Matrix, kind: RowDistance): Matrix {
  if (kind !== "manhattan") {
    const D = squaredDistances(Z);
    fromSquares(D.data, kind);
    return D;
  }
  const D = matrix(Z.rows, Z.rows);
  for (let i = 0; i < Z.rows; i++) distancesFrom(Z, i, Z, kind, row(D, i));
  return D;
}

/** ||u - v||^2 = 2 - 2 u'v for rows of length 1: no cancellation, and equal rows are at exactly 0. */
function fromSquares(squares: Float64Array, kind: RowDistance): void {
  for (let p = 0; p < squares.length; p++) {
    squares[p] = kind === "cosine" ? squares[p] / 2 : Math.sqrt(squares[p]);
  }
}

/** The nearest centre after the map, or by a distance that is not of kernels. */
export function placeByDistance(
  centers: Matrix,
  map?: Matrix,
  distance?: RowDistance,
): (Y: MatrixLike | Sparse) => Int32Array {
  if (distance === undefined) return placeByCenters(centers, map);
  return (Y) => nearestByDistance(asMatrix(Y as MatrixLike, "predict"), centers, distance);
}

/** The nearest of the centres for each row, the first among equals. */
export function nearestByDistance(Y: Matrix, centers: Matrix, kind: RowDistance): Int32Array {
  requireColumns(Y.cols, centers.cols);
  const rows = distanceSpace(Y, kind, "predict");
  const at = distanceSpace(centers, kind, "predict");
  const distances = new Float64Array(at.rows);
  return Int32Array.from({ length: Y.rows }, (_, i) => {
    distancesFrom(rows, i, at, kind, distances);
    let best = 0;
    for (let k = 1; k < at.rows; k++) if (distances[k] < distances[best]) best = k;
    return best;
  });
}
