import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { matrixForm, requireFinite } from "../matrix/internal.ts";
import { knownRowsForm, placeKnown } from "../cluster/internal.ts";
import {
  asStored,
  choice,
  extended,
  inputError,
  list,
  load,
  numbers,
  optional,
  plain,
  record,
  type StoredOf,
} from "../core/internal.ts";
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
const namlForm = record({
  method: choice("naml"),
  rows: matrixForm("rows"),
  sigmas: asStored(numbers("kernels", { above: 0 })),
  scales: numbers("kernels", { min: 0 }),
  means: list(numbers("rows"), "kernels"),
  weights: numbers("kernels", { min: 0, max: 1 }),
  coefficients: matrixForm("rows", "coordinates"),
  centers: matrixForm("clusters", "coordinates"),
  known: optional(knownRowsForm),
});

export interface NamlData extends StoredOf<typeof namlForm> {}

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
    model: () => namlForm.save({ method: "naml", ...parts, ...mixture }),
  });
}

/** Reads the output of `model()`. */
export function loadNaml(data: NamlData): NamlModel {
  const { known, sigmas, scales, means, ...parts } = load(namlForm, data, "naml");
  const model = namlModel({ ...parts, mixture: { sigmas, scales, means } });
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) });
}
