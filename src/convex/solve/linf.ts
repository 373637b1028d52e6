/**
 * Convex clustering with the L-infinity norm, any graph, masses and metric B, through the dual
 *
 *     max_Z <D'Z, X> - 1/2 sum_i g_i' B^-1 g_i / m_i ,   g = D'Z ,   ||z_l||_1 <= gamma w_l
 *
 * by accelerated projected gradients (optimize/acceleration.ts; on the dual, the accelerated AMA of Chi and Lange) with one
 * step per edge. The steps
 * 1 / (lambda_max(B^-1) (deg_i / m_i + deg_j / m_j)) are valid: D M^-1 D' is dominated by its absolute row sums.
 */
import { optionError } from "../../core/internal.ts";
import { unionFind } from "../../graph/index.ts";
import { cholesky, identity, matrix, symmetricEigen, takeRows, type Matrix } from "../../matrix/index.ts";
import { acceleration } from "../../optimize/internal.ts";
import { certificate, differenceNorm } from "./certificate.ts";
import { projectDual } from "./dualBall.ts";
import { groupMeans } from "./means.ts";
import {
  checkProblem,
  type Certificate,
  type ConvexProblem,
  type ConvexSolution,
  type SolveOptions,
} from "./problem.ts";
import { solutionOf } from "./solution.ts";

/** Iterations between two checks of the gap. */
const PERIOD = 25;

export function solveLinf(problem: ConvexProblem, options: SolveOptions): ConvexSolution {
  checkProblem(problem, options.gamma);
  if (problem.norm !== "inf") throw optionError(`solveLinf needs norm "inf", got ${problem.norm}`);
  return ascend(problem, options, {
    prove: (U, Z) => certificate(problem, options.gamma, U, Z),
  });
}

/** The effect of an additional penalty beside that of the edges. */
export interface LinfPenalty {
  /**
   * Its proximal map, in place. The dual over Z alone, the penalty's own dual minimised away, then has the gradient D U
   * at these centres, and the same Lipschitz constants: a proximal map does not stretch.
   */
  readonly shrink?: (U: Matrix) => void;
  /** The gap of centres and edge duals; called after the centres of Z were made. */
  readonly prove: (U: Matrix, Z: Matrix) => Certificate;
}

/** Accelerated projected gradients on the edge duals. */
export function ascend(
  problem: ConvexProblem,
  { gamma, tolerance = 1e-6, start, maxIterations = 200_000 }: SolveOptions,
  { shrink, prove }: LinfPenalty,
): ConvexSolution {
  const { X, graph } = problem;
  const { from, to, weights } = graph;
  const [n, d, m] = [X.rows, X.cols, from.length];
  const { inverse, steps } = edgeSteps(problem);
  const U = matrix(n, d);
  const flow = new Float64Array(n * d);
  const centresOf = (duals: Float64Array): void => {
    dualCentres(problem, inverse, duals, flow, U);
    shrink?.(U);
  };

  const first = start === undefined ? new Float64Array(m * d) : start.Z.data.slice();
  for (let e = 0; e < m; e++) projectDual(first, e * d, d, "inf", gamma * weights[e]);
  const run = acceleration(first);
  let next: Float64Array = new Float64Array(m * d);
  for (let iterations = 0; ; iterations++) {
    if (iterations % PERIOD === 0 || iterations >= maxIterations) {
      const Z = matrix(m, d, run.x);
      centresOf(run.x);
      const proof = prove(U, Z);
      const converged = proof.relativeGap <= tolerance;
      if (converged || iterations >= maxIterations) {
        const rounded = converged ? round(problem, U, tolerance, (fused) => prove(fused, Z)) : { U, proof };
        return solutionOf(problem, { gamma, Z, iterations, ...rounded }, tolerance);
      }
    }
    centresOf(run.ahead);
    for (let e = 0; e < m; e++) {
      const [i, j, l] = [from[e] * d, to[e] * d, e * d];
      for (let k = 0; k < d; k++) {
        next[l + k] = run.ahead[l + k] + steps[l + k] * (U.data[i + k] - U.data[j + k]);
      }
      projectDual(next, l, d, "inf", gamma * weights[e]);
    }
    next = run.advance(next, steps);
  }
}

/** B^-1 (a diagonal, or full) and the step of each dual variable. */
function edgeSteps(problem: ConvexProblem) {
  const { X, graph, metric, masses } = problem;
  const d = X.cols;
  let inverse: Float64Array | Matrix = new Float64Array(d).fill(1);
  let largest = 1;
  if (metric instanceof Float64Array) {
    inverse = metric.map((b) => 1 / b);
    largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  } else if (metric !== undefined) {
    inverse = cholesky(metric).solve(identity(d));
    largest = 1 / symmetricEigen(metric).values[d - 1];
  }
  const degrees = new Float64Array(X.rows);
  for (let e = 0; e < graph.from.length; e++) {
    degrees[graph.from[e]] += 1;
    degrees[graph.to[e]] += 1;
  }
  if (masses !== undefined) for (let i = 0; i < X.rows; i++) degrees[i] /= masses[i];
  const steps = new Float64Array(graph.from.length * d);
  graph.from.forEach((i, e) => {
    steps.fill(1 / (largest * (degrees[i] + degrees[graph.to[e]])), e * d, (e + 1) * d);
  });
  return { inverse, steps };
}

/** u_i = x_i - B^-1 g_i / m_i */
function dualCentres(
  { X, graph: { from, to }, masses }: ConvexProblem,
  inverse: Float64Array | Matrix,
  duals: Float64Array,
  flow: Float64Array,
  U: Matrix,
): void {
  const d = X.cols;
  flow.fill(0);
  for (let e = 0; e < from.length; e++) {
    const [i, j, l] = [from[e] * d, to[e] * d, e * d];
    for (let k = 0; k < d; k++) {
      flow[i + k] += duals[l + k];
      flow[j + k] -= duals[l + k];
    }
  }
  for (let i = 0; i < X.rows; i++) {
    const mass = masses === undefined ? 1 : masses[i];
    for (let k = 0; k < d; k++) {
      let pull = 0;
      if (inverse instanceof Float64Array) pull = inverse[k] * flow[i * d + k];
      else for (let l = 0; l < d; l++) pull += inverse.data[k * d + l] * flow[i * d + l];
      U.data[i * d + k] = X.data[i * d + k] - pull / mass;
    }
  }
}

/**
 * Nodes that nearly coincide get exactly one centre: the widest of a few reaches whose rounded centres still
 * meet the tolerance.
 */
function round(problem: ConvexProblem, U: Matrix, tolerance: number, prove: (U: Matrix) => Certificate) {
  const { from, to } = problem.graph;
  const lengths = Float64Array.from(from, (i, e) =>
    differenceNorm(U.data, i * U.cols, U.data, to[e] * U.cols, U.cols, "inf"),
  );
  const longest = lengths.reduce((a, b) => Math.max(a, b), 0);
  for (let reach = longest; reach > 1e-12 * longest; reach /= 4) {
    const sets = unionFind(U.rows);
    for (let e = 0; e < from.length; e++) if (lengths[e] <= reach) sets.union(from[e], to[e]);
    const labels = sets.labels();
    const fused = takeRows(groupMeans(U, problem.masses, labels, sets.count), labels);
    const proof = prove(fused);
    if (proof.relativeGap <= tolerance) return { U: fused, proof };
  }
  return { U, proof: prove(U) };
}
