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
import { numericError } from "../../core/internal.ts";
import {
  gram,
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  takeRows,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import {
  centered,
  columnMeans,
  columnsAsRows,
  columnVariances,
  diagonalOf,
  dot,
} from "../../matrix/internal.ts";
import type { Label, Labeling } from "../../score/index.ts";
import { labelledRows, requireTwoClasses } from "../../score/internal.ts";
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

/** The name in messages. */
const METHOD = "mlca";

/** From the sums over the rows: only X'X and X'Y are needed. */
export function regressionFromMoments(moments: ClassMoments, center: boolean, targets: Targets): Regression {
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
export function regressionFromFewRows(
  X: Matrix,
  labels: Labeling,
  center: boolean,
  targets: Targets,
): Regression {
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
export function requireSignal(XtJ: Matrix, scale: number): void {
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
