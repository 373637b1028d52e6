/**
 * Dual coordinate descent for one linear two-class machine (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008):
 *
 *     primal  P(w) = 1/2 w'w + C sum_i l(1 - y_i w'x_i),        l(z) = max(0, z) or its square
 *     dual    D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2 - 1/2 s sum_i a_i^2,   0 <= a_i <= U
 *
 * with U = C, s = 0 for the hinge and U = infinity, s = 1 / (2 C) for its square. An intercept is the weight of one more
 * feature that is 1 everywhere. Each step is exact in one a_i and keeps w = sum_i a_i y_i x_i; coordinates
 * that stayed at a bound in the last pass are skipped until the others are done. Every few passes all free
 * coordinates take Newton steps together (faceStep.ts). P(w) - D(a) bounds the distance of both from the
 * optimum, and ends the search.
 */
import type { Random } from "../../core/index.ts";
import { faceStep } from "./faceStep.ts";
import type { MovingWeights, RowProducts } from "./rowProducts.ts";

export interface LinearProblem {
  readonly rows: RowProducts;
  /** +1 or -1. */
  readonly y: Float64Array;
  readonly cost: number;
  readonly squared: boolean;
  /** a to start from; default 0. */
  readonly start?: Float64Array;
  /** Duality gap relative to the primal objective at which to stop. */
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly random: Random;
  readonly report: (fraction: number) => boolean;
}

export interface LinearSolution {
  /** a_i y_i, so that w = sum_i coefficients_i x_i. */
  readonly coefficients: Float64Array;
  /** P(w). */
  readonly objective: number;
  /** P(w) - D(a). */
  readonly gap: number;
  /** Passes over the rows. */
  readonly iterations: number;
  readonly converged: boolean;
}

/** Passes between two visits to the face. */
const FACE_EVERY = 10;

export function dualCoordinateDescent(problem: LinearProblem): LinearSolution {
  const { rows, y, cost, squared, tolerance, maxIterations, random, report } = problem;
  const { norms } = rows;
  const n = y.length;
  const shift = squared ? 1 / (2 * cost) : 0;
  const bound = squared ? Infinity : cost;
  const a = problem.start ?? new Float64Array(n);
  const w = rows.start();
  if (problem.start !== undefined) restart(w, a, y);
  const gradient = (i: number): number => y[i] * w.product(i) - 1 + shift * a[i];
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let active = n;
  // A pass uses projected gradients: their spread in the last pass decides what is skipped, `wanted` when to
  // measure.
  let highest = Infinity;
  let lowest = -Infinity;
  let wanted = 0.1;
  let iterations = 0;
  let reached = { objective: Infinity, gap: Infinity };
  while (iterations < maxIterations) {
    random.shuffle(order.subarray(0, active));
    let largest = -Infinity;
    let smallest = Infinity;
    for (let s = 0; s < active; s++) {
      const i = order[s];
      const slope = gradient(i);
      if ((a[i] === 0 && slope > highest) || (a[i] === bound && slope < lowest)) {
        order[s--] = order[--active];
        order[active] = i;
        continue;
      }
      const atBound = (a[i] === 0 && slope > 0) || (a[i] === bound && slope < 0);
      const projected = atBound ? 0 : slope;
      if (projected > largest) largest = projected;
      if (projected < smallest) smallest = projected;
      const curvature = norms[i] + shift;
      if (projected === 0 || curvature === 0) continue;
      const moved = Math.min(bound, Math.max(0, a[i] - slope / curvature));
      w.move(i, (moved - a[i]) * y[i]);
      a[i] = moved;
    }
    iterations++;
    highest = largest > 0 ? largest : Infinity;
    lowest = smallest < 0 ? smallest : -Infinity;
    let everyRow = false;
    if (active === 0 || largest - smallest <= wanted) {
      if (active === n) {
        reached = measure(problem, a, w, shift);
        if (reached.gap <= tolerance * reached.objective) break;
        wanted /= 10;
      }
      everyRow = true;
    }
    if (iterations % FACE_EVERY === 0)
      everyRow = visitFace(problem, a, w, shift, bound, gradient) || everyRow;
    if (everyRow) {
      active = n;
      highest = Infinity;
      lowest = -Infinity;
    }
    if (!report(iterations / maxIterations)) break;
  }
  restart(w, a, y); // what single moves have lost to rounding
  const { objective, gap } = measure(problem, a, w, shift);
  return {
    coefficients: a.map((value, i) => value * y[i]),
    objective,
    gap,
    iterations,
    converged: gap <= tolerance * objective,
  };
}

/** Newton steps on the face of `a` and on the smaller faces that bounds cut off, a few at a time. */
function visitFace(
  { rows, y }: LinearProblem,
  a: Float64Array,
  w: MovingWeights,
  shift: number,
  bound: number,
  gradient: (i: number) => number,
): boolean {
  let moved = false;
  for (let steps = 0; steps < FACE_EVERY; steps++) {
    const step = faceStep({ rows, y, shift, bound, gradient }, a);
    if (step === "none") break;
    moved = true;
    restart(w, a, y);
    if (step === "whole") break;
  }
  return moved;
}

function restart(w: MovingWeights, a: Float64Array, y: Float64Array): void {
  w.clear();
  for (let i = 0; i < a.length; i++) if (a[i] !== 0) w.move(i, a[i] * y[i]);
}

function measure(
  { y, cost, squared }: LinearProblem,
  a: Float64Array,
  w: MovingWeights,
  shift: number,
): { objective: number; gap: number } {
  let norm = 0; // w'w
  let loss = 0;
  let total = 0;
  let squares = 0;
  for (let i = 0; i < a.length; i++) {
    const margin = y[i] * w.product(i);
    const slack = Math.max(0, 1 - margin);
    norm += a[i] * margin;
    loss += squared ? slack * slack : slack;
    total += a[i];
    squares += a[i] * a[i];
  }
  const objective = norm / 2 + cost * loss;
  return { objective, gap: objective - (total - norm / 2 - (shift * squares) / 2) };
}
