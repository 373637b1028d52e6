import {
  asStored,
  integer,
  oneOf,
  option,
  optional,
  optionError,
  real,
  type OptionsOf,
} from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { kernelPca, kernelPcaForm, type KernelPcaModel } from "./kernelPca.ts";

/**
 * The kernel form of a method that takes rows (C. Zhang, F. Nie and S. Xiang, 2010): kernel principal
 * components first, then the method on their coordinates. With all components this is the method in the
 * feature space itself.
 */
export const KERNEL_SPACE_RULES = {
  /** Uses the kernel principal components of this kernel instead of the rows. */
  kernel: oneOf(["gaussian", "polynomial", "linear"] as const, undefined, {
    says: "works on the principal components of this kernel",
    usual: "on the rows",
  }),
  /** Width of the Gaussian; default: the median distance between the rows. */
  kernelSigma: real({ above: 0, says: "width of the gaussian kernel", usual: "the median distance" }),
  /** Degree of the polynomial; default 2. */
  kernelDegree: integer({ min: 1, max: 100, says: "degree of the polynomial kernel", usual: "2" }),
  /** Offset of the polynomial; default 1. */
  kernelOffset: real({ min: 0, says: "offset of the polynomial kernel", usual: "1" }),
  /** Kernel principal components; default: at most 100. */
  kernelDims: integer({ min: 1, says: "number of kernel components", usual: "at most 100" }),
};

export type KernelSpaceOptions = OptionsOf<typeof KERNEL_SPACE_RULES>;

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
export const kernelSpaceFields = { kernel: optional(asStored(kernelPcaForm)) };
