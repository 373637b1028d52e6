import type { Option } from "commander";
import { fme } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { fmeFlags, fmeGiven, fmeLines } from "../projectionOptions.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "optional", seed: true, sparse: false };

export function options(): Option[] {
  return fmeFlags();
}

/** The coordinates do not depend on the number of clusters, which the model keeps for new rows. */
export function run(X: Matrix | Sparse, { dims, clusters = dims + 1, seed, own }: EmbedOptions): Embedded {
  const fit = fme(X as Matrix, { clusters, dims, seed, ...fmeGiven(own) });
  return { ...fit, model: fit.model(), lines: fmeLines(fit) };
}
