import { matrix, type Matrix } from "../matrix/matrix.ts";

/**
 * (1 - share) S + share diag(S), with a floor of `floor` times the mean of the diagonal under each variance: the
 * covariance that can be inverted even where a column is constant within every group, or where there are fewer rows than
 * columns. The eigenvectors lean towards the axes as the share grows; scales of the columns are kept.
 */
export function shrinkToDiagonal(S: Matrix, share: number, floor: number = 1e-10): Matrix {
  const d = S.rows;
  let mean = 0;
  for (let f = 0; f < d; f++) mean += S.data[f * d + f] / d;
  const R = matrix(
    d,
    d,
    S.data.map((value) => (1 - share) * value),
  );
  for (let f = 0; f < d; f++) R.data[f * d + f] = Math.max(S.data[f * d + f], floor * mean);
  return R;
}
