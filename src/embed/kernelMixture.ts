import { inputError } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { columnMeans, diagonalOf } from "../matrix/internal.ts";
import { shiftedKernelMatrix } from "../metric/index.ts";
import { centreKernel } from "./kernelPca.ts";

/** Gaussian kernels of several widths on the same rows, each centred and of trace n, to be mixed by weights. */
export interface KernelMixture {
  readonly sigmas: readonly number[];
  /** n x n each. */
  readonly kernels: readonly Matrix[];
  /** The factors that bring each to trace n. */
  readonly scales: Float64Array;
  /** Column means of each before centring, and their mean. */
  readonly means: readonly Float64Array[];
}

export function kernelMixture(X: Matrix, sigmas: readonly number[]): KernelMixture {
  const n = X.rows;
  const scales = new Float64Array(sigmas.length);
  const means: Float64Array[] = [];
  const kernels = sigmas.map((sigma, k) => {
    const K = shiftedKernelMatrix(X, X, { kind: "gaussian", sigma });
    means.push(columnMeans(K));
    centreKernel(K, means[k]);
    const trace = diagonalOf(K).reduce((sum, value) => sum + value, 0);
    if (!(trace > 0)) throw inputError(`naml: all rows are equal under the kernel of width ${sigma}`);
    scales[k] = n / trace;
    for (let p = 0; p < K.data.length; p++) K.data[p] *= scales[k];
    return K;
  });
  return { sigmas, kernels, scales, means };
}

/** sum_k weights_k K_k. */
export function mixed(kernels: readonly Matrix[], weights: Float64Array): Matrix {
  const { rows, cols } = kernels[0];
  const M = matrix(rows, cols);
  kernels.forEach((K, k) => {
    if (weights[k] > 0) for (let p = 0; p < M.data.length; p++) M.data[p] += weights[k] * K.data[p];
  });
  return M;
}

/** The mixture between new rows and its training rows, with the same centring. */
export function mixedCross(
  Y: Matrix,
  rows: Matrix,
  { sigmas, scales, means }: Pick<KernelMixture, "sigmas" | "scales" | "means">,
  weights: Float64Array,
): Matrix {
  const parts = sigmas.map((sigma, k) => {
    // Exponentials of a kernel without weight are skipped.
    if (weights[k] === 0) return matrix(Y.rows, rows.rows);
    return centreKernel(shiftedKernelMatrix(Y, rows, { kind: "gaussian", sigma }), means[k]);
  });
  return mixed(
    parts,
    weights.map((weight, k) => weight * scales[k]),
  );
}
