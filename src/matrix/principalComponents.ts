import { symmetricEigen } from "./factor/eigen.ts";
import { centered } from "./distances.ts";
import { leadingColumns, mapped, type Matrix } from "./matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "./multiply.ts";

/**
 * The number of components that hold `share` of the variance, at most `most`. The eigenproblem is that of X'X
 * or of XX', whichever is smaller.
 */
export function principalComponents(X: Matrix, share: number, most: number) {
  const { rows: n, cols: d } = X;
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) mean[f] += (X.data[i * d + f] - mean[f]) / (i + 1);
  }
  const deviations = centered(X, mean);
  const wide = d > n;
  const scatter = wide ? multiplyTransposeB(deviations, deviations) : gram(deviations);
  const { values, vectors } = symmetricEigen(scatter);
  let total = 0;
  for (const value of values) total += Math.max(0, value);
  let rank = 0;
  let held = 0;
  while (rank < Math.min(values.length, most) && (held < share * total || rank === 0)) {
    held += Math.max(0, values[rank++]);
  }
  const leading = leadingColumns(vectors, rank);
  const V = wide ? normalizeColumns(multiplyTransposeA(deviations, leading)) : leading;
  return {
    /** n x r scores. */
    scores: multiply(deviations, V),
    /** d x r orthonormal loadings: scores = (X - mean) V. */
    V,
    mean,
    /** Share of the variance that the components hold. */
    share: total > 0 ? held / total : 1,
  };
}

/** The leading principal components of X. */
export type Principal = ReturnType<typeof principalComponents>;

function normalizeColumns(A: Matrix): Matrix {
  const norms = new Float64Array(A.cols);
  for (let p = 0; p < A.data.length; p++) norms[p % A.cols] += A.data[p] ** 2;
  return mapped(A, (value, p) => (norms[p % A.cols] > 0 ? value / Math.sqrt(norms[p % A.cols]) : 0));
}
