/**
 * Kernel PCA (Schölkopf, Smola and Müller 1998): principal components in the feature space of a kernel. With the
 * centred kernel matrix HKH = Q Lambda Q', H = I - 11'/n, the rows have the coordinates
 *
 *     Z = Q Lambda^(1/2),   z(y) = Lambda^(-1/2) Q' H (k(y) - K 1/n),   k(y) = (k(x_1, y), ..., k(x_n, y))'
 *
 * A constant added to the kernel does not change HKH, so it is formed from k - 1 of the Gaussian: a huge
 * sigma then gives, up to scale, the principal components of the rows instead of rounding errors. n x n
 * numbers are held.
 */
import { asMatrix, matrix, multiply, topEigen, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { matrixForm, requireFinite, requireSquares } from "../matrix/internal.ts";
import {
  choice,
  extended,
  inputError,
  integer,
  load,
  numbers,
  option,
  optionError,
  plain,
  record,
  resolveOptions,
  seedRule,
  type OptionsOf,
  type StoredOf,
} from "../core/internal.ts";
import { kernelFunction, shiftedKernelMatrix, type KernelFunction } from "../metric/index.ts";
import { kernelForm, KERNEL_RULES, narrowKernel } from "../metric/internal.ts";
import type { Embedding } from "./embedding.ts";

export const kernelPcaOptions = {
  ...KERNEL_RULES,
  /** Number of components; default 2. */
  dims: integer({ min: 1, default: 2 }),
  seed: seedRule,
};

export type KernelPcaOptions = OptionsOf<typeof kernelPcaOptions>;

export interface KernelPca extends Embedding, KernelPcaModel {
  readonly method: "kernel-pca";
  transform(Y: MatrixLike): Matrix;
  model(): KernelPcaData;
  toJSON(): object;
}

/** What transforms rows. */
export interface KernelPcaModel {
  readonly method: "kernel-pca";
  readonly kernel: KernelFunction;
  /** Its training rows, for comparison with new rows. */
  readonly rows: Matrix;
  /** n x dims: Q Lambda^(-1/2). */
  readonly coefficients: Matrix;
  /** Column means of the shifted kernel matrix. */
  readonly means: Float64Array;
  /** Lambda: n - 1 times the variance of each coordinate, descending. */
  readonly values: Float64Array;
  /** Shares of the variance in the feature space. */
  readonly shares: Float64Array;
  transform(Y: MatrixLike): Matrix;
  model(): KernelPcaData;
  toJSON(): object;
}

/** A kernel PCA as it is written to a file. */
export const kernelPcaForm = record({
  method: choice("kernel-pca"),
  kernel: kernelForm,
  rows: matrixForm("training rows"),
  coefficients: matrixForm("training rows", "components"),
  means: numbers("training rows"),
  values: numbers("components", { min: 0 }),
  shares: numbers("components", { min: 0 }),
});

export interface KernelPcaData extends StoredOf<typeof kernelPcaForm> {}

/** Eigenvalues below this share of n times the largest are rounding. */
const CUT = 1e-14;

export function kernelPca(input: MatrixLike, options: KernelPcaOptions = {}): KernelPca {
  const X = asMatrix(input, "kernelPca");
  const { dims, seed, ...asked } = resolveOptions("kernelPca", options, kernelPcaOptions);
  requireFinite(X);
  requireSquares(X, "kernelPca");
  const n = X.rows;
  if (n < 2 || X.cols === 0) throw inputError(`kernelPca: the data is too small (${n} x ${X.cols})`);
  if (dims > n - 1) {
    throw optionError(`kernelPca: ${option("dims")} is ${dims}, but ${n} rows have at most ${n - 1}`);
  }
  const kernel = kernelFunction(X, asked, "kernelPca");
  const K = shiftedKernelMatrix(X, X, kernel);
  requireFinite(K, "kernelPca: the kernel matrix");
  const narrow = narrowKernel(kernel, K);
  const means = doubleCenter(K);
  let trace = 0;
  for (let i = 0; i < n; i++) trace += Math.max(0, K.data[i * (n + 1)]);
  const { values, vectors, converged, iterations } = topEigen(K, dims, { seed, tolerance: 1e-12 });
  let rank = 0;
  while (rank < dims && values[rank] > CUT * n * values[0] && values[rank] > 0) rank++;
  if (rank === 0) {
    throw inputError("kernelPca: all rows are equal under the kernel, so there is no direction to find");
  }
  const warnings = rank < dims ? [rankWarning(rank, dims)] : [];
  if (!converged) warnings.push("the eigenvectors had not converged");
  if (narrow !== undefined) warnings.push(narrow);
  const coefficients = matrix(n, rank);
  const embedding = matrix(n, rank);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < rank; r++) {
      const q = vectors.data[i * dims + r];
      coefficients.data[i * rank + r] = q / Math.sqrt(values[r]);
      embedding.data[i * rank + r] = q * Math.sqrt(values[r]);
    }
  }
  const kept = values.slice(0, rank);
  const shares = kept.map((value) => Math.min(1, value / trace));
  const model = kernelPcaModel({ kernel, rows: X, coefficients, means, values: kept, shares });
  return extended(model, { embedding, converged, iterations, warnings });
}

/** Reads the output of `model()`. */
export function loadKernelPca(data: KernelPcaData): KernelPcaModel {
  return kernelPcaModel(load(kernelPcaForm, data, "the kernel pca"));
}

function kernelPcaModel(
  parts: Omit<KernelPcaModel, "method" | "transform" | "model" | "toJSON">,
): KernelPcaModel {
  const { kernel, rows, coefficients, means } = parts;
  return plain({
    method: "kernel-pca",
    ...parts,
    transform(input) {
      const Y = asMatrix(input, "kernelPca");
      if (Y.cols !== rows.cols) {
        throw inputError(`the kernel pca was made of ${rows.cols} columns, but these rows have ${Y.cols}`);
      }
      const K = shiftedKernelMatrix(Y, rows, kernel);
      for (let i = 0; i < K.rows; i++) {
        const row = K.data.subarray(i * K.cols, (i + 1) * K.cols);
        let mean = 0;
        for (let j = 0; j < row.length; j++) mean += (row[j] -= means[j]) / row.length;
        for (let j = 0; j < row.length; j++) row[j] -= mean;
      }
      return multiply(K, coefficients);
    },
    model: () => kernelPcaForm.save({ method: "kernel-pca", ...parts }),
  });
}

/** K := HKH in place; returns the column means of the original K. */
function doubleCenter(K: Matrix): Float64Array {
  const n = K.rows;
  const means = new Float64Array(n);
  for (let i = 0, p = 0; i < n; i++) for (let j = 0; j < n; j++, p++) means[j] += K.data[p] / n;
  let total = 0;
  for (const mean of means) total += mean / n;
  for (let i = 0, p = 0; i < n; i++) {
    for (let j = 0; j < n; j++, p++) K.data[p] += total - means[i] - means[j];
  }
  return means;
}

function rankWarning(rank: number, dims: number): string {
  const noun = rank === 1 ? "direction" : "directions";
  return `the kernel has variance in ${rank} ${noun} only, so ${rank} instead of ${dims} components were made`;
}
