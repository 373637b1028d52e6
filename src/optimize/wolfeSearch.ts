import type { Descent } from "./minimum.ts";
import { dot } from "../matrix/internal.ts";

/**
 * Line search for the strong Wolfe conditions (J. Nocedal and S. J. Wright, 2006, algorithms 3.5 and 3.6):
 *
 *     phi(a) <= phi(0) + c1 a phi'(0),    |phi'(a)| <= c2 |phi'(0)|,    phi(a) = f(x + a p)
 *
 * with safeguarded cubic interpolation. Where the differences of f are lost in its rounding error, the first
 * condition is used in the form phi'(a) <= (2 c1 - 1) phi'(0) (W. W. Hager and H. Zhang, 2005), which needs
 * slopes only.
 */
const C1 = 1e-4;
const C2 = 0.9;
const ROUNDING = 4 * Number.EPSILON;
const MAX_EVALUATIONS = 40;
const EXPANSION = 4;

interface Point {
  readonly step: number;
  readonly value: number;
  readonly slope: number;
}

/** Leaves the accepted point in the trial of `descent`; false if there is none. */
export function wolfeSearch(descent: Descent, direction: Float64Array, firstStep: number): boolean {
  const origin: Point = { step: 0, value: descent.value, slope: dot(descent.gradient, direction) };
  if (!(origin.slope < 0)) return false;
  const at = (step: number): Point => {
    for (let i = 0; i < direction.length; i++) descent.trial[i] = descent.x[i] + step * direction[i];
    const value = descent.evaluate();
    return { step, value, slope: value === Infinity ? Infinity : dot(descent.trialGradient, direction) };
  };
  const falls = (point: Point): boolean =>
    point.value <= origin.value + C1 * point.step * origin.slope ||
    (point.value <= origin.value + ROUNDING * Math.abs(origin.value) &&
      point.slope <= (2 * C1 - 1) * origin.slope);
  const flat = (point: Point): boolean => Math.abs(point.slope) <= -C2 * origin.slope;

  let low = origin;
  let high: Point | undefined;
  let step = firstStep;
  let tries = 0;
  for (; high === undefined && tries < MAX_EVALUATIONS && Number.isFinite(step); tries++) {
    const point = at(step);
    if (!falls(point) || (low.step > 0 && point.value > low.value)) high = point;
    else if (flat(point)) return true;
    else if (point.slope >= 0) [low, high] = [point, low];
    else low = point;
    step *= EXPANSION;
  }
  for (; high !== undefined && tries < MAX_EVALUATIONS; tries++) {
    const next = interpolate(low, high);
    if (next === low.step || next === high.step) break;
    const point = at(next);
    if (!falls(point) || point.value > low.value + ROUNDING * Math.abs(low.value)) high = point;
    else if (flat(point)) return true;
    else {
      if (point.slope * (high.step - low.step) >= 0) high = low;
      low = point;
    }
  }
  // No point meets the curvature condition within the budget: any decrease is still accepted.
  return low.step > 0 && at(low.step).value < origin.value;
}

/** The minimiser of the cubic through both points, at least a tenth of the interval away from its ends. */
function interpolate(low: Point, high: Point): number {
  const width = high.step - low.step;
  let next = low.step + 0.5 * width;
  if (Number.isFinite(high.value)) {
    const d1 = low.slope + high.slope - (3 * (low.value - high.value)) / (low.step - high.step);
    const discriminant = d1 * d1 - low.slope * high.slope;
    if (discriminant >= 0) {
      const d2 = Math.sign(width) * Math.sqrt(discriminant);
      next = high.step - (width * (high.slope + d2 - d1)) / (high.slope - low.slope + 2 * d2);
    }
  } else {
    next = low.step + 0.1 * width;
  }
  const [first, last] = width > 0 ? [low.step, high.step] : [high.step, low.step];
  const margin = 0.1 * Math.abs(width);
  return Number.isFinite(next)
    ? Math.min(last - margin, Math.max(first + margin, next))
    : low.step + 0.5 * width;
}
