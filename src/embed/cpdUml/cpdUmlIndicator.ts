import { matrix, multiply, multiplyTransposeA, type Matrix } from "../../matrix/index.ts";

/** Y of CPD-UML, n x K with orthonormal columns, in two forms. */
export interface Indicator {
  readonly cols: number;
  dense(): Matrix;
  /** Y A. */
  times(A: Matrix): Matrix;
  /** Y'A. */
  timesTranspose(A: Matrix): Matrix;
}

/** Column k is the indicator of cluster k divided by the root of its size (9). No cluster may be empty. */
export function partitionIndicator(labels: Int32Array, sizes: Int32Array): Indicator {
  const n = labels.length;
  const K = sizes.length;
  const scale = Float64Array.from(sizes, (size) => 1 / Math.sqrt(size));
  return {
    cols: K,
    dense() {
      const Y = matrix(n, K);
      for (let i = 0; i < n; i++) Y.data[i * K + labels[i]] = scale[labels[i]];
      return Y;
    },
    times(A) {
      const d = A.cols;
      const B = matrix(n, d);
      for (let i = 0; i < n; i++) {
        const k = labels[i];
        for (let f = 0; f < d; f++) B.data[i * d + f] = scale[k] * A.data[k * d + f];
      }
      return B;
    },
    timesTranspose(A) {
      const d = A.cols;
      const B = matrix(K, d);
      for (let i = 0; i < n; i++) {
        const k = labels[i];
        for (let f = 0; f < d; f++) B.data[k * d + f] += scale[k] * A.data[i * d + f];
      }
      return B;
    },
  };
}

/** Y itself, any matrix with orthonormal columns: the relaxed form. */
export function relaxedIndicator(Y: Matrix): Indicator {
  return {
    cols: Y.cols,
    dense: () => Y,
    times: (A) => multiply(Y, A),
    timesTranspose: (A) => multiplyTransposeA(Y, A),
  };
}
