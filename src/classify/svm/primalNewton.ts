/**
 * The squared-hinge machine by Newton's method in the primal (Keerthi and DeCoste, JMLR 6, 2005): P is
 * convex, piecewise quadratic and once differentiable, so Newton steps with an exact line search end after
 * finitely many.
 *
 *     P(w) = 1/2 w'w + C sum_i max(0, 1 - z_i'w)^2,    z_i = y_i x_i
 *     gradient = w - Z'a,  a_i = 2 C max(0, 1 - z_i'w),    Hessian = I + 2 C sum over i with a_i > 0 of z_i z_i'
 *
 * At the optimum w = Z'a, and a solves the dual of dualCoordinateDescent.ts, which starts from it and proves
 * it. For few features: a step costs n d^2, but in contrast to coordinate descent the number of steps hardly
 * depends on the features' scales.
 */
import {
  gram,
  matrix,
  multiplyTransposeVector,
  multiplyVector,
  takeRows,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";

/** @returns a, at least 0, the best found within `maxIterations` steps */
export function primalNewton(
  Z: Matrix,
  cost: number,
  tolerance: number,
  maxIterations: number,
): Float64Array {
  const w = new Float64Array(Z.cols);
  const margins = new Float64Array(Z.rows);
  const dual = (): Float64Array => margins.map((margin) => 2 * cost * Math.max(0, 1 - margin));
  let a = dual();
  for (let iteration = 0; iteration < maxIterations; iteration++) {
    const pull = multiplyTransposeVector(Z, a);
    if (relativeGap(w, pull, a, cost) <= tolerance) break;
    const active = Int32Array.from(a.keys()).filter((i) => a[i] > 0);
    const H = gram(takeRows(Z, active));
    for (let p = 0; p < H.data.length; p++) H.data[p] *= 2 * cost;
    for (let f = 0; f < H.rows; f++) H.data[f * H.rows + f] += 1;
    const descent = matrix(
      w.length,
      1,
      pull.map((value, f) => value - w[f]),
    );
    const direction = tryCholesky(H)?.solve(descent).data;
    if (direction === undefined) break;
    const change = multiplyVector(Z, direction);
    const length = bestLength(w, direction, margins, change, cost);
    if (!(length > 0)) break;
    for (let f = 0; f < w.length; f++) w[f] += length * direction[f];
    for (let i = 0; i < margins.length; i++) margins[i] += length * change[i];
    a = dual();
  }
  return a;
}

/** (P(w) - D(a)) / P(w), with pull = Z'a. */
function relativeGap(w: Float64Array, pull: Float64Array, a: Float64Array, cost: number): number {
  let norms = 0;
  for (let f = 0; f < w.length; f++) norms += w[f] * w[f] + pull[f] * pull[f];
  let total = 0;
  let squares = 0;
  for (let i = 0; i < a.length; i++) {
    total += a[i];
    squares += a[i] * a[i];
  }
  const primal = w.reduce((sum, value) => sum + value * value, 0) / 2 + squares / (4 * cost);
  return (norms / 2 + squares / (2 * cost) - total) / primal;
}

/**
 * The t with P'(w + t p) = 0, to rounding: the derivative increases and is linear between the points where a
 * margin passes 1, so Newton's iteration in t, kept in a bracket, finds it.
 */
function bestLength(
  w: Float64Array,
  p: Float64Array,
  margins: Float64Array,
  change: Float64Array,
  cost: number,
): number {
  let slope0 = 0;
  let curve0 = 0;
  for (let f = 0; f < w.length; f++) {
    slope0 += w[f] * p[f];
    curve0 += p[f] * p[f];
  }
  let low = 0;
  let high = Infinity;
  let t = 1;
  for (let round = 0; round < 60; round++) {
    let slope = slope0 + t * curve0;
    let curve = curve0;
    for (let i = 0; i < margins.length; i++) {
      const slack = 1 - margins[i] - t * change[i];
      if (slack <= 0) continue;
      slope -= 2 * cost * slack * change[i];
      curve += 2 * cost * change[i] * change[i];
    }
    if (slope <= 0) low = t;
    else high = t;
    const next = t - slope / curve;
    const inside = next > low && next < high;
    const moved = inside ? next : high === Infinity ? 2 * t : (low + high) / 2;
    if (Math.abs(moved - t) <= 1e-14 * t || slope === 0) return t;
    t = moved;
  }
  return t;
}
