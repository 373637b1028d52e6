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
import { asMatrix, multiply, row, topEigen, type Matrix, type MatrixLike } from "../matrix/index.ts";
import {
  columnMeans,
  diagonalOf,
  leadingColumns,
  mapped,
  matrixForm,
  requireFinite,
  requireSquares,
} from "../matrix/internal.ts";
import { extended, form, inputError, option, optionError, plain, rule } from "../core/internal.ts";
import { kernelFunction, shiftedKernelMatrix } from "../metric/index.ts";
import { kernelForm, KERNEL_RULES, narrowKernel } from "../metric/internal.ts";
import { requireColumns, type EmbeddedRows, type RowMap } from "./embedding.ts";

export const kernelPcaOptions = {
  ...KERNEL_RULES,
  /** Number of components; default 2. */
  dims: rule.integer({ min: 1, default: 2 }),
  seed: rule.seed,
};

export type KernelPcaOptions = rule.OptionsOf<typeof kernelPcaOptions>;

/** A kernel PCA as it is written to a file. */
const kernelPcaForm = form.record({
  method: form.choice("kernel-pca"),
  kernel: kernelForm,
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("training rows"),
  /** n x dims: Q Lambda^(-1/2). */
  coefficients: matrixForm("training rows", "components"),
  /** Column means of the shifted kernel matrix. */
  means: form.numbers("training rows"),
  /** Lambda: n - 1 times the variance of each coordinate, descending. */
  values: form.numbers("components", { min: 0 }),
  /** Shares of the variance in the feature space. */
  shares: form.numbers("components", { min: 0 }),
});

export interface KernelPcaData extends form.StoredOf<typeof kernelPcaForm> {}

type Parts = form.LoadedOf<typeof kernelPcaForm>;

/** What transforms rows. */
export interface KernelPcaModel extends Parts, RowMap<KernelPcaData> {
  readonly method: "kernel-pca";
}

export interface KernelPca extends EmbeddedRows, KernelPcaModel {}

/** Eigenvalues below this share of n times the largest are rounding. */
const CUT = 1e-14;

export function kernelPca(input: MatrixLike, options: KernelPcaOptions = {}): KernelPca {
  const X = asMatrix(input, "kernelPca");
  const { dims, seed, ...asked } = rule.resolveOptions("kernelPca", options, kernelPcaOptions);
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
  const means = columnMeans(K);
  centreKernel(K, means);
  const trace = diagonalOf(K).reduce((sum, value) => sum + Math.max(0, value), 0);
  const { values, vectors, converged, iterations } = topEigen(K, dims, { seed, tolerance: 1e-12 });
  const rank = values.filter((value) => value > CUT * n * values[0] && value > 0).length;
  if (rank === 0) {
    throw inputError("kernelPca: all rows are equal under the kernel, so there is no direction to find");
  }
  const warnings = rank < dims ? [rankWarning(rank, dims)] : [];
  if (!converged) warnings.push("the eigenvectors had not converged");
  if (narrow !== undefined) warnings.push(narrow);
  const Q = leadingColumns(vectors, rank);
  const coefficients = mapped(Q, (q, p) => q / Math.sqrt(values[p % rank]));
  const embedding = mapped(Q, (q, p) => q * Math.sqrt(values[p % rank]));
  const model = kernelPcaModel({
    method: "kernel-pca",
    kernel,
    rows: X,
    coefficients,
    means,
    values: values.slice(0, rank),
    shares: values.slice(0, rank).map((value) => Math.min(1, value / trace)),
  });
  return extended(model, { embedding, converged, iterations, warnings });
}

/** Reads the output of `model()`. */
export function loadKernelPca(data: KernelPcaData): KernelPcaModel {
  return kernelPcaModel(form.load(kernelPcaForm, data, "the kernel pca"));
}

