import type { ProgressGate } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { BregmanFace } from "./bregmanFace.ts";
import { bregmanInterior } from "./bregmanInterior.ts";

/**
 * The convex problem of a Bregman distance (see bregman.ts), over weights a of m basis points and a threshold b:
 *
 *     minimise over a >= 0, b >= 0   f = 1/2 a'K a + C sum_p max(0, 1 - y_p (b - z_p'a))^2
 *
 * At the minimum most weights are 0, so it is found on a growing set of the others: solve on the set by Newton's method
 * (bregmanFace.ts; f is piecewise quadratic), add the points whose derivative is most negative, and repeat until there is
 * none. If a set takes more than a few steps, an interior point method (bregmanInterior.ts) first gets near
 * the minimum. The residual is taken over all m + 1 variables.
 */
export interface BregmanProblem {
  /** m x m, mean diagonal 1. */
  readonly K: Matrix;
  /** Pairs x m, mean 1, no negative entry. */
  readonly Z: Matrix;
  /** 1 for must-links, -1 for cannot-links. */
  readonly y: Int8Array;
  readonly C: number;
}

export interface BregmanSolution {
  readonly weights: Float64Array;
  readonly threshold: number;
  readonly objective: number;
  /** f after each round. */
  readonly history: readonly number[];
  /**
   * max_k |r_k| max(x_k, 1) / max(f, 1) over all variables; r_k is the derivative, or its negative part if
   * x_k = 0.
   */
  readonly residual: number;
  readonly converged: boolean;
  readonly iterations: number;
  readonly stopped: boolean;
}

/**
 * Newton steps over all points that the sets may take before the interior point method is tried, which takes
 * some 12.
 */
const PATIENCE = 0.6;
/** And on one set: with inseparable pairs it takes up to some 30. */
const STEPS = 50;
/** Sweeps of coordinate descent before the Newton steps on a set. */
const SWEEPS = 30;

export function solveBregman(
  problem: BregmanProblem,
  { tolerance, maxIterations }: { readonly tolerance: number; readonly maxIterations: number },
  report: ProgressGate,
): BregmanSolution {
  const m = problem.K.rows;
  const x = new Float64Array(m + 1);
  let patience = PATIENCE;
  const gradient = new Float64Array(m + 1);
  const slack = new Float64Array(problem.y.length);
  let objective = evaluate(problem, x, slack, gradient);
  let residual = kktResidual(x, gradient, objective);
  const history = [objective];
  let iterations = 0;
  const start = residual;
  while (residual > tolerance && iterations < maxIterations) {
    const fraction = Math.log(start / residual) / Math.log(start / tolerance);
    const label = `Bregman distance, residual ${residual.toExponential(1)}`;
    if (!report({ fraction: Math.min(0.99, Math.max(0, fraction)), label, objective })) break;
    const set = workingSet(x, gradient);
    const face = new BregmanFace(problem, set, x);
    // A set that will grow need not be solved exactly.
    const goal = Math.max(tolerance / 4, 1e-3 * residual);
    const limit = maxIterations - iterations;
    const price = (set.length / (m + 1)) ** 2;
    const most = patience < Infinity ? Math.min(STEPS, Math.floor(patience / price)) : limit;
    const allowed = Math.max(1, Math.min(limit, most));
    const taken = face.minimise(goal, allowed, patience < Infinity ? SWEEPS : 0);
    iterations += Math.max(1, taken);
    patience -= taken * price;
    const before = residual;
    if (taken === allowed && taken < limit) {
      patience = Infinity;
      const near = bregmanInterior(problem, report);
      iterations += near.steps;
      x.set(near.x);
    } else {
      set.forEach((k, s) => (x[k] = face.x[s]));
    }
    objective = evaluate(problem, x, slack, gradient);
    residual = kktResidual(x, gradient, objective);
    history.push(objective);
    // Rounding: neither the value nor the residual changes any more. (The absence of a step alone says
    // little: descent may have been enough.)
    if (taken === 0 && residual >= before && objective >= history[history.length - 2]) break;
  }
  return {
    weights: x.slice(0, m),
    threshold: x[m],
    objective,
    history,
    residual,
    converged: residual <= tolerance,
    iterations,
    stopped: report.stopped,
  };
}

/** f at x = (a, b), with the slacks 1 - y (b - z'a), cut at 0, and all derivatives. */
function evaluate(
  { K, Z, y, C }: BregmanProblem,
  x: Float64Array,
  slack: Float64Array,
  gradient: Float64Array,
): number {
  const m = K.rows;
  const support: number[] = [];
  for (let k = 0; k < m; k++) if (x[k] > 0) support.push(k);
  gradient.fill(0);
  let quadratic = 0;
  for (const k of support) {
    for (let i = 0, p = k * m; i < m; i++) gradient[i] += x[k] * K.data[p + i];
  }
  for (const k of support) quadratic += x[k] * gradient[k];
  let loss = 0;
  for (let p = 0; p < y.length; p++) {
    let distance = 0;
    for (const k of support) distance += Z.data[p * m + k] * x[k];
    slack[p] = Math.max(0, 1 - y[p] * (x[m] - distance));
    if (slack[p] === 0) continue;
    loss += slack[p] * slack[p];
    const pull = 2 * C * y[p] * slack[p];
    for (let i = 0, q = p * m; i < m; i++) gradient[i] += pull * Z.data[q + i];
    gradient[m] -= pull;
  }
  return quadratic / 2 + C * loss;
}

function kktResidual(x: Float64Array, gradient: Float64Array, objective: number): number {
  let largest = 0;
  for (let k = 0; k < x.length; k++) {
    const r = x[k] > 0 ? Math.abs(gradient[k]) : Math.max(0, -gradient[k]);
    largest = Math.max(largest, r * Math.max(1, x[k]));
  }
  return largest / Math.max(1, objective);
}

/** The points in use, b, and those with the most negative derivatives: as many as are in use, and at least 100. */
function workingSet(x: Float64Array, gradient: Float64Array): Int32Array {
  const m = x.length - 1;
  const used: number[] = [];
  const wanted: number[] = [];
  for (let k = 0; k < m; k++) {
    if (x[k] > 0) used.push(k);
    else if (gradient[k] < 0) wanted.push(k);
  }
  wanted.sort((i, j) => gradient[i] - gradient[j] || i - j);
  return Int32Array.from([...used, ...wanted.slice(0, Math.max(100, used.length)), m]);
}
