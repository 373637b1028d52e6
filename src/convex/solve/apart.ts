/**
 * Convex clustering that keeps pairs of rows apart. ||u_i - u_j|| >= delta is not convex; the same condition
 * along the line between the two rows is convex, and implies it:
 *
 *     minimise P(U)   where   a_p'(u_i - u_j) >= margin ||x_i - x_j||,   a_p = (x_i - x_j) / ||x_i - x_j||
 *
 * with P the objective of convex clustering (problem.ts). For multipliers eta >= 0 of the pairs the rest is
 * plain convex clustering of rows shifted by eta_p a_p / m_i, so the dual is maximised by accelerated
 * projected gradients (optimize/acceleration.ts) with a plain solve each. U is moved towards X until every pair is apart: P at this point and the dual bound each other. The
 * optimum without pairs is a lower bound for all centres that keep the pairs apart, in any direction.
 */
import { inputError, optionError } from "../../core/internal.ts";
import type { Pair } from "../../data/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { gapUnit, primalObjective, proofOf } from "./certificate.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";
import { solutionOf } from "./solution.ts";
import { solveConvex } from "./solve.ts";

export interface ApartOptions extends Omit<SolveOptions, "start"> {
  /** Pairs of rows that must stay apart; equal rows cannot. */
  readonly cannotLink: readonly Pair[];
  /**
   * The minimum share of their distance that the centres of a pair keep, above 0 and below 1 (default 0.5).
   */
  readonly margin?: number;
}

export interface ApartSolution extends ConvexSolution {
  /** eta of each pair; 0 if the pair stays apart without it. */
  readonly multipliers: Float64Array;
  /**
   * The optimum without pairs, as a lower bound: all centres that keep the pairs apart cost at least this.
   */
  readonly free: number;
}

const MOST_STEPS = 2000;
/** Of the plain solves. */
const FINEST = 1e-13;

export function solveApart(problem: ConvexProblem, options: ApartOptions): ApartSolution {
  const { gamma, cannotLink, margin = 0.5, tolerance = 1e-6, maxIterations = MOST_STEPS } = options;
  checkProblem(problem, gamma);
  if (problem.metric !== undefined)
    throw optionError("cannot-links inside the objective cannot be combined with a metric");
  if (!(margin > 0 && margin < 1)) {
    throw optionError(`margin must be above 0 and below 1, got ${margin}`);
  }
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const pairs = cannotLink.map((pair, p) => directed(X, pair, p));
  const mass = (i: number): number => (masses === undefined ? 1 : masses[i]);
  const incident = new Float64Array(n);
  for (const { i, j } of pairs) for (const row of [i, j]) incident[row] += 1 / mass(row);
  const step = 1 / Math.max(1, 2 * incident.reduce((most, value) => Math.max(most, value), 0));
  let inner = tolerance / 10;
  let stalled = 0;
  const first = solveConvex(problem, { gamma, tolerance: inner });
  const unit = gapUnit(problem);

  const moved = (eta: Float64Array): { shifted: Matrix; constant: number } => {
    const shifted = matrix(n, d, X.data.slice());
    let constant = 0;
    pairs.forEach(({ i, j, a, length }, p) => {
      constant += eta[p] * margin * length;
      for (let f = 0; f < d; f++) {
        shifted.data[i * d + f] += (eta[p] * a[f]) / mass(i);
        shifted.data[j * d + f] -= (eta[p] * a[f]) / mass(j);
      }
    });
    for (let q = 0; q < shifted.data.length; q++) {
      const [x, y] = [X.data[q], shifted.data[q]];
      constant += 0.5 * mass(Math.floor(q / d)) * (x - y) * (x + y);
    }
    return { shifted, constant };
  };
  const along = (U: Matrix, { i, j, a }: Directed): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += a[f] * (U.data[i * d + f] - U.data[j * d + f]);
    return sum;
  };

  const run = acceleration(new Float64Array(pairs.length));
  let plain = first;
  let best: { U: Matrix; primal: number; eta: Float64Array; plain: ConvexSolution } | undefined;
  let bound = first.certificate.dual;
  let least = Infinity;
  for (let steps = 1; ; steps++) {
    const { shifted, constant } = moved(run.ahead);
    plain = solveConvex({ ...problem, X: shifted }, { gamma, tolerance: inner, start: plain });
    bound = Math.max(bound, plain.certificate.dual + constant);
    // Towards X as far as the pairs require.
    let share = 0;
    for (const pair of pairs) {
      const reached = along(plain.U, pair);
      const wanted = margin * pair.length;
      if (reached < wanted) share = Math.max(share, (wanted - reached) / (pair.length - reached));
    }
    const U = mapped(plain.U, (u, q) => (share === 0 ? u : (1 - share) * u + share * X.data[q]));
    const primal = primalObjective(problem, gamma, U);
    if (best === undefined || primal < best.primal) best = { U, primal, eta: run.ahead.slice(), plain };
    const gap = Math.max(0, best.primal - bound);
    const proof = { ...proofOf(best.primal, gap, unit), dual: bound };
    // The gap of the plain solves enters the pairs by its square root.
    stalled = proof.relativeGap < 0.9 * least ? 0 : stalled + 1;
    least = Math.min(least, proof.relativeGap);
    if (stalled >= 5 && inner > FINEST) [inner, stalled] = [inner / 10, 0];
    if (proof.relativeGap <= tolerance || steps >= maxIterations || pairs.length === 0) {
      const { U, eta, plain: last } = best;
      const solution = solutionOf(problem, { gamma, U, Z: last.Z, iterations: steps, proof }, tolerance);
      return { ...solution, fused: last.fused, multipliers: eta, free: first.certificate.dual };
    }
    const gradient = pairs.map((pair) => margin * pair.length - along(plain.U, pair));
    run.advance(run.ahead.map((value, p) => Math.max(0, value + step * gradient[p])));
    for (let p = 0; p < pairs.length; p++) run.ahead[p] = Math.max(0, run.ahead[p]);
  }
}

interface Directed {
  readonly i: number;
  readonly j: number;
  /** Unit vector from j to i. */
  readonly a: Float64Array;
  readonly length: number;
}

function directed(X: Matrix, [i, j]: Pair, p: number): Directed {
  const d = X.cols;
  for (const row of [i, j]) {
    if (!(Number.isInteger(row) && row >= 0 && row < X.rows)) {
      throw inputError(`cannotLink: pair ${p} names row ${row}; rows are numbered 0 to ${X.rows - 1}`);
    }
  }
  const a = Float64Array.from({ length: d }, (_, f) => X.data[i * d + f] - X.data[j * d + f]);
  const length = Math.hypot(...a);
  if (!(length > 0))
    throw inputError(`cannotLink: the rows ${i} and ${j} of pair ${p} are equal and cannot be kept apart`);
  return { i, j, a: a.map((value) => value / length), length };
}
