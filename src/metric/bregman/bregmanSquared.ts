/**
 * The problem of bregmanSystem.ts with the squared hinge. At the minimum most weights are 0, so it is found on a growing
 * set of the others: solve on the set by Newton's method (bregmanFace.ts; f is piecewise quadratic), add the points whose
 * derivative is most negative, and repeat until there is none. If a set takes more than a few steps, an interior
 * point method (bregmanInterior.ts) first gets near the minimum. The residual is taken over all m + 1 variables.
 */
import type { ProgressGate } from "../../core/internal.ts";
import { minimiseFace } from "./bregmanFace.ts";
import { nearMinimum } from "./bregmanInterior.ts";
import {
  kktResidual,
  restricted,
  squaredPoint,
  type BregmanSolution,
  type BregmanSystem,
  type SquaredPoint,
} from "./bregmanSystem.ts";

/**
 * Newton steps over all points that the sets may take before the interior point method is tried, which takes
 * some 12.
 */
const PATIENCE = 0.6;
/** And on one set: with inseparable pairs it takes up to some 30. */
const STEPS = 50;
/** Sweeps of coordinate descent before the Newton steps on a set. */
const SWEEPS = 30;

export function solveSquared(
  system: BregmanSystem,
  { tolerance, maxIterations }: { readonly tolerance: number; readonly maxIterations: number },
  report: ProgressGate,
): BregmanSolution {
  const w = system.Q.cols;
  let patience = PATIENCE;
  let point = squaredPoint(system, new Float64Array(w));
  let residual = kktResidual(point);
  const history = [point.value];
  let iterations = 0;
  const start = residual;
  while (residual > tolerance && iterations < maxIterations) {
    const fraction = Math.log(start / residual) / Math.log(start / tolerance);
    const label = `Bregman distance, residual ${residual.toExponential(1)}`;
    const objective = point.value;
    if (!report({ fraction: Math.min(0.99, Math.max(0, fraction)), label, objective })) break;
    const set = workingSet(point);
    const limit = maxIterations - iterations;
    const price = (set.length / w) ** 2;
    const most = patience < Infinity ? Math.min(STEPS, Math.floor(patience / price)) : limit;
    const allowed = Math.max(1, Math.min(limit, most));
    const face = minimiseFace(
      restricted(system, set),
      Float64Array.from(set, (k) => point.x[k]),
      {
        // A set that will grow need not be solved exactly.
        tolerance: Math.max(tolerance / 4, 1e-3 * residual),
        limit: allowed,
        sweeps: patience < Infinity ? SWEEPS : 0,
      },
    );
    iterations += Math.max(1, face.steps);
    patience -= face.steps * price;
    let x: Float64Array = point.x.slice();
    if (face.steps === allowed && face.steps < limit) {
      patience = Infinity;
      const near = nearMinimum(system, report);
      iterations += near.steps;
      x = near.x;
    } else {
      set.forEach((k, s) => (x[k] = face.x[s]));
    }
    const before = residual;
    point = squaredPoint(system, x);
    residual = kktResidual(point);
    history.push(point.value);
    // Rounding: neither the value nor the residual changes any more. (The absence of a step alone says
    // little: descent may have been enough.)
    if (face.steps === 0 && residual >= before && point.value >= objective) break;
  }
  return {
    weights: point.x.slice(0, -1),
    threshold: point.x[w - 1],
    objective: point.value,
    history,
    residual,
    converged: residual <= tolerance,
    iterations,
    stopped: report.stopped,
  };
}

/** The points in use, b, and those with the most negative derivatives: as many as are in use, and at least 100. */
function workingSet({ x, gradient }: SquaredPoint): Int32Array {
  const m = x.length - 1;
  const points = Array.from({ length: m }, (_, k) => k);
  const used = points.filter((k) => x[k] > 0);
  const wanted = points.filter((k) => !(x[k] > 0) && gradient[k] < 0);
  wanted.sort((i, j) => gradient[i] - gradient[j] || i - j);
  return Int32Array.from([...used, ...wanted.slice(0, Math.max(100, used.length)), m]);
}
