/**
 * Sparse distance metric learning (Qi, Tang, Zha, Chua and Zhang 2009): close to a prior M_0 in the LogDet divergence,
 * must-links together, cannot-links apart, and few entries off the diagonal,
 *
 *     minimise  tr((M_0^-1 + eta K) M) - log det M + alpha sum_{f != g} |M_fg|
 *     K = S / tr S - D / tr D,   S, D = sum of v v' over must-links, cannot-links
 *
 * M_0^-1 + eta K must be positive definite, or there is no minimum; with K as a plain sum over pairs and a fixed eta (a
 * peer's choice) it hardly ever is. So all weights are relative: the two sums have trace 1 (measured by M_0),
 * eta is `balance` / the largest |eigenvalue| of K against M_0^-1, so a minimum exists for any balance below
 * 1, and alpha is `sparsity` times the mean of the diagonal over d - 1, the number of counted entries per
 * row.
 */
import {
  identity,
  multiply,
  multiplyTransposeB,
  solve,
  symmetricEigen,
  matrix,
  tryCholesky,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances, mapped, symmetrize, scaledColumns } from "../../matrix/internal.ts";
import { rule } from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { calibratedBy } from "../calibrate.ts";
import { mahalanobisFromMatrix, type Mahalanobis } from "../mahalanobis.ts";
import { pairedRows, pairScatter, priorFactor, priorRule } from "./pairedRows.ts";

export const sdmlOptions = {
  ...PAIR_RULES,
  /** Weight of the pairs against the prior, 0 to below 1. */
  balance: rule.real({ min: 0, below: 1, default: 0.7, says: "weight of the pairs, 0 to below 1" }),
  /** Weight of the sparsity; 0 gives a dense metric, (M_0^-1 + eta K)^-1. */
  sparsity: rule.real({ min: 0, default: 0.5, says: "weight of the sparsity" }),
  prior: priorRule,
  /** The relative duality gap at which the fit counts as converged. */
  tolerance: rule.real({ above: 0, default: 1e-8, says: "residual at which to stop" }),
  maxIterations: rule.integer({ min: 1, default: 2000, says: "maximum number of iterations" }),
  names: rule.names,
};

export type SdmlOptions = rule.OptionsOf<typeof sdmlOptions>;

export interface Sdml extends Mahalanobis {
  /** Pairs of columns whose entry in M is zero, of d (d - 1) / 2. */
  readonly zeros: number;
}

export function sdml(input: MatrixLike, options: SdmlOptions = {}): Sdml {
  const resolved = rule.resolveOptions("sdml", options, sdmlOptions);
  const { balance, sparsity, prior, tolerance, maxIterations, names } = resolved;
  const { X, mustLink, cannotLink, warnings } = pairedRows("sdml", input, options, "any");
  const d = X.cols;
  const L0 = priorFactor("sdml", X, prior, warnings);
  const alike = pairScatter(X, mustLink);
  const different = pairScatter(X, cannotLink);
  const shareAlike = 1 / (traceUnder(L0, alike) || 1);
  const shareDifferent = 1 / (traceUnder(L0, different) || 1);
  const K = mapped(alike, (value, p) => shareAlike * value - shareDifferent * different.data[p]);
  // Eigenvalues of K against M_0^-1 are those of L_0 K L_0'.
  const { values } = symmetricEigen(symmetrize(multiplyTransposeB(multiply(L0, K), L0)));
  const largest = Math.max(Math.abs(values[0]), Math.abs(values[d - 1]));
  if (largest === 0)
    warnings.push(
      "the pairs contain no information: their rows are equal, or both kinds have the same differences",
    );
  const eta = largest === 0 ? 0 : balance / largest;
  const inverse = solve(L0, identity(d)); // M_0^-1 = L_0^-1 L_0'^-1
  const S = symmetrize(multiplyTransposeB(inverse, inverse));
  for (let p = 0; p < d * d; p++) S.data[p] += eta * K.data[p];
  let mean = 0;
  for (let f = 0; f < d; f++) mean += S.data[f * (d + 1)] / d;

  const fit = graphicalLasso(S, (sparsity * mean) / Math.max(1, d - 1), { tolerance, maxIterations });
  if (!fit.converged) {
    warnings.push(`did not converge in ${fit.iterations} iterations: gap ${fit.gap.toExponential(1)}`);
  }
  let zeros = 0;
  for (let f = 0; f < d; f++) for (let g = 0; g < f; g++) if (fit.matrix.data[f * d + g] === 0) zeros++;
  const metric = mahalanobisFromMatrix(fit.matrix, {
    method: "sdml",
    names,
    variances: columnVariances(X),
    converged: fit.converged,
    iterations: fit.iterations,
    objective: fit.objective,
    certificate: { kind: "relative duality gap of the graphical lasso", residual: Math.max(0, fit.gap) },
    warnings,
  });
  return Object.assign(calibratedBy(metric, X, { mustLink, cannotLink }), { zeros });
}

