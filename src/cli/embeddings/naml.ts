import type { Option } from "commander";
import { optionError } from "../../core/errors.ts";
import { aml, naml } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { amlGiven, amlLines, namlFlags, namlGiven, namlKernel, namlLines } from "../projectionOptions.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return namlFlags();
}

/** As the clustering: a given kernel, or a mixture that is learned, which has one coordinate less than clusters. */
export function run(X: Matrix | Sparse, { dims, clusters, seed, onProgress, own }: EmbedOptions): Embedded {
  const K = clusters as number;
  const kernel = namlKernel(own);
  if (kernel !== undefined) {
    const fit = aml(X as Matrix, { clusters: K, dims, seed, onProgress, ...amlGiven(own), ...kernel });
    return { ...fit, model: fit.model(), lines: amlLines(fit) };
  }
  if (dims !== K - 1) {
    throw optionError(`--dims: naml has ${K - 1} coordinates for ${K} clusters; --kernel allows fewer`);
  }
  const fit = naml(X as Matrix, { clusters: K, seed, onProgress, ...namlGiven(own) });
  return { ...fit, model: fit.model(), lines: namlLines(fit) };
}
