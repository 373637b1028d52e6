import type { Option } from "commander";
import { cpdUml } from "../../embed/index.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import type { Sparse } from "../../matrix/sparse.ts";
import { adjustedRand } from "../../score/index.ts";
import { cpdUmlFlags, cpdUmlGiven, cpdUmlLines } from "../cpdUmlOptions.ts";
import type { Clustering, MethodFile, MethodOptions } from "../methods.ts";

export const accepts: MethodFile["accepts"] = { clusters: "required", seed: true, sparse: false };

export function options(): Option[] {
  return cpdUmlFlags();
}

export function run(X: Matrix | Sparse, { clusters, seed, onProgress, own }: MethodOptions): Clustering {
  const options = { clusters: clusters as number, seed, ...cpdUmlGiven(own) };
  const fit = cpdUml(X as Matrix, { ...options, onProgress });
  const {
    labels,
    sizes,
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    outcome,
    period,
    returned,
  } = fit;
  const agreement = adjustedRand(labels, fit.spectralLabels);
  return {
    labels,
    sizes,
    converged,
    warnings,
    objective,
    iterations,
    certificate,
    model: fit.model(),
    details: {
      json: {
        setting: fit.setting,
        outcome,
        period,
        returned,
        grid: fit.grid,
        spectralLabels: Array.from(fit.spectralLabels),
      },
      lines: [
        ...cpdUmlLines(fit),
        [
          "without it",
          `the spectral step alone gives clusters at adjusted Rand ${agreement.toFixed(3)} to these`,
        ],
      ],
    },
    drawing: { history: fit.history, ...(fit.kernel === undefined && { moved: fit.field.moved }) },
    call: { name: "cpdUml", options },
  };
}
