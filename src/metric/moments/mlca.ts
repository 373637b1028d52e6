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
  gram,
  identity,
  multiply,
  multiplyTransposeB,
  takeRows,
  tryCholesky,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import {
  leadingColumns,
  requireModerate,
  centered,
  columnMeans,
  columnsAsRows,
  columnVariances,
  diagonalOf,
  dot,
  requireFiniteSparse,
} from "../../matrix/internal.ts";
import { inputError, numericError, rule } from "../../core/internal.ts";
import type { Labeling, Label } from "../../score/index.ts";
import { classMoments, reshift, type ClassMoments } from "./classMoments.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { labelledRows, requireTwoClasses } from "../../score/internal.ts";

export const mlcaFromMomentsOptions = {
  /** Subtract the column means first (default true). */
  center: rule.flag(true, { says: "subtracts the means of the columns" }),
  /** Column names to keep in the model. */
  names: rule.names,
};
export const mlcaOptions = {
  ...mlcaFromMomentsOptions,
  /**
   * "direct" solves a d x d (or n x n) problem, "iterative" runs conjugate gradients, which needs sparse rows and no
   * such matrix; "auto" (default) is iterative for sparse rows with more than 1000 columns.
   */
  solver: rule.oneOf(["auto", "direct", "iterative"] as const, "auto"),
  /** For the iterative solver: the relative residual of the normal equations to reach (default 0.01). */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-2 }),
  /** Maximum number of iterations of the iterative solver (default 2000). */
  maxIterations: rule.integer({ min: 1, default: 2000 }),
};

export type MlcaOptions = rule.OptionsOf<typeof mlcaFromMomentsOptions>;
export type MlcaRowOptions = rule.OptionsOf<typeof mlcaOptions>;

const MANY_COLUMNS = 1000;

/** Learns the metric from rows and their classes; rows of unknown class are left out. */
export function mlca(
  input: MatrixLike | Sparse,
  labels: Labeling,
  options: MlcaRowOptions = {},
): Mahalanobis {
  const X = asRows(input, "mlca");
  const resolved = rule.resolveOptions("mlca", options, mlcaOptions);
  return model(indicatorRegression("mlca", X, labels, resolved, unitColumns), resolved);
}

/** Learns the metric from accumulated statistics (see `classMomentsAccumulator`): the same result as from the rows. */
export function mlcaFromMoments(moments: ClassMoments, options: MlcaOptions = {}): Mahalanobis {
  const { center, names } = rule.resolveOptions("mlca", options, mlcaFromMomentsOptions);
  return model(regressionFromMoments(moments, center, unitColumns), { center, names });
}