function kernelPcaModel(parts: Parts): KernelPcaModel {
  const { kernel, rows, coefficients, means } = parts;
  return plain({
    ...parts,
    transform(input) {
      const Y = asMatrix(input, "kernelPca");
      requireColumns("the kernel pca", rows.cols, Y);
      return multiply(centreKernel(shiftedKernelMatrix(Y, rows, kernel), means), coefficients);
    },
    model: () => kernelPcaForm.save(parts),
  });
}

/** k(y, x_j) - mean_j of that row - means_j + the mean of the means, in place: HKH, if these are the means of K. */
export function centreKernel(K: Matrix, means: Float64Array): Matrix {
  const n = K.cols;
  const meanOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value / n, 0);
  const total = meanOf(means);
  for (let i = 0; i < K.rows; i++) {
    const values = row(K, i);
    const own = meanOf(values);
    for (let j = 0; j < n; j++) values[j] += total - own - means[j];
  }
  return K;
}

function rankWarning(rank: number, dims: number): string {
  const noun = rank === 1 ? "direction" : "directions";
  return `the kernel has variance in ${rank} ${noun} only, so ${rank} instead of ${dims} components were made`;
}

/**
 * The kernel form of a method that takes rows (C. Zhang, F. Nie and S. Xiang, 2010): kernel principal
 * components first, then the method on their coordinates. With all components this is the method in the
 * feature space itself.
 */
export const KERNEL_SPACE_RULES = {
  /** Uses the kernel principal components of this kernel instead of the rows. */
  kernel: rule.oneOf(["gaussian", "polynomial", "linear"] as const, undefined, {
    says: "works on the principal components of this kernel",
    usual: "on the rows",
  }),
  /** Width of the Gaussian; default: the median distance between the rows. */
  kernelSigma: rule.real({ above: 0, says: "width of the gaussian kernel", usual: "the median distance" }),
  /** Degree of the polynomial; default 2. */
  kernelDegree: rule.integer({ min: 1, max: 100, says: "degree of the polynomial kernel", usual: "2" }),
  /** Offset of the polynomial; default 1. */
  kernelOffset: rule.real({ min: 0, says: "offset of the polynomial kernel", usual: "1" }),
  /** Kernel principal components; default: at most 100. */
  kernelDims: rule.integer({ min: 1, says: "number of kernel components", usual: "at most 100" }),
};

export type KernelSpaceOptions = rule.OptionsOf<typeof KERNEL_SPACE_RULES>;

/** The space of a method: the rows themselves, or their coordinates under a kernel. */
export interface KernelSpace {
  readonly rows: Matrix;
  readonly model?: KernelPcaModel;
  readonly warnings: readonly string[];
}

const MANY_COMPONENTS = 100;

export function kernelSpace(X: Matrix, options: KernelSpaceOptions, method: string): KernelSpace {
  const { kernel, kernelSigma: sigma, kernelDegree: degree, kernelOffset: offset, kernelDims } = options;
  if (kernel === undefined) {
    const without = Object.entries({ sigma, degree, offset, dims: kernelDims }).find(
      ([, value]) => value !== undefined,
    );
    if (without !== undefined) {
      const name = `kernel${without[0][0].toUpperCase()}${without[0].slice(1)}`;
      throw optionError(
        `${method}: ${option(name)} needs ${option("kernel")}, the kernel that it belongs to`,
      );
    }
    return { rows: X, warnings: [] };
  }
  const dims = kernelDims ?? Math.max(1, Math.min(MANY_COMPONENTS, X.rows - 1));
  const fit = kernelPca(X, { kernel, sigma, degree, offset, dims });
  const { embedding, warnings, converged } = fit;
  // Fewer components than requested means that there are no more: nothing is lost.
  const said =
    embedding.cols < dims ? (converged ? [] : ["the kernel components had not converged"]) : warnings;
  return { rows: embedding, model: fit, warnings: said };
}

/** The part for a model file. */
export const kernelSpaceFields = { kernel: form.optional(form.asStored(kernelPcaForm)) };
