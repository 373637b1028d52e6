/** The state of src/classify/svm/smo.ts in plain loops, with the whole kernel matrix. */
import { kernelMatrix, type SmoState, type SvmKernel } from "../../src/classify/svm/smo.ts";
import { diagonalOf, row, type Matrix } from "../../src/matrix/matrix.ts";

export function plainState(kernel: SvmKernel, X: Matrix, y: Float64Array, cost: number): SmoState {
  const n = X.rows;
  const K = kernelMatrix(kernel, X);
  const b = new Float64Array(n);
  const lower = y.map((sign) => (sign > 0 ? 0 : -cost));
  const upper = y.map((sign) => (sign > 0 ? cost : 0));
  const g = y.slice();
  const diagonal = diagonalOf(K);
  const positive = (curvature: number): number => Math.max(curvature, 1e-12);
  let least = Infinity;
  return {
    b,
    lower,
    upper,
    g,
    least: () => least,
    curvature: (i, j) => positive(diagonal[i] + diagonal[j] - 2 * row(K, i)[j]),
    partner(i) {
      const Ki = row(K, i);
      let gain = -Infinity;
      let j = -1;
      least = Infinity;
      for (let t = 0; t < n; t++) {
        if (b[t] <= lower[t]) continue;
        if (g[t] < least) least = g[t];
        const difference = g[i] - g[t];
        if (difference <= 0) continue;
        const value = (difference * difference) / positive(diagonal[i] + diagonal[t] - 2 * Ki[t]);
        if (value > gain) {
          gain = value;
          j = t;
        }
      }
      return j;
    },
    advance(i, j, length) {
      const Ki = row(K, i);
      const Kj = row(K, j);
      let highest = -Infinity;
      let top = -1;
      for (let t = 0; t < n; t++) {
        const value = g[t] - length * (Ki[t] - Kj[t]);
        g[t] = value;
        if (value > highest && b[t] < upper[t]) {
          highest = value;
          top = t;
        }
      }
      return top;
    },
  };
}
