/**
 * Dual coordinate descent for one linear two-class machine (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008):
 *
 *     primal  P(w) = 1/2 w'w + C sum_i l(1 - y_i w'x_i),        l(z) = max(0, z) or its square
 *     dual    D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2 - 1/2 s sum_i a_i^2,   0 <= a_i <= U
 *
 * with U = C, s = 0 for the hinge and U = infinity, s = 1 / (2 C) for its square. An intercept is the weight of one more
 * feature that is 1 everywhere. Each step is exact in one a_i and keeps w = sum_i a_i y_i x_i; coordinates at a bound
 * that the last pass would have kept there are skipped until the others are done. P(w) - D(a) bounds the distance of
 * either from the optimum, and is what ends the search.
 */
import type { Random } from "../core/random.ts";
import { row, type Matrix } from "../matrix/matrix.ts";

export interface LinearProblem {
  readonly X: Matrix;
  /** |x_i|^2, with the intercept's 1 if there is one. */
  readonly norms: Float64Array;
  /** +1 or -1. */
  readonly y: Float64Array;
  readonly cost: number;
  readonly squared: boolean;
  readonly intercept: boolean;
  /** Duality gap relative to the primal objective at which to stop. */
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly random: Random;
  readonly report: (fraction: number) => boolean;
}

export interface LinearMachine {
  readonly weights: Float64Array;
  readonly intercept: number;
  /** P(w). */
  readonly objective: number;
  /** P(w) - D(a). */
  readonly gap: number;
  /** Passes over the rows. */
  readonly iterations: number;
  readonly converged: boolean;
}

export function dualCoordinateDescent(problem: LinearProblem): LinearMachine {
  const { X, norms, y, cost, squared, intercept, tolerance, maxIterations, random, report } = problem;
  const { rows: n, cols: d, data } = X;
  const shift = squared ? 1 / (2 * cost) : 0;
  const bound = squared ? Infinity : cost;
  const a = new Float64Array(n);
  const w = new Float64Array(d);
  let w0 = 0;
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let active = n;
  // A pass looks at projected gradients: the spread of the last one decides what is skipped, `wanted` when to measure.
  let highest = Infinity;
  let lowest = -Infinity;
  let wanted = 0.1;
  let iterations = 0;
  let gap = Infinity;
  let objective = Infinity;
  while (iterations < maxIterations) {
    random.shuffle(order.subarray(0, active));
    let largest = -Infinity;
    let smallest = Infinity;
    for (let s = 0; s < active; s++) {
      const i = order[s];
      const from = i * d;
      const sign = y[i];
      let product = intercept ? w0 : 0;
      for (let f = 0; f < d; f++) product += w[f] * data[from + f];
      const gradient = sign * product - 1 + shift * a[i];
      let projected = gradient;
      if ((a[i] === 0 && gradient > highest) || (a[i] === bound && gradient < lowest)) {
        order[s--] = order[--active];
        order[active] = i;
        continue;
      }
      if ((a[i] === 0 && gradient > 0) || (a[i] === bound && gradient < 0)) projected = 0;
      if (projected > largest) largest = projected;
      if (projected < smallest) smallest = projected;
      const curvature = norms[i] + shift;
      if (projected === 0 || curvature === 0) continue;
      const moved = Math.min(bound, Math.max(0, a[i] - gradient / curvature));
      const step = (moved - a[i]) * sign;
      a[i] = moved;
      if (intercept) w0 += step;
      for (let f = 0; f < d; f++) w[f] += step * data[from + f];
    }
    iterations++;
    highest = largest > 0 ? largest : Infinity;
    lowest = smallest < 0 ? smallest : -Infinity;
    if (active === 0 || largest - smallest <= wanted) {
      if (active === n) {
        ({ gap, objective } = measure(problem, a, w, w0, shift));
        if (gap <= tolerance * objective) break;
        wanted /= 10;
      }
      active = n;
      highest = Infinity;
      lowest = -Infinity;
    }
    if (!report(iterations / maxIterations)) break;
  }
  ({ gap, objective } = measure(problem, a, w, w0, shift));
  const converged = gap <= tolerance * objective;
  return { weights: w, intercept: w0, objective, gap, iterations, converged };
}

function measure(
  { X, y, cost, squared }: LinearProblem,
  a: Float64Array,
  w: Float64Array,
  w0: number,
  shift: number,
): { objective: number; gap: number } {
  let norm = w0 * w0;
  for (const weight of w) norm += weight * weight;
  let loss = 0;
  let total = 0;
  let squares = 0;
  for (let i = 0; i < X.rows; i++) {
    const x = row(X, i);
    let product = w0;
    for (let f = 0; f < x.length; f++) product += w[f] * x[f];
    const slack = Math.max(0, 1 - y[i] * product);
    loss += squared ? slack * slack : slack;
    total += a[i];
    squares += a[i] * a[i];
  }
  const objective = norm / 2 + cost * loss;
  return { objective, gap: objective - (total - norm / 2 - (shift * squares) / 2) };
}
