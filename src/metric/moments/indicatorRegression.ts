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
import { inputError, numericError } from "../../core/internal.ts";
import {
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { encodeLabels, type Label, type Labeling } from "../../score/index.ts";
import type { ClassMoments } from "./classMoments.ts";

export interface Regression {
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
export type Targets = (counts: Float64Array) => Matrix;

/** From the sums over the rows: only X'X and X'Y are needed. */
export function regressionFromMoments(moments: ClassMoments, center: boolean, targets: Targets): Regression {
  const { classes, counts, features: d } = moments;
  requireTwoClasses(classes, counts);
  const { gramian, sums, mean, variances } = aboutOrigin(moments, center);
  const XtJ = multiplyTransposeA(sums, targets(counts));
  const { inverse, rank, size } = gramInverse(gramian);
  requireSignal(XtJ, size * d);
  const W = multiply(inverse, XtJ);
  return {
    W,
    classes,
    counts,
    mean,
    variances,
    residual: relativeDifference(multiply(gramian, W), XtJ),
    converged: true,
    iterations: 1,
    warnings: rankWarning(rank, d),
  };
}

/** Fewer rows than columns: pinv(X) = X'(XX')^+, so the matrix to decompose is n x n. */
export function regressionFromFewRows(
  X: Matrix,
  labels: Labeling,
  center: boolean,
  targets: Targets,
): Regression {
  const { codes, classes, counts, known } = classesOf(X.rows, labels);
  const d = X.cols;
  const T = targets(counts);
  const mean = new Float64Array(d);
  for (const i of known) for (let f = 0; f < d; f++) mean[f] += X.data[i * d + f] / known.length;
  const Z = matrix(known.length, d);
  const J = matrix(known.length, T.cols);
  const variances = new Float64Array(d);
  known.forEach((i, r) => {
    for (let t = 0; t < T.cols; t++) J.data[r * T.cols + t] = T.data[codes[i] * T.cols + t];
    for (let f = 0; f < d; f++) {
      const centred = X.data[i * d + f] - mean[f];
      variances[f] += centred ** 2 / known.length;
      Z.data[r * d + f] = center ? centred : X.data[i * d + f];
    }
  });
  const { inverse, rank, size } = gramInverse(multiplyTransposeB(Z, Z));
  const XtJ = multiplyTransposeA(Z, J);
  requireSignal(XtJ, size * d);
  const W = multiplyTransposeA(Z, multiply(inverse, J));
  const XtXW = multiplyTransposeA(Z, multiply(Z, W));
  return {
    W,
    classes,
    counts,
    mean,
    variances,
    residual: relativeDifference(XtXW, XtJ),
    converged: true,
    iterations: 1,
    warnings: rankWarning(rank, d),
  };
}

/** The classes, their sizes and the rows that have one. */
export function classesOf(
  rows: number,
  labels: Labeling,
): { codes: Int32Array; classes: readonly Label[]; counts: Float64Array; known: number[] } {
  if (labels.length !== rows) throw inputError(`there are ${labels.length} labels for ${rows} rows`);
  const { codes, classes } = encodeLabels(labels);
  const known = Array.from(codes.keys()).filter((i) => codes[i] >= 0);
  const counts = new Float64Array(classes.length);
  for (const i of known) counts[codes[i]]++;
  requireTwoClasses(classes, counts);
  return { codes, classes, counts, known };
}

/** X'J = 0: every class has the same mean, and all directions are equally good. */
export function requireSignal(XtJ: Matrix, scale: number): void {
  if (!(norm(XtJ.data) > 1e-12 * Math.sqrt(scale))) {
    throw numericError(
      "mlca: X'Y is zero: all classes have the same mean, so no linear metric can separate them " +
        "(a method based on neighbours, such as lmnn or nca, might)",
    );
  }
}

/** Second moments and class sums about the mean (or, uncentred, about the origin). */
function aboutOrigin(
  moments: ClassMoments,
  center: boolean,
): { gramian: Matrix; sums: Matrix; mean: Float64Array; variances: Float64Array } {
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
  return { gramian, sums, mean: drift.map((value, f) => shift[f] + value), variances };
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
  let trace = 0;
  for (let i = 0; i < n; i++) trace += A.data[i * (n + 1)];
  const inverse = tryCholesky(A)?.solve(identity(n));
  if (inverse !== undefined && 1 > 100 * CUT * n * trace * norm(inverse.data)) {
    return { inverse, rank: n, size: trace };
  }
  return spectralPseudoInverse(A);
}

function spectralPseudoInverse(A: Matrix): { inverse: Matrix; rank: number; size: number } {
  const n = A.rows;
  const { values, vectors } = symmetricEigen(A);
  const cut = CUT * n * Math.max(0, values[0] ?? 0);
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

function rankWarning(rank: number, d: number): string[] {
  if (rank === d) return [];
  return [`the data has rank ${rank} of ${d} columns: some are constant or depend on others`];
}

function relativeDifference(A: Matrix, B: Matrix): number {
  return norm(A.data.map((value, p) => value - B.data[p])) / norm(B.data);
}

function norm(x: Float64Array): number {
  let sum = 0;
  for (const value of x) sum += value * value;
  return Math.sqrt(sum);
}
