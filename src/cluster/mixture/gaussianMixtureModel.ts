import { asMatrix, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { matrixForm, requireFinite } from "../../matrix/internal.ts";
import { extended, form, inputError, plain } from "../../core/internal.ts";
import { knownRowsForm, placeKnown } from "../knownRows.ts";
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
const gaussianMixtureForm = form.where(
  form.record({
    method: form.choice("gmm"),
    covariance: form.choice("full", "tied", "diagonal", "spherical"),
    centers: matrixForm("clusters", "columns"),
    weights: form.numbers("clusters", { min: 0, max: 1 + 1e-9 }),
    covariances: form.list(matrixForm()),
    /** For methods other than the mixture itself: rows that this rule would place elsewhere. */
    known: form.optional(knownRowsForm),
  }),
  ({ covariance: kind, centers: { rows: K, cols: d }, weights, covariances }, refuse) => {
    if (K === 0 || d === 0) throw refuse("centers", "is empty");
    if (Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1) > 1e-6) {
      throw refuse("weights", "does not add to 1");
    }
    const square = kind === "full" || kind === "tied";
    const [count, rows, cols] = [kind === "full" ? K : 1, square ? d : K, kind === "spherical" ? 1 : d];
    if (covariances.length !== count) {
      throw refuse("covariances", `has ${covariances.length} entries where ${count} belong`);
    }
    for (const [k, S] of covariances.entries()) {
      if (S.rows !== rows || S.cols !== cols) {
        throw refuse(`covariances[${k}]`, `is ${S.rows} x ${S.cols} where ${rows} x ${cols} belongs`);
      }
      if (!S.data.every((value, p) => value > 0 || (square && p % (d + 1) !== 0))) {
        throw refuse(`covariances[${k}]`, "has a variance that is not above 0");
      }
    }
  },
);

export interface GaussianMixtureData extends form.StoredOf<typeof gaussianMixtureForm> {}

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
    model: () => gaussianMixtureForm.save({ method: "gmm", ...parts }),
  });
  return model;
}

/** Reads the output of `model()`. */
export function loadGaussianMixture(data: GaussianMixtureData): GaussianMixtureModel {
  const { covariance, centers, weights, covariances, known } = form.load(
    gaussianMixtureForm,
    data,
    "the mixture",
  );
  const model = mixtureModel({ covariance, clusters: centers.rows, weights, centers, covariances });
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) });
}
