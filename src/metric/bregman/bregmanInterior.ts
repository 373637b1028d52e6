/**
 * A primal-dual interior point for the problem of bregmanSystem.ts (S. Mehrotra, 1992, "On the implementation of a
 * primal-dual interior point method"). With slacks e_p >= 0 of the loss, s_p = e_p - 1 - r_p'x, multipliers l of s >= 0 and
 * v of x >= 0, the minimum has
 *
 *     Q x + R'l = v,   x v = 0,   l s = 0,   and   e_p = l_p / (2 C) (squared hinge)   or   l + t = C, t e = 0 (hinge)
 *
 * with all of them at least 0. Every product is followed to 0 along the central path.
 */
import type { ProgressGate } from "../../core/internal.ts";
import { multiplyVector } from "../../matrix/index.ts";
import { dot } from "../../matrix/internal.ts";
import {
  withNormalEquations,
  restricted,
  type NormalEquations,
  type BregmanSystem,
  type BregmanSolution,
  type Stop,
} from "./bregmanSystem.ts";

/** Where the products are positive; t and e are empty with the squared hinge. */
interface InteriorPoint {
  readonly x: Float64Array;
  readonly v: Float64Array;
  readonly l: Float64Array;
  readonly s: Float64Array;
  readonly t: Float64Array;
  readonly e: Float64Array;
}

const PRODUCTS = [
  ["x", "v"],
  ["l", "s"],
  ["t", "e"],
] as const;

/** Wanted changes of the products. */
type Changes = Record<"x" | "l" | "t", Float64Array>;

type Direction = InteriorPoint & {
  /** The longest step that keeps everything positive. */
  readonly most: number;
};

/** Each corrector costs a solve, some 5 % of a factor, and several of them save a factor in five. */
const CORRECTORS = 3;

/** What is missing in the two linear conditions, Q x + R'l - v and e - 1 - R x - s, and the sum of all products. */
function remainders(
  { x, v, l, s, t, e }: InteriorPoint,
  { Q, C }: BregmanSystem,
  equations: NormalEquations,
) {
  const Qx = multiplyVector(Q, x);
  const Rx = equations.multiply(x);
  return {
    Qx,
    dual: equations.multiplyTransposed(l).map((pull, k) => pull + (Qx[k] - v[k])),
    primal: l.map((multiplier, p) => (t.length === 0 ? multiplier / (2 * C) : e[p]) - 1 - Rx[p] - s[p]),
    gap: dot(x, v) + dot(l, s) + dot(t, e),
  };
}

/**
 * A predictor, Mehrotra's corrector, and correctors towards the central path where a longer step would leave its
 * neighbourhood (J. Gondzio, 1996, "Multiple centrality corrections"), all along one factor; false if rounding leaves no
 * step.
 *
 * @param refinements of every solution: near the minimum with the hinge, weights span many orders of magnitude
 */
