import { inputError } from "../../core/internal.ts";
import {
  matrix,
  multiply,
  multiplyTransposeB,
  restoreMatrix,
  type Matrix,
  type StoredMatrix,
} from "../../matrix/index.ts";
import { mapped, requireFinite } from "../../matrix/internal.ts";
import { mostProbable } from "./memberships.ts";
import { expected, inverted, type CodedColumn, type MixedParameters } from "./mixedEm.ts";

/** A mixture of numbers and categories in plain JSON. */
export interface MixedMixtureModel {
  readonly method: "mixed-mixture";
  readonly weights: readonly number[];
  readonly means: StoredMatrix;
  readonly covariance: StoredMatrix;
  /** For each categorical column K x levels probabilities. */
  readonly levels: readonly StoredMatrix[];
  /** z = (x - center) projection. */
  readonly center: readonly number[];
  readonly projection: StoredMatrix;
}

/** The most probable component of other rows, and the probabilities of all. */
export function assignMixedMixture(
  model: MixedMixtureModel,
  X: Matrix,
  codes: readonly CodedColumn[],
): { labels: Int32Array; posteriors: Matrix; logDensities: Float64Array } {
  const { projection, ...parameters } = restored(model);
  const { levels } = parameters;
  if (X.cols !== projection.rows) {
    throw inputError(`the mixture has ${projection.rows} numeric columns, but these rows have ${X.cols}`);
  }
  if (codes.length !== model.levels.length) {
    throw inputError(
      `the mixture has ${model.levels.length} categories, but these rows have ${codes.length}`,
    );
  }
  requireFinite(X);
  const known = codes.map((column, v) => {
    const L = levels[v].cols;
    // A level that the mixture does not know carries no information.
    return { codes: column.codes.map((code) => (code < L ? code : -1)), levels: L };
  });
  const { posteriors, logDensities } = expected(parameters, projected(X, model.center, projection), known);
  return { labels: mostProbable(posteriors).labels, posteriors, logDensities };
}

/**
 * The mixture as sums: up to a term common to all components, the logarithm of the probability of component k
 * is bias_k + x' weights_k + sum_v logs_v[k, level], because one covariance leaves no square of x (Fisher
 * 1936).
 */
export interface LinearMixture {
  readonly bias: Float64Array;
  /** Numeric columns x K. */
  readonly weights: Matrix;
  /** For each categorical column K x levels. */
  readonly logs: readonly Matrix[];
}

/** The sums of a mixture whose components share one covariance. */
export function linearMixture(model: MixedMixtureModel): LinearMixture {
  const { projection, means, covariance, levels, weights: shares } = restored(model);
  const bias = shares.map(Math.log);
  const K = bias.length;
  const weights = matrix(projection.rows, K);
  if (means.cols > 0) {
    const A = multiply(means, inverted(covariance).inverse);
    weights.data.set(multiplyTransposeB(projection, A).data);
    for (let k = 0; k < K; k++) {
      for (let f = 0; f < means.cols; f++) {
        bias[k] -= (means.data[k * means.cols + f] * A.data[k * means.cols + f]) / 2;
      }
      for (let f = 0; f < projection.rows; f++) bias[k] -= model.center[f] * weights.data[f * K + k];
    }
  }
  return { bias, weights, logs: levels.map((theta) => mapped(theta, (value) => Math.log(value))) };
}

function restored(model: MixedMixtureModel): MixedParameters & { readonly projection: Matrix } {
  const { means, covariance, projection } = model;
  return {
    weights: Float64Array.from(model.weights),
    means: restoreMatrix(means, "the means of the mixture"),
    covariance: restoreMatrix(covariance, "the covariance of the mixture"),
    levels: model.levels.map((theta) => restoreMatrix(theta, "the levels of the mixture")),
    projection: restoreMatrix(projection, "the projection of the mixture"),
  };
}

function projected(X: Matrix, center: readonly number[], projection: Matrix): Matrix {
  if (projection.cols === 0) return matrix(X.rows, 0);
  return multiply(
    mapped(X, (value, p) => value - center[p % X.cols]),
    projection,
  );
}
