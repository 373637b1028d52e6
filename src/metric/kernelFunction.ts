/**
 * Kernel functions as plain data, with two functions of them:
 *
 *     gaussian    k(x, y) = exp(-||x - y||^2 / (2 sigma^2))
 *     polynomial  k(x, y) = (x'y / scale + offset)^degree
 *     linear      k(x, y) = x'y
 *
 * The default sigma is the median distance between the rows (the median heuristic), the default scale of the polynomial
 * the number of columns. A setting is JSON, so a model that holds one can be written to a file.
 */
import { form, inputError, option, optionError, rule } from "../core/internal.ts";
import {
  asMatrix,
  multiplyTransposeB,
  squaredDistances,
  squaredNorms,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import { requireFinite, requireMatrix } from "../matrix/internal.ts";
import { distancePercentiles } from "./distancePercentiles.ts";

/** A kernel with all parameters set. */
export const kernelForm = form.tagged("kind", {
  gaussian: { sigma: form.number({ above: 0 }) },
  polynomial: {
    scale: form.number({ above: 0 }),
    offset: form.number({ min: 0 }),
    degree: form.whole({ min: 1, max: 100 }),
  },
  linear: {},
});

export type KernelFunction = form.StoredOf<typeof kernelForm>;

/** The options of a kernel, for the rules of a method that takes one. */
export const KERNEL_RULES = {
  kernel: rule.oneOf(["gaussian", "polynomial", "linear"] as const, "gaussian", {
    says: "kernel that compares two rows",
  }),
  /** Width of the Gaussian; default: the median distance between the rows. */
  sigma: rule.real({ above: 0, says: "width of the gaussian kernel", usual: "the median distance" }),
  /** Degree of the polynomial; default 2. */
  degree: rule.integer({ min: 1, max: 100, says: "degree of the polynomial kernel", usual: "2" }),
  /** Offset of the polynomial; default 1. */
  offset: rule.real({ min: 0, says: "offset of the polynomial kernel", usual: "1" }),
};

export type KernelOptions = rule.OptionsOf<typeof KERNEL_RULES>;

/** The kernel of the options, with defaults from the rows of X; `method` begins the error messages. */
export function kernelFunction(
  input: MatrixLike,
  options: KernelOptions = {},
  method: string = "kernelFunction",
): KernelFunction {
  const X = asMatrix(input, "kernelFunction");
  const { kernel, sigma, degree, offset } = rule.resolveOptions(method, options, KERNEL_RULES);
  if (kernel !== "gaussian" && sigma !== undefined) {
    throw optionError(
      `${method}: ${option("sigma")} belongs to the gaussian kernel, not to the ${kernel} one`,
    );
  }
  if (kernel !== "polynomial" && (degree !== undefined || offset !== undefined)) {
    throw optionError(
      `${method}: ${option("degree")} and ${option("offset")} belong to the polynomial kernel`,
    );
  }
  requireFinite(X);
  if (kernel === "linear") return { kind: "linear" };
  if (kernel === "polynomial") {
    return { kind: "polynomial", scale: Math.max(1, X.cols), offset: offset ?? 1, degree: degree ?? 2 };
  }
  return { kind: "gaussian", sigma: sigma ?? medianDistance(X) };
}

/** Entry (i, j) is k(a_i, b_j). */
export function kernelMatrix(A: Matrix, B: Matrix, kernel: KernelFunction): Matrix {
  return kernelTable(A, B, kernel, false);
}

/**
 * The kernel matrix up to a constant: k - 1 for the Gaussian, by expm1, k itself for the others. Centring
 * removes the constant, and with it the cancellation that a sigma far above all distances would cause.
 */
export function shiftedKernelMatrix(A: Matrix, B: Matrix, kernel: KernelFunction): Matrix {
  return kernelTable(A, B, kernel, true);
}

function kernelTable(A: Matrix, B: Matrix, kernel: KernelFunction, shifted: boolean): Matrix {
  for (const M of [A, B]) requireMatrix(M, "a kernel matrix");
  if (A.cols !== B.cols)
    throw inputError(`a kernel of rows of ${A.cols} and ${B.cols} values is not defined`);
  const K = kernel.kind === "gaussian" ? squaredDistances(A, B) : multiplyTransposeB(A, B);
  applyKernel(K.data, kernel, shifted);
  return K;
}

/** k(x, x) of every row. */
export function kernelDiagonal(input: MatrixLike, kernel: KernelFunction): Float64Array {
  const X = asMatrix(input, "kernelDiagonal");
  if (kernel.kind === "gaussian") return new Float64Array(X.rows).fill(1);
  const norms = squaredNorms(X);
  applyKernel(norms, kernel, false);
  return norms;
}

/**
 * The warning for a Gaussian so narrow that the kernel of any two different rows is almost 0: results from
 * the shifted kernel matrix K are then meaningless. Undefined if there is no problem.
 */
export function narrowKernel(kernel: KernelFunction, K: Matrix): string | undefined {
  if (kernel.kind !== "gaussian" || K.rows < 3) return undefined;
  // Equal rows have k - 1 = 0, for any width of the kernel.
  for (let p = 0; p < K.data.length; p++) if (K.data[p] > -1 + 1e-6 && K.data[p] !== 0) return undefined;
  return (
    `the kernel of any two different rows is almost 0, so the result means nothing; a larger sigma ` +
    `(now ${Number(kernel.sigma.toPrecision(4))}) would compare them`
  );
}

/** From squared distances (Gaussian) or inner products to values of the kernel, in place. */
function applyKernel(values: Float64Array, kernel: KernelFunction, shifted: boolean): void {
  if (kernel.kind === "linear") return;
  if (kernel.kind === "gaussian") {
    // Divided twice: the square of a tiny or huge sigma would leave the number range.
    const { sigma } = kernel;
    const f = shifted ? Math.expm1 : Math.exp;
    for (let p = 0; p < values.length; p++) values[p] = f(-values[p] / sigma / sigma / 2);
    return;
  }
  const { scale, offset, degree } = kernel;
  for (let p = 0; p < values.length; p++) values[p] = (values[p] / scale + offset) ** degree;
}

/** The median distance of different rows; 1 if all are equal, when every sigma gives the same kernel. */
function medianDistance(X: Matrix): number {
  const { rows, cols, data } = X;
  for (let p = cols; p < rows * cols; p++) {
    if (data[p] !== data[p % cols]) return distancePercentiles(X, [50], false)[0];
  }
  return 1;
}
