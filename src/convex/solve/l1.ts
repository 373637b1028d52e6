/**
 * Convex clustering with the L1 norm, exactly: with the identity or a diagonal metric B the problem
 * separates into one graph total variation per feature,
 *
 *     min_u 1/2 sum_i m_i (x_ik - u_i)^2 + (gamma / b_k) sum_l w_l |u_i - u_j| ,
 *
 * each solved by minimum cuts to rounding. To read: test/graph/plainTotalVariation.ts, one feature in plain code. A full
 * metric couples the features: see blockDescent.ts.
 */
import { optionError } from "../../core/internal.ts";
import { blockDescent } from "./blockDescent.ts";
import { certificate } from "./certificate.ts";
import { solveFeatures } from "./features.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";
import { solutionOf } from "./solution.ts";

/** `maxIterations` bounds the sweeps over the features of a full metric; the other metrics need none. */
export function solveL1(problem: ConvexProblem, options: SolveOptions): ConvexSolution {
  const { gamma, tolerance = 1e-6, start } = options;
  checkProblem(problem, gamma);
  if (problem.norm !== 1) throw optionError(`solveL1 needs norm 1, got ${problem.norm}`);
  if (problem.metric !== undefined && !(problem.metric instanceof Float64Array)) {
    return blockDescent(problem, problem.metric, options);
  }
  const { U, Z } = solveFeatures(problem, featureGammas(problem, gamma), start);
  const proof = certificate(problem, gamma, U, Z);
  return solutionOf(problem, { gamma, U, Z, iterations: 1, proof }, tolerance);
}

/** gamma / b_k, the gamma of feature k alone. */
function featureGammas({ X, metric }: ConvexProblem, gamma: number): Float64Array {
  const gammas = new Float64Array(X.cols).fill(gamma);
  if (metric instanceof Float64Array) for (let k = 0; k < X.cols; k++) gammas[k] /= metric[k];
  return gammas;
}
