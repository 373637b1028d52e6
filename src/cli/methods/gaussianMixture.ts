import { Option } from "commander";
import type { GaussianMixtureFit } from "../../cluster/mixture/gaussianMixture.ts";
import { gaussianMixture, type CovarianceKind } from "../../cluster/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { finiteNumber, integerAtLeast } from "../arguments.ts";
import type { Clustering, Details, MethodFile, MethodOptions } from "../methods.ts";
import { percentages } from "../shares.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return [
    new Option("--covariance <kind>", "shape of the clusters (default: full)").choices([
      "full",
      "tied",
      "diagonal",
      "spherical",
    ]),
    new Option("--ridge <r>", "least variance, relative to the mean variance (default: 1e-6)").argParser(
      finiteNumber,
    ),
    new Option("--restarts <n>", "independent starts, the best is kept (default: 10)").argParser(
      integerAtLeast(1),
    ),
    new Option("--max-iterations <n>", "of EM for each start (default: 1000)").argParser(integerAtLeast(1)),
    new Option(
      "--tolerance <t>",
      "stop when an iteration adds no more than this to the mean log-likelihood (default: 1e-8)",
    ).argParser(finiteNumber),
  ];
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const { covariance, ridge, restarts, maxIterations, tolerance } = own as {
    covariance?: CovarianceKind;
    ridge?: number;
    restarts?: number;
    maxIterations?: number;
    tolerance?: number;
  };
  const options = {
    clusters: clusters as number,
    seed,
    covariance,
    ridge,
    restarts,
    maxIterations,
    tolerance,
  };
  const result = gaussianMixture(X as Matrix, { ...options, onProgress });
  return {
    ...result,
    details: mixtureDetails(result),
    model: result.model(),
    drawing: { history: result.history },
    call: { name: "gaussianMixture", options },
  };
}

export function mixtureDetails(fit: GaussianMixtureFit): Details {
  const { covariance, logLikelihood, bic, aic, parameters, weights } = fit;
  return {
    json: { covariance, logLikelihood, bic, aic, parameters, weights: Array.from(weights) },
    lines: [
      ["likelihood", `log ${logLikelihood.toFixed(2)}, ${parameters} parameters, BIC ${bic.toFixed(2)}`],
      ["weights", percentages(weights)],
    ],
  };
}
