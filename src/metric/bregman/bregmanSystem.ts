/**
 * The convex problem of a Bregman distance (bregman.ts) in x = (a, b) >= 0, the weights of the points and the threshold:
 *
 *     minimise f = 1/2 x'Q x + C sum_p loss(1 + r_p'x),   Q = K with a row and a column of 0,   r_p = y_p (z_p, -1)
 *
 * where loss(s) = max(0, s)^2 (bregmanSquared.ts), or max(0, s) (bregmanHinge.ts).
 */
import { matrix, takeColumns, takeRows, type Matrix } from "../../matrix/index.ts";

export interface BregmanSystem {
  /** Order m + 1; K with mean diagonal 1. */
  readonly Q: Matrix;
  /** Pairs x (m + 1); the mean of all z is 1. */
  readonly R: Matrix;
  readonly C: number;
}

export interface BregmanSolution {
  readonly weights: Float64Array;
  readonly threshold: number;
  readonly objective: number;
  /** f after each round. */
  readonly history: readonly number[];
  /** Squared hinge: the KKT residual (`kktResidual`). Hinge: the duality gap relative to max(f, 1). */
  readonly residual: number;
  readonly converged: boolean;
  readonly iterations: number;
  readonly stopped: boolean;
}

/** @param y 1 for must-links, -1 for cannot-links */
export function bregmanSystem(K: Matrix, Z: Matrix, y: Int8Array, C: number): BregmanSystem {
  const m = K.rows;
  const w = m + 1;
  const R = matrix(y.length, w);
  for (let p = 0; p < y.length; p++) {
    for (let k = 0; k < m; k++) R.data[p * w + k] = y[p] * Z.data[p * m + k];
    R.data[p * w + m] = -y[p];
  }
  const Q = matrix(w, w);
  for (let k = 0; k < m; k++) Q.data.set(K.data.subarray(k * m, (k + 1) * m), k * w);
  return { Q, R, C };
}

/** The problem with only the variables of `set`, the others being 0. */
export function restricted({ Q, R, C }: BregmanSystem, set: ArrayLike<number>): BregmanSystem {
  return { Q: takeColumns(takeRows(Q, set), set), R: takeColumns(R, set), C };
}

export type SquaredPoint = ReturnType<typeof squaredPoint>;

/** A point with the squared hinge: f, its derivatives and the margins 1 + r_p'x. */
export function squaredPoint({ Q, R, C }: BregmanSystem, x: Float64Array) {
  const w = x.length;
  const support = Int32Array.from(x.keys()).filter((k) => x[k] > 0);
  const gradient = new Float64Array(w);
  for (const k of support) for (let i = 0, q = k * w; i < w; i++, q++) gradient[i] += x[k] * Q.data[q];
  let quadratic = 0;
  for (const k of support) quadratic += x[k] * gradient[k];
  const margins = new Float64Array(R.rows);
  let loss = 0;
  for (let p = 0; p < margins.length; p++) {
    let along = 0;
    for (const k of support) along += R.data[p * w + k] * x[k];
    const slack = (margins[p] = 1 + along);
    if (slack <= 0) continue;
    loss += slack * slack;
    const pull = 2 * C * slack;
    for (let i = 0, q = p * w; i < w; i++, q++) gradient[i] += pull * R.data[q];
  }
  return { x, value: quadratic / 2 + C * loss, gradient, margins };
}

/** max_k |g_k| max(x_k, 1) / max(f, 1); at x_k = 0 only a negative g_k counts. */
export function kktResidual({ x, value, gradient }: SquaredPoint): number {
  let largest = 0;
  for (let k = 0; k < x.length; k++) {
    const r = x[k] > 0 ? Math.abs(gradient[k]) : Math.max(0, -gradient[k]);
    largest = Math.max(largest, r * Math.max(1, x[k]));
  }
  return largest / Math.max(1, value);
}
