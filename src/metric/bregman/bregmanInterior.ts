import type { ProgressGate } from "../../core/internal.ts";
import { matrix, multiplyVector, type Matrix } from "../../matrix/index.ts";
import { withNormalEquations, type NormalEquations } from "./bregmanNormal.ts";
import type { BregmanProblem } from "./bregmanProblem.ts";
import { dot } from "../../matrix/internal.ts";

/**
 * A primal-dual interior point for the problem of bregmanProblem.ts (S. Mehrotra, 1992, "On the implementation of a
 * primal-dual interior point method"). With x = (a, b), rows r_p = y_p (z_p, -1) of R, a multiplier l_p for each pair and
 * v for x >= 0, the minimum has
 *
 *     Q x + R'l = v,   l_p / (2 C) = 1 + r_p'x + s_p,   x v = 0,   l s = 0,   x, v, l, s >= 0
 *
 * If the pairs are nearly separable, the slacks are tiny compared with the steps of Newton's method on f, so
 * the active pieces of f change with every step and hundreds of steps are needed; the interior point method
 * needs some 15, for every C. A step costs a Cholesky factor over all points, so points that clearly tend to
 * 0 are dropped as the gap closes; the caller corrects mistakes.
 */
interface State {
  /** Remaining variables, b last. */
  readonly set: Int32Array;
  readonly R: Matrix;
  readonly Q: Matrix;
  readonly x: Float64Array;
  readonly v: Float64Array;
  readonly l: Float64Array;
  readonly s: Float64Array;
}

interface Direction {
  readonly x: Float64Array;
  readonly v: Float64Array;
  readonly l: Float64Array;
  readonly s: Float64Array;
  /** The longest step that keeps everything positive. */
  readonly most: number;
}

const STEPS = 60;
/** Relative gap at which it ends: Newton's method on the points in use needs a step or two from there. */
const CLOSE = 1e-8;
/** The mean distance at the start: larger than the margin of 1, so most pairs are near it. */
const MEAN = 3;
/** For a point, its K_kk relative to the mean of 1: shorter ones count as this long at the start. */
const SHORTEST = 1e-6;
/** Each corrector costs a solve, some 5 % of a factor, and several of them save a factor in five. */
const CORRECTORS = 3;
/**
 * If the gap is below `gap` times the size of phi, keep `share` of the points, or `spare` per point in use.
 */
const STAGES = [
  { gap: 0.3, share: 0.65, spare: 2.5 },
  { gap: 0.05, share: 0.4, spare: 1.6 },
  { gap: 5e-3, share: 0, spare: 1.3 },
];

/** Returns x with the vanishing variables set to 0, and the number of steps. */
export function bregmanInterior(
  problem: BregmanProblem,
  report: ProgressGate,
): { readonly x: Float64Array; readonly steps: number } {
  const m = problem.K.rows;
  let state: State | undefined = start(problem);
  let last = state;
  let stage = 0;
  let steps = 0;
  /** Steps with the remaining points; returns those to keep when some can be dropped. */
  const stride = (state: State, equations: NormalEquations): State | undefined => {
    const { x, v, l, s, Q } = state;
    for (; steps < STEPS; steps++) {
      const Qx = multiplyVector(Q, x);
      const Rx = equations.multiply(x);
      const dual = equations.multiplyTransposed(l);
      for (let k = 0; k < x.length; k++) dual[k] += Qx[k] - v[k];
      const primal = l.map((multiplier, p) => multiplier / (2 * problem.C) - 1 - Rx[p] - s[p]);
      const gap = dot(x, v) + dot(l, s);
      const size = dot(x, Qx) / 2;
      const off = primal.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const done = Math.max(gap / size, off);
      if (done <= CLOSE) return undefined;
      const label = `Bregman distance, interior point, gap ${(gap / size).toExponential(1)}`;
      if (!report({ fraction: Math.min(0.9, steps / 25), label, objective: size })) return undefined;
      if (stage < STAGES.length && done < STAGES[stage].gap) {
        const narrower = narrowed(state, STAGES[stage++], m);
        if (narrower !== undefined) return narrower;
      }
      if (!advance(state, equations, dual, primal, gap / (x.length + l.length), problem.C)) return undefined;
    }
    return undefined;
  };
  while (state !== undefined) {
    const here: State = state;
    last = here;
    state = withNormalEquations(here.Q, here.R, (equations) => stride(here, equations));
  }
  const x = new Float64Array(m + 1);
  last.set.forEach((k, at) => {
    if (last.x[at] > last.v[at]) x[k] = last.x[at];
  });
  return { x, steps };
}

