/**
 * The solver behind MMC: over positive semidefinite B (d x d), with u_c the cannot-links in the coordinates of the
 * must-links,
 *
 *     maximise  Phi(B) = log mean_c |u_c|_B - 1/2 log(tr(B)/d) + rho/2 (log det B - d log(tr(B)/d)),   |u|_B^2 = u'B u
 *
 * Phi does not change when B is multiplied by a number, and on tr B = 1 it is concave. B = R'R and L-BFGS over R, all of
 * it or its diagonal (mmcProblems.ts). By concavity no B has a value above Phi(B) +
 * lambda_max(grad Phi) - <grad Phi, B>, and the last term is (1 + rho d)/2: that gap is the certificate, and
 * decides whether to continue.
 */
import type { OnProgress } from "../../core/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { lbfgs, type Objective } from "../../optimize/index.ts";

/** Phi of given pairs, in variables x that represent R. */
export interface PhiProblem {
  /** The amount by which the scatter of the must-links had to be shrunk to be invertible; 0 if none. */
  readonly forced: number;
  /** The longest cannot-link is not zero. */
  readonly tellsApart: boolean;
  /** B = I. */
  readonly start: Float64Array;
  /** -Phi up to a constant, and its gradient. */
  readonly objective: Objective;
  measure(x: Float64Array): Measured;
  /** L of the metric. */
  factor(x: Float64Array): Matrix;
}

export interface Measured {
  /** No B has a Phi above this one's by more than the gap. */
  readonly gap: number;
  /** Lengths of the must-links and of the cannot-links under the metric. */
  readonly together: Float64Array;
  readonly between: Float64Array;
}

export function maximizePhi(
  { start, objective, measure }: PhiProblem,
  stop: { tolerance: number; maxIterations: number; onProgress?: OnProgress | undefined },
) {
  const history: number[] = [];
  let x = start;
  // A small gradient does not imply a small gap if a cannot-link is almost zero, so the gradient is
  // tightened.
  for (let precision = stop.tolerance / 1000; ; precision /= 100) {
    const done = Math.max(0, history.length - 1);
    const run = lbfgs(objective, x, {
      maxIterations: stop.maxIterations - done,
      tolerance: precision,
      onProgress: stop.onProgress,
    });
    x = run.x;
    for (let at = history.length === 0 ? 0 : 1; at < run.history.length; at++) history.push(-run.history[at]);
    const measured = measure(x);
    const converged = measured.gap <= stop.tolerance;
    if (converged || !run.converged || precision < 1e-15) {
      // Warnings say why the last run ended without reaching its gradient.
      return { ...measured, x, history, iterations: history.length - 1, converged, reasons: run.warnings };
    }
  }
}

/**
 * The variances of all pairs in the scale of the must-links: c t, t_f the mean of both scatters, c the mean
 * of within_f / t_f over the columns that vary, so every column counts in any unit.
 */
export function pooledVariances(within: Float64Array, apart: Float64Array): Float64Array {
  const t = new Float64Array(within.length);
  let ratios = 0;
  let varying = 0;
  for (let f = 0; f < t.length; f++) {
    t[f] = (within[f] + apart[f]) / 2;
    if (!(t[f] > 0)) continue;
    ratios += within[f] / t[f];
    varying++;
  }
  for (let f = 0; f < t.length; f++) t[f] *= ratios / Math.max(1, varying);
  return t;
}
