import { Option } from "commander";
import { optionError } from "../core/errors.ts";
import type { KernelSpaceOptions } from "../embed/index.ts";
import { finiteNumber, integerAtLeast } from "./arguments.ts";

/** The kernel form of a method, which otherwise works on `otherwise`. */
export function kernelSpaceOptions(otherwise: string = "on the rows"): Option[] {
  return [
    new Option("--kernel <name>", `work among kernel principal components (default: ${otherwise})`).choices([
      "gaussian",
      "polynomial",
      "linear",
    ]),
    new Option("--kernel-sigma <s>", "width of the gaussian kernel (default: the median distance)").argParser(
      finiteNumber,
    ),
    new Option("--kernel-degree <n>", "of the polynomial kernel (default: 2)").argParser(integerAtLeast(1)),
    new Option("--kernel-dims <n>", "kernel components (default: at most 100)").argParser(integerAtLeast(1)),
  ];
}

export function kernelSpaceOf(own: Readonly<Record<string, unknown>>): KernelSpaceOptions | undefined {
  const { kernel, kernelSigma, kernelDegree, kernelDims } = own as {
    kernel?: KernelSpaceOptions["kernel"];
    kernelSigma?: number;
    kernelDegree?: number;
    kernelDims?: number;
  };
  if (kernel !== undefined) return { kernel, kernelSigma, kernelDegree, kernelDims };
  for (const [flag, value] of [
    ["--kernel-sigma", kernelSigma],
    ["--kernel-degree", kernelDegree],
    ["--kernel-dims", kernelDims],
  ]) {
    if (value !== undefined) throw optionError(`${flag} needs --kernel`);
  }
  return undefined;
}
