import { symmetricEigen } from "./factor/eigen.ts";
import { matrix, type Matrix } from "./matrix.ts";
import { gram, multiply, multiplyTransposeA, multiplyTransposeB } from "./multiply.ts";

/** The leading principal components of X. */
export interface Principal {
  /** n x r scores. */
  readonly scores: Matrix;
  /** d x r orthonormal loadings: scores = (X - mean) V. */
  readonly V: Matrix;
  readonly mean: Float64Array;
  /** Share of the variance that the components hold. */
  readonly share: number;
}

/**
 * The number of components that hold `share` of the variance, at most `most`. The eigenproblem is that of X'X
 * or of XX', whichever is smaller.
 */
export function principalComponents(X: Matrix, share: number, most: number): Principal {
  const { rows: n, cols: d } = X;
  const mean = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) mean[f] += (X.data[i * d + f] - mean[f]) / (i + 1);
  }
  const centered = matrix(
    n,
    d,
    X.data.map((x, p) => x - mean[p % d]),
  );
  const wide = d > n;
  const { values, vectors } = symmetricEigen(wide ? multiplyTransposeB(centered, centered) : gram(centered));
  let total = 0;
  for (const value of values) total += Math.max(0, value);
  let rank = 0;
  let held = 0;
  while (rank < Math.min(values.length, most) && (held < share * total || rank === 0)) {
    held += Math.max(0, values[rank++]);
  }
  const size = values.length;
  const leading = matrix(size, rank);
  for (let i = 0; i < size; i++) {
    for (let r = 0; r < rank; r++) leading.data[i * rank + r] = vectors.data[i * size + r];
  }
  const V = wide ? normalizeColumns(multiplyTransposeA(centered, leading)) : leading;
  return { scores: multiply(centered, V), V, mean, share: total > 0 ? held / total : 1 };
}

function normalizeColumns(A: Matrix): Matrix {
  const norms = new Float64Array(A.cols);
  for (let p = 0; p < A.data.length; p++) norms[p % A.cols] += A.data[p] ** 2;
  return matrix(
    A.rows,
    A.cols,
    A.data.map((value, p) => (norms[p % A.cols] > 0 ? value / Math.sqrt(norms[p % A.cols]) : 0)),
  );
}
