import type { ProgressGate } from "../../core/internal.ts";
import { multiplyVector, type Matrix } from "../../matrix/index.ts";
import { bregmanSystem, longestStep } from "./bregmanInterior.ts";
import { withNormalEquations, type NormalEquations } from "./bregmanNormal.ts";
import type { BregmanProblem, BregmanSolution } from "./bregmanProblem.ts";
import { dot } from "../../matrix/internal.ts";

/**
 * The problem of Wu et al. (2009), (13), with the plain hinge (and the sign of bregman.ts) over x = (a, b) >= 0:
 *
 *     minimise f = 1/2 a'K a + C sum_p max(0, 1 + r_p'x),   r_p = y_p (z_p, -1)
 *
 * Algorithm 1 of the paper approaches this minimum by subgradients; a primal-dual interior point method (S.
 * Mehrotra, 1992) gets there. With slacks e_p >= 0 of the hinge, s_p = e_p - 1 - r_p'x and multipliers l of
 * s, t of e and v of x it has
 *
 *     Q x + R'l = v,   l + t = C,   x v = 0,   l s = 0,   t e = 0,   all of them at least 0.
 *
 * Every l in [0, C] with Q x + R'l >= 0 proves the bound f >= sum_p l_p - 1/2 x'Q x: the residual is the gap to it, relative
 * to the objective.
 */
export function solveHinge(
  problem: BregmanProblem,
  { tolerance, maxIterations }: { readonly tolerance: number; readonly maxIterations: number },
  report: ProgressGate,
): BregmanSolution {
  const { Q, R, x } = bregmanSystem(problem);
  return withNormalEquations(Q, R, (equations) => {
    const { C } = problem;
    const state = startOf(x, equations, C);
    let { whole, sparse } = proofs(state, Q, equations, C);
    const history = [whole.objective];
    let iterations = 0;
    let worse = 0;
    // A proof of the sparse point is worth a few more steps.
    while (sparse.residual > tolerance && worse < (whole.residual > tolerance ? PATIENCE : 3)) {
      const label = `Bregman distance, hinge, gap ${whole.residual.toExponential(1)}`;
      if (iterations >= maxIterations) break;
      if (!report({ fraction: Math.min(0.99, iterations / 40), label, objective: whole.objective })) break;
      if (!advance(state, Q, equations)) break;
      iterations++;
      const next = proofs(state, Q, equations, C);
      worse++;
      if (next.whole.residual < whole.residual) [whole, worse] = [next.whole, 0];
      if (next.sparse.residual < sparse.residual) [sparse, worse] = [next.sparse, 0];
      history.push(whole.objective);
    }
    const best = sparse.residual <= Math.max(tolerance, whole.residual) ? sparse : whole;
    const m = problem.K.rows;
    return {
      weights: best.x.slice(0, m),
      threshold: best.x[m],
      objective: best.objective,
      history,
      residual: best.residual,
      converged: best.residual <= tolerance,
      iterations,
      stopped: report.stopped,
    };
  });
}

/** Number of steps without a better proof after which rounding decides. */
const PATIENCE = 10;

interface State {
  readonly x: Float64Array;
  readonly v: Float64Array;
  readonly l: Float64Array;
  readonly s: Float64Array;
  readonly t: Float64Array;
  readonly e: Float64Array;
}

const PARTS = ["x", "v", "l", "s", "t", "e"] as const;

function startOf(x: Float64Array, equations: NormalEquations, C: number): State {
  const Rx = equations.multiply(x);
  const l = new Float64Array(Rx.length).fill(C / 2);
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
  { x, v, l }: State,
  Q: Matrix,
  equations: NormalEquations,
  C: number,
): { whole: Proof; sparse: Proof } {
  const Qx = multiplyVector(Q, x);
  const size = dot(x, Qx) / 2;
  const force = equations.multiplyTransposed(l);
  // The slack of the bound: a minimiser of the size of x would gain this much from a force that pulls below
  // 0.
  let off = 0;
  for (let k = 0; k < x.length; k++) off += Math.max(0, -(Qx[k] + force[k])) * Math.max(1, x[k]);
  const bound = l.reduce((sum, one) => sum + one, 0) - size;
  const loss = (Rx: Float64Array): number => C * Rx.reduce((sum, one) => sum + Math.max(0, 1 + one), 0);
  const judged = (at: Float64Array, half: number): Proof => {
    const objective = half + loss(equations.multiply(at));
    return { x: at, objective, residual: (Math.max(0, objective - bound) + off) / Math.max(1, objective) };
  };
  const kept = x.map((weight, k) => (weight > v[k] ? weight : 0));
  return {
    whole: judged(x.slice(), size),
    sparse: judged(kept, dot(kept, multiplyVector(Q, kept)) / 2),
  };
}

