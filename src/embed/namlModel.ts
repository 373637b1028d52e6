import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { matrixForm, requireFinite } from "../matrix/internal.ts";
import { knownRowsForm } from "../cluster/internal.ts";
import {
  asStored,
  choice,
  inputError,
  list,
  load,
  numbers,
  optional,
  plain,
  record,
  type LoadedOf,
  type StoredOf,
} from "../core/internal.ts";
import type { PlacingMap } from "./embedding.ts";
import { type KernelMixture, mixedCross } from "./kernelMixture.ts";
import { withKnown } from "./projection.ts";

/** The form in a file. */
const namlForm = record({
  method: choice("naml"),
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("rows"),
  /** The kernels (kernelMixture.ts). */
  sigmas: asStored(numbers("kernels", { above: 0 })),
  scales: numbers("kernels", { min: 0 }),
  means: list(numbers("rows"), "kernels"),
  /** theta, one for each width. */
  weights: numbers("kernels", { min: 0, max: 1 }),
  /** n x r: the mixture of kernels times these are the coordinates. */
  coefficients: matrixForm("rows", "coordinates"),
  /** K x r. */
  centers: matrixForm("clusters", "coordinates"),
  known: optional(knownRowsForm),
});

export interface NamlData extends StoredOf<typeof namlForm> {}

interface NamlParts extends Pick<LoadedOf<typeof namlForm>, "rows" | "weights" | "coefficients" | "centers"> {
  readonly mixture: Pick<KernelMixture, "sigmas" | "scales" | "means">;
}

/** What places new rows. */
export interface NamlModel extends NamlParts, PlacingMap<NamlData> {
  readonly method: "naml";
  readonly clusters: number;
  readonly placement: "projection";
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
    predict: (Y) => nearestRows(centers, 1, { queries: transform(Y) }).indices,
    placement: "projection",
    model: () => namlForm.save({ method: "naml", ...parts, ...mixture }),
  });
}

/** Reads the output of `model()`. */
export function loadNaml(data: NamlData): NamlModel {
  const { known, sigmas, scales, means, ...parts } = load(namlForm, data, "naml");
  return withKnown(namlModel({ ...parts, mixture: { sigmas, scales, means } }), known);
}
