import type { Option } from "commander";
import { aml, naml, type AmlOptions } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";
import { amlGiven, namlFlags, namlGiven, namlKernel, namlLines } from "../projectionOptions.ts";
import { amlClustering } from "./aml.ts";

export const accepts: MethodFile["accepts"] = {
  clusters: "required",
  seed: true,
  sparse: false,
  quadratic: true,
};

export function options(): Option[] {
  return namlFlags();
}

/** With --kernel that kernel is kept; without, a mixture of widths is learned. */
export function run(X: Matrix | Sparse, given: MethodOptions): Clustering {
  const { clusters, seed, onProgress, own } = given;
  const kernel = namlKernel(own);
  if (kernel !== undefined) {
    const options: AmlOptions = { clusters: clusters as number, seed, ...amlGiven(own), ...kernel };
    return amlClustering(aml(X as Matrix, { ...options, onProgress }), options);
  }
  const options = { clusters: clusters as number, seed, ...namlGiven(own) };
  const fit = naml(X as Matrix, { ...options, onProgress });
  return {
    labels: fit.labels,
    sizes: fit.sizes,
    converged: fit.converged,
    warnings: fit.warnings,
    objective: fit.objective,
    iterations: fit.iterations,
    certificate: fit.certificate,
    model: fit.toJSON(),
    details: {
      json: { dims: fit.embedding.cols, sigmas: fit.mixture.sigmas, weights: Array.from(fit.weights) },
      lines: namlLines(fit),
    },
    call: { name: "naml", options },
  };
}
