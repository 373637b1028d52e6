/**
 * The graphical lasso (Friedman, Hastie and Tibshirani 2008): a sparse positive definite M,
 *
 *     minimise  tr(S M) - log det M + alpha sum_{f != g} |M_fg|
 *
 * by ADMM on M = Z (Boyd et al. 2011, section 6.5): the M-step is an eigenproblem, the Z-step sets small entries to zero.
 * The dual is  maximise log det(S + G) + d  over symmetric G with zero diagonal and |G_fg| <= alpha; the multipliers,
 * clipped to that box, give a bound, and the relative duality gap is the stop rule and the certificate.
 */
import { matrix, multiplyTransposeB, symmetricEigen, tryCholesky, type Matrix } from "../../matrix/index.ts";
import { mapped, scaledColumns } from "../../matrix/internal.ts";

interface Bounded {
  /** M, positive definite, with exact zeros. */
  readonly matrix: Matrix;
  readonly objective: number;
  /** (primal - dual) / max(1, |primal|), never negative up to rounding. */
  readonly gap: number;
}

export interface GraphicalLasso extends Bounded {
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
