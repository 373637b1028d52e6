import { asMatrix, matrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { columnMeans, diagonalOf, matrixForm, requireFinite } from "../matrix/internal.ts";
import { knownRowsForm } from "../cluster/internal.ts";
import { shiftedKernelMatrix } from "../metric/index.ts";
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
import { requireColumns } from "./checkedRows.ts";
import type { PlacingMap } from "./embedding.ts";
import { centreKernel } from "./kernelPca.ts";
import { withKnown } from "./projection.ts";

/** The form in a file. */
const namlForm = record({
  method: choice("naml"),
  /** Its training rows, for comparison with new rows. */
  rows: matrixForm("rows"),
  /** The kernels (`KernelMixture`). */
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
    requireColumns("naml", rows.cols, Y);
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

/** Gaussian kernels of several widths on the same rows, each centred and of trace n, to be mixed by weights. */
export interface KernelMixture {
  readonly sigmas: readonly number[];
  /** n x n each. */
  readonly kernels: readonly Matrix[];
  /** The factors that bring each to trace n. */
  readonly scales: Float64Array;
  /** Column means of each before centring, and their mean. */
  readonly means: readonly Float64Array[];
}

export function kernelMixture(X: Matrix, sigmas: readonly number[]): KernelMixture {
  const n = X.rows;
  const scales = new Float64Array(sigmas.length);
  const means: Float64Array[] = [];
  const kernels = sigmas.map((sigma, k) => {
    const K = shiftedKernelMatrix(X, X, { kind: "gaussian", sigma });
    means.push(columnMeans(K));
    centreKernel(K, means[k]);
    const trace = diagonalOf(K).reduce((sum, value) => sum + value, 0);
    if (!(trace > 0)) throw inputError(`naml: all rows are equal under the kernel of width ${sigma}`);
    scales[k] = n / trace;
    for (let p = 0; p < K.data.length; p++) K.data[p] *= scales[k];
    return K;
  });
  return { sigmas, kernels, scales, means };
}

/** sum_k weights_k K_k. */
export function mixed(kernels: readonly Matrix[], weights: Float64Array): Matrix {
  const { rows, cols } = kernels[0];
  const M = matrix(rows, cols);
  kernels.forEach((K, k) => {
    if (weights[k] > 0) for (let p = 0; p < M.data.length; p++) M.data[p] += weights[k] * K.data[p];
  });
  return M;
}

/** The mixture between new rows and its training rows, with the same centring. */
function mixedCross(
  Y: Matrix,
  rows: Matrix,
  { sigmas, scales, means }: Pick<KernelMixture, "sigmas" | "scales" | "means">,
  weights: Float64Array,
): Matrix {
  const parts = sigmas.map((sigma, k) => {
    // Exponentials of a kernel without weight are skipped.
    if (weights[k] === 0) return matrix(Y.rows, rows.rows);
    return centreKernel(shiftedKernelMatrix(Y, rows, { kind: "gaussian", sigma }), means[k]);
  });
  return mixed(
    parts,
    weights.map((weight, k) => weight * scales[k]),
  );
}