/** tr(L A L'). */
function traceUnder(L: Matrix, A: Matrix): number {
  const LA = multiply(L, A);
  return LA.data.reduce((sum, value, p) => sum + value * L.data[p], 0);
}

/**
 * The graphical lasso (Friedman, Hastie and Tibshirani 2008): a sparse positive definite M,
 *
 *     minimise  tr(S M) - log det M + alpha sum_{f != g} |M_fg|
 *
 * by ADMM on M = Z (Boyd et al. 2011, section 6.5): the M-step is an eigenproblem, the Z-step sets small entries to zero.
 * The dual is  maximise log det(S + G) + d  over symmetric G with zero diagonal and |G_fg| <= alpha; the multipliers,
 * clipped to that box, give a bound, and the relative duality gap is the stop rule and the certificate.
 */

interface Bounded {
  /** M, positive definite, with exact zeros. */
  readonly matrix: Matrix;
  readonly objective: number;
  /** (primal - dual) / max(1, |primal|), never negative up to rounding. */
  readonly gap: number;
}

interface GraphicalLasso extends Bounded {
  readonly iterations: number;
  readonly converged: boolean;
}

/** @param S symmetric positive definite. */
export function graphicalLasso(
  S: Matrix,
  alpha: number,
  stop: { tolerance: number; maxIterations: number },
): GraphicalLasso {
  const d = S.rows;
  let Z = matrix(d, d);
  // diag(S)^-1 is feasible whatever happens.
  let best: Bounded = { matrix: Z, objective: d, gap: Number.MAX_VALUE };
  for (let f = 0; f < d; f++) {
    Z.data[f * (d + 1)] = 1 / S.data[f * (d + 1)];
    best = { ...best, objective: best.objective + Math.log(S.data[f * (d + 1)]) };
  }
  const U = new Float64Array(d * d); // multipliers over the step size
  // The step size balances M and S; entries of M have the size 1 / S_ff.
  let step = S.data.reduce((sum, value, p) => (p % (d + 1) === 0 ? sum + value / d : sum), 0) ** 2;
  let iteration = 0;
  for (; iteration < stop.maxIterations; iteration++) {
    const M = logDetStep(S, Z, U, step);
    const before = Z;
    Z = matrix(d, d);
    let apart = 0;
    let moved = 0;
    for (let p = 0; p < d * d; p++) {
      const value = M.data[p] + U[p];
      const cut = p % (d + 1) === 0 ? 0 : alpha / step;
      Z.data[p] = Math.sign(value) * Math.max(0, Math.abs(value) - cut);
      U[p] = value - Z.data[p];
      apart += (M.data[p] - Z.data[p]) ** 2;
      moved += (Z.data[p] - before.data[p]) ** 2;
    }
    const found = bounds(S, alpha, Z, U, step);
    if (found !== undefined && found.gap < best.gap) best = found;
    if (best.gap <= stop.tolerance) return { ...best, iterations: iteration + 1, converged: true };
    // Residual balancing: keep primal and dual residual within a factor of each other.
    const factor = apart > 100 * step ** 2 * moved ? 2 : step ** 2 * moved > 100 * apart ? 0.5 : 1;
    step *= factor;
    for (let p = 0; p < d * d; p++) U[p] /= factor;
  }
  return { ...best, iterations: iteration, converged: false };
}

/** argmin tr(S M) - log det M + step/2 |M - Z + U|^2: eigenvalues of step (Z - U) - S mapped by (x + sqrt(x^2 + 4 step)) / (2 step). */
function logDetStep(S: Matrix, Z: Matrix, U: Float64Array, step: number): Matrix {
  const target = mapped(S, (value, p) => step * (Z.data[p] - U[p]) - value);
  const { values, vectors } = symmetricEigen(target);
  const scaled = scaledColumns(vectors, (r) => {
    // Written so that a very negative eigenvalue does not cancel.
    const root = Math.sqrt(values[r] ** 2 + 4 * step);
    return Math.sqrt(values[r] > 0 ? (values[r] + root) / (2 * step) : 2 / (root - values[r]));
  });
  return multiplyTransposeB(scaled, scaled);
}

/** Primal value at Z and dual value at the clipped multipliers; undefined while either is not positive definite. */
function bounds(S: Matrix, alpha: number, Z: Matrix, U: Float64Array, step: number): Bounded | undefined {
  const d = S.rows;
  const dualPoint = mapped(S, (value, p) =>
    p % (d + 1) === 0 ? value : value + Math.max(-alpha, Math.min(alpha, step * U[p])),
  );
  const primalRoot = tryCholesky(Z);
  const dualRoot = tryCholesky(dualPoint);
  if (primalRoot === undefined || dualRoot === undefined) return undefined;
  let objective = -primalRoot.logDeterminant;
  for (let p = 0; p < d * d; p++) {
    objective += S.data[p] * Z.data[p] + (p % (d + 1) === 0 ? 0 : alpha * Math.abs(Z.data[p]));
  }
  const gap = (objective - dualRoot.logDeterminant - d) / Math.max(1, Math.abs(objective));
  return { matrix: Z, objective, gap };
}
