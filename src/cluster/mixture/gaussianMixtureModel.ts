import { inputError } from "../../core/errors.ts";
import { matrix, requireFinite, type Matrix } from "../../matrix/matrix.ts";
import { restoreMatrix, storeMatrix, type StoredMatrix } from "../../matrix/storedMatrix.ts";
import { precisions, type CovarianceKind, type Covariances } from "./gaussianCovariance.ts";
import { responsibilities } from "./gaussianEm.ts";

/** A mixture density, and what it says of rows. */
export interface GaussianMixtureModel {
  readonly method: "gmm";
  readonly covariance: CovarianceKind;
  /** Components; fewer than asked for only when some died or rows are equal (with a warning). */
  readonly clusters: number;
  /** pi, adding to 1. */
  readonly weights: Float64Array;
  /** K x d. */
  readonly means: Matrix;
  /** "full": K matrices, "tied": one, "diagonal": one K x d of variances, "spherical": one K x 1. */
  readonly covariances: Covariances;
  /** The most probable component of each row of Y. */
  predict(Y: Matrix): Int32Array;
  /** n x K probabilities of the components given the row; rows add to 1. */
  responsibilities(Y: Matrix): Matrix;
  /** The logarithm of the density at each row. */
  logDensities(Y: Matrix): Float64Array;
  toJSON(): GaussianMixtureData;
}

/** A mixture as it is written to a file. */
export interface GaussianMixtureData {
  readonly method: "gmm";
  readonly covariance: CovarianceKind;
  readonly weights: readonly number[];
  readonly means: StoredMatrix;
  readonly covariances: readonly StoredMatrix[];
}

type Parts = Pick<GaussianMixtureModel, "covariance" | "clusters" | "weights" | "means" | "covariances">;

export function mixtureModel(parts: Parts): GaussianMixtureModel {
  const { covariance: kind, clusters: K, weights, means, covariances } = parts;
  const mixture = { kind, weights, means: means.data, covariances };
  const evaluate = (Y: Matrix): { R: Float64Array; logs: Float64Array } => {
    if (Y.cols !== means.cols) {
      throw inputError(`the mixture has ${means.cols} columns, but these rows have ${Y.cols}`);
    }
    requireFinite(Y);
    const R = new Float64Array(Y.rows * K);
    const logs = responsibilities(Y, mixture, precisions(kind, covariances, K, means.cols), R);
    return { R, logs };
  };
  return {
    method: "gmm",
    ...parts,
    predict(Y) {
      const { R } = evaluate(Y);
      return Int32Array.from({ length: Y.rows }, (_, i) => {
        let best = 0;
        for (let k = 1; k < K; k++) if (R[i * K + k] > R[i * K + best]) best = k;
        return best;
      });
    },
    responsibilities: (Y) => matrix(Y.rows, K, evaluate(Y).R),
    logDensities: (Y) => evaluate(Y).logs,
    toJSON: () => ({
      method: "gmm",
      covariance: kind,
      weights: Array.from(weights),
      means: storeMatrix(means),
      covariances: covariances.map(storeMatrix),
    }),
  };
}

/** Reads back what `toJSON` wrote. */
export function loadGaussianMixture(data: GaussianMixtureData): GaussianMixtureModel {
  const means = restoreMatrix(data.means, "the means of the mixture");
  const weights = Float64Array.from(data.weights);
  const covariances = data.covariances.map((S) => restoreMatrix(S, "a covariance of the mixture"));
  if (weights.length !== means.rows || covariances.length !== (data.covariance === "full" ? means.rows : 1)) {
    throw inputError(
      `the mixture has ${means.rows} means, ${weights.length} weights and ${covariances.length} covariances: ` +
        "the file is damaged",
    );
  }
  return mixtureModel({ covariance: data.covariance, clusters: means.rows, weights, means, covariances });
}
