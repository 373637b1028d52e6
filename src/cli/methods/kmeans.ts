import { Option } from "commander";
import { kmeans } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: true };

export function options(): Option[] {
  return [
    new Option("--restarts <n>", "independent starts, the best is kept (default: 10)").argParser(
      integerAtLeast(1),
    ),
    new Option("--max-iterations <n>", "at most this many per start (default: 300)").argParser(
      integerAtLeast(1),
    ),
    new Option(
      "--tolerance <t>",
      "stop when an iteration lowers the objective by no more than this share (default: 0)",
    ).argParser(finiteNumber),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { restarts, maxIterations, tolerance } = own as {
    restarts?: number;
    maxIterations?: number;
    tolerance?: number;
  };
  const options = { clusters: clusters as number, seed, restarts, maxIterations, tolerance, onProgress };
  const result = kmeans(X, options);
  return { ...result, nearest: {}, drawing: { history: result.history }, call: { name: "kmeans", options } };
}
