/**
 * One exact step on a face of the dual of a linear machine (dualCoordinateDescent.ts). Coordinates at their bounds stay
 * there; for the others, F,
 *
 *     max over a_F of D(a):   (Q_FF + s I) (a_F - current a_F) = - current gradient_F
 *
 * is one linear system, and a moves towards its solution until a coordinate meets a bound. D never falls. Coordinate
 * descent finds the face within a few passes but may need thousands on it where rows are nearly dependent, as with more
 * features than rows.
 */
import { tryCholesky } from "../matrix/cholesky.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import type { RowProducts } from "./rowProducts.ts";

export interface Face {
  readonly rows: RowProducts;
  readonly y: Float64Array;
  /** s. */
  readonly shift: number;
  /** U. */
  readonly bound: number;
  /** Of -D at the current a. */
  gradient(i: number): number;
}

/** Larger systems cost more than the passes that they save. */
const LARGEST = 1000;

/** What became of `a`: it is the best of its face, it was stopped by a bound, or it was not moved. */
export type FaceStep = "whole" | "blocked" | "none";

export function faceStep({ rows, y, shift, bound, gradient }: Face, a: Float64Array): FaceStep {
  const free = Int32Array.from(a.keys()).filter((i) => a[i] > 0 && a[i] < bound);
  const size = free.length;
  if (size === 0 || size > LARGEST) return "none";
  const Q = rows.among(free);
  for (let p = 0; p < size; p++) {
    for (let q = 0; q < size; q++) Q.data[p * size + q] *= y[free[p]] * y[free[q]];
    Q.data[p * size + p] += shift;
  }
  const factor = tryCholesky(Q) ?? tryCholesky(raised(Q));
  if (factor === undefined) return "none";
  const step = factor.solve(
    matrix(
      size,
      1,
      Float64Array.from(free, (i) => -gradient(i)),
    ),
  ).data;
  let length = 1;
  let blocking = -1;
  for (let p = 0; p < size; p++) {
    const room = step[p] < 0 ? -a[free[p]] / step[p] : (bound - a[free[p]]) / step[p];
    if (room < length) {
      length = room;
      blocking = p;
    }
  }
  for (let p = 0; p < size; p++) a[free[p]] += length * step[p];
  if (blocking < 0) return "whole";
  a[free[blocking]] = step[blocking] < 0 ? 0 : bound;
  return "blocked";
}

/** More free rows than features make Q singular; with a little on its diagonal the step is shorter, and D still rises. */
function raised(Q: Matrix): Matrix {
  let trace = 0;
  for (let p = 0; p < Q.rows; p++) trace += Q.data[p * Q.rows + p];
  for (let p = 0; p < Q.rows; p++) Q.data[p * Q.rows + p] += (1e-8 * trace) / Q.rows;
  return Q;
}
