import type { Option } from "commander";
import { cpdUml } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { cpdUmlFlags, cpdUmlGiven, cpdUmlLines } from "../cpdUmlOptions.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "optional", seed: true, sparse: false };

export function options(): Option[] {
  return cpdUmlFlags();
}

/** Without --clusters there are as many as coordinates, and at least two. */
export function run(X: Matrix | Sparse, { dims, clusters, seed, onProgress, own }: EmbedOptions): Embedded {
  const K = clusters ?? Math.max(2, dims);
  const fit = cpdUml(X as Matrix, { clusters: K, dims, seed, onProgress, ...cpdUmlGiven(own) });
  return { ...fit, model: fit.model(), lines: [["clusters", String(K)], ...cpdUmlLines(fit)] };
}
