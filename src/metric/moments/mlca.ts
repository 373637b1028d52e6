/**
 * The same as printed: test/metric/moments/mlcaReference.ts.
 *
 * MLCA, the closed-form Mahalanobis metric for supervised clustering (Law, Yu, Cord and Xing, "Closed-form training of
 * Mahalanobis distance for supervised clustering", 2016):
 *
 *     J = Y (Y'Y)^(-1/2),   W = pinv(X) J  (d x k),   M = W W'
 *
 * Y is the n x k class indicator. X is centred by default: otherwise the partition of shifted data is lost.
 * Only X'X, the class sums and the class sizes depend on the data, so training is linear in n.
 *
 * It is least-squares regression on the indicators and can mask a class that lies between two others: on such data
 * prefer `lda` or `rca`.
 */
import {
  asRows,
  isSparse,
  matrix,
  multiplyTransposeA,
  symmetricEigen,
  transpose,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { leadingColumns, requireModerate } from "../../matrix/internal.ts";
import {
  flag,
  inputError,
  integer,
  namesRule,
  oneOf,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { classMoments, type ClassMoments } from "./classMoments.ts";
import { regressionFromSparse } from "./indicatorConjugate.ts";
import {
  regressionFromFewRows,
  regressionFromMoments,
  type Regression,
  type Targets,
} from "./indicatorRegression.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";

export const mlcaFromMomentsOptions = {
  /** Subtract the column means first (default true). */
  center: flag(true, { says: "subtracts the means of the columns" }),
  /** Column names to keep in the model. */
  names: namesRule,
};
export const mlcaOptions = {
  ...mlcaFromMomentsOptions,
  /**
   * "direct" solves a d x d (or n x n) problem, "iterative" runs conjugate gradients, which needs sparse rows and no
   * such matrix; "auto" (default) is iterative for sparse rows with more than 1000 columns.
   */
  solver: oneOf(["auto", "direct", "iterative"] as const, "auto"),
  /** For the iterative solver: the relative residual of the normal equations to reach (default 0.01). */
  tolerance: real({ above: 0, below: 1, default: 1e-2 }),
  /** Maximum number of iterations of the iterative solver (default 2000). */
  maxIterations: integer({ min: 1, default: 2000 }),
};

export type MlcaOptions = OptionsOf<typeof mlcaFromMomentsOptions>;
export type MlcaRowOptions = OptionsOf<typeof mlcaOptions>;

const MANY_COLUMNS = 1000;

/** Learns the metric from rows and their classes; rows of unknown class are left out. */
export function mlca(
  input: MatrixLike | Sparse,
  labels: Labeling,
  options: MlcaRowOptions = {},
): Mahalanobis {
  const X = asRows(input, "mlca");
  const resolved = resolveOptions("mlca", options, mlcaOptions);
  return model(indicatorRegression("mlca", X, labels, resolved, unitColumns), resolved);
}

/** Learns the metric from accumulated statistics (see `classMomentsAccumulator`): the same result as from the rows. */
export function mlcaFromMoments(moments: ClassMoments, options: MlcaOptions = {}): Mahalanobis {
  const { center, names } = resolveOptions("mlca", options, mlcaFromMomentsOptions);
  return model(regressionFromMoments(moments, center, unitColumns), { center, names });
}

/** The regression by the suitable solver, or by the requested one. */
export function indicatorRegression(
  method: string,
  X: Matrix | Sparse,
  labels: Labeling,
  options: Required<Omit<MlcaRowOptions, "names">>,
  targets: Targets,
): Regression {
  const { center, solver, tolerance, maxIterations } = options;
  if (!isSparse(X)) {
    if (solver === "iterative") {
      throw inputError(`${method}: solver "iterative" is for sparse rows; these are dense`);
    }
    requireModerate(X);
    return X.rows < X.cols
      ? regressionFromFewRows(X, labels, center, targets)
      : regressionFromMoments(classMoments(X, labels), center, targets);
  }
  return solver === "direct" || (solver === "auto" && X.cols <= MANY_COLUMNS)
    ? regressionFromMoments(classMoments(X, labels), center, targets)
    : regressionFromSparse(X, labels, center, tolerance, maxIterations, targets);
}

/** J = Y (Y'Y)^(-1/2): column c is the indicator of class c, of unit length. */
function unitColumns(counts: Float64Array): Matrix {
  const k = counts.length;
  const T = matrix(k, k);
  for (let c = 0; c < k; c++) if (counts[c] > 0) T.data[c * k + c] = 1 / Math.sqrt(counts[c]);
  return T;
}

/** M = W W' through the thin factor: W has one column per class, but centring leaves at most k - 1 directions. */
function model(
  regression: Regression,
  { center, names }: { center: boolean; names: readonly string[] | undefined },
): Mahalanobis {
  const { W, counts, mean, variances, residual, converged, iterations, warnings } = regression;
  if (center) removeDirection(W, counts);
  const { values, vectors } = symmetricEigen(multiplyTransposeA(W, W));
  const kept = values.filter((value) => value > W.cols * 2 ** -46 * values[0]).length;
  return mahalanobis({
    method: "mlca",
    factor: multiplyTransposeA(leadingColumns(vectors, kept), transpose(W)),
    names,
    variances,
    center: center ? mean : new Float64Array(mean.length),
    converged,
    iterations,
    certificate: { kind: "normal equations |X'X W - X'J| / |X'J|", residual },
    warnings,
  });
}

/**
 * J s = 1 with s_c = sqrt(n_c), and centred rows are orthogonal to 1, so W s = 0. Conjugate gradients solve
 * each column of W separately and leave a remainder there, which would count as a direction.
 */
function removeDirection(W: Matrix, counts: Float64Array): void {
  const k = counts.length;
  const total = counts.reduce((sum, n) => sum + n, 0);
  for (let f = 0; f < W.rows; f++) {
    let along = 0;
    for (let c = 0; c < k; c++) along += W.data[f * k + c] * Math.sqrt(counts[c] / total);
    for (let c = 0; c < k; c++) W.data[f * k + c] -= along * Math.sqrt(counts[c] / total);
  }
}
