import { inputError, option, progressGate, rule } from "../core/internal.ts";
import { dot } from "../matrix/internal.ts";
import { arcSearch, splitVariables } from "./arcSearch.ts";
import { isBounds, makeBox, project, type Bounds, type Box } from "./box.ts";
import { descentFrom, type Descent, type Minimum, type Objective } from "./minimum.ts";
import { wolfeSearch } from "./wolfeSearch.ts";

const RULES = {
  /** Bounds of the variables, one number for all or one each; infinite if there is none. */
  lower: rule.given<Bounds>("a number or an array of numbers", isBounds),
  upper: rule.given<Bounds>("a number or an array of numbers", isBounds),
  /** m, the number of pairs kept. */
  memory: rule.integer({ min: 1, default: 10 }),
  /** The relative projected gradient (box.ts) at which the run counts as converged. */
  tolerance: rule.real({ min: 0, default: 1e-8 }),
  maxIterations: rule.integer({ min: 0, default: 1000 }),
  /**
   * Without bounds: a point to try before a step from x, written to `to`; accepted if f is lower there.
   * False: none.
   */
  leap: rule.callback<Leap>(),
  onProgress: rule.progress,
};

export type LbfgsOptions = rule.OptionsOf<typeof RULES>;

/**
 * Limited-memory BFGS (D. C. Liu and J. Nocedal, 1989): p = -H g, H built from the last m pairs s = x+ - x,
 * y = g+ - g by the two-loop recursion, with a strong Wolfe line search.
 *
 * With bounds, the same recursion restricted to the variables that no bound holds, and a search along the projection
 * arc (D. P. Bertsekas, 1982): two-metric projection.
 */
export function lbfgs(objective: Objective, start: ArrayLike<number>, options: LbfgsOptions = {}): Minimum {
  const resolved = rule.resolveOptions("lbfgs", options, RULES);
  const { lower, upper, memory, tolerance, maxIterations, leap, onProgress } = resolved;
  const x = Float64Array.from(start);
  if (x.length === 0) throw inputError("lbfgs: there are no variables");
  const bounded = lower !== undefined || upper !== undefined;
  if (bounded && leap !== undefined)
    throw inputError(`lbfgs: ${option("leap")} is for problems without bounds`);
  const box = bounded ? makeBox("lbfgs", x.length, lower, upper) : undefined;
  if (box !== undefined) project(x, box);
  const descent = descentFrom(objective, x, box, { tolerance, maxIterations }, progressGate(onProgress));
  const pairs = new Pairs(memory, x.length);
  if (box === undefined) minimizeFree(descent, pairs, leap);
  else minimizeInBox(descent, pairs, box);
  return descent.result();
}

type Leap = (x: Float64Array, to: Float64Array) => boolean;

function minimizeFree(descent: Descent, pairs: Pairs, leap?: Leap): void {
  const n = descent.x.length;
  const direction = new Float64Array(n);
  while (descent.goesOn()) {
    if (leap?.(descent.x, descent.trial) && descent.evaluate() < descent.value) {
      pairs.push(descent);
      descent.accept();
      continue;
    }
    for (let i = 0; i < n; i++) direction[i] = -descent.gradient[i];
    pairs.applyToAll(direction);
    // Without a pair the direction has the units of the gradient, so the first step is made of length at most 1.
    const first = pairs.count > 0 ? 1 : Math.min(1, 1 / norm(direction));
    if (!advanced(descent, pairs, wolfeSearch(descent, direction, first))) return;
  }
}

function minimizeInBox(descent: Descent, pairs: Pairs, box: Box): void {
  const n = descent.x.length;
  const direction = new Float64Array(n);
  const free = new Uint8Array(n);
  while (descent.goesOn()) {
    splitVariables(descent, box, free, direction);
    if (!pairs.apply(direction, free)) {
      const scale = Math.min(1, 1 / norm(direction));
      for (let i = 0; i < n; i++) direction[i] *= scale;
    }
    if (!advanced(descent, pairs, arcSearch(descent, direction, free, box))) return;
  }
}

/** Takes the step of a search; without one the pairs are forgotten. False if there are none: that is the end. */
function advanced(descent: Descent, pairs: Pairs, found: boolean): boolean {
  if (found) {
    pairs.push(descent);
    descent.accept();
    return true;
  }
  if (pairs.count === 0) descent.stuck();
  return pairs.clear();
}

