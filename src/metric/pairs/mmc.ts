/**
 * Mahalanobis metric for clustering (Xing, Ng, Jordan and Russell 2003): cannot-links far apart, must-links together. The
 * text's problem, maximise the sum of cannot-link distances while the squared must-link distances sum to at most 1, has
 * the scale-free form
 *
 *     J(M) = sum_D |v|_M / sqrt(sum_S |v|_M^2),   |v|_M^2 = v'M v
 *
 * Its maximiser is close to rank one and clusters worse than a flatter metric. So by default a second term keeps the
 * spectrum flat, in the coordinates where the must-link scatter W = sum_S v v' is the identity (M = T'B T, T W T' = I):
 *
 *     maximise  Phi(B) = log J(B) + rho/2 (log det B - d log(tr(B)/d)),   J(B) = sum_D |T v|_B / sqrt(tr B)
 *
 * and W is shrunk towards the variances of all pairs, because few pairs do not determine it. rho = 0 is the text's
 * problem, rho -> infinity whitens the must-links (RCA). On tr B = 1 Phi is concave, and lambda_max(grad Phi) -
 * (1 + rho d)/2 bounds how far the value is from the maximum: that is the certificate. B = R'R is found by L-BFGS over R
 * (with `diagonal`, over diagonal R): mmcPhi.ts.
 */
import { type MatrixLike } from "../../matrix/index.ts";
import { columnVariances } from "../../matrix/internal.ts";
import {
  flag,
  integer,
  namesRule,
  numericError,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { bestThreshold } from "../calibrate.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { maximizePhi } from "./mmcPhi.ts";
import { diagonalProblem, wholeProblem } from "./mmcProblems.ts";
import { pairedRows } from "./pairedRows.ts";

export const mmcOptions = {
  ...PAIR_RULES,
  /** Learn one weight per column only. */
  diagonal: flag(false, { says: "learns one weight per column only" }),
  /**
   * rho: strength of the term that keeps the spectrum flat; default 0.75, or 0.05 with `diagonal`; 0
   * maximises J alone.
   */
  regularization: real({
    min: 0,
    says: "strength of the term that keeps the spectrum flat; 0 is the exact optimum of the paper",
    usual: "0.75, or 0.05 with diagonal",
  }),
  /**
   * Share of the variances of all pairs in W; default d / (d + must-links), with `diagonal` d / (d + 10), and 0 where
   * `regularization` is 0.
   */
  shrinkage: real({
    min: 0,
    max: 1,
    says: "share of the diagonal in the covariance, 0 to 1",
    usual: "by the number of columns and must-links",
  }),
  /** The gap to the maximum of Phi at which the fit counts as converged. */
  tolerance: real({ above: 0, default: 1e-6, says: "residual at which to stop" }),
  maxIterations: integer({ min: 0, default: 2000, says: "maximum number of iterations" }),
  names: namesRule,
  onProgress: progressRule,
};

export type MmcOptions = OptionsOf<typeof mmcOptions>;

export interface Mmc extends Mahalanobis {
  /** J, the scale-free objective of the text, at the metric returned. */
  readonly J: number;
}

export function mmc(input: MatrixLike, options: MmcOptions = {}): Mmc {
  const { diagonal, tolerance, maxIterations, names, onProgress, ...given } = resolveOptions(
    "mmc",
    options,
    mmcOptions,
  );
  const { X, mustLink, cannotLink, warnings } = pairedRows("mmc", input, options, "both");
  const d = X.cols;
  const rho = given.regularization ?? (diagonal ? 0.05 : 0.75);
  const share = given.shrinkage ?? (rho === 0 ? 0 : d / (d + (diagonal ? 10 : mustLink.length)));
  const problem = (diagonal ? diagonalProblem : wholeProblem)(X, mustLink, cannotLink, { rho, share });
  if (problem.forced > 0) {
    warnings.push(
      `the must-links do not vary in every direction: their scatter is shrunk towards its diagonal by ` +
        problem.forced.toFixed(2),
    );
  }
  if (!problem.tellsApart) {
    throw numericError("mmc: every cannot-link joins equal rows, so no metric can separate them");
  }

  const fit = maximizePhi(problem, { tolerance, maxIterations, onProgress });
  if (!fit.converged) {
    const why = fit.reasons.length > 0 ? fit.reasons.join(", ") : `ended after ${fit.iterations} iterations`;
    warnings.push(`${why}: gap ${fit.gap.toExponential(1)} to the maximum`);
  }
  const { together, between } = fit;
  const squares = together.reduce((sum, length) => sum + length * length, 0);
  const apart = between.reduce((sum, length) => sum + length, 0);
  const metric = mahalanobis({
    method: "mmc",
    factor: problem.factor(fit.x),
    names,
    variances: columnVariances(X),
    threshold: bestThreshold(together, between),
    converged: fit.converged,
    iterations: fit.iterations,
    objective: fit.history[fit.history.length - 1],
    history: fit.history,
    certificate: { kind: "gap lambda_max(grad Phi) - (1 + rho d)/2 at tr B = 1", residual: fit.gap },
    warnings,
  });
  return Object.assign(metric, { J: apart / Math.sqrt(squares) });
}