/** The regression by the suitable solver, or by the requested one. */
function indicatorRegression(
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

/**
 * Least-squares regression of class targets on the rows, the basis of both forms of MLCA: with Y the n x k
 * class indicator and T (k x t) the value of each target for each class,
 *
 *     W = pinv(X) Y T   (d x t),   the W of least norm among the minimisers of ||X W - Y T||^2
 *
 * X is centred or not. There are three computations: from accumulated moments (a d x d eigenproblem), from
 * XX' if there are fewer rows than columns, and by conjugate gradients if X is sparse and d x d numbers are
 * too many.
 */

interface Regression {
  readonly W: Matrix;
  readonly classes: readonly Label[];
  readonly counts: Float64Array;
  readonly mean: Float64Array;
  readonly variances: Float64Array;
  /** |X'X W - X'Y T| / |X'Y T|. */
  readonly residual: number;
  readonly converged: boolean;
  readonly iterations: number;
  readonly warnings: readonly string[];
}

/** T from the class sizes; k x t. */
type Targets = (counts: Float64Array) => Matrix;

/** The name in messages. */
const METHOD = "mlca";

/** From the sums over the rows: only X'X and X'Y are needed. */
function regressionFromMoments(moments: ClassMoments, center: boolean, targets: Targets): Regression {
  const { classes, counts, features: d } = moments;
  requireTwoClasses(
    METHOD,
    classes.filter((_, c) => counts[c] > 0),
  );
  const { gramian, sums, mean, variances } = aboutOrigin(moments, center);
  const XtJ = multiplyTransposeA(sums, targets(counts));
  const { inverse, rank, size } = gramInverse(gramian);
  requireSignal(XtJ, size * d);
  const W = multiply(inverse, XtJ);
  return solved({ W, classes, counts, mean, variances }, multiply(gramian, W), XtJ, rank);
}

/** Fewer rows than columns: pinv(X) = X'(XX')^+, so the matrix to decompose is n x n. */
function regressionFromFewRows(X: Matrix, labels: Labeling, center: boolean, targets: Targets): Regression {
  const { rows, codes, classes, ...sizes } = labelledRows(METHOD, X, labels);
  const counts = Float64Array.from(sizes.counts);
  const mean = columnMeans(rows);
  const Z = center ? centered(rows, mean) : rows;
  const J = takeRows(targets(counts), codes);
  const { inverse, rank, size } = gramInverse(multiplyTransposeB(Z, Z));
  const XtJ = multiplyTransposeA(Z, J);
  requireSignal(XtJ, size * X.cols);
  const W = multiplyTransposeA(Z, multiply(inverse, J));
  const XtXW = multiplyTransposeA(Z, multiply(Z, W));
  return solved({ W, classes, counts, mean, variances: columnVariances(rows) }, XtXW, XtJ, rank);
}

/** The regression from a closed form, with the residual of its normal equations. */
function solved(
  regression: Pick<Regression, "W" | "classes" | "counts" | "mean" | "variances">,
  XtXW: Matrix,
  XtJ: Matrix,
  rank: number,
): Regression {
  const d = regression.mean.length;
  const difference = XtXW.data.map((value, p) => value - XtJ.data[p]);
  const lacking = `the data has rank ${rank} of ${d} columns: some are constant or depend on others`;
  return {
    ...regression,
    residual: norm(difference) / norm(XtJ.data),
    converged: true,
    iterations: 1,
    warnings: rank === d ? [] : [lacking],
  };
}

/** X'J = 0: every class has the same mean, and all directions are equally good. */
function requireSignal(XtJ: Matrix, scale: number): void {
  if (!(norm(XtJ.data) > 1e-12 * Math.sqrt(scale))) {
    throw numericError(
      "mlca: X'Y is zero: all classes have the same mean, so no linear metric can separate them " +
        "(a method based on neighbours, such as lmnn or nca, might)",
    );
  }
}

/** Second moments and class sums about the mean (or, uncentred, about the origin). */
function aboutOrigin(moments: ClassMoments, center: boolean) {
  const { features: d, counts, classSums, shift, secondMoments } = moments;
  const count = counts.reduce((sum, n) => sum + n, 0);
  const drift = new Float64Array(d); // mean - shift
  for (let p = 0; p < classSums.data.length; p++) drift[p % d] += classSums.data[p] / count;
  const variances = drift.map((value, f) => Math.max(0, secondMoments.data[f * d + f] / count - value ** 2));
  const mean = drift.map((value, f) => shift[f] + value);
  const moved = reshift(moments, center ? mean : new Float64Array(d));
  return { gramian: moved.secondMoments, sums: moved.classSums, mean, variances };
}

/** Relative to the largest: eigenvalues below this, times n, count as zero. */
const CUT = 1e-10;

/**
 * Pseudo-inverse of a positive semidefinite matrix. A bare Cholesky factor silently gives garbage when
 * columns are collinear, so it is used only if the inverse proves that no eigenvalue is near the cut: the
 * smallest is at least 1 / |A^-1|, the largest at most the trace.
 */
function gramInverse(A: Matrix): { inverse: Matrix; rank: number; size: number } {
  const n = A.rows;
  const trace = diagonalOf(A).reduce((sum, value) => sum + value, 0);
  const inverse = tryCholesky(A)?.solve(identity(n));
  if (inverse !== undefined && 1 > 100 * CUT * n * trace * norm(inverse.data)) {
    return { inverse, rank: n, size: trace };
  }
  const { values, vectors } = symmetricEigen(A);
  const cut = CUT * n * Math.max(0, values[0] ?? 0);
  const rank = values.filter((value) => value > cut).length;
  const scaled = columnsAsRows(vectors, rank, (value, r) => value / Math.sqrt(values[r]));
  return { inverse: gram(scaled), rank, size: Math.max(0, values[0] ?? 0) };
}

function norm(x: Float64Array): number {
  return Math.sqrt(dot(x, x));
}

/**
 * The indicator regression of sparse rows without a d x d matrix: conjugate gradients on the normal equations
 * (CGLS; Hestenes and Stiefel 1952, Björck 1996 section 7.4), one system per target, all in step so that one
 * pass over the rows serves them all. Started from zero they tend to the solution of least norm, W = pinv(X)
 * J.
 *
 * Centring is implicit, with m the mean:  Z v = X v - (m'v) 1,  Z'u = X'u - (1'u) m. The rows stay sparse.
 */

/** @param tolerance the relative residual of the normal equations to reach */
function regressionFromSparse(
  X: Sparse,
  labels: Labeling,
  center: boolean,
  tolerance: number,
  maxIterations: number,
  targets: Targets,
): Regression {
  requireFiniteSparse(X);
  const { rows, codes, classes, ...sizes } = labelledRows("mlca", X, labels);
  const counts = Float64Array.from(sizes.counts);
  const { mean, variances } = columnMoments(rows);
  const Z = centredRows(rows, center ? mean : new Float64Array(X.cols));
  const T = targets(counts);
  const t = T.cols;
  const d = X.cols;

  const R = takeRows(T, codes); // J - Z W
  const W = matrix(d, t);
  let S = Z.transposeTimes(R); // Z'(J - Z W), the residual of the normal equations
  requireSignal(S, variances.reduce((sum, value) => sum + value, 0) * rows.rows);
  const P = matrix(d, t, S.data.slice());
  const first = columnSquares(S);
  const goal = Math.sqrt(first.reduce((sum, value) => sum + value, 0)) * tolerance;
  let gamma = first;
  let iterations = 0;
  const alpha = new Float64Array(t);
  const beta = new Float64Array(t);
  while (length(gamma) > goal && iterations < maxIterations) {
    const Q = Z.times(P);
    const curvature = columnSquares(Q);
    // A target that is solved, or that this direction no longer affects, rests while the others continue.
    for (let c = 0; c < t; c++) {
      alpha[c] = gamma[c] > 1e-32 * first[c] && curvature[c] > 0 ? gamma[c] / curvature[c] : 0;
    }
    addScaledColumns(W, alpha, 1, P);
    addScaledColumns(R, alpha, -1, Q);
    S = Z.transposeTimes(R);
    const next = columnSquares(S);
    for (let c = 0; c < t; c++) beta[c] = gamma[c] > 0 ? next[c] / gamma[c] : 0;
    for (let f = 0, p = 0; f < d; f++) {
      for (let c = 0; c < t; c++, p++) P.data[p] = S.data[p] + beta[c] * P.data[p];
    }
    gamma = next;
    iterations++;
  }
  const residual = length(gamma) / length(first);
  const late = `did not converge in ${maxIterations} iterations (residual ${residual.toExponential(1)})`;
  return {
    W,
    classes,
    counts,
    mean,
    variances,
    residual,
    converged: residual <= tolerance,
    iterations,
    warnings: residual <= tolerance ? [] : [late],
  };
}

/** Products with X - 1 mean'. */
function centredRows(X: Sparse, mean: Float64Array) {
  return {
    times(V: Matrix): Matrix {
      const t = V.cols;
      const shift = new Float64Array(t);
      for (let f = 0, p = 0; f < V.rows; f++) {
        for (let c = 0; c < t; c++, p++) shift[c] += mean[f] * V.data[p];
      }
      const C = multiply(X, V);
      for (let i = 0, p = 0; i < C.rows; i++) for (let c = 0; c < t; c++, p++) C.data[p] -= shift[c];
      return C;
    },
    transposeTimes(U: Matrix): Matrix {
      const t = U.cols;
      const sums = new Float64Array(t);
      for (let i = 0, p = 0; i < U.rows; i++) for (let c = 0; c < t; c++, p++) sums[c] += U.data[p];
      const C = multiplyTransposeA(X, U);
      for (let f = 0, p = 0; f < C.rows; f++) {
        for (let c = 0; c < t; c++, p++) C.data[p] -= mean[f] * sums[c];
      }
      return C;
    },
  };
}

/** A += sign B diag(factors). */
function addScaledColumns(A: Matrix, factors: Float64Array, sign: number, B: Matrix): void {
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let c = 0; c < A.cols; c++, p++) A.data[p] += sign * factors[c] * B.data[p];
  }
}

