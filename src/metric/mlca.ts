/**
 * MLCA, the closed-form Mahalanobis metric for supervised clustering (Law, Yu, Cord and Xing, "Closed-form training of
 * Mahalanobis distance for supervised clustering", 2016):
 *
 *     J = Y (Y'Y)^(-1/2),   W = pinv(X) J  (d x k),   M = W W'
 *
 * Y is the n x k class indicator. X is centred by default: without it the partition of shifted data is lost (METHODS 2).
 * Only X'X, the class sums and the class sizes touch the data, so training is linear in n.
 *
 * It is least-squares regression on the indicators and can mask a class that lies between two others: on such data
 * prefer `lda` or `rca`.
 */
import { inputError, numericError } from "../core/errors.ts";
import { flag, given, resolveOptions, type Rule } from "../core/options.ts";
import { symmetricEigen } from "../matrix/eigen.ts";
import { matrix, requireFinite, transpose, type Matrix } from "../matrix/matrix.ts";
import { multiply, multiplyTransposeA, multiplyTransposeB } from "../matrix/multiply.ts";
import { isSparse, type Sparse } from "../matrix/sparse.ts";
import { encodeLabels, type Label, type Labeling } from "../score/labels.ts";
import { classMoments, type ClassMoments } from "./classMoments.ts";
import { mahalanobis, type Mahalanobis } from "./mahalanobis.ts";

export interface MlcaOptions {
  /** Subtract the column means first (default true). */
  center?: boolean;
  /** Column names to keep in the model. */
  names?: readonly string[];
}

const names: Rule<readonly string[] | undefined> = given("an array of column names", Array.isArray);
const RULES = { center: flag(true), names };

/** Learns the metric from rows and their classes; rows of unknown class are left out. */
export function mlca(X: Matrix | Sparse, labels: Labeling, options: MlcaOptions = {}): Mahalanobis {
  if (!isSparse(X)) requireFinite(X);
  if (!isSparse(X) && X.rows < X.cols) return fromFewRows(X, labels, options);
  return mlcaFromMoments(classMoments(X, labels), options);
}

/** Learns the metric from accumulated statistics (see `classMomentsAccumulator`): the same result as from the rows. */
export function mlcaFromMoments(moments: ClassMoments, options: MlcaOptions = {}): Mahalanobis {
  const { center, names } = resolveOptions("mlca", options, RULES);
  const { features: d, counts } = moments;
  requireTwoClasses(moments.classes, counts);
  const { gramian, sums, variances } = aboutOrigin(moments, center);

  // X'J: the class sums divided by sqrt(n_c), one column per class.
  const XtJ = matrix(d, counts.length);
  for (let c = 0; c < counts.length; c++) {
    for (let f = 0; f < d; f++) XtJ.data[f * counts.length + c] = sums.data[c * d + f] / Math.sqrt(counts[c]);
  }
  const pinv = spectralPseudoInverse(gramian);
  requireSignal(XtJ, pinv.size * d);
  const W = multiply(pinv.inverse, XtJ);
  return model(W, { names, variances, rank: pinv.rank, residual: normalResidual(gramian, W, XtJ) });
}

/**
 * The statistics in the form of the text, X'X (d x d), X'Y (given k x d) and the class sizes, uncentred: for sums that
 * another program or a database made. They are centred here by default.
 */
export function mlcaFromStatistics(
  statistics: { XtX: Matrix; classSums: Matrix; counts: ArrayLike<number>; classes?: readonly Label[] },
  options: MlcaOptions = {},
): Mahalanobis {
  const { XtX, classSums, counts } = statistics;
  if (XtX.rows !== XtX.cols || classSums.cols !== XtX.cols || classSums.rows !== counts.length) {
    throw inputError(
      `mlcaFromStatistics: XtX is ${XtX.rows} x ${XtX.cols}, classSums is ${classSums.rows} x ${classSums.cols} and ` +
        `there are ${counts.length} counts; d x d, k x d and k are needed`,
    );
  }
  requireFinite(XtX, "XtX");
  requireFinite(classSums, "classSums");
  return mlcaFromMoments(
    {
      features: XtX.cols,
      classes: statistics.classes ?? Array.from(counts, (_, c) => c),
      counts: Float64Array.from(counts),
      shift: new Float64Array(XtX.cols),
      classSums,
      secondMoments: XtX,
    },
    options,
  );
}

/** Fewer rows than columns: pinv(X) = X'(XX')^+, so that the matrix to decompose is n x n. */
function fromFewRows(X: Matrix, labels: Labeling, options: MlcaOptions): Mahalanobis {
  const { center, names } = resolveOptions("mlca", options, RULES);
  if (labels.length !== X.rows) throw inputError(`there are ${labels.length} labels for ${X.rows} rows`);
  const { codes, classes } = encodeLabels(labels);
  const known = Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  const counts = new Float64Array(classes.length);
  for (const i of known) counts[codes[i]]++;
  requireTwoClasses(classes, counts);

  const d = X.cols;
  const mean = new Float64Array(d);
  for (const i of known) for (let f = 0; f < d; f++) mean[f] += X.data[i * d + f] / known.length;
  const Z = matrix(known.length, d);
  const J = matrix(known.length, classes.length);
  const variances = new Float64Array(d);
  known.forEach((i, r) => {
    J.data[r * J.cols + codes[i]] = 1 / Math.sqrt(counts[codes[i]]);
    for (let f = 0; f < d; f++) {
      const centred = X.data[i * d + f] - mean[f];
      variances[f] += centred ** 2 / known.length;
      Z.data[r * d + f] = center ? centred : X.data[i * d + f];
    }
  });
  const K = multiplyTransposeB(Z, Z);
  const pinv = spectralPseudoInverse(K);
  const XtJ = multiplyTransposeA(Z, J);
  requireSignal(XtJ, pinv.size * d);
  const W = multiplyTransposeA(Z, multiply(pinv.inverse, J));
  const XtXW = multiplyTransposeA(Z, multiply(Z, W));
  return model(W, { names, variances, rank: pinv.rank, residual: relativeDifference(XtXW, XtJ) });
}

