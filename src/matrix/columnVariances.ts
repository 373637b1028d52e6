import type { Matrix } from "./matrix.ts";

/** Variance of each column over all rows. */
export function columnVariances({ rows, cols, data }: Matrix): Float64Array {
  const means = new Float64Array(cols);
  const variances = new Float64Array(cols);
  const even = rows - (rows % 4);
  // Four rows at a time, so the sums are read and written once for all of them.
  for (let i = 0; i < even; i += 4) {
    for (
      let f = 0, p = i * cols, q = p + cols, r = q + cols, s = r + cols;
      f < cols;
      f++, p++, q++, r++, s++
    ) {
      means[f] += data[p] + data[q] + (data[r] + data[s]);
    }
  }
  for (let p = even * cols; p < data.length; p++) means[p % cols] += data[p];
  for (let f = 0; f < cols; f++) means[f] /= rows;
  for (let i = 0; i < even; i += 4) {
    for (
      let f = 0, p = i * cols, q = p + cols, r = q + cols, s = r + cols;
      f < cols;
      f++, p++, q++, r++, s++
    ) {
      const mean = means[f];
      const a = data[p] - mean;
      const b = data[q] - mean;
      const c = data[r] - mean;
      const d = data[s] - mean;
      variances[f] += a * a + b * b + (c * c + d * d);
    }
  }
  for (let p = even * cols; p < data.length; p++) {
    const difference = data[p] - means[p % cols];
    variances[p % cols] += difference * difference;
  }
  for (let f = 0; f < cols; f++) variances[f] /= rows;
  return variances;
}
