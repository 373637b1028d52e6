/**
 * Laplacian regularised metric learning (Hoi, Liu and Chang 2008): pairs, and the neighbourhoods of all rows, labelled or
 * not,
 *
 *     minimise  tr(X' Lap X M) + gamma_s tr(S M) - gamma_d tr(D M) - log det M
 *     M = (X' Lap X + gamma_s S - gamma_d D)^-1
 *
 * with Lap the Laplacian of the k-nearest-neighbour graph (weights exp(-distance^2 / median), or 1 as in the
 * paper) and S, D the sums of v v' over must-links and cannot-links; log det M replaces the paper's bound on
 * it, and only scales M. The closed form holds only while the bracket is positive definite: beyond some
 * gamma_d the problem has no minimum. So all three matrices are scaled to trace 1, which makes the weights
 * independent of counts and units, and gamma_d is the share `different` of its largest value, 1 / lambda_max
 * of D against X' Lap X + gamma_s S.
 */
import {
  cholesky,
  generalizedEigen,
  identity,
  matrix,
  multiply,
  type Matrix,
  type MatrixLike,
  edgeDifferences,
} from "../../matrix/index.ts";
import { columnVariances, mapped, symmetrize, diagonalOf, weightedGram } from "../../matrix/internal.ts";
import { rule } from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { neighborGraph, type Edges } from "../../graph/index.ts";
import { calibratedBy } from "../calibrate.ts";
import { closedForm, mahalanobisFromMatrix, type Mahalanobis } from "../mahalanobis.ts";
import { pairedRows, pairScatter } from "./pairedRows.ts";
import { fromIdentity, invertible } from "../moments/covariance.ts";

export const lrmlOptions = {
  ...PAIR_RULES,
  /** k of the neighbour graph. */
  neighbors: rule.integer({ min: 1, default: 6, says: "neighbours of each row in the graph" }),
  /** "gaussian": exp(-distance^2 / median), so far neighbours count less. "one": 1 for every edge. */
  weights: rule.oneOf(["gaussian", "one"] as const, "gaussian", {
    says: "weights of the graph's edges: Gaussian, or all 1",
  }),
  /** gamma_s: weight of the must-links against the neighbourhoods. */
  similar: rule.real({ min: 0, default: 3, says: "weight of the must-links" }),
  /** Weight of the cannot-links, as a share (0 to below 1) of the largest for which there is a minimum. */
  different: rule.real({ min: 0, below: 1, default: 0.7, says: "weight of the cannot-links" }),
  names: rule.names,
};

export type LrmlOptions = rule.OptionsOf<typeof lrmlOptions>;

export function lrml(input: MatrixLike, options: LrmlOptions = {}): Mahalanobis {
  const { neighbors, weights, similar, different, names } = rule.resolveOptions("lrml", options, lrmlOptions);
  const { X, mustLink, cannotLink, warnings } = pairedRows("lrml", input, options, "any");
  const d = X.cols;
  const { graph, warnings: ofGraph } = neighborGraph(X, {
    neighbors,
    kind: "union",
    ...(weights === "one" && { alpha: 0 }),
  });
  warnings.push(...ofGraph);
  const smooth = unitTrace(laplacianScatter(X, graph));
  const S = unitTrace(pairScatter(X, mustLink));
  const D = unitTrace(pairScatter(X, cannotLink));
  const weighted = mapped(smooth, (value, p) => value + similar * S.data[p]);
  const { matrix: P, share } = invertible(weighted, graph.from.length);
  if (share > 0) {
    warnings.push(
      `the differences of neighbours and must-links are singular (constant or collinear columns, or few rows): ` +
        `shrunk towards their diagonal by ${share.toFixed(2)}`,
    );
  }
  const largest = generalizedEigen(D, P).values[0];
  const gamma = largest > 0 ? different / largest : 0;
  const Q = mapped(P, (value, p) => value - gamma * D.data[p]);
  const root = cholesky(Q);
  const M = symmetrize(root.solve(identity(d)));
  const metric = mahalanobisFromMatrix(M, {
    method: "lrml",
    names,
    variances: columnVariances(X),
    objective: d + root.logDeterminant, // tr(Q M) - log det M
    ...closedForm("closed form max |Q M - I|", fromIdentity(multiply(Q, M))),
    warnings,
  });
  return calibratedBy(metric, X, { mustLink, cannotLink });
}

/** X' Lap X = sum over the edges of w (x_i - x_j)(x_i - x_j)', in blocks. */
function laplacianScatter(X: Matrix, { from, to, weights }: Edges): Matrix {
  const total = matrix(X.cols, X.cols);
  const block = 4096;
  for (let start = 0; start < from.length; start += block) {
    const end = Math.min(start + block, from.length);
    const steps = edgeDifferences(X, from.subarray(start, end), to.subarray(start, end));
    const part = weightedGram(steps, (e) => weights[start + e]);
    for (let p = 0; p < total.data.length; p++) total.data[p] += part.data[p];
  }
  return total;
}

/** A / tr A; zero stays zero. */
function unitTrace(A: Matrix): Matrix {
  const trace = diagonalOf(A).reduce((sum, value) => sum + value, 0);
  const scale = trace > 0 ? 1 / trace : 0;
  return mapped(A, (value) => scale * value);
}
