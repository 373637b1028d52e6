/**
 * MLCA for two classes with one score per row (Law, Yu, Cord and Xing 2016, section 4): y in {-1, +1},
 *
 *     (m, b) = pinv([X 1]) y / ||y||,   M = m m',   the partition of new rows is the sign of X_t m + b
 *
 * The constant column is not in the paper: without it the threshold is at the origin, which is wrong for data
 * that are not centred there. No k-means is needed, so a new set is partitioned in one product.
 */
import { asRows, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { inputError, resolveOptions, without } from "../../core/internal.ts";
import type { Label, Labeling } from "../../score/index.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { indicatorRegression, mlcaOptions, type MlcaRowOptions } from "./mlca.ts";

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

/** Rows of unknown class are left out; there must be exactly two classes. */
export function mlcaUnivariate(
  input: MatrixLike | Sparse,
  labels: Labeling,
  options: Omit<MlcaRowOptions, "center"> = {},
): MlcaUnivariate {
  const X = asRows(input, "mlcaUnivariate");
  const { names, ...solver } = resolveOptions("mlcaUnivariate", options, without(mlcaOptions, "center"));
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
