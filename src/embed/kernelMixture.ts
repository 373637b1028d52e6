import { inputError } from "../core/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { shiftedKernelMatrix } from "../metric/index.ts";

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
    const mean = new Float64Array(n);
    for (let p = 0; p < K.data.length; p++) mean[p % n] += K.data[p] / n;
    means.push(mean);
    centre(K, mean);
    let trace = 0;
    for (let i = 0; i < n; i++) trace += K.data[i * (n + 1)];
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
    const K = shiftedKernelMatrix(Y, rows, { kind: "gaussian", sigma });
    centre(K, means[k]);
    return K;
  });
  return mixed(
    parts,
    weights.map((weight, k) => weight * scales[k]),
  );
}

/** k(y, x_j) - mean_j of that row - means_j + the mean of the means, in place. */
function centre(K: Matrix, means: Float64Array): void {
  const n = K.cols;
  let total = 0;
  for (const mean of means) total += mean / n;
  for (let i = 0; i < K.rows; i++) {
    const row = K.data.subarray(i * n, (i + 1) * n);
    let own = 0;
    for (let j = 0; j < n; j++) own += row[j] / n;
    for (let j = 0; j < n; j++) row[j] += total - own - means[j];
  }
}
