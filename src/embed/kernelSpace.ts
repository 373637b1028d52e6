import { given } from "../core/options.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { KernelOptions } from "../metric/kernelFunction.ts";
import { kernelPca, loadKernelPca, type KernelPcaData, type KernelPcaModel } from "./kernelPca.ts";

/**
 * The kernel form of a method that knows only rows (C. Zhang, F. Nie and S. Xiang, 2010): kernel principal components
 * first, then the method on their coordinates. With all components this is the method in the feature space itself.
 */
export interface KernelSpaceOptions extends KernelOptions {
  /** Kernel principal components; default: at most 100. */
  dims?: number;
}

/** Where a method works: the rows themselves, or their coordinates under a kernel. */
export interface KernelSpace {
  readonly rows: Matrix;
  readonly model?: KernelPcaModel;
  readonly warnings: readonly string[];
}

const MANY_COMPONENTS = 100;

export const KERNEL_SPACE_RULE: ReturnType<typeof given<KernelSpaceOptions>> = given<KernelSpaceOptions>(
  "an object of kernel options: kernel, sigma, degree, offset, dims",
  (value) => typeof value === "object" && value !== null,
);

export function kernelSpace(X: Matrix, options: KernelSpaceOptions | undefined): KernelSpace {
  if (options === undefined) return { rows: X, warnings: [] };
  const dims = options.dims ?? Math.max(1, Math.min(MANY_COMPONENTS, X.rows - 1));
  const fit = kernelPca(X, { ...options, dims });
  const { embedding, warnings, converged } = fit;
  // Fewer components than asked for are all there are: nothing is lost.
  const said =
    embedding.cols < dims ? (converged ? [] : ["the kernel components had not converged"]) : warnings;
  return { rows: embedding, model: fit, warnings: said };
}

/** What a model file keeps of it. */
export interface KernelSpaceData {
  readonly kernel?: KernelPcaData;
}

export function storeKernelSpace(model: KernelPcaModel | undefined): KernelSpaceData {
  return model === undefined ? {} : { kernel: model.toJSON() };
}

export function loadKernelSpace({ kernel }: KernelSpaceData): KernelPcaModel | undefined {
  return kernel === undefined ? undefined : loadKernelPca(kernel);
}