function advance(
  point: InteriorPoint,
  system: BregmanSystem,
  equations: NormalEquations,
  { dual, primal, gap }: ReturnType<typeof remainders>,
  { refinements, correctors }: { readonly refinements: number; readonly correctors: number },
): boolean {
  const { x, v, l, s, t, e } = point;
  const hinge = t.length > 0;
  /** de / dl. */
  const give = l.map((_, p) => (hinge ? e[p] / t[p] : 1 / (2 * system.C)));
  const spread = l.map((multiplier, p) => s[p] + multiplier * give[p]);
  const weights = l.map((multiplier, p) => multiplier / spread[p]);
  const diagonal = v.map((multiplier, k) => multiplier / x[k]);
  if (!factored(equations, weights, diagonal)) return false;

  const direction = (changes: Changes): Direction => {
    const pushed = changes.t.map((change, p) => change / t[p]);
    const known = changes.l.map(
      (change, p) => (change - l[p] * (hinge ? primal[p] + pushed[p] : primal[p])) / spread[p],
    );
    const pulled = equations.multiplyTransposed(known);
    const wanted = changes.x.map((change, k) => change / x[k] - dual[k] - pulled[k]);
    const dx = equations.solve(wanted);
    for (let round = 0; round < refinements; round++) {
      const turned = equations.multiplyTransposed(equations.multiply(dx).map((one, p) => one * weights[p]));
      const Qdx = multiplyVector(system.Q, dx);
      const more = equations.solve(wanted.map((one, k) => one - Qdx[k] - diagonal[k] * dx[k] - turned[k]));
      for (let k = 0; k < dx.length; k++) dx[k] += more[k];
    }
    const Rdx = equations.multiply(dx);
    const dl = known.map((value, p) => value + (l[p] * Rdx[p]) / spread[p]);
    const de = dl.map((change, p) => (hinge ? pushed[p] + give[p] * change : give[p] * change));
    const move = {
      x: dx,
      v: changes.x.map((change, k) => (change - v[k] * dx[k]) / x[k]),
      l: dl,
      s: de.map((change, p) => change - Rdx[p] + primal[p]),
      t: hinge ? dl.map((change) => -change) : t,
      e: hinge ? de : e,
    };
    return {
      ...move,
      most: Math.min(1, ...PRODUCTS.flat().map((part) => longestStep(point[part], move[part]))),
    };
  };

  const count = x.length + l.length + t.length;
  const affine = direction(changesOf((a, b) => point[a].map((one, k) => -one * point[b][k])));
  let reached = 0;
  for (const [a, b] of PRODUCTS) {
    for (let k = 0; k < point[a].length; k++) {
      reached += (point[a][k] + affine.most * affine[a][k]) * (point[b][k] + affine.most * affine[b][k]);
    }
  }
  const mu = gap / count;
  const target = mu * (reached / count / mu) ** 3;
  let changes = changesOf((a, b) =>
    point[a].map((one, k) => target - one * point[b][k] - affine[a][k] * affine[b][k]),
  );
  let move = direction(changes);
  for (let c = 0; c < correctors && move.most < 1; c++) {
    const wanted = Math.min(1, 1.5 * move.most + 0.3);
    const [before, last] = [changes, move];
    changes = changesOf((a, b) =>
      towardsPath(before[a], point[a], point[b], last[a], last[b], wanted, target),
    );
    const longer = direction(changes);
    const gain = longer.most - move.most;
    const enough = gain >= 0.1 * (wanted - move.most);
    if (gain > 0) move = longer;
    if (!enough) break;
  }
  const step = Math.min(1, 0.995 * move.most);
  if (!(step > 1e-8)) return false;
  for (const part of PRODUCTS.flat()) {
    for (let k = 0; k < point[part].length; k++) point[part][k] += step * move[part][k];
  }
  return true;
}

function changesOf(change: (a: "x" | "l" | "t", b: "v" | "s" | "e") => Float64Array): Changes {
  return { x: change("x", "v"), l: change("l", "s"), t: change("t", "e") };
}