function columnMoments(X: Sparse): { mean: Float64Array; variances: Float64Array } {
  const mean = new Float64Array(X.cols);
  const squares = new Float64Array(X.cols);
  for (let p = 0; p < X.values.length; p++) {
    mean[X.indices[p]] += X.values[p] / X.rows;
    squares[X.indices[p]] += X.values[p] ** 2 / X.rows;
  }
  return { mean, variances: squares.map((value, f) => Math.max(0, value - mean[f] ** 2)) };
}

function columnSquares(A: Matrix): Float64Array {
  const sums = new Float64Array(A.cols);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let c = 0; c < A.cols; c++, p++) sums[c] += A.data[p] * A.data[p];
  }
  return sums;
}

/** Norm of a matrix whose columns have these squared lengths. */
function length(squares: Float64Array): number {
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0));
}

export interface MlcaUnivariate {
  /** M = m m', rank 1. */
  readonly metric: Mahalanobis;
  /** b. */
  readonly offset: number;
  /** The class of negative scores, then that of the others. */
  readonly classes: readonly [Label, Label];
  /** X_t m + b. */
  scores(Y: Matrix | Sparse): Float64Array;
  /** The sign rule: 0 or 1 for each row, an index into `classes`. */
  predict(Y: MatrixLike | Sparse): Int32Array;
}

