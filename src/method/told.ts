import type { GaussianMixtureFit } from "../cluster/index.ts";
import type { CpdUml, Naml } from "../embed/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { KernelFunction } from "../metric/index.ts";
import type { Drawing, Fact } from "./method.ts";

/** What a method tells of a fit, beside its labels. */
export interface Told {
  readonly facts: readonly Fact[];
  readonly details: object;
  readonly drawing?: Drawing;
}

/** "72.9 %, 22.9 %": shares of 1 for people; only the first few of many. */
export function percentages(shares: ArrayLike<number>): string {
  return listed(Array.from(shares, (share) => `${(100 * share).toFixed(1)} %`));
}

export function listed(parts: readonly (string | number)[], most: number = 6): string {
  return `${parts.slice(0, most).join(", ")}${parts.length > most ? ", ..." : ""}`;
}

export function short(value: number, digits: number = 4): string {
  return String(Number(value.toPrecision(digits)));
}

export function named(classes: readonly (string | number)[]): string {
  return classes.map((name, k) => `${k} = ${name}`).join(", ");
}

/** "gaussian, sigma 1.5" */
export function kernelText(kernel: KernelFunction): string {
  if (kernel.kind === "gaussian") return `gaussian, sigma ${short(kernel.sigma, 5)}`;
  return kernel.kind === "polynomial"
    ? `polynomial, degree ${kernel.degree}, offset ${kernel.offset}`
    : kernel.kind;
}

export function mixtureTold(fit: GaussianMixtureFit): Told {
  const { covariance, logLikelihood, bic, aic, parameters, weights } = fit;
  return {
    facts: [
      ["likelihood", `log ${logLikelihood.toFixed(2)}, ${parameters} parameters, BIC ${bic.toFixed(2)}`],
      ["weights", percentages(weights)],
    ],
    details: { covariance, logLikelihood, bic, aic, parameters, weights: Array.from(weights) },
  };
}

export function cpdUmlFacts(fit: CpdUml): Fact[] {
  const { setting, certificate, grid } = fit;
  const ends = {
    converged: "the partition repeats itself",
    cycle: `a cycle of ${fit.period} partitions`,
    limit: "the limit of iterations",
    stopped: "stopped",
  };
  const best = grid.reduce((most, { stability }) => Math.max(most, stability), -Infinity);
  return [
    [
      "field",
      `sigma ${short(setting.sigma, 5)} (${setting.sigmaFrom}), lambda ${short(setting.lambda, 5)} ` +
        `(${setting.lambdaFrom})${setting.landmarks > 0 ? `, ${setting.landmarks} landmarks` : ""}`,
    ],
    ["ended by", `${ends[fit.outcome]}; iterate ${fit.returned} of ${fit.iterations} is returned`],
    ["proof", `${certificate.kind}, gradient of the field ${certificate.gradient.toExponential(1)}`],
    ...(grid.length === 0
      ? []
      : [["choice", `the most stable of ${grid.length} settings, adjusted Rand ${best.toFixed(3)}`] as Fact]),
  ];
}

export function discriminants({ objective, embedding }: { objective: number; embedding: Matrix }): Told {
  const count = embedding.cols;
  return {
    facts: [["projection", `${count} discriminants explain ${objective.toFixed(3)} of ${count} indicators`]],
    details: { dims: count },
  };
}

export function kernelMixture(fit: Naml): Told {
  const { weights, mixture, certificate } = fit;
  const parts = Array.from(weights, (weight, k) =>
    weight < 0.005 ? [] : [`${(100 * weight).toFixed(0)} % of width ${short(mixture.sigmas[k], 3)}`],
  ).flat();
  const { facts, details } = discriminants(fit);
  return {
    facts: [
      ["kernel", `${parts.join(", ")}; other weights could gain ${certificate.gap.toExponential(1)}`],
      ...facts,
    ],
    details: { ...details, sigmas: mixture.sigmas, weights: Array.from(weights) },
  };
}