/** Steps of iterative refinement. */
const REFINED = 2;

/** One predictor and its corrector; false if rounding leaves no step. */
function advance(state: State, Q: Matrix, equations: NormalEquations): boolean {
  const { x, v, l, s, t, e } = state;
  const spread = l.map((multiplier, p) => s[p] / multiplier + e[p] / t[p]);
  const weights = spread.map((value) => 1 / value);
  const diagonal = v.map((multiplier, k) => multiplier / x[k]);
  let shift = 1e-14;
  while (!equations.factor(weights, diagonal, shift)) {
    shift *= 100;
    if (shift > 1e-3) return false;
  }
  const Qx = multiplyVector(Q, x);
  const Rx = equations.multiply(x);
  const dual = equations.multiplyTransposed(l).map((pull, k) => Qx[k] + pull - v[k]);
  const primal = e.map((slack, p) => slack - 1 - Rx[p] - s[p]);
  const solve = (cx: Float64Array, cl: Float64Array, ct: Float64Array): State & { most: number } => {
    const known = cl.map((change, p) => (change / l[p] - ct[p] / t[p] - primal[p]) / spread[p]);
    const pulled = equations.multiplyTransposed(known);
    const wanted = cx.map((change, k) => change / x[k] - dual[k] - pulled[k]);
    const dx = equations.solve(wanted);
    // Near the minimum the weights span many orders of magnitude: the remainder from rounding is solved for
    // again.
    for (let round = 0; round < REFINED; round++) {
      const turned = equations.multiplyTransposed(equations.multiply(dx).map((one, p) => one / spread[p]));
      const Qdx = multiplyVector(Q, dx);
      const more = equations.solve(wanted.map((one, k) => one - Qdx[k] - diagonal[k] * dx[k] - turned[k]));
      for (let k = 0; k < dx.length; k++) dx[k] += more[k];
    }
    const Rdx = equations.multiply(dx);
    const dl = known.map((value, p) => value + Rdx[p] / spread[p]);
    const move = {
      x: dx,
      v: cx.map((change, k) => (change - v[k] * dx[k]) / x[k]),
      l: dl,
      s: cl.map((change, p) => (change - s[p] * dl[p]) / l[p]),
      t: dl.map((change) => -change),
      e: ct.map((change, p) => (change + e[p] * dl[p]) / t[p]),
    };
    return { ...move, most: Math.min(1, ...PARTS.map((part) => longestStep(state[part], move[part]))) };
  };
  const products = (a: Float64Array, b: Float64Array): Float64Array => a.map((one, k) => -one * b[k]);
  const affine = solve(products(x, v), products(l, s), products(t, e));
  const after = (a: "x" | "l" | "t", b: "v" | "s" | "e"): number =>
    state[a].reduce(
      (sum, one, k) => sum + (one + affine.most * affine[a][k]) * (state[b][k] + affine.most * affine[b][k]),
      0,
    );
  const count = x.length + 2 * l.length;
  const mu = (dot(x, v) + dot(l, s) + dot(t, e)) / count;
  const reached = (after("x", "v") + after("l", "s") + after("t", "e")) / count;
  const target = mu * (reached / mu) ** 3;
  const aimed = (a: "x" | "l" | "t", b: "v" | "s" | "e"): Float64Array =>
    state[a].map((one, k) => target - one * state[b][k] - affine[a][k] * affine[b][k]);
  const move = solve(aimed("x", "v"), aimed("l", "s"), aimed("t", "e"));
  const step = Math.min(1, 0.995 * move.most);
  if (!(step > 1e-8)) return false;
  for (const part of PARTS) {
    for (let k = 0; k < move[part].length; k++) state[part][k] += step * move[part][k];
  }
  return true;
}
