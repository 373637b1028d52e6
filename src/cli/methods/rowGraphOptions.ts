import { Option } from "commander";
import type { RowGraphOptions } from "../../cluster/index.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";

/** The options of the graph of a spectral method. */
export function rowGraphOptions(): Option[] {
  return [
    new Option("--graph <form>", "edges to the nearest rows, or between all (default: neighbors)").choices([
      "neighbors",
      "full",
    ]),
    new Option("--neighbors <n>", "of each row in the graph (default: 10)").argParser(integerAtLeast(1)),
    new Option(
      "--kind <which>",
      "an edge where one row is a neighbour of the other, or both (default: union)",
    ).choices(["union", "mutual"]),
    new Option(
      "--alpha <a>",
      "weights exp(-a d^2 / median d^2) of the neighbour graph (default: 0)",
    ).argParser(finiteNumber),
    new Option(
      "--local-scale <q>",
      "weights exp(-d^2 / (s_i s_j)), s the distance to the q-th neighbour, instead of --alpha",
    ).argParser(integerAtLeast(1)),
    new Option(
      "--sigma <s>",
      "weights exp(-d^2 / 2 s^2) of the full graph (default: the median distance)",
    ).argParser(finiteNumber),
  ];
}

export function rowGraphOf(own: Readonly<Record<string, unknown>>): RowGraphOptions {
  const { graph, neighbors, kind, alpha, localScale, sigma } = own as RowGraphOptions;
  return { graph, neighbors, kind, alpha, localScale, sigma };
}