/**
 * MLCA for two classes with one score per row (Law, Yu, Cord and Xing 2016, section 4): y in {-1, +1},
 *
 *     (m, b) = pinv([X 1]) y / ||y||,   M = m m',   the partition of new rows is the sign of X_t m + b
 *
 * The constant column is not in the paper: without it the threshold is at the origin, which is wrong for data
 * that are not centred there. No k-means is needed, so a new set is partitioned in one product.
 *
 * Rows of unknown class are left out; there must be exactly two classes.
 */
export function mlcaUnivariate(
  input: MatrixLike | Sparse,
  labels: Labeling,
  options: Omit<MlcaRowOptions, "center"> = {},
): MlcaUnivariate {
  const X = asRows(input, "mlcaUnivariate");
  const { names, ...solver } = rule.resolveOptions(
    "mlcaUnivariate",
    options,
    rule.without(mlcaOptions, "center"),
  );
  const { W, classes, counts, mean, variances, residual, converged, iterations, warnings } =
    indicatorRegression("mlcaUnivariate", X, labels, { ...solver, center: true }, signs);
  const count = counts[0] + counts[1];
  // With a free constant column the regression passes through the means: b = mean(y) / ||y|| - m'mean(x).
  let offset = (counts[1] - counts[0]) / count / Math.sqrt(count);
  for (let f = 0; f < mean.length; f++) offset -= W.data[f] * mean[f];
  const metric = mahalanobis({
    method: "mlcaUnivariate",
    factor: matrix(1, W.rows, W.data),
    names,
    variances,
    converged,
    iterations,
    certificate: { kind: "normal equations |X'X m - X'y| / |X'y|", residual },
    warnings,
  });
  const scores = (Y: MatrixLike | Sparse): Float64Array =>
    metric.transform(Y).data.map((value) => value + offset);
  return {
    metric,
    offset,
    classes: [classes[0], classes[1]],
    scores,
    predict: (Y) => Int32Array.from(scores(Y), (score) => (score < 0 ? 0 : 1)),
  };
}

/** y / ||y||. */
function signs(counts: Float64Array): Matrix {
  if (counts.length !== 2) {
    throw inputError(`mlcaUnivariate is for two classes, got ${counts.length}; mlca takes any number`);
  }
  const unit = 1 / Math.sqrt(counts[0] + counts[1]);
  return matrix(2, 1, Float64Array.of(-unit, unit));
}
