/**
 * One Newton step on a face of the dual of a linear machine (dualCoordinateDescent.ts): for the coordinates F between
 * their bounds, with Z the rows y_i x_i of F,
 *
 *     max over a_F of D(a):   (Z Z' + s I) step = - gradient_F of -D
 *
 * is one linear system, of the size of F or, by Woodbury's identity, of the number of features. If the
 * solution is outside the bounds, a moves to its projection or as far towards it as the bounds allow,
 * whichever raises D more. Coordinate descent finds the face within a few passes but may need thousands on it
 * where rows are nearly dependent.
 */
import {
  gram,
  matrix,
  multiplyTransposeVector,
  multiplyVector,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import type { RowProducts } from "./rowProducts.ts";

export interface Face {
  readonly rows: RowProducts;
  readonly y: Float64Array;
  /** s. */
  readonly shift: number;
  /** U. */
  readonly bound: number;
  /** For -D at the current a. */
  gradient(i: number): number;
}

/** The outcome for `a`: optimal on its face, stopped by bounds, or not moved. */
export type FaceStep = "whole" | "blocked" | "none";

/** Larger systems cost more than the passes they save. */
const LARGEST = 1000;
/** Relative to the mean x'x, instead of s if s is 0: with more free rows than features Z Z' is singular. */
const RIDGE = 1e-7;

export function faceStep(face: Face, a: Float64Array): FaceStep {
  const { rows, shift, bound, gradient } = face;
  let free = Int32Array.from(a.keys()).filter((i) => a[i] > 0 && a[i] < bound);
  // With a system of the size of the features, coordinates that would leave their bound cost little, so they
  // join.
  if (free.length > rows.features) {
    const slopes = a.map((_, i) => gradient(i));
    free = Int32Array.from(a.keys()).filter(
      (i) => (a[i] > 0 || slopes[i] < 0) && (a[i] < bound || slopes[i] > 0),
    );
  }
  if (free.length === 0 || Math.min(free.length, rows.features) > LARGEST) return "none";
  const downhill = Float64Array.from(free, (i) => -gradient(i));
  const system = free.length <= rows.features ? byRows(face, free) : byFeatures(face, free);
  const step = system.solve(downhill);
  if (step === undefined) return "none";

  /** D(a + change) - D(a). */
  const rise = (change: Float64Array): number => {
    let linear = 0;
    let squares = 0;
    for (let p = 0; p < change.length; p++) {
      linear += downhill[p] * change[p];
      squares += change[p] * change[p];
    }
    return linear - (system.norm(change) + shift * squares) / 2;
  };
  const projected = step.map((value, p) => Math.min(bound, Math.max(0, a[free[p]] + value)) - a[free[p]]);
  let length = 1;
  for (let p = 0; p < step.length; p++) {
    const room = step[p] < 0 ? -a[free[p]] / step[p] : (bound - a[free[p]]) / step[p];
    if (room < length) length = room;
  }
  const shortened = length === 1 ? projected : step.map((value) => length * value);
  const [clipped, cut] = [rise(projected), length === 1 ? -Infinity : rise(shortened)];
  if (!(Math.max(clipped, cut) > 0)) return "none";
  const change = clipped >= cut ? projected : shortened;
  for (let p = 0; p < change.length; p++) {
    const moved = a[free[p]] + change[p];
    // A reached bound is met exactly: the next face is the smaller one.
    const low = step[p] < 0 && moved <= ROUNDING * a[free[p]];
    const high = step[p] > 0 && moved >= bound * (1 - ROUNDING);
    a[free[p]] = low ? 0 : high ? bound : moved;
  }
  return length === 1 ? "whole" : "blocked";
}

const ROUNDING = 1e-14;

interface System {
  /** (Z Z' + s I)^-1 r, or undefined if that is not positive definite. */
  solve(r: Float64Array): Float64Array | undefined;
  /** |Z'v|^2. */
  norm(v: Float64Array): number;
}

function byRows({ rows, y, shift }: Face, free: Int32Array): System {
  const size = free.length;
  const Q = rows.among(free);
  for (let p = 0; p < size; p++) {
    for (let q = 0; q < size; q++) Q.data[p * size + q] *= y[free[p]] * y[free[q]];
  }
  return {
    solve(r) {
      const factor = tryCholesky(raised(Q, shift)) ?? tryCholesky(raised(Q, ridge(rows, free)));
      return factor?.solve(matrix(size, 1, r)).data;
    },
    norm: (v) => {
      const Qv = multiplyVector(Q, v);
      return v.reduce((sum, value, p) => sum + value * Qv[p], 0);
    },
  };
}

function byFeatures({ rows, y, shift }: Face, free: Int32Array): System {
  const Z = rows.signed(free, y);
  return {
    solve(r) {
      const s = shift > 0 ? shift : ridge(rows, free);
      const factor = s > 0 ? tryCholesky(raised(gram(Z), s)) : undefined;
      if (factor === undefined) return undefined;
      const inner = factor.solve(matrix(Z.cols, 1, multiplyTransposeVector(Z, r))).data;
      const outer = multiplyVector(Z, inner);
      return r.map((value, p) => (value - outer[p]) / s);
    },
    norm: (v) => multiplyTransposeVector(Z, v).reduce((sum, value) => sum + value * value, 0),
  };
}

function ridge({ norms }: RowProducts, free: Int32Array): number {
  return (RIDGE * free.reduce((sum, i) => sum + norms[i], 0)) / free.length;
}

function raised(Q: Matrix, s: number): Matrix {
  const R = matrix(Q.rows, Q.cols, Q.data.slice());
  for (let p = 0; p < Q.rows; p++) R.data[p * Q.rows + p] += s;
  return R;
}
