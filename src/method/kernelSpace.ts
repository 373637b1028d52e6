import { option, optionError } from "../core/errors.ts";
import { integer, oneOf, real } from "../core/options.ts";
import type { KernelSpaceOptions } from "../embed/index.ts";
import type { FitOptions, OptionRules } from "./method.ts";

/**
 * The kernel form of a method as flat options. The library takes `kernel: { kernel, sigma, degree, dims }`; people set
 * --kernel, --kernel-sigma, --kernel-degree and --kernel-dims.
 */
export function kernelSpaceOptions(otherwise: string = "work on the rows"): OptionRules {
  return {
    kernel: oneOf(["gaussian", "polynomial", "linear"], undefined, {
      says: "work among kernel principal components",
      usual: otherwise,
    }),
    kernelSigma: real({ above: 0, says: "width of the gaussian kernel", usual: "the median distance" }),
    kernelDegree: integer({ min: 1, says: "degree of the polynomial kernel", usual: "2" }),
    kernelDims: integer({ min: 1, says: "kernel components", usual: "at most 100" }),
  } as unknown as OptionRules;
}

/** A function of the library that takes these options flat. */
export function withKernelSpace<X, O, R>(
  call: (X: X, options: O) => R,
): (X: X, options: FitOptions) => R {
  return (X, { kernel, kernelSigma, kernelDegree, kernelDims, ...rest }) => {
    if (kernel === undefined) {
      const alone = Object.entries({ kernelSigma, kernelDegree, kernelDims }).find(
        ([, value]) => value !== undefined,
      );
      if (alone !== undefined) throw optionError(`${option(alone[0])} needs ${option("kernel")}`);
      return call(X, rest as O);
    }
    const space = { kernel, sigma: kernelSigma, degree: kernelDegree, dims: kernelDims } as KernelSpaceOptions;
    return call(X, { ...rest, kernel: space } as O);
  };
}
