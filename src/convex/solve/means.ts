import { matrix, type Matrix } from "../../matrix/index.ts";

/** The mean of each group of rows: running means, so that values which are equal stay what they are. */
export function groupMeans(
  M: Matrix,
  masses: Float64Array | undefined,
  labels: Int32Array = new Int32Array(M.rows),
  count = 1,
): Matrix {
  const d = M.cols;
  const means = matrix(count, d);
  const totals = new Float64Array(count);
  for (let i = 0; i < M.rows; i++) {
    const at = labels[i] * d;
    const mass = masses === undefined ? 1 : masses[i];
    totals[labels[i]] += mass;
    const share = mass / totals[labels[i]];
    for (let f = 0; f < d; f++) means.data[at + f] += share * (M.data[i * d + f] - means.data[at + f]);
  }
  return means;
}

/** Mean of each column and the norm of the column about it, or about `means`; exactly 0 where the column is constant. */
export function columnSizes(
  M: Matrix,
  masses: Float64Array | undefined,
  means: Float64Array = groupMeans(M, masses).data,
) {
  const squares = new Float64Array(M.cols);
  for (let i = 0, p = 0; i < M.rows; i++) {
    const mass = masses === undefined ? 1 : masses[i];
    for (let f = 0; f < M.cols; f++, p++) squares[f] += mass * (M.data[p] - means[f]) ** 2;
  }
  return { means, norms: squares.map(Math.sqrt) };
}
