/**
 * KISSME, "keep it simple and straightforward metric" (Koestinger, Hirzer, Wohlhart, Roth and Bischof 2012): the
 * log-likelihood ratio of a difference under "alike" and "different", both Gaussian with mean zero,
 *
 *     M = S_S^-1 - S_D^-1,   S_S, S_D = mean of (x_i - x_j)(x_i - x_j)' over must-links, cannot-links
 *
 * Second moments, not covariances: nothing is centred. M is not positive semidefinite in general; its projection is
 * returned, and how much was cut is in the warnings.
 */
import { inputError } from "../core/errors.ts";
import { given, real, resolveOptions } from "../core/options.ts";
import { checkConstraints, type Constraints } from "../data/constraints.ts";
import { cholesky } from "../matrix/cholesky.ts";
import { symmetricEigen } from "../matrix/eigen.ts";
import { identity, matrix, requireFinite, type Matrix } from "../matrix/matrix.ts";
import { mahalanobisFromMatrix, type Mahalanobis } from "./mahalanobis.ts";
import { columnVariances, pairScatter } from "./pairDifferences.ts";
import { shrinkToDiagonal } from "./shrink.ts";
import { calibrate } from "./calibrate.ts";

export interface KissmeOptions {
  /** Share of the diagonal in both scatter matrices; default d / (d + pairs), which vanishes with many pairs. */
  shrinkage?: number;
  names?: readonly string[];
}

export function kissme(X: Matrix, constraints: Constraints, options: KissmeOptions = {}): Mahalanobis {
  const { shrinkage, names } = resolveOptions<KissmeOptions, typeof RULES>("kissme", options, RULES);
  requireFinite(X);
  const { mustLink, cannotLink } = checkConstraints(X.rows, constraints);
  if (mustLink.length === 0 || cannotLink.length === 0) {
    throw inputError("kissme needs must-link and cannot-link pairs, at least one of each");
  }
  const d = X.cols;
  const inverse = (pairs: Constraints["mustLink"]): Matrix => {
    const share = shrinkage ?? d / (d + pairs.length);
    return cholesky(shrinkToDiagonal(pairScatter(X, pairs), share, 1e-8)).solve(identity(d));
  };
  const alike = inverse(mustLink);
  const different = inverse(cannotLink);
  const M = matrix(
    d,
    d,
    alike.data.map((value, p) => value - different.data[p]),
  );
  for (let f = 0; f < d; f++) {
    for (let g = 0; g < f; g++) {
      const mean = (M.data[f * d + g] + M.data[g * d + f]) / 2;
      M.data[f * d + g] = mean;
      M.data[g * d + f] = mean;
    }
  }
  const { values } = symmetricEigen(M);
  const negative = values.filter((value) => value < 0);
  const warnings =
    negative.length === 0
      ? []
      : [
          `${negative.length} of ${d} directions vary more among must-links than among cannot-links; ` +
            `they are left out of the metric`,
        ];
  const metric = mahalanobisFromMatrix(M, {
    method: "kissme",
    ...(names === undefined ? {} : { names }),
    variances: columnVariances(X),
    converged: true,
    iterations: 1,
    certificate: { kind: "closed form", residual: 0 },
    warnings,
  });
  return calibrate(metric, X, { mustLink, cannotLink });
}

const RULES = {
  shrinkage: real({ min: 0, max: 1 }),
  names: given<readonly string[]>("an array of column names", Array.isArray),
};
