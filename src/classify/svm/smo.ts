/**
 * Sequential minimal optimisation for the dual of one two-class support vector machine, with the working set chosen by
 * second-order information (Fan, Chen and Lin, JMLR 6, 2005, WSS 2):
 *
 *     max  sum_t |b_t| - 1/2 b'K b     subject to  sum_t b_t = 0,   0 <= y_t b_t <= C
 *
 * in the signed coefficients b_t = y_t alpha_t, so that f(x) = sum_t b_t K(x_t, x) + intercept. g_t = y_t - (K b)_t is
 * kept up to date; b is optimal when no g of I_up (b_t may grow) exceeds one of I_low (b_t may fall).
 */
import type { SmoState } from "./smoState.ts";

export interface SmoProblem {
  /** +1 or -1. */
  readonly y: Float64Array;
  readonly state: SmoState;
  /** C. */
  readonly cost: number;
  /** Allowed violation of optimality, max g over I_up - min g over I_low. */
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Called from time to time; false stops. */
  readonly report: (violation: number) => boolean;
}

export interface SmoSolution {
  readonly coefficients: Float64Array;
  readonly intercept: number;
  /** Objective of the dual, to be maximised. */
  readonly objective: number;
  /**
   * Primal minus dual objective, at least 0 up to rounding: a bound on the distance of both from the
   * optimum.
   */
  readonly gap: number;
  readonly violation: number;
  readonly iterations: number;
  readonly converged: boolean;
}

export function smo(problem: SmoProblem): SmoSolution {
  const { state, tolerance, maxIterations, report } = problem;
  const { b, g, lower, upper } = state;
  let violation = Infinity;
  let iterations = 0;
  let converged = false;
  let i = largestIn(g, b, upper);
  for (;;) {
    // j: the largest second-order gain (g_i - g_j)^2 / (K_ii + K_jj - 2 K_ij) over I_low.
    const j = state.partner(i);
    violation = Math.max(0, g[i] - state.least());
    converged = violation <= tolerance;
    if (converged || iterations === maxIterations) break;
    if ((iterations & 1023) === 1023 && !report(violation)) break;

    const roomUp = upper[i] - b[i];
    const roomDown = b[j] - lower[j];
    const step = Math.min((g[i] - g[j]) / state.curvature(i, j), roomUp, roomDown);
    // A reached bound is met exactly: the sets I_up and I_low compare with it.
    b[i] = step === roomUp ? upper[i] : b[i] + step;
    b[j] = step === roomDown ? lower[j] : b[j] - step;
    iterations++;
    i = state.advance(i, j, step);
  }
  return { ...certify(problem), coefficients: b.slice(), violation, iterations, converged };
}

function largestIn(g: Float64Array, b: Float64Array, upper: Float64Array): number {
  let best = -1;
  for (let t = 0; t < g.length; t++) {
    if (b[t] < upper[t] && (best < 0 || g[t] > g[best])) best = t;
  }
  return best;
}

/** The intercept is the mean g of free coefficients, or the middle of the interval that optimality allows. */
function certify({
  y,
  cost,
  state: { b, g, lower, upper },
}: SmoProblem): Pick<SmoSolution, "intercept" | "objective" | "gap"> {
  let free = 0;
  let sum = 0;
  let above = Infinity;
  let below = -Infinity;
  for (let t = 0; t < b.length; t++) {
    if (b[t] > lower[t] && b[t] < upper[t]) {
      free++;
      sum += g[t];
    } else if (b[t] <= lower[t]) below = Math.max(below, g[t]);
    else above = Math.min(above, g[t]);
  }
  const intercept = free > 0 ? sum / free : (above + below) / 2;
  let norm = 0; // b'K b
  let total = 0;
  let slack = 0;
  for (let t = 0; t < b.length; t++) {
    norm += b[t] * (y[t] - g[t]);
    total += Math.abs(b[t]);
    slack += Math.max(0, y[t] * (g[t] - intercept)); // 1 - y f(x)
  }
  return { intercept, objective: total - norm / 2, gap: norm + cost * slack - total };
}
