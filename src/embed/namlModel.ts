import {
  asMatrix,
  multiply,
  nearestRows,
  restoreMatrix,
  restoreNumbers,
  storeMatrix,
  type Matrix,
  type MatrixLike,
  type StoredMatrix,
} from "../matrix/index.ts";
import { requireFinite } from "../matrix/internal.ts";
import type { KnownRowsData } from "../cluster/index.ts";
import { loadKnown } from "../cluster/internal.ts";
import { extended, inputError, plain } from "../core/internal.ts";
import { type KernelMixture, mixedCross } from "./kernelMixture.ts";

export interface NamlParts {
  /** Its training rows, for comparison with new rows. */
  readonly rows: Matrix;
  readonly mixture: Pick<KernelMixture, "sigmas" | "scales" | "means">;
  /** theta, one for each width. */
  readonly weights: Float64Array;
  /** n x r: the mixture of kernels times these are the coordinates. */
  readonly coefficients: Matrix;
  /** K x r. */
  readonly centers: Matrix;
}

/** What places new rows. */
export interface NamlModel extends NamlParts {
  readonly method: "naml";
  readonly clusters: number;
  transform(Y: MatrixLike): Matrix;
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "projection";
  model(): NamlData;
  toJSON(): object;
}

/** The form in a file. */
export interface NamlData {
  readonly method: "naml";
  readonly rows: StoredMatrix;
  readonly sigmas: readonly number[];
  readonly scales: readonly number[];
  readonly means: readonly (readonly number[])[];
  readonly weights: readonly number[];
  readonly coefficients: StoredMatrix;
  readonly centers: StoredMatrix;
  readonly known?: KnownRowsData;
}

export function namlModel(parts: NamlParts): NamlModel {
  const { rows, mixture, weights, coefficients, centers } = parts;
  const transform = (input: MatrixLike): Matrix => {
    const Y = asMatrix(input, "naml");
    requireFinite(Y);
    if (Y.cols !== rows.cols) {
      throw inputError(`naml was made of ${rows.cols} columns, but these rows have ${Y.cols}`);
    }
    return multiply(mixedCross(Y, rows, mixture, weights), coefficients);
  };
  return plain({
    ...parts,
    method: "naml",
    clusters: centers.rows,
    transform,
    predict: (Y) => {
      const Z = transform(Y);
      return Z.rows === 0 ? new Int32Array(0) : nearestRows(centers, 1, { queries: Z }).indices;
    },
    placement: "projection",
    model: () => ({
      method: "naml",
      rows: storeMatrix(rows),
      sigmas: mixture.sigmas,
      scales: Array.from(mixture.scales),
      means: mixture.means.map((mean) => Array.from(mean)),
      weights: Array.from(weights),
      coefficients: storeMatrix(coefficients),
      centers: storeMatrix(centers),
    }),
  });
}

/** Reads the output of `model()`. */
export function loadNaml(data: NamlData): NamlModel {
  const rows = restoreMatrix(data.rows, "the rows of naml");
  const coefficients = restoreMatrix(data.coefficients, "the coefficients of naml");
  const centers = restoreMatrix(data.centers, "the centres of naml");
  const sigmas = Array.from(restoreNumbers(data.sigmas, "the widths of naml", { min: 0 }));
  if (sigmas.includes(0)) throw inputError("a width of naml is 0: the file is damaged");
  const count = sigmas.length;
  const { means } = data;
  if (!Array.isArray(means) || means.length !== count) {
    throw inputError("naml lacks the means of some kernel: the file is damaged");
  }
  if (coefficients.rows !== rows.rows || centers.cols !== coefficients.cols) {
    throw inputError("the rows, coefficients and centres of naml do not fit: the file is damaged");
  }
  const model = namlModel({
    rows,
    mixture: {
      sigmas,
      scales: restoreNumbers(data.scales, "the scales of naml", { count, min: 0 }),
      means: data.means.map((mean) => restoreNumbers(mean, "the means of naml", { count: rows.rows })),
    },
    weights: restoreNumbers(data.weights, "the weights of naml", { count, min: 0, max: 1 }),
    coefficients,
    centers,
  });
  if (data.known === undefined) return model;
  return extended(model, {
    predict: loadKnown(data.known, model.clusters, (Y: Matrix) => model.predict(Y)),
  });
}
