/**
 * PCCA, pairwise constrained component analysis (Mignon and Jurie 2012): a low-dimensional projection in which must-links
 * are closer than 1 and cannot-links farther,
 *
 *     minimise over L (dims x d)  mean_c softplus(beta y_c (|L v_c|^2 - 1)) / beta + ridge/2 |L|^2
 *
 * softplus(t) = log(1 + e^t), y = +1 for must-links and -1 for cannot-links. The loss of separable pairs has
 * no minimiser, because it falls as L grows; the paper stops early, here a small ridge gives a minimum. The
 * kernel form is `pccaKernel`.
 */
import {
  identity,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  symmetricEigen,
  asMatrix,
  fromRows,
  multiply,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  columnsAsRows,
  columnVariances,
  mapped,
  diagonalOf,
  leadingColumns,
  matrixForm,
  squaredDistance,
} from "../../matrix/internal.ts";
import { lbfgs } from "../../optimize/index.ts";
import type { OnProgress } from "../../core/index.ts";
import { form, inputError, option, plain, rule } from "../../core/internal.ts";
import type { Constraints, Pair } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { calibratedBy } from "../calibrate.ts";
import { mahalanobis, fitFields, type Fit, type Mahalanobis } from "../mahalanobis.ts";
import { distancePercentiles } from "../distancePercentiles.ts";
import { pairedRows, pairScatter } from "./pairedRows.ts";
import { kernelMatrix, kernelForm, type KernelFunction } from "../kernelFunction.ts";

export const pccaOptions = {
  ...PAIR_RULES,
  /** Rows of L, 1 to d; default d. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** Sharpness of the loss. */
  beta: rule.real({ above: 0, default: 3, says: "sharpness of the loss" }),
  /** Weight of |L|^2, in units in which the mean squared pair distance is 1. */
  ridge: rule.real({ min: 0, default: 1e-3, says: "weight of the size of the directions" }),
  /** The relative gradient at which the fit counts as converged. */
  tolerance: rule.real({ above: 0, default: 1e-6, says: "residual at which to stop" }),
  maxIterations: rule.integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  names: rule.names,
  onProgress: rule.progress,
};

export type PccaOptions = rule.OptionsOf<typeof pccaOptions>;

export function pcca(input: MatrixLike, options: PccaOptions = {}): Mahalanobis {
  const { dims, names, ...settings } = rule.resolveOptions("pcca", options, pccaOptions);
  const { X, mustLink, cannotLink, warnings } = pairedRows("pcca", input, options, "both");
  if (dims !== undefined && dims > X.cols) {
    throw inputError(`pcca: ${option("dims")} is ${dims}, but there are ${X.cols} columns`);
  }
  const both = { mustLink, cannotLink };
  const { L, fit } = fitPcca(X, both, { ...settings, dims: dims ?? X.cols });
  const parts = { method: "pcca", factor: L, names, variances: columnVariances(X) };
  const all = [...warnings, ...fit.warnings];
  return calibratedBy(mahalanobis({ ...parts, ...fit, warnings: all }), X, both);
}

/**
 * The common part of linear and kernel PCCA: minimises mean_c softplus(beta y_c (|L v_c|^2 - 1)) / beta + ridge/2 |L|^2 by L-BFGS, with v measured in
 * units in which the mean |v|^2 of must-links and cannot-links is 1: the 1 of the loss is absolute, so the
 * data need a scale. L is in the units of Y: squared distances around 1 separate similar from different rows.
 *
 * The gradient is 2 L Y' Lap Y with Lap = sum w_c (e_i - e_j)(e_i - e_j)', w_c = y_c sigma(beta y_c (|L v_c|^2 - 1)) (the
 * printed eq. (3) has the other sign). Lap Y L' is summed pair by pair: memory does not grow with the pairs.
 */