/**
 * Equal multipliers, whose sum is that of the minimum if the pairs are separable (sum l = x'Q x); the
 * products x v all have the mean size of l s, as on the central path.
 */
function start(problem: BregmanProblem): State {
  const { y, C } = problem;
  const { Q, R, x } = bregmanSystem(problem);
  const size = Math.max(dot(x, multiplyVector(Q, x)), 1e-8);
  const l = new Float64Array(y.length).fill(Math.min(C, size / y.length));
  const Rx = multiplyVector(R, x);
  const s = l.map((multiplier, p) => Math.max(1, multiplier / (2 * C) - 1 - Rx[p]));
  const mu = dot(l, s) / l.length;
  return { set: Int32Array.from(x.keys()), R, Q, x, v: x.map((weight) => mu / weight), l, s };
}

/**
 * Q and R, and a starting x: weights in proportion to 1 / sqrt(K_kk), so that every point has the same weight
 * in phi. If h is a high power, long points would otherwise dominate.
 */
export function bregmanSystem({ K, Z, y }: BregmanProblem): { Q: Matrix; R: Matrix; x: Float64Array } {
  const m = K.rows;
  const w = m + 1;
  const R = matrix(y.length, w);
  const Q = matrix(w, w);
  for (let p = 0; p < y.length; p++) {
    for (let k = 0; k < m; k++) R.data[p * w + k] = y[p] * Z.data[p * m + k];
    R.data[p * w + m] = -y[p];
  }
  for (let k = 0; k < m; k++) Q.data.set(K.data.subarray(k * m, (k + 1) * m), k * w);
  const x = new Float64Array(w);
  for (let k = 0; k < m; k++) x[k] = 1 / Math.sqrt(Math.max(K.data[k * m + k], SHORTEST));
  const moved = multiplyVector(Z, x.subarray(0, m)).reduce((sum, distance) => sum + distance, 0) / y.length;
  for (let k = 0; k < m; k++) x[k] *= MEAN / moved;
  x[m] = MEAN;
  return { Q, R, x };
}

/** The state without the points whose multipliers are largest relative to their weights. */
function narrowed(state: State, { share, spare }: (typeof STAGES)[number], m: number): State | undefined {
  const { set, x, v, R, Q } = state;
  const w = set.length;
  const order = Array.from(x.keys()).sort((i, j) => v[i] / x[i] - v[j] / x[j] || i - j);
  const used = order.filter((k) => x[k] > v[k]).length;
  const count = Math.ceil(Math.max(share * m, spare * used, 100));
  if (count > 0.95 * w) return undefined;
  const kept = order
    .slice(0, count)
    .filter((k) => k !== w - 1)
    .sort((i, j) => i - j);
  kept.push(w - 1);
  const take = (values: Float64Array): Float64Array => Float64Array.from(kept, (k) => values[k]);
  const columns = (A: Matrix, rows: readonly number[]): Matrix => {
    const taken = matrix(rows.length, kept.length);
    rows.forEach((row, i) => {
      for (let k = 0, q = i * kept.length; k < kept.length; k++, q++)
        taken.data[q] = A.data[row * w + kept[k]];
    });
    return taken;
  };
  return {
    ...state,
    set: Int32Array.from(kept, (k) => set[k]),
    R: columns(
      R,
      Array.from({ length: R.rows }, (_, p) => p),
    ),
    Q: columns(Q, kept),
    x: take(x),
    v: take(v),
  };
}

/**
 * A predictor, Mehrotra's corrector, and correctors towards the central path where a longer step would leave its
 * neighbourhood (J. Gondzio, 1996, "Multiple centrality corrections"); false if rounding leaves no step.
 */
