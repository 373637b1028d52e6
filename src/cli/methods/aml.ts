import type { Option } from "commander";
import { aml, type Aml, type AmlOptions } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { amlFlags, amlGiven, amlLines } from "../projectionOptions.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return amlFlags();
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const options: AmlOptions = { clusters: clusters as number, seed, ...amlGiven(own) };
  return amlClustering(aml(X as Matrix, { ...options, onProgress }), options);
}

export function amlClustering(fit: Aml, options: AmlOptions): Clustering {
  const { labels, sizes, converged, warnings, objective, iterations } = fit;
  return {
    labels,
    sizes,
    converged,
    warnings,
    objective,
    iterations,
    model: fit.model(),
    details: { json: { dims: fit.embedding.cols }, lines: amlLines(fit) },
    call: { name: "aml", options },
  };
}
