import { Option } from "commander";
import { normalizedCut } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { rowGraphOf, rowGraphOptions } from "./rowGraphOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "optional", seed: true, sparse: false };

export function options(): Option[] {
  return [
    ...rowGraphOptions(),
    new Option(
      "--max-cut <v>",
      "make no cut above this value, 0 to 2; instead of --clusters, or with it",
    ).argParser(finiteNumber),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { maxCut } = own as { maxCut?: number };
  const options = { clusters, maxCut, seed, ...rowGraphOf(own) };
  const result = normalizedCut(X as Matrix, { ...options, onProgress });
  const shown = result.cuts.slice(0, 6).map(({ cut, sizes: [a, b] }) => `${cut.toFixed(4)} (${a} + ${b})`);
  return {
    ...result,
    details: {
      json: { cuts: result.cuts },
      lines: [["cuts", `${shown.join(", ")}${result.cuts.length > 6 ? ", ..." : ""}`]],
    },
    model: result.model(),
    call: { name: "normalizedCut", options },
  };
}
