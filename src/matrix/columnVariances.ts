import { columnMeans } from "./distances.ts";
import type { Matrix } from "./matrix.ts";

/** Variance of each column over all rows. */
export function columnVariances(X: Matrix): Float64Array {
  const means = columnMeans(X);
  const variances = new Float64Array(X.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) variances[f] += (X.data[p] - means[f]) ** 2 / X.rows;
  }
  return variances;
}
