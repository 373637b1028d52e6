import { extended, optionError, rule } from "../../core/internal.ts";
import { asMatrix, type MatrixLike } from "../../matrix/index.ts";
import { requireClusters } from "../clusterInput.ts";
import { COVARIANCE_MODELS, type CovarianceModel } from "./covarianceModels.ts";
import { gaussianMixture, gaussianMixtureOptions, type GaussianMixture } from "./gaussianMixture.ts";

export const mclustOptions = {
  ...rule.without(gaussianMixtureOptions, "covariance"),
  /** K; chosen by BIC if it is not given. */
  clusters: rule.integer({ min: 1 }),
  maxClusters: rule.integer({ min: 1, says: "maximum number of components, if it is not given", usual: "9" }),
  /** The models to try; default: all 14. */
  models: rule.given<readonly CovarianceModel[]>(
    `some of ${COVARIANCE_MODELS.join(", ")}`,
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((name) => COVARIANCE_MODELS.includes(name as never)),
    COVARIANCE_MODELS,
  ),
  restarts: rule.integer({ min: 1, max: 10_000, default: 3, says: "independent starts of each mixture" }),
};

export type MclustOptions = rule.OptionsOf<typeof mclustOptions>;

export interface Mclust extends GaussianMixture {
  /** The chosen model. */
  readonly chosen: CovarianceModel;
  /** Every mixture that was fitted; a smaller BIC is better (mclust has it with the other sign). */
  readonly tried: readonly {
    readonly model: CovarianceModel;
    readonly clusters: number;
    readonly bic: number;
  }[];
}

/**
 * Model-based clustering (C. Fraley and A. E. Raftery, 2002): Gaussian mixtures with all 14 constraints on their covariances
 * and all numbers of components, of which the one of the smallest BIC is taken.
 *
 * When not: clusters that are no ellipses, which BIC divides into several components; many columns, for 14 fits of each number.
 */
export function mclust(input: MatrixLike, options: MclustOptions = {}): Mclust {
  const X = asMatrix(input, "mclust");
  const {
    clusters,
    maxClusters = 9,
    models,
    onProgress,
    ...own
  } = rule.resolveOptions("mclust", options, mclustOptions);
  requireClusters("mclust", X, clusters);
  if (clusters !== undefined && options.maxClusters !== undefined) {
    throw optionError("mclust: give one of clusters and maxClusters");
  }
  const counts =
    clusters === undefined
      ? Array.from({ length: Math.min(maxClusters, X.rows) }, (_, k) => k + 1)
      : [clusters];
  const tried: { model: CovarianceModel; clusters: number; bic: number }[] = [];
  let best: { fit: GaussianMixture; model: CovarianceModel } | undefined;
  const all = counts.flatMap((K) => models.map((model) => ({ K, model })));
  for (const [at, { K, model }] of all.entries()) {
    if (onProgress?.({ fraction: at / all.length, label: `${model}, ${K}` }) === false && best !== undefined)
      break;
    const fit = gaussianMixture(X, { ...own, clusters: K, covariance: model });
    // A component that the ridge alone keeps from collapsing has a likelihood without meaning.
    const flat = fit.warnings.some((warning) => warning.includes("flat in some direction"));
    tried.push({ model, clusters: fit.clusters, bic: fit.bic });
    if (best === undefined || (!flat && fit.bic < best.fit.bic)) best = { fit, model };
  }
  const { fit, model } = best!;
  return extended(fit, { chosen: model, tried });
}
