import type { Option } from "commander";
import { aml } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { amlFlags, amlGiven, amlLines } from "../projectionOptions.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return amlFlags();
}

export function run(X: Matrix | Sparse, { dims, clusters, seed, onProgress, own }: EmbedOptions): Embedded {
  const fit = aml(X as Matrix, { clusters: clusters as number, dims, seed, onProgress, ...amlGiven(own) });
  return { ...fit, model: fit.model(), lines: amlLines(fit) };
}
