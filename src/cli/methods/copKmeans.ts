import { Option } from "commander";
import { constrainedKmeans } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { pairLines, restartOptions } from "./pairOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: true, pairs: true };

export function options(): Option[] {
  return [
    ...restartOptions(300),
    new Option(
      "--distances <kind>",
      "plain, or by a metric learned from the pairs (default: by the size)",
    ).choices(["plain", "learned"]),
    new Option("--budget <n>", "search steps for a feasible start (default: 200000)").argParser(
      integerAtLeast(1),
    ),
  ];
}

export function run(
  X: Matrix | Sparse,
  { clusters, seed, onProgress, own, pairs }: MethodOptions,
): Clustering {
  const { restarts, maxIterations, budget, distances } = own as {
    restarts?: number;
    maxIterations?: number;
    budget?: number;
    distances?: "plain" | "learned";
  };
  const options = {
    ...pairs,
    clusters: clusters as number,
    distances,
    seed,
    restarts,
    maxIterations,
    budget,
  } as const;
  const result = constrainedKmeans(X, { ...options, onProgress });
  const { json, lines } = pairLines(pairs, result.labels);
  const told = result.metric !== undefined ? "learned from the pairs" : "none, plain distances";
  return {
    ...result,
    details: {
      json: { ...json, distances: result.metric === undefined ? "plain" : "learned" },
      lines: [["metric", told], ...lines],
    },
    drawing: { history: result.history },
    call: { name: "constrainedKmeans", options },
  };
}