interface ModelParts {
  readonly names: readonly string[] | undefined;
  readonly variances: Float64Array;
  readonly rank: number;
  readonly residual: number;
}

/** M = W W' through the thin factor: W has one column per class, but centring leaves at most k - 1 directions. */
function model(W: Matrix, { names, variances, rank, residual }: ModelParts): Mahalanobis {
  const { values, vectors } = symmetricEigen(multiplyTransposeA(W, W));
  const kept = values.filter((value) => value > W.cols * 2 ** -46 * values[0]).length;
  const directions = matrix(W.cols, kept);
  for (let c = 0; c < W.cols; c++) {
    for (let r = 0; r < kept; r++) directions.data[c * kept + r] = vectors.data[c * W.cols + r];
  }
  const warnings =
    rank < W.rows
      ? [`the data has rank ${rank} of ${W.rows} columns: some are constant or follow from others`]
      : [];
  return mahalanobis({
    method: "mlca",
    factor: multiplyTransposeA(directions, transpose(W)),
    ...(names === undefined ? {} : { names }),
    variances,
    converged: true,
    iterations: 1,
    certificate: { kind: "normal equations |X'X W - X'J| / |X'J|", residual },
    warnings,
  });
}

/** Second moments and class sums about the mean (or, uncentred, about the origin). */
function aboutOrigin(
  moments: ClassMoments,
  center: boolean,
): { gramian: Matrix; sums: Matrix; variances: Float64Array } {
  const { features: d, counts, classSums, shift, secondMoments } = moments;
  const count = counts.reduce((sum, n) => sum + n, 0);
  const drift = new Float64Array(d); // mean - shift
  for (let p = 0; p < classSums.data.length; p++) drift[p % d] += classSums.data[p] / count;
  const variances = drift.map((value, f) => Math.max(0, secondMoments.data[f * d + f] / count - value ** 2));
  const target = center ? drift : shift.map((value) => -value);
  const gramian = matrix(d, d);
  for (let f = 0; f < d; f++) {
    for (let g = 0; g < d; g++) {
      // sum (x - s - t)(x - s - t)' = S - n (m t' + t m' - t t') with m = mean - s.
      const cross = drift[f] * target[g] + target[f] * drift[g] - target[f] * target[g];
      gramian.data[f * d + g] = secondMoments.data[f * d + g] - count * cross;
    }
  }
  const sums = matrix(counts.length, d, classSums.data.slice());
  for (let p = 0; p < sums.data.length; p++) sums.data[p] -= counts[Math.floor(p / d)] * target[p % d];
  return { gramian, sums, variances };
}

/**
 * Pseudo-inverse of a positive semidefinite matrix with the relative cut 1e-10 n of METHODS 2; a bare Cholesky factor
 * gives garbage without a word when columns are collinear.
 */
function spectralPseudoInverse(A: Matrix): { inverse: Matrix; rank: number; size: number } {
  const n = A.rows;
  const { values, vectors } = symmetricEigen(A);
  const cut = 1e-10 * n * Math.max(0, values[0] ?? 0);
  const rank = values.filter((value) => value > cut).length;
  const scaled = matrix(n, rank);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < rank; r++) scaled.data[i * rank + r] = vectors.data[i * n + r] / Math.sqrt(values[r]);
  }
  return { inverse: multiplyTransposeB(scaled, scaled), rank, size: Math.max(0, values[0] ?? 0) };
}

function requireTwoClasses(classes: readonly Label[], counts: Float64Array): void {
  if (counts.filter((count) => count > 0).length < 2) {
    throw inputError(
      `mlca needs at least two classes with labelled rows, got ${classes.length === 0 ? "none" : `only "${classes[0]}"`}`,
    );
  }
}

/** X'J = 0: every class has the same mean, and no direction is better than another. */
function requireSignal(XtJ: Matrix, scale: number): void {
  if (!(norm(XtJ.data) > 1e-12 * Math.sqrt(scale))) {
    throw numericError(
      "mlca: X'Y is zero: all classes have the same mean, so no linear metric can tell them apart " +
        "(a method that looks at neighbours, such as lmnn or nca, might)",
    );
  }
}

function normalResidual(gramian: Matrix, W: Matrix, XtJ: Matrix): number {
  return relativeDifference(multiply(gramian, W), XtJ);
}

function relativeDifference(A: Matrix, B: Matrix): number {
  return norm(A.data.map((value, p) => value - B.data[p])) / norm(B.data);
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (const value of x) sum += value * value;
  return Math.sqrt(sum);
}
