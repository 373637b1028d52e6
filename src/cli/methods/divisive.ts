import { Option } from "commander";
import { divisive } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return [
    new Option("--split <how>", "two-means, or the splinter groups of DIANA (default: kmeans)").choices([
      "kmeans",
      "diana",
    ]),
    new Option("--restarts <n>", "of each two-means (default: 10)").argParser(integerAtLeast(1)),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { split, restarts } = own as { split?: "kmeans" | "diana"; restarts?: number };
  const options = { clusters: clusters as number, split, restarts, seed };
  const result = divisive(X as Matrix, { ...options, onProgress });
  const shown = result.divisions
    .slice(0, 6)
    .map(({ height, sizes: [a, b] }) => `${Number(height.toPrecision(4))} (${a} + ${b})`);
  return {
    ...result,
    details: {
      json: { split: result.split, divisions: result.divisions },
      lines: [["divisions", `${shown.join(", ")}${result.divisions.length > 6 ? ", ..." : ""}`]],
    },
    model: result.model(),
    call: { name: "divisive", options },
  };
}
