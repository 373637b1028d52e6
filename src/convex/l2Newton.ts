/**
 * Semismooth Newton on the smoothed problem F_eps (l2Workspace.ts), eps decreasing until the certificate of the
 * rounded solution meets the tolerance.
 *
 * Why the certificate falls fast: nodes that are fused at the optimum differ by O(eps) in the minimiser of F_eps, where
 * their differences act as the potentials of an electrical flow. Groups of nodes within a small multiple of eps are set
 * to their mean C; with z the forces at U, s = M (C - U) B + gradient, so the gap is O(eps^2) on fused nodes, and on
 * edges between groups it is of second order in the angle between u_i - u_j and c_i - c_j.
 */
import type { Workspace } from "./l2Workspace.ts";

export interface Outcome {
  readonly primal: number;
  readonly gap: number;
  readonly converged: boolean;
  readonly iterations: number;
  readonly eps: number;
}

/** Groups reach over edges of length up to these multiples of eps; the best certificate counts. */
const REACHES = [1, 16, 64];
/** The reach that also preconditions the Newton systems. */
const REACH = 4;
/** eps falls by no more than this factor at once: Newton then stays close to where it converges. */
const SHRINK = 0.25;
/** eps falls when the residual of Newton is below this part of the gap. */
const RESIDUAL_SHARE = 0.5;
const FORCING = 0.3;
/**
 * Newton is blind to the length of an edge beyond eps (its curvature is zero there) and overshoots where edges collapse;
 * while steps are cut back, this part of the majorising curvature is kept.
 */
const CAUTION = 0.1;

export function minimize(
  space: Workspace,
  gamma: number,
  options: { eps: number; tolerance: number; maxIterations: number },
): Outcome {
  let { eps } = options;
  let value = space.evaluate(gamma, eps);
  let radial = 1 - CAUTION;
  for (let iterations = 0; ; iterations++) {
    space.group(REACH * eps);
    let best = { ...space.certify(), reach: REACH };
    const residual = space.residual();
    const target = options.tolerance * Math.max(1, Math.abs(best.primal));
    const settled = residual <= RESIDUAL_SHARE * best.gap;
    if (best.gap > target && settled) best = bestReach(space, eps, best);
    const converged = best.gap <= target;
    if (converged || iterations >= options.maxIterations) {
      return { primal: best.primal, gap: best.gap, converged, iterations, eps };
    }
    let goal = Math.max(0.1 * target, 0.02 * best.gap);
    if (settled) {
      const factor = Math.max(SHRINK, Math.min(0.5, (0.7 * target) / best.gap));
      eps *= factor;
      space.rescale(factor);
      value = space.evaluate(gamma, eps);
      space.group(REACH * eps);
      goal *= factor;
    }
    const forcing = Math.max(FORCING, 0.5 * Math.sqrt(goal / space.residual()));
    const slope = space.direction(radial, Math.min(forcing, 0.9));
    const step = lineSearch(space, value, slope);
    if (step === undefined) return { primal: best.primal, gap: best.gap, converged, iterations, eps };
    value = step.value;
    radial = step.t < 1 ? 1 - CAUTION : 1 - 0.3 * (1 - radial);
  }
}

/** Leaves the groups and centres of the best reach in the workspace. */
function bestReach(
  space: Workspace,
  eps: number,
  first: { primal: number; gap: number; reach: number },
): { primal: number; gap: number; reach: number } {
  let best = first;
  let last = first.reach;
  for (const reach of REACHES) {
    space.group(reach * eps);
    const found = space.certify();
    last = reach;
    if (found.gap < best.gap) best = { ...found, reach };
  }
  if (last !== best.reach) {
    space.group(best.reach * eps);
    space.certify();
  }
  return best;
}

/**
 * A step with |slope| halved, at most 1, by regula falsi on the derivative, which convexity makes monotone; undefined
 * when rounding hides any decrease.
 */
function lineSearch(
  space: Workspace,
  start: number,
  slope: number,
): { t: number; value: number } | undefined {
  let t = 1;
  let low = { t: 0, slope };
  let high: { t: number; slope: number } | undefined;
  for (let trial = 0; trial < 40; trial++) {
    const at = space.probe(t);
    const decreases = at.value <= start + 1e-4 * t * slope + 1e-14 * Math.abs(start);
    if (
      decreases &&
      (at.slope <= 0 ? high === undefined || at.slope >= 0.5 * slope : at.slope <= -0.5 * slope)
    ) {
      space.accept();
      return { t, value: at.value };
    }
    if (decreases && at.slope <= 0) low = { t, slope: at.slope };
    else high = { t, slope: at.slope };
    const width = high!.t - low.t;
    const guess =
      high!.slope > 0 ? low.t - (low.slope * width) / (high!.slope - low.slope) : low.t + 0.5 * width;
    t = Math.min(Math.max(guess, low.t + 0.1 * width), high!.t - 0.1 * width);
  }
  return undefined;
}
