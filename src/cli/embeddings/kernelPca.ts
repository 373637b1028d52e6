import type { Option } from "commander";
import { kernelPca } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { kernelOf, kernelOptions, kernelText } from "../kernelOptions.ts";
import { percentages } from "../shares.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "no", seed: true, sparse: false };

export function options(): Option[] {
  return kernelOptions();
}

export function run(X: Matrix | Sparse, { dims, seed, own }: EmbedOptions): Embedded {
  const result = kernelPca(X as Matrix, { dims, seed, ...kernelOf(own) });
  return {
    ...result,
    model: result.model(),
    lines: [
      ["kernel", kernelText(result.kernel)],
      ["variance", `${percentages(result.shares)} of that in the feature space`],
    ],
  };
}
