/**
 * The problem of bregmanSystem.ts with the plain hinge of Wu et al. (2009), (13), with the sign of bregman.ts. Algorithm 1
 * of the paper approaches the minimum by subgradients; an interior point (bregmanInterior.ts) gets there.
 *
 * Every l in [0, C] with Q x + R'l >= 0 proves the bound f >= sum_p l_p - 1/2 x'Q x: the residual is the gap to it, relative
 * to the objective.
 */
import type { ProgressGate } from "../../core/internal.ts";
import { multiplyVector } from "../../matrix/index.ts";
import { dot } from "../../matrix/internal.ts";
import { advance, remainders, startingWeights, type InteriorPoint } from "./bregmanInterior.ts";
import { withNormalEquations, type NormalEquations } from "./bregmanNormal.ts";
import type { BregmanSolution, BregmanSystem } from "./bregmanSystem.ts";

/** Number of steps without a better proof after which rounding decides. */
const PATIENCE = 10;

export function solveHinge(
  system: BregmanSystem,
  { tolerance, maxIterations }: { readonly tolerance: number; readonly maxIterations: number },
  report: ProgressGate,
): BregmanSolution {
  return withNormalEquations(system.Q, system.R, (equations) => {
    const point = startOf(system, equations);
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

function startOf(system: BregmanSystem, equations: NormalEquations): InteriorPoint {
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
