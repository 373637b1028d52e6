import { Option } from "commander";
import { fme, type FmeOptions } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { fmeFlags, fmeGiven, fmeLines } from "../projectionOptions.ts";

export const accepts: MethodFile["accepts"] = {
  clusters: "optional",
  seed: true,
  sparse: false,
  labels: true,
};

export function options(): Option[] {
  return [
    new Option("--dims <n>", "coordinates without labels (default: one less than clusters)").argParser(
      integerAtLeast(1),
    ),
    new Option("--trust <u>", "weight of the known labels (default: 1000)").argParser(finiteNumber),
    ...fmeFlags(),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, labels, own }: MethodOptions): Clustering {
  const { dims, trust } = own as { dims?: number; trust?: number };
  const options: FmeOptions = { clusters, seed, dims, trust, labels, ...fmeGiven(own) };
  const fit = fme(X as Matrix, options);
  const { classes, converged, warnings, objective, iterations, certificate } = fit;
  const named = classes?.map((name, k) => `${k} = ${name}`).join(", ");
  return {
    labels: fit.labels,
    sizes: fit.sizes,
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    model: fit.model(),
    details: {
      json: { dims: fit.embedding.cols, ...(classes !== undefined && { classes }) },
      lines: [...fmeLines(fit), ...(named === undefined ? [] : ([["labels", named]] as const))],
    },
    call: { name: "fme", options },
  };
}
