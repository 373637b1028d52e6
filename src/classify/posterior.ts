import { softmax } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";

/**
 * From log p(y, x) to p(y | x), in place, by the log-sum-exp of each row: the largest class never underflows,
 * for any number of features.
 */
export function normalizeLogJoint(joint: Matrix): Matrix {
  softmax(joint.data, joint.cols);
  return joint;
}

/** One row of log priors for each row to classify. */
export function startFrom(logPriors: ArrayLike<number>, rows: number): Matrix {
  const joint = matrix(rows, logPriors.length);
  for (let i = 0; i < rows; i++) joint.data.set(logPriors, i * logPriors.length);
  return joint;
}

/** log(n_c / n). */
export function logFrequencies(counts: ArrayLike<number>): Float64Array {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0);
  return Float64Array.from(counts, (count) => Math.log(count / total));
}