/** Factors Q + diag(v / x) + R' diag(weights) R, with its diagonal enlarged if rounding requires it. */
function factored(equations: NormalEquations, weights: Float64Array, diagonal: Float64Array): boolean {
  for (let shift = 1e-14; shift < 1e-3; shift *= 100) {
    if (equations.factor(weights, diagonal, shift)) return true;
  }
  return false;
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

/** The longest step of `at` along `by` until an entry is 0. */
function longestStep(at: Float64Array, by: Float64Array): number {
  let most = Infinity;
  for (let k = 0; k < at.length; k++) if (by[k] < 0) most = Math.min(most, -at[k] / by[k]);
  return most;
}

/** The mean distance at the start: larger than the margin of 1, so most pairs are near it. */
const MEAN = 3;
/** For a point, its K_kk relative to the mean of 1: shorter ones count as this long at the start. */
const SHORTEST = 1e-6;

/**
 * x at the start: weights in proportion to 1 / sqrt(K_kk), so that every point has the same weight in phi. If h is a high
 * power, long points would otherwise dominate.
 */
function startingWeights({ Q, R }: BregmanSystem): Float64Array {
  const m = Q.cols - 1;
  const x = Float64Array.from(
    { length: m + 1 },
    (_, k) => 1 / Math.sqrt(Math.max(Q.data[k * (m + 2)], SHORTEST)),
  );
  x[m] = 0;
  // z = y r, and -y is the last entry of r.
  const distances = multiplyVector(R, x).map((along, p) => -R.data[p * (m + 1) + m] * along);
  const moved = distances.reduce((sum, distance) => sum + distance, 0) / R.rows;
  for (let k = 0; k < m; k++) x[k] *= MEAN / moved;
  x[m] = MEAN;
  return x;
}

const STEPS = 60;
/** Relative gap at which it ends: Newton's method on the points in use needs a step or two from there. */
const CLOSE = 1e-8;
/** If the gap is below `gap` times the size of phi, keep `share` of the points, or `spare` per point in use. */
const STAGES = [
  { gap: 0.3, share: 0.65, spare: 2.5 },
  { gap: 0.05, share: 0.4, spare: 1.6 },
  { gap: 5e-3, share: 0, spare: 1.3 },
];

/** A part of the problem, its variables numbered by `set` in the whole one. */
interface Part {
  readonly set: Int32Array;
  readonly system: BregmanSystem;
  readonly point: InteriorPoint;
}

/**
 * A point near the minimum with the squared hinge, its vanishing variables set to 0, and the number of steps.
 *
 * If the pairs are nearly separable, the slacks are tiny compared with the steps of Newton's method on f, so the active
 * pieces of f change with every step and hundreds of steps are needed; here some 15 are, for every C. A step costs a
 * Cholesky factor over all points, so points that clearly tend to 0 are dropped as the gap closes; the caller corrects
 * mistakes.
 */
export function nearMinimum(
  system: BregmanSystem,
  report: ProgressGate,
): { readonly x: Float64Array; readonly steps: number } {
  const w = system.Q.cols;
  let part: Part | undefined = {
    set: Int32Array.from({ length: w }, (_, k) => k),
    system,
    point: startOf(system),
  };
  let last = part;
  let stage = 0;
  let steps = 0;
  /** Steps with the remaining points; returns those to keep when some can be dropped. */
  const stride = ({ set, system: here, point }: Part, equations: NormalEquations): Part | undefined => {
    for (; steps < STEPS; steps++) {
      const rest = remainders(point, here, equations);
      const size = dot(point.x, rest.Qx) / 2;
      const off = rest.primal.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      const done = Math.max(rest.gap / size, off);
      if (done <= CLOSE) return undefined;
      const label = `Bregman distance, interior point, gap ${(rest.gap / size).toExponential(1)}`;
      if (!report({ fraction: Math.min(0.9, steps / 25), label, objective: size })) return undefined;
      if (stage < STAGES.length && done < STAGES[stage].gap) {
        const narrower = narrowed({ set, system: here, point }, STAGES[stage++], w - 1);
        if (narrower !== undefined) return narrower;
      }
      if (!advance(point, here, equations, rest, { refinements: 0, correctors: CORRECTORS }))
        return undefined;
    }
    return undefined;
  };
  while (part !== undefined) {
    const here: Part = part;
    last = here;
    part = withNormalEquations(here.system.Q, here.system.R, (equations) => stride(here, equations));
  }
  const x = new Float64Array(w);
  const { set, point } = last;
  set.forEach((k, at) => {
    if (point.x[at] > point.v[at]) x[k] = point.x[at];
  });
  return { x, steps };
}

/**
 * Equal multipliers, whose sum is that of the minimum if the pairs are separable (sum l = x'Q x); the
 * products x v all have the mean size of l s, as on the central path.
 */
function startOf(system: BregmanSystem): InteriorPoint {
  const { Q, R, C } = system;
  const x = startingWeights(system);
  const size = Math.max(dot(x, multiplyVector(Q, x)), 1e-8);
  const l = new Float64Array(R.rows).fill(Math.min(C, size / R.rows));
  const Rx = multiplyVector(R, x);
  const s = l.map((multiplier, p) => Math.max(1, multiplier / (2 * C) - 1 - Rx[p]));
  const mu = dot(l, s) / l.length;
  const none = new Float64Array(0);
  return { x, v: x.map((weight) => mu / weight), l, s, t: none, e: none };
}

/** The part without the points whose multipliers are largest relative to their weights. */
function narrowed(
  { set, system, point }: Part,
  { share, spare }: (typeof STAGES)[number],
  m: number,
): Part | undefined {
  const { x, v } = point;
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
  return {
    set: Int32Array.from(kept, (k) => set[k]),
    system: restricted(system, kept),
    point: { ...point, x: take(x), v: take(v) },
  };
}

/**
 * The problem of bregmanSystem.ts with the plain hinge of Wu et al. (2009), (13), with the sign of bregman.ts. Algorithm 1
 * of the paper approaches the minimum by subgradients; an interior point (bregmanInterior.ts) gets there.
 *
 * Every l in [0, C] with Q x + R'l >= 0 proves the bound f >= sum_p l_p - 1/2 x'Q x: the residual is the gap to it, relative
 * to the objective.
 */

/** Number of steps without a better proof after which rounding decides. */
const PATIENCE = 10;

export function solveHinge(
  system: BregmanSystem,
  { tolerance, maxIterations }: Stop,
  report: ProgressGate,
): BregmanSolution {
  return withNormalEquations(system.Q, system.R, (equations) => {
    const point = hingeStart(system, equations);
    let { whole, sparse } = proofs(point, system, equations);
    const history = [whole.objective];
    let iterations = 0;
    let worse = 0;
    // A proof of the sparse point is worth a few more steps.
    while (sparse.residual > tolerance && worse < (whole.residual > tolerance ? PATIENCE : 3)) {
      const label = `Bregman distance, hinge, gap ${whole.residual.toExponential(1)}`;
      if (iterations >= maxIterations) break;
      if (!report({ fraction: Math.min(0.99, iterations / 40), label, objective: whole.objective })) break;
      const rest = remainders(point, system, equations);
      if (!advance(point, system, equations, rest, { refinements: 2, correctors: 0 })) break;
      iterations++;
      const next = proofs(point, system, equations);
      worse++;
      if (next.whole.residual < whole.residual) [whole, worse] = [next.whole, 0];
      if (next.sparse.residual < sparse.residual) [sparse, worse] = [next.sparse, 0];
      history.push(whole.objective);
    }
    const best = sparse.residual <= Math.max(tolerance, whole.residual) ? sparse : whole;
    return {
      weights: best.x.slice(0, -1),
      threshold: best.x[best.x.length - 1],
      objective: best.objective,
      history,
      residual: best.residual,
      converged: best.residual <= tolerance,
      iterations,
      stopped: report.stopped,
    };
  });
}

function hingeStart(system: BregmanSystem, equations: NormalEquations): InteriorPoint {
  const x = startingWeights(system);
  const Rx = equations.multiply(x);
  const l = new Float64Array(Rx.length).fill(system.C / 2);
  const e = Rx.map((value) => Math.max(0, 1 + value) + 1);
  const s = e.map((slack, p) => slack - 1 - Rx[p]);
  const mu = (dot(l, s) + dot(l, e)) / (2 * l.length);
  return { x, v: x.map((weight) => mu / weight), l, s, t: l.slice(), e };
}

interface Proof {
  readonly x: Float64Array;
  readonly objective: number;
  readonly residual: number;
}

/** A bound on the distance from the minimum, and the point with the vanishing variables set to 0. */
function proofs(
  { x, v, l }: InteriorPoint,
  { Q, C }: BregmanSystem,
  equations: NormalEquations,
): { whole: Proof; sparse: Proof } {
  const Qx = multiplyVector(Q, x);
  const size = dot(x, Qx) / 2;
  const force = equations.multiplyTransposed(l);
  // The slack of the bound: a minimiser of the size of x would gain this much from a force that pulls below 0.
  let off = 0;
  for (let k = 0; k < x.length; k++) off += Math.max(0, -(Qx[k] + force[k])) * Math.max(1, x[k]);
  const bound = l.reduce((sum, one) => sum + one, 0) - size;
  const judged = (at: Float64Array, half: number): Proof => {
    const loss = equations.multiply(at).reduce((sum, one) => sum + Math.max(0, 1 + one), 0);
    const objective = half + C * loss;
    return { x: at, objective, residual: (Math.max(0, objective - bound) + off) / Math.max(1, objective) };
  };
  const kept = x.map((weight, k) => (weight > v[k] ? weight : 0));
  return { whole: judged(x.slice(), size), sparse: judged(kept, dot(kept, multiplyVector(Q, kept)) / 2) };
}
