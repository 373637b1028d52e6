/** The kernels of `svm`: linear, x'z, and Gaussian (RBF), exp(-gamma |x - z|^2). */
import { squaredDistances } from "../matrix/distances.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { multiplyTransposeB } from "../matrix/multiply.ts";

export type SvmKernel = { readonly kind: "linear" } | { readonly kind: "rbf"; readonly gamma: number };

/** K(a, b) of all rows of A and B. */
export function kernelMatrix(kernel: SvmKernel, A: Matrix, B: Matrix = A): Matrix {
  if (kernel.kind === "linear") return multiplyTransposeB(A, B);
  const K = squaredDistances(A, B);
  for (let p = 0; p < K.data.length; p++) K.data[p] = Math.exp(-kernel.gamma * K.data[p]);
  return K;
}

/** K(x, x) of each row. */
export function kernelDiagonal(kernel: SvmKernel, norms: Float64Array): Float64Array {
  return kernel.kind === "linear" ? norms : new Float64Array(norms.length).fill(1);
}

/** 1 / (d times the variance of all cells), 1 if that is 0: scikit-learn's "scale". */
export function scaleGamma(X: Matrix): number {
  const { data } = X;
  let mean = 0;
  for (let p = 0; p < data.length; p++) mean += data[p] / data.length;
  let variance = 0;
  for (let p = 0; p < data.length; p++) variance += ((data[p] - mean) * (data[p] - mean)) / data.length;
  const gamma = 1 / (X.cols * variance);
  return gamma > 0 && gamma < Infinity ? gamma : 1;
}
