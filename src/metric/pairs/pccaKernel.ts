/**
 * Kernel PCCA (Mignon and Jurie 2012, section 3.3): the projection of PCCA in the feature space of a kernel,
 *
 *     z(y) = A k(y),   k(y) = (k(x_1, y), ..., k(x_n, y))',   A: dims x n
 *
 * With K = Q Lambda Q' the feature vectors of the rows are, up to a rotation, the rows of Q Lambda^(1/2): PCCA on them is
 * the problem in the text with its gradient preconditioned by K^-1, and A = L Lambda^(-1/2) Q'. K is n x n and is
 * decomposed, so n is at most a few thousand. K is divided by its mean diagonal, so `ridge` means the same
 * for every kernel.
 */
import {
  asMatrix,
  matrix,
  multiply,
  multiplyTransposeB,
  storeMatrix,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { matrixForm } from "../../matrix/internal.ts";
import {
  choice,
  inputError,
  integer,
  load,
  oneOf,
  plain,
  progressRule,
  real,
  record,
  resolveOptions,
  type OptionsOf,
  type StoredOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { distancePercentiles } from "./distancePercentiles.ts";
import { kernelMatrix, kernelForm, type KernelFunction } from "../kernelFunction.ts";
import { fitFields, type Fit } from "../mahalanobis.ts";
import { fitPcca } from "./pccaFit.ts";
import { pairedRows } from "./pairedRows.ts";

export const pccaKernelOptions = {
  ...PAIR_RULES,
  /** exp(-gamma |x - y|^2), (gamma x'y + 1)^degree, or x'y. */
  kernel: oneOf(["gaussian", "polynomial", "linear"] as const, "gaussian", {
    says: "kernel that compares two rows",
  }),
  /** Default 1 / median squared distance of the rows (gaussian), 1 / columns (polynomial). */
  gamma: real({
    above: 0,
    says: "scale of the kernel",
    usual: "1 / median squared distance; polynomial: 1 / columns",
  }),
  degree: integer({ min: 1, max: 100, default: 2, says: "degree of the polynomial kernel" }),
  /** Rows of A; default 40, never more than the rank of K. */
  dims: integer({ min: 1, default: 40, says: "maximum number of dimensions" }),
  beta: real({ above: 0, default: 3, says: "how sharply pairs on the wrong side are punished" }),
  ridge: real({ min: 0, default: 1e-3, says: "weight of the size of the map" }),
  tolerance: real({ above: 0, default: 1e-6, says: "relative gradient at which to stop" }),
  maxIterations: integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  onProgress: progressRule,
};

export type PccaKernelOptions = OptionsOf<typeof pccaKernelOptions>;

/** A metric in the feature space of a kernel: not a Mahalanobis metric of the columns, so it has no matrix over them. */
export interface KernelMetric extends Fit {
  readonly kind: "kernel-metric";
  readonly method: "pcca";
  readonly kernel: KernelFunction;
  /** Its training rows, for comparison with new rows. */
  readonly rows: Matrix;
  /** A, dims x n. */
  readonly coefficients: Matrix;
  /** Rows are "the same" when their distance is at most this: 1, the constant of the loss. */
  readonly threshold: number;
  transform(Y: MatrixLike): Matrix;
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  same(a: ArrayLike<number>, b: ArrayLike<number>): boolean;
  toJSON(): KernelMetricData;
  /** The same: a metric is its own model. */
  model(): KernelMetricData;
}

/** A kernel metric in the form of a file. */
const kernelMetricForm = record({
  kind: choice("kernel-metric"),
  method: choice("pcca"),
  kernel: kernelForm,
  rows: matrixForm("rows"),
  coefficients: matrixForm("coordinates", "rows"),
  ...fitFields,
});

export interface KernelMetricData extends StoredOf<typeof kernelMetricForm> {}

export function pccaKernel(input: MatrixLike, options: PccaKernelOptions = {}): KernelMetric {
  const {
    kernel: kind,
    gamma,
    degree,
    dims,
    ...settings
  } = resolveOptions("pccaKernel", options, pccaKernelOptions);
  const { X, mustLink, cannotLink } = pairedRows("pccaKernel", input, options, "both");
  const kernel = kernelWith(X, kind, gamma, degree);
  const K = kernelMatrix(X, X, kernel);
  let mean = 0;
  for (let i = 0; i < X.rows; i++) mean += K.data[i * (X.rows + 1)] / X.rows;
  if (!(mean > 0) || !Number.isFinite(mean)) {
    throw inputError(
      `pccaKernel: the mean of k(x, x) is ${mean}; scale the columns, or choose another gamma`,
    );
  }
  const { values, vectors } = symmetricEigen(K);
  const rank = values.filter((value) => value > 1e-10 * X.rows * values[0]).length;
  // Feature vectors Q (Lambda / mean)^(1/2), and the map of k(y) to them.
  const features = matrix(X.rows, rank);
  const back = matrix(rank, X.rows);
  for (let r = 0; r < rank; r++) {
    const root = Math.sqrt(values[r]);
    for (let i = 0; i < X.rows; i++) {
      const q = vectors.data[i * X.rows + r];
      features.data[i * rank + r] = (q * root) / Math.sqrt(mean);
      back.data[r * X.rows + i] = q / root / Math.sqrt(mean);
    }
  }
  const fit = fitPcca(features, { mustLink, cannotLink }, { ...settings, dims: Math.min(dims, rank) });
  return kernelMetric(X, multiply(fit.L, back), kernel, {
    converged: fit.converged,
    iterations: fit.iterations,
    objective: fit.objective,
    history: fit.history,
    certificate: { kind: "relative gradient", residual: fit.gradient },
    warnings: fit.warnings,
  });
}

/** Reads the output of `toJSON`. */
export function loadKernelMetric(data: KernelMetricData): KernelMetric {
  const {
    kernel,
    rows,
    coefficients,
    kind: _,
    method: __,
    ...fit
  } = load(kernelMetricForm, data, "the kernel metric");
  return kernelMetric(rows, coefficients, kernel, fit);
}

function kernelMetric(rows: Matrix, A: Matrix, kernel: KernelFunction, fit: Fit): KernelMetric {
  const transform = (input: MatrixLike): Matrix => {
    const Y = asMatrix(input, "pccaKernel");
    if (Y.cols !== rows.cols) {
      throw inputError(`the pcca metric was learned on ${rows.cols} columns, but these rows have ${Y.cols}`);
    }
    return multiplyTransposeB(kernelMatrix(Y, rows, kernel), A);
  };
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    const both = new Float64Array(a.length + b.length);
    both.set(Float64Array.from(a));
    both.set(Float64Array.from(b), a.length);
    const Z = transform(matrix(2, a.length, both));
    let sum = 0;
    for (let r = 0; r < A.rows; r++) sum += (Z.data[r] - Z.data[A.rows + r]) ** 2;
    return Math.sqrt(sum);
  };
  return plain({
    ...fit,
    kind: "kernel-metric",
    method: "pcca",
    kernel,
    rows,
    coefficients: A,
    threshold: 1,
    transform,
    distance,
    same: (a, b) => distance(a, b) <= 1,
    toJSON: () => ({
      ...fit,
      kind: "kernel-metric",
      method: "pcca",
      kernel,
      rows: storeMatrix(rows),
      coefficients: storeMatrix(A),
    }),
  });
}

function kernelWith(
  X: Matrix,
  kind: KernelFunction["kind"],
  gamma: number | undefined,
  degree: number,
): KernelFunction {
  if (kind === "linear") return { kind };
  if (kind === "polynomial") return { kind, scale: 1 / (gamma ?? 1 / X.cols), offset: 1, degree };
  return { kind, sigma: Math.sqrt(1 / (2 * (gamma ?? 1 / distancePercentiles(X, [50], true)[0]))) };
}
