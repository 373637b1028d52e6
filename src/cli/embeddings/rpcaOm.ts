import type { Option } from "commander";
import { rpcaOm } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { rpcaOmFlags, rpcaOmGiven, rpcaOmLines } from "../projectionOptions.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "no", seed: false, sparse: false };

export function options(): Option[] {
  return rpcaOmFlags();
}

export function run(X: Matrix | Sparse, { dims, onProgress, own }: EmbedOptions): Embedded {
  const fit = rpcaOm(X as Matrix, { dims, onProgress, ...rpcaOmGiven(own) });
  return { ...fit, model: fit.model(), lines: rpcaOmLines(fit) };
}
