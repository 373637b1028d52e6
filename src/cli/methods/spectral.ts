import { Option } from "commander";
import { spectral } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { rowGraphOf, rowGraphOptions } from "./rowGraphOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return [
    ...rowGraphOptions(),
    new Option(
      "--normalize <what>",
      "the eigenvectors by degrees, or the rows of the embedding to length 1 (default: degrees)",
    ).choices(["degrees", "rows"]),
    new Option("--restarts <n>", "of k-means on the eigenvectors (default: 10)").argParser(integerAtLeast(1)),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { restarts, normalize } = own as { restarts?: number; normalize?: "degrees" | "rows" };
  const options = { clusters: clusters as number, seed, restarts, normalize, ...rowGraphOf(own) };
  const result = spectral(X as Matrix, { ...options, onProgress });
  const eigenvalues = Array.from(result.eigenvalues);
  return {
    ...result,
    details: {
      json: { eigenvalues },
      lines: [["eigenvalues", eigenvalues.map((value) => value.toFixed(4)).join(" ")]],
    },
    model: result.toJSON(),
    call: { name: "spectral", options },
  };
}
