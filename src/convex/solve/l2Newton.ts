/**
 * Semismooth Newton inside the method of multipliers (l2Workspace.ts), ended by the certificate of a rounded solution.
 *
 * A cold start smooths with an eps as large as the edge lengths, where the problem is nearly linear, and
 * decreases it; from `floor` on eps is fixed and the multipliers move instead, which makes the forces exact
 * without making the systems stiff. Nodes that are fused at the optimum differ by O(eps) in U, because their
 * differences are the potentials of a flow inside the group; groups of such nodes are set to their mean C.
 * With z the forces at U, the certificate's residual is s = M (C - U) B + gradient, so its gap is of second
 * order in the rounding.
 */
import type { Workspace } from "./l2Workspace.ts";

export interface Outcome {
  readonly primal: number;
  readonly gap: number;
  readonly converged: boolean;
  readonly iterations: number;
}

interface Candidate {
  readonly primal: number;
  readonly gap: number;
  readonly reach: number;
  readonly count: number;
}

/**
 * Groups also extend over saturated edges up to this multiple of eps; they precondition the Newton systems.
 */
const REACH = 0.1;
/** Edges longer than this multiple of eps are exact without a multiplier. */
export const FAR = 4;
/** eps or the multipliers change when the residual of Newton is below this share of the gap. */
const RESIDUAL_SHARE = 0.6;
const FORCING = 0.3;

export function minimize(
  space: Workspace,
  gamma: number,
  options: { eps: number; floor: number; unit: number; tolerance: number; maxIterations: number },
): Outcome {
  const { floor, unit, tolerance, maxIterations } = options;
  let { eps } = options;
  let value = space.evaluate(gamma, eps);
  let radial = 1 - CAUTION;
  let lastGap = Infinity;
  let stalled = false;
  for (let iterations = 0; ; iterations++) {
    const count = space.group(REACH * eps);
    let best: Candidate = { ...space.certify(), reach: REACH, count };
    const residual = space.residual();
    const target = tolerance * Math.max(unit, Math.abs(best.primal));
    const settled = residual <= RESIDUAL_SHARE * best.gap;
    if (best.gap > target && settled) best = bestReach(space, eps, best);
    const { primal, gap } = best;
    const converged = gap <= target;
    if (converged || stalled || iterations >= maxIterations) return { primal, gap, converged, iterations };
    let goal = Math.max(0.1 * target, 0.02 * gap);
    if (settled) {
      if (eps > floor) {
        const factor = Math.max(SHRINK, floor / eps);
        space.rescale(factor);
        eps *= factor;
      } else {
        space.recentre(FAR * eps, 1);
        if (gap > SLOW * lastGap) eps *= SHRINK;
        lastGap = gap;
      }
      value = space.evaluate(gamma, eps);
      space.group(REACH * eps);
      goal *= SHRINK;
    }
    const forcing = Math.max(FORCING, 0.5 * Math.sqrt(goal / space.residual()));
    const slope = space.direction(radial, Math.min(forcing, 0.9));
    const step = lineSearch(space, value, slope);
    if (step === undefined) {
      stalled = true;
    } else {
      value = step.value;
      radial = step.t < 1 ? 1 - CAUTION : 1 - 0.3 * (1 - radial);
    }
  }
}

/** Other reaches that are tried for the certificate. */
const REACHES = [16, 4, 1, 0];

/** Leaves the groups and centres of the best reach in the workspace. */
function bestReach(space: Workspace, eps: number, first: Candidate): Candidate {
  let best = first;
  let current = first;
  for (const reach of REACHES) {
    const count = space.group(reach * eps);
    if (count === first.count) continue; // nested groups are equal if they are equally many
    current = { ...space.certify(), reach, count };
    if (current.gap < best.gap) best = current;
  }
  space.group(best.reach * eps);
  if (current !== best) space.certify();
  return best;
}

/** eps decreases by at most this factor at once, which keeps Newton close to convergence. */
const SHRINK = 0.25;
/** If the multipliers do not lower the gap to this share, eps is reduced. */
const SLOW = 0.7;

/**
 * A step that halves |slope|, at most 1, by regula falsi on the derivative, which is monotone by convexity;
 * undefined when rounding hides any decrease.
 */
function lineSearch(
  space: Workspace,
  start: number,
  slope: number,
): { t: number; value: number } | undefined {
  let t = 1;
  let low = { t: 0, slope };
  let high = { t: Infinity, slope: 0 };
  for (let trial = 0; trial < 40; trial++) {
    const at = space.probe(t);
    const decreases = at.value <= start + 1e-4 * t * slope + 1e-14 * Math.abs(start);
    const flat = Math.abs(at.slope) <= 0.5 * Math.abs(slope);
    if (decreases && (flat || (t === 1 && at.slope <= 0))) {
      space.accept();
      return { t, value: at.value };
    }
    if (decreases && at.slope <= 0) low = { t, slope: at.slope };
    else high = { t, slope: at.slope };
    const width = high.t - low.t;
    const secant = high.slope > 0 ? low.slope / (low.slope - high.slope) : 0.5;
    t = low.t + width * Math.min(Math.max(secant, 0.1), 0.9);
  }
  return undefined;
}

/**
 * Newton ignores the length of a saturated edge (its curvature is zero there) and overshoots where edges
 * collapse; while steps are shortened, this share of the majorising curvature is kept.
 */
const CAUTION = 0.1;
