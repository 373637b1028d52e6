import { Option } from "commander";
import { kernelKmeans } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { integerAtLeast } from "../arguments.ts";
import { kernelOf, kernelOptions, kernelText } from "../kernelOptions.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";

export const accepts: MethodFile["accepts"] = {
  clusters: "required",
  seed: true,
  sparse: false,
  quadratic: true,
};

export function options(): Option[] {
  return [
    ...kernelOptions(),
    new Option("--restarts <n>", "independent starts, the best is kept (default: 10)").argParser(
      integerAtLeast(1),
    ),
    new Option("--max-iterations <n>", "passes over the rows for each start (default: 300)").argParser(
      integerAtLeast(1),
    ),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { restarts, maxIterations } = own as { restarts?: number; maxIterations?: number };
  const options = { clusters: clusters as number, seed, restarts, maxIterations, ...kernelOf(own) };
  const result = kernelKmeans(X as Matrix, { ...options, onProgress });
  return {
    ...result,
    details: { json: { kernel: result.kernel }, lines: [["kernel", kernelText(result.kernel)]] },
    model: result.model(),
    drawing: { history: result.history },
    call: { name: "kernelKmeans", options },
  };
}
