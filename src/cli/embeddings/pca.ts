import { Option } from "commander";
import { pca } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Embedded, EmbedFile, EmbedOptions } from "../embedMethods.ts";
import { percentages } from "../shares.ts";

export const accepts: EmbedFile["accepts"] = { clusters: "no", seed: true, sparse: true };

export function options(): Option[] {
  return [
    new Option("--whiten", "divide every coordinate by its standard deviation"),
    new Option("--no-center", "do not subtract the mean"),
    new Option("--solver <how>", "all singular values, or only those asked for (default: by size)").choices([
      "auto",
      "full",
      "top",
    ]),
  ];
}

export function run(X: Matrix | Sparse, { dims, seed, own }: EmbedOptions): Embedded {
  const { whiten, center, solver } = own as {
    whiten?: boolean;
    center?: boolean;
    solver?: "auto" | "full" | "top";
  };
  const result = pca(X, { dims, seed, whiten, center, solver });
  return { ...result, model: result.model(), lines: [["variance", percentages(result.shares)]] };
}