/** The last m pairs (s, y), in a ring. */
class Pairs {
  count = 0;
  private readonly m: number;
  private readonly n: number;
  private readonly S: Float64Array[] = [];
  private readonly Y: Float64Array[] = [];
  private readonly alpha: Float64Array;
  private readonly rho: Float64Array;
  /** 1 / s'y of each pair, over all variables. */
  private readonly full: Float64Array;
  /** s'y / y'y of the newest. */
  private scale = 1;
  private newest = -1;

  constructor(m: number, n: number) {
    this.m = m;
    this.n = n;
    this.alpha = new Float64Array(m);
    this.rho = new Float64Array(m);
    this.full = new Float64Array(m);
  }

  /** Whether there was any. */
  clear(): boolean {
    const some = this.count > 0;
    this.count = 0;
    return some;
  }

  /** Keeps the step from the current to the trial point, unless the curvature along it is not positive. */
  push(descent: Descent): void {
    const { x, trial, gradient, trialGradient } = descent;
    let sy = 0;
    let yy = 0;
    for (let i = 0; i < this.n; i++) {
      const y = trialGradient[i] - gradient[i];
      sy += (trial[i] - x[i]) * y;
      yy += y * y;
    }
    if (!(sy > Number.EPSILON * yy)) return;
    this.newest = (this.newest + 1) % this.m;
    const s = (this.S[this.newest] ??= new Float64Array(this.n));
    const y = (this.Y[this.newest] ??= new Float64Array(this.n));
    for (let i = 0; i < this.n; i++) {
      s[i] = trial[i] - x[i];
      y[i] = trialGradient[i] - gradient[i];
    }
    this.full[this.newest] = 1 / sy;
    this.scale = sy / yy;
    this.count = Math.min(this.m, this.count + 1);
  }

  /** Multiplies `direction` by H; leaves it as it is if there is no pair. */
  applyToAll(direction: Float64Array): void {
    const { n, m, S, Y, alpha, full } = this;
    if (this.count === 0) return;
    for (let k = 0; k < this.count; k++) {
      const at = (this.newest - k + m) % m;
      alpha[at] = full[at] * dot(S[at], direction);
      add(direction, -alpha[at], Y[at]);
    }
    for (let i = 0; i < n; i++) direction[i] *= this.scale;
    for (let k = this.count - 1; k >= 0; k--) {
      const at = (this.newest - k + m) % m;
      add(direction, alpha[at] - full[at] * dot(Y[at], direction), S[at]);
    }
  }

  /** Multiplies the free part of `direction` by H, taken over the free variables; false if there is no usable pair. */
  apply(direction: Float64Array, free: Uint8Array): boolean {
    const { n, m, S, Y, alpha, rho } = this;
    let scale = 0;
    for (let k = 0; k < this.count; k++) {
      const at = (this.newest - k + m) % m;
      const s = S[at];
      const y = Y[at];
      let sy = 0;
      let yy = 0;
      let sd = 0;
      for (let i = 0; i < n; i++) {
        if (free[i] === 0) continue;
        sy += s[i] * y[i];
        yy += y[i] * y[i];
        sd += s[i] * direction[i];
      }
      // Restricted to the free variables the curvature may be lost; such a pair is skipped.
      rho[at] = sy > Number.EPSILON * yy ? 1 / sy : 0;
      if (rho[at] === 0) continue;
      if (scale === 0) scale = sy / yy;
      alpha[at] = rho[at] * sd;
      for (let i = 0; i < n; i++) if (free[i] === 1) direction[i] -= alpha[at] * y[i];
    }
    if (scale === 0) return false;
    for (let i = 0; i < n; i++) if (free[i] === 1) direction[i] *= scale;
    for (let k = this.count - 1; k >= 0; k--) {
      const at = (this.newest - k + m) % m;
      if (rho[at] === 0) continue;
      const s = S[at];
      const y = Y[at];
      let yd = 0;
      for (let i = 0; i < n; i++) if (free[i] === 1) yd += y[i] * direction[i];
      const factor = alpha[at] - rho[at] * yd;
      for (let i = 0; i < n; i++) if (free[i] === 1) direction[i] += factor * s[i];
    }
    return true;
  }
}

/** a += factor b. */
function add(a: Float64Array, factor: number, b: Float64Array): void {
  for (let i = 0; i < a.length; i++) a[i] += factor * b[i];
}

function norm(values: Float64Array): number {
  return Math.sqrt(dot(values, values));
}
