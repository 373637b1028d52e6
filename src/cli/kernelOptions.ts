import { Option } from "commander";
import type { KernelFunction, KernelOptions } from "../metric/index.ts";
import { finiteNumber, integerAtLeast } from "./arguments.ts";

/** The options of a kernel, for the methods that take one. */
export function kernelOptions(): Option[] {
  return [
    new Option("--kernel <name>", "what compares two rows (default: gaussian)").choices([
      "gaussian",
      "polynomial",
      "linear",
    ]),
    new Option("--sigma <s>", "width of the gaussian kernel (default: the median distance)").argParser(
      finiteNumber,
    ),
    new Option("--degree <n>", "of the polynomial kernel (default: 2)").argParser(integerAtLeast(1)),
    new Option("--offset <c>", "of the polynomial kernel (default: 1)").argParser(finiteNumber),
  ];
}

export function kernelOf(own: Readonly<Record<string, unknown>>): KernelOptions {
  const { kernel, sigma, degree, offset } = own as KernelOptions;
  return { kernel, sigma, degree, offset };
}

/** "gaussian, sigma 1.5" */
export function kernelText(kernel: KernelFunction): string {
  if (kernel.kind === "gaussian") return `gaussian, sigma ${Number(kernel.sigma.toPrecision(5))}`;
  return kernel.kind === "polynomial"
    ? `polynomial, degree ${kernel.degree}, offset ${kernel.offset}`
    : kernel.kind;
}
