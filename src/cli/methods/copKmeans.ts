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
    new Option("--budget <n>", "search steps for a feasible start (default: 200000)").argParser(
      integerAtLeast(1),
    ),
  ];
}

export function run(
  X: Matrix | Sparse,
  { clusters, seed, onProgress, own, pairs }: MethodOptions,
): Clustering {
  const { restarts, maxIterations, budget } = own as {
    restarts?: number;
    maxIterations?: number;
    budget?: number;
  };
  const result = constrainedKmeans(X, {
    ...pairs,
    clusters: clusters as number,
    seed,
    restarts,
    maxIterations,
    budget,
    onProgress,
  });
  return { ...result, details: pairLines(pairs, result.labels) };
}
