import { option, optionError, type rule } from "../core/internal.ts";
import type { Aml, Naml } from "../embed/index.ts";
import type { Matrix } from "../matrix/index.ts";

/** The options of NAML: it takes a kernel, or learns a mixture of kernels. */
export function kernelOrMixture({ amlOptions, namlOptions }: EmbedRoom): rule.OptionRules {
  const { kernel, maxIterations } = amlOptions;
  const usual = `${namlOptions.maxIterations.fallback}; with a kernel ${maxIterations.fallback}`;
  return {
    ...amlOptions,
    ...namlOptions,
    kernel: { ...kernel, control: { ...kernel.control!, usual: "a mixture of widths, learned" } },
    maxIterations: { ...maxIterations, fallback: undefined, control: { ...maxIterations.control!, usual } },
  };
}

/** NAML with a kernel that is given is AML on the components of that kernel. */
export function amlOrNaml({ aml, naml, amlOptions }: EmbedRoom, X: Matrix, options: object): Aml | Naml {
  const { sigmas, ...rest } = options as Readonly<Record<string, unknown>>;
  if (rest.kernel === undefined) {
    const needless = Object.keys(rest).find((name) => name.startsWith("kernel") && name in amlOptions);
    if (needless === undefined) return naml(X, options as never);
    throw optionError(`${option(needless)} needs ${option("kernel")}, the kernel that it belongs to`);
  }
  if (sigmas === undefined) return aml(X, rest as never);
  throw optionError(
    `${option("sigmas")} are the widths of a mixture that is learned; with ${option("kernel")} give ${option("kernelSigma")}`,
  );
}

type EmbedRoom = typeof import("../embed/index.ts");