function advance(
  state: State,
  equations: NormalEquations,
  dual: Float64Array,
  primal: Float64Array,
  mu: number,
  C: number,
): boolean {
  const { x, v, l, s } = state;
  const spread = l.map((multiplier, p) => s[p] + multiplier / (2 * C));
  if (!factored(state, equations, spread)) return false;
  const solve = (cx: Float64Array, cl: Float64Array): Direction =>
    direction(state, equations, spread, dual, primal, cx, cl, C);
  const affine = solve(
    x.map((value, k) => -value * v[k]),
    l.map((value, p) => -value * s[p]),
  );
  let reached = 0;
  for (let k = 0; k < x.length; k++)
    reached += (x[k] + affine.most * affine.x[k]) * (v[k] + affine.most * affine.v[k]);
  for (let p = 0; p < l.length; p++)
    reached += (l[p] + affine.most * affine.l[p]) * (s[p] + affine.most * affine.s[p]);
  const target = mu * (reached / (x.length + l.length) / mu) ** 3;
  let cx: Float64Array = x.map((value, k) => target - value * v[k] - affine.x[k] * affine.v[k]);
  let cl: Float64Array = l.map((value, p) => target - value * s[p] - affine.l[p] * affine.s[p]);
  let move = solve(cx, cl);
  for (let c = 0; c < CORRECTORS && move.most < 1; c++) {
    const wanted = Math.min(1, 1.5 * move.most + 0.3);
    cx = towardsPath(cx, x, v, move.x, move.v, wanted, target);
    cl = towardsPath(cl, l, s, move.l, move.s, wanted, target);
    const longer = solve(cx, cl);
    const gain = longer.most - move.most;
    const enough = gain >= 0.1 * (wanted - move.most);
    if (gain > 0) move = longer;
    if (!enough) break;
  }
  const step = Math.min(1, 0.995 * move.most);
  if (!(step > 1e-8)) return false;
  for (const part of ["x", "v", "l", "s"] as const) {
    for (let k = 0; k < move[part].length; k++) state[part][k] += step * move[part][k];
  }
  return true;
}

/** `change` with what brings the products a b after a step into [target / 10, 10 target]. */
function towardsPath(
  change: Float64Array,
  a: Float64Array,
  b: Float64Array,
  da: Float64Array,
  db: Float64Array,
  step: number,
  target: number,
): Float64Array {
  return change.map((value, k) => {
    const product = (a[k] + step * da[k]) * (b[k] + step * db[k]);
    if (product < target / 10) return value + target / 10 - product;
    if (product > 10 * target) return value + Math.max(10 * target - product, -10 * target);
    return value;
  });
}

/** Factors Q + diag(v / x) + R' diag(l / spread) R, with its diagonal enlarged if rounding requires it. */
function factored({ x, v, l }: State, equations: NormalEquations, spread: Float64Array): boolean {
  const weights = l.map((multiplier, p) => multiplier / spread[p]);
  const diagonal = v.map((multiplier, k) => multiplier / x[k]);
  for (let shift = 1e-14; shift < 1e-3; shift *= 100) {
    if (equations.factor(weights, diagonal, shift)) return true;
  }
  return false;
}

/** Newton's step for the conditions above, with products x v and l s that are to change by cx and cl. */
function direction(
  { x, v, l, s }: State,
  equations: NormalEquations,
  spread: Float64Array,
  dual: Float64Array,
  primal: Float64Array,
  cx: Float64Array,
  cl: Float64Array,
  C: number,
): Direction {
  const known = cl.map((change, p) => (change - l[p] * primal[p]) / spread[p]);
  const pulled = equations.multiplyTransposed(known);
  const dx = equations.solve(cx.map((change, k) => change / x[k] - dual[k] - pulled[k]));
  const Rdx = equations.multiply(dx);
  const dl = known.map((value, p) => value + (l[p] * Rdx[p]) / spread[p]);
  const dv = cx.map((change, k) => (change - v[k] * dx[k]) / x[k]);
  const ds = dl.map((change, p) => change / (2 * C) - Rdx[p] + primal[p]);
  const most = Math.min(1, longestStep(x, dx), longestStep(v, dv), longestStep(l, dl), longestStep(s, ds));
  return { x: dx, v: dv, l: dl, s: ds, most };
}

/** The longest step of `at` along `by` until an entry is 0. */
export function longestStep(at: Float64Array, by: Float64Array): number {
  let most = Infinity;
  for (let k = 0; k < at.length; k++) if (by[k] < 0) most = Math.min(most, -at[k] / by[k]);
  return most;
}
