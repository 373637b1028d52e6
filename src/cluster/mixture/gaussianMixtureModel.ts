import {
  asMatrix,
  matrix,
  restoreMatrix,
  storeMatrix,
  type Matrix,
  type MatrixLike,
  type StoredMatrix,
} from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { extended, inputError, plain, stored } from "../../core/internal.ts";
import { loadKnown } from "../knownRows.ts";
import { type KnownRowsData } from "../centerModel.ts";
import { precisions, type CovarianceKind, type Covariances } from "./gaussianCovariance.ts";
import { mostProbable } from "./memberships.ts";
import { responsibilities } from "./gaussianEm.ts";

/** A mixture density, and its statements about rows. */
export interface GaussianMixtureModel {
  readonly method: "gmm";
  readonly covariance: CovarianceKind;
  /** Number of components; fewer than requested only if some died or rows are equal (with a warning). */
  readonly clusters: number;
  /** pi, adding to 1. */
  readonly weights: Float64Array;
  /** K x d: the means of the components. */
  readonly centers: Matrix;
  /** "full": K matrices, "tied": one, "diagonal": one K x d of variances, "spherical": one K x 1. */
  readonly covariances: Covariances;
  /** The most probable component of each row of Y. */
  predict(Y: MatrixLike): Int32Array;
  /** n x K probabilities of the components given the row; rows add to 1. */
  responsibilities(Y: MatrixLike): Matrix;
  /** The logarithm of the density at each row. */
  logDensities(Y: MatrixLike): Float64Array;
  readonly placement: "mixture";
  model(): GaussianMixtureData;
  toJSON(): object;
}

/** A mixture as it is written to a file. */
export interface GaussianMixtureData {
  readonly method: "gmm";
  readonly covariance: CovarianceKind;
  readonly weights: readonly number[];
  readonly centers: StoredMatrix;
  readonly covariances: readonly StoredMatrix[];
  /** For methods other than the mixture itself: rows that this rule would place elsewhere. */
  readonly known?: KnownRowsData;
}

type Parts = Pick<GaussianMixtureModel, "covariance" | "clusters" | "weights" | "centers" | "covariances">;

export function mixtureModel(parts: Parts): GaussianMixtureModel {
  const { covariance: kind, clusters: K, weights, centers, covariances } = parts;
  const mixture = { kind, weights, means: centers.data, covariances };
  const evaluate = (input: MatrixLike): { R: Float64Array; logs: Float64Array } => {
    const Y = asMatrix(input, "predict");
    if (Y.cols !== centers.cols) {
      throw inputError(`the mixture has ${centers.cols} columns, but these rows have ${Y.cols}`);
    }
    requireFinite(Y);
    const R = new Float64Array(Y.rows * K);
    const logs = responsibilities(Y, mixture, precisions(kind, covariances, K, centers.cols), R);
    return { R, logs };
  };
  const model: GaussianMixtureModel = plain({
    method: "gmm",
    ...parts,
    predict: (Y) => mostProbable(model.responsibilities(Y)).labels,
    responsibilities: (Y) => {
      const { R } = evaluate(Y);
      return matrix(R.length / K, K, R);
    },
    logDensities: (Y) => evaluate(Y).logs,
    placement: "mixture",
    model: () => ({
      method: "gmm",
      covariance: kind,
      weights: Array.from(weights),
      centers: storeMatrix(centers),
      covariances: covariances.map(storeMatrix),
    }),
  });
  return model;
}

/** Reads the output of `model()`. */
export function loadGaussianMixture(data: GaussianMixtureData): GaussianMixtureModel {
  const checked = stored(data, "the mixture");
  const kind = checked.choice("covariance", ["full", "tied", "diagonal", "spherical"]);
  const centers = restoreMatrix(data.centers, "the list of centres of the mixture");
  const { rows: clusters, cols: d } = centers;
  if (clusters === 0 || d === 0) throw checked.damaged('"centers" is empty');
  const weights = Float64Array.from(checked.numbers("weights", clusters, { min: 0, max: 1 + 1e-9 }));
  if (Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) > 1e-6) {
    throw checked.damaged('"weights" do not add to 1');
  }
  checked.list("covariances", kind === "full" ? clusters : 1);
  const covariances = data.covariances.map((S) => restoreMatrix(S, "a covariance of the mixture"));
  for (const { rows, cols, data: values } of covariances) {
    const [needRows, needCols] =
      kind === "full" || kind === "tied" ? [d, d] : [clusters, kind === "diagonal" ? d : 1];
    if (rows !== needRows || cols !== needCols) {
      throw checked.damaged(`a covariance is ${rows} x ${cols} where ${needRows} x ${needCols} belongs`);
    }
    const variances =
      needRows === d && cols === d && kind !== "diagonal"
        ? values.filter((_, p) => p % (d + 1) === 0)
        : values;
    if (!variances.every((variance) => variance > 0)) throw checked.damaged("a variance is not above 0");
  }
  const model = mixtureModel({ covariance: data.covariance, clusters, weights, centers, covariances });
  if (data.known === undefined) return model;
  return extended(model, { predict: loadKnown(data.known, clusters, (Y: Matrix) => model.predict(Y)) });
}