function fitPcca(
  Y: Matrix,
  { mustLink, cannotLink }: Constraints,
  settings: Pick<
    rule.ResolvedOptions<typeof pccaOptions>,
    "beta" | "ridge" | "tolerance" | "maxIterations"
  > & {
    readonly dims: number;
    readonly onProgress: OnProgress | undefined;
  },
): { readonly L: Matrix; readonly fit: Fit } {
  const { dims, beta, ridge } = settings;
  const d = Y.cols;
  const alike = pairScatter(Y, mustLink);
  const different = pairScatter(Y, cannotLink);
  let unit = 0;
  for (let f = 0; f < d; f++) unit += (alike.data[f * (d + 1)] + different.data[f * (d + 1)]) / 2;
  const scale = unit > 0 ? 1 / Math.sqrt(unit) : 1;
  const scaled = mapped(Y, (value) => scale * value);
  const start = leadingDirections(alike, different, dims).data;
  const groups = [
    { pairs: mustLink, sign: 1 },
    { pairs: cannotLink, sign: -1 },
  ];
  const count = mustLink.length + cannotLink.length;
  const laplacian = matrix(Y.rows, dims);
  const run = lbfgs(
    (x, gradient) => {
      const L = matrix(dims, d, x);
      const Z = multiplyTransposeB(scaled, L);
      laplacian.data.fill(0);
      let value = 0;
      for (const { pairs, sign } of groups) {
        for (const pair of pairs) value += addPair(Z, laplacian, pair, sign, beta) / count;
      }
      const LG = multiplyTransposeA(laplacian, scaled);
      for (let p = 0; p < x.length; p++) {
        gradient[p] = (2 * LG.data[p]) / count + ridge * x[p];
        value += (ridge / 2) * x[p] * x[p];
      }
      return value;
    },
    start,
    {
      tolerance: settings.tolerance,
      maxIterations: settings.maxIterations,
      onProgress: settings.onProgress,
    },
  );
  const x = run.x.map((value) => scale * value);
  return {
    L: matrix(dims, d, x),
    fit: {
      converged: run.converged,
      iterations: run.iterations,
      objective: run.value,
      history: run.history,
      certificate: { kind: "relative gradient", residual: run.relativeGradient },
      warnings: run.warnings,
    },
  };
}

/** Adds w (e_i - e_j)(z_i - z_j)' to Lap Z and returns the loss of the pair. */
function addPair(Z: Matrix, laplacian: Matrix, [i, j]: Pair, sign: number, beta: number): number {
  const r = Z.cols;
  const square = squaredDistance(Z, i, Z, j);
  const t = beta * sign * (square - 1);
  // softplus and the logistic function without overflow: exp of non-positive values only.
  const small = Math.exp(-Math.abs(t));
  const loss = (Math.max(t, 0) + Math.log1p(small)) / beta;
  const w = (sign * (t > 0 ? 1 : small)) / (1 + small);
  for (let f = 0; f < r; f++) {
    const step = w * (Z.data[i * r + f] - Z.data[j * r + f]);
    laplacian.data[i * r + f] += step;
    laplacian.data[j * r + f] -= step;
  }
  return loss;
}

/** The identity, or, for fewer rows than columns, the main directions of all pairs. */
function leadingDirections(alike: Matrix, different: Matrix, dims: number): Matrix {
  if (dims === alike.rows) return identity(dims);
  const both = mapped(alike, (value, p) => value + different.data[p]);
  return columnsAsRows(symmetricEigen(both).vectors, dims);
}

export const pccaKernelOptions = {
  ...PAIR_RULES,
  /** exp(-gamma |x - y|^2), (gamma x'y + 1)^degree, or x'y. */
  kernel: rule.oneOf(["gaussian", "polynomial", "linear"] as const, "gaussian", {
    says: "kernel that compares two rows",
  }),
  /** Default 1 / median squared distance of the rows (gaussian), 1 / columns (polynomial). */
  gamma: rule.real({
    above: 0,
    says: "scale of the kernel",
    usual: "1 / median squared distance; polynomial: 1 / columns",
  }),
  degree: rule.integer({ min: 1, max: 100, default: 2, says: "degree of the polynomial kernel" }),
  /** Rows of A; default 40, never more than the rank of K. */
  dims: rule.integer({ min: 1, default: 40, says: "maximum number of dimensions" }),
  beta: rule.real({ above: 0, default: 3, says: "how sharply pairs on the wrong side are punished" }),
  ridge: rule.real({ min: 0, default: 1e-3, says: "weight of the size of the map" }),
  tolerance: rule.real({ above: 0, default: 1e-6, says: "relative gradient at which to stop" }),
  maxIterations: rule.integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  onProgress: rule.progress,
};

export type PccaKernelOptions = rule.OptionsOf<typeof pccaKernelOptions>;

/** A kernel metric in the form of a file. */
const kernelMetricForm = form.record({
  kind: form.choice("kernel-metric"),
  method: form.choice("pcca"),
  kernel: kernelForm,
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("rows"),
  /** A, dims x n. */
  coefficients: matrixForm("coordinates", "rows"),
  ...fitFields,
});

export interface KernelMetricData extends form.StoredOf<typeof kernelMetricForm> {}

type Parts = form.LoadedOf<typeof kernelMetricForm>;

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
export function pccaKernel(input: MatrixLike, options: PccaKernelOptions = {}): KernelMetric {
  const resolved = rule.resolveOptions("pccaKernel", options, pccaKernelOptions);
  const { kernel: kind, gamma, degree, dims, ...settings } = resolved;
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
  return kernelMetric(form.load(kernelMetricForm, data, "the kernel metric"));
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
    return Math.sqrt(squaredDistance(Z, 0, Z, 1));
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
