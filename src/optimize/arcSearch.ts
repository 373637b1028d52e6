import { dot } from "../matrix/internal.ts";
import { project, type Box } from "./box.ts";
import type { Descent } from "./minimum.ts";

/**
 * Backtracking along the projection arc x(a) = P(x + a p) (D. P. Bertsekas, 1982, "Projected Newton methods for
 * optimization problems with simple constraints", equation 36): the first a = 1, 1/2, ... with
 *
 *     f(x) - f(x(a)) >= sigma [ -a sum_{i free} g_i p_i + sum_{i held} g_i (x_i - x_i(a)) ]
 *
 * `free[i]` is 1 for the variables whose part of p comes from second-order information. Steps shrink by interpolation,
 * to between a tenth and a half of the last one.
 */
const SIGMA = 1e-4;
const MAX_EVALUATIONS = 50;

/** Leaves the accepted point in the trial of `descent`; false if there is none. */
export function arcSearch(descent: Descent, direction: Float64Array, free: Uint8Array, box: Box): boolean {
  const { x, gradient, value } = descent;
  const n = x.length;
  let slope = 0;
  for (let i = 0; i < n; i++) if (free[i] === 1) slope += gradient[i] * direction[i];
  let step = 1;
  for (let tries = 0; tries < MAX_EVALUATIONS; tries++) {
    const { trial } = descent;
    for (let i = 0; i < n; i++) trial[i] = x[i] + step * direction[i];
    project(trial, box);
    let predicted = -step * slope;
    let moved = false;
    for (let i = 0; i < n; i++) {
      if (trial[i] !== x[i]) moved = true;
      if (free[i] === 0) predicted += gradient[i] * (x[i] - trial[i]);
    }
    if (!moved) return false;
    const reached = descent.evaluate();
    if (value - reached >= SIGMA * predicted) return true;
    // If f cannot distinguish the points, the slope at the new one decides.
    if (Math.abs(value - reached) <= 4 * Number.EPSILON * Math.abs(value) && lessSteep(descent)) return true;
    const shrunk = Number.isFinite(reached) ? (0.5 * predicted) / (reached - value + predicted) : 0.1;
    step *= Math.min(0.5, Math.max(0.1, shrunk));
  }
  return false;
}

/** Whether the absolute derivative along the step has become smaller. */
function lessSteep(descent: Descent): boolean {
  const move = descent.trial.map((at, i) => at - descent.x[i]);
  const [before, after] = [dot(descent.gradient, move), dot(descent.trialGradient, move)];
  return before < 0 && Math.abs(after) < Math.abs(before);
}

/**
 * Splits the variables: held ones are on a bound, or near it, and are pushed against it. The margin keeps the
 * set from flickering and vanishes at a solution (Bertsekas, equation 32). Held variables get the steepest
 * descent direction in `direction`, which the projection turns into "go to the bound".
 */
export function splitVariables(descent: Descent, box: Box, free: Uint8Array, direction: Float64Array): void {
  const { x, gradient } = descent;
  let margin = 0;
  for (let i = 0; i < x.length; i++) {
    const target = Math.min(box.upper[i], Math.max(box.lower[i], x[i] - gradient[i]));
    margin = Math.max(margin, Math.abs(x[i] - target));
  }
  margin = Math.min(1e-6, margin);
  for (let i = 0; i < x.length; i++) {
    const atLower = x[i] <= box.lower[i] + margin && gradient[i] > 0;
    const atUpper = x[i] >= box.upper[i] - margin && gradient[i] < 0;
    free[i] = atLower || atUpper ? 0 : 1;
    direction[i] = -gradient[i];
  }
}
