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
  fromRows,
  multiply,
  multiplyTransposeB,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnsAsRows, diagonalOf, leadingColumns, mapped, matrixForm } from "../../matrix/internal.ts";
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
  type LoadedOf,
  type OptionsOf,
  type StoredOf,
} from "../../core/internal.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { distancePercentiles } from "./distancePercentiles.ts";
import { kernelMatrix, kernelForm, type KernelFunction } from "../kernelFunction.ts";
import { fitFields } from "../mahalanobis.ts";
import { fitPcca } from "./pcca.ts";
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

/** A kernel metric in the form of a file. */
const kernelMetricForm = record({
  kind: choice("kernel-metric"),
  method: choice("pcca"),
  kernel: kernelForm,
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("rows"),
  /** A, dims x n. */
  coefficients: matrixForm("coordinates", "rows"),
  ...fitFields,
});

export interface KernelMetricData extends StoredOf<typeof kernelMetricForm> {}

type Parts = LoadedOf<typeof kernelMetricForm>;

/** A metric in the feature space of a kernel: not a Mahalanobis metric of the columns, so it has no matrix over them. */
export interface KernelMetric extends Parts {
  /** Rows are "the same" when their distance is at most this: 1, the constant of the loss. */
  readonly threshold: number;
  transform(Y: MatrixLike): Matrix;
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  same(a: ArrayLike<number>, b: ArrayLike<number>): boolean;
  toJSON(): KernelMetricData;
  /** The same: a metric is its own model. */
  model(): KernelMetricData;
}

export function pccaKernel(input: MatrixLike, options: PccaKernelOptions = {}): KernelMetric {
  const {
    kernel: kind,
    gamma,
    degree,
    dims,
    ...settings
  } = resolveOptions("pccaKernel", options, pccaKernelOptions);
  const { X, mustLink, cannotLink, warnings } = pairedRows("pccaKernel", input, options, "both");
  const kernel = kernelWith(X, kind, gamma, degree);
  const K = kernelMatrix(X, X, kernel);
  const mean = diagonalOf(K).reduce((sum, value) => sum + value / X.rows, 0);
  if (!(mean > 0) || !Number.isFinite(mean)) {
    throw inputError(
      `pccaKernel: the mean of k(x, x) is ${mean}; scale the columns, or choose another gamma`,
    );
  }
  const { values, vectors } = symmetricEigen(K);
  const rank = values.filter((value) => value > 1e-10 * X.rows * values[0]).length;
  // Feature vectors Q (Lambda / mean)^(1/2), and the map of k(y) to them.
  const roots = values.slice(0, rank).map(Math.sqrt);
  const unit = Math.sqrt(mean);
  const features = mapped(leadingColumns(vectors, rank), (q, p) => (q * roots[p % rank]) / unit);
  const back = columnsAsRows(vectors, rank, (q, r) => q / roots[r] / unit);
  const both = { mustLink, cannotLink };
  const { L, fit } = fitPcca(features, both, { ...settings, dims: Math.min(dims, rank) });
  return kernelMetric({
    kind: "kernel-metric",
    method: "pcca",
    kernel,
    rows: X,
    coefficients: multiply(L, back),
    ...fit,
    warnings: [...warnings, ...fit.warnings],
  });
}

/** Reads the output of `toJSON`. */
export function loadKernelMetric(data: KernelMetricData): KernelMetric {
  return kernelMetric(load(kernelMetricForm, data, "the kernel metric"));
}

function kernelMetric(parts: Parts): KernelMetric {
  const { kernel, rows, coefficients: A } = parts;
  const transform = (input: MatrixLike): Matrix => {
    const Y = asMatrix(input, "pccaKernel");
    if (Y.cols !== rows.cols) {
      throw inputError(`the pcca metric was learned on ${rows.cols} columns, but these rows have ${Y.cols}`);
    }
    return multiplyTransposeB(kernelMatrix(Y, rows, kernel), A);
  };
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
    const Z = transform(fromRows([a, b]));
    let sum = 0;
    for (let r = 0; r < A.rows; r++) sum += (Z.data[r] - Z.data[A.rows + r]) ** 2;
    return Math.sqrt(sum);
  };
  return plain({
    ...parts,
    threshold: 1,
    transform,
    distance,
    same: (a, b) => distance(a, b) <= 1,
    toJSON: () => kernelMetricForm.save(parts),
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
