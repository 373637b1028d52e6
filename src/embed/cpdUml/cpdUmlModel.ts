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
} from "../../matrix/index.ts";
import { centered, requireFinite } from "../../matrix/internal.ts";
import type { KnownRowsData } from "../../cluster/index.ts";
import { loadKnown } from "../../cluster/internal.ts";
import { extended, inputError, plain } from "../../core/internal.ts";
import { kernelMatrix } from "../../metric/index.ts";

import { requireCoordinates } from "../checkedRows.ts";
import { loadKernelSpace, storeKernelSpace, type KernelSpaceData } from "../kernelSpace.ts";
import type { KernelPcaModel } from "../kernelPca.ts";

/** The field and its clusters, without the fitted rows. */
export interface CpdUmlParts {
  /** Width of the field. */
  readonly sigma: number;
  /** The subtracted means; zeros without centring. */
  readonly mean: Float64Array;
  /** z, m x d, minus the mean. */
  readonly fieldCenters: Matrix;
  /** Psi, m x d. */
  readonly fieldWeights: Matrix;
  /** K x d, means of the moved rows of each cluster. */
  readonly centers: Matrix;
  /** d x r: moved rows times this matrix are the spectral coordinates. */
  readonly directions: Matrix;
  /** Kernel form: rows are first converted to their kernel components. */
  readonly kernel?: KernelPcaModel;
}

/** What places new rows. */
export interface CpdUmlModel extends CpdUmlParts {
  readonly method: "cpd-uml";
  readonly clusters: number;
  /** Moved rows (kernel form: their components): x + sum_l psi_l g(x, z_l). */
  move(Y: MatrixLike): Matrix;
  /** Spectral coordinates of moved rows. */
  transform(Y: MatrixLike): Matrix;
  /** The cluster whose centre is nearest to the moved row. */
  predict(Y: MatrixLike): Int32Array;
  readonly placement: "projection";
  model(): CpdUmlData;
  toJSON(): object;
}

/** The form in a file. */
export interface CpdUmlData extends KernelSpaceData {
  readonly method: "cpd-uml";
  readonly sigma: number;
  readonly mean: readonly number[];
  readonly fieldCenters: StoredMatrix;
  readonly fieldWeights: StoredMatrix;
  readonly centers: StoredMatrix;
  readonly directions: StoredMatrix;
  readonly known?: KnownRowsData;
}

export function cpdUmlModel(parts: CpdUmlParts): CpdUmlModel {
  const { sigma, mean, fieldCenters, fieldWeights, centers, directions, kernel } = parts;
  const d = mean.length;
  const centred = (input: MatrixLike): Matrix => {
    const rows = asMatrix(input, "cpdUml");
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    if (Y.cols !== d) throw inputError(`the field was made of ${d} columns, but these rows have ${Y.cols}`);
    const Z = centered(Y, mean);
    const shift = multiply(kernelMatrix(Z, fieldCenters, { kind: "gaussian", sigma }), fieldWeights);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += shift.data[p];
    return Z;
  };
  const move = (Y: MatrixLike): Matrix => {
    const Z = centred(Y);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += mean[p % d];
    return Z;
  };
  return plain({
    ...parts,
    method: "cpd-uml",
    clusters: centers.rows,
    move,
    transform: (Y) => requireCoordinates(multiply(centred(Y), directions), "cpd-uml"),
    predict: (Y) => {
      const moved = move(Y);
      return moved.rows === 0 ? new Int32Array(0) : nearestRows(centers, 1, { queries: moved }).indices;
    },
    placement: "projection",
    model: () => ({
      method: "cpd-uml",
      sigma,
      mean: Array.from(mean),
      fieldCenters: storeMatrix(fieldCenters),
      fieldWeights: storeMatrix(fieldWeights),
      centers: storeMatrix(centers),
      directions: storeMatrix(directions),
      ...storeKernelSpace(kernel),
    }),
  });
}

/** Reads the output of `model()`. */
export function loadCpdUml(data: CpdUmlData): CpdUmlModel {
  if (!(data?.sigma > 0)) throw inputError("the field has no width above 0: the file is damaged");
  const kernel = loadKernelSpace(data);
  const fieldCenters = restoreMatrix(data.fieldCenters, "the centres of the field");
  const fieldWeights = restoreMatrix(data.fieldWeights, "the weights of the field");
  const centers = restoreMatrix(data.centers, "the centres of the clusters");
  const directions = restoreMatrix(data.directions, "the directions of the spectral coordinates");
  const { rows, cols } = fieldCenters;
  if (
    fieldWeights.rows !== rows ||
    [fieldWeights.cols, centers.cols, directions.rows].some((d) => d !== cols)
  ) {
    throw inputError("the field, its centres and directions do not fit: the file is damaged");
  }
  const [sigma] = restoreNumbers([data.sigma], "the width of the field", { min: 0 });
  const model = cpdUmlModel({
    sigma,
    mean: restoreNumbers(data.mean, "the mean of the rows", { count: cols }),
    fieldCenters,
    fieldWeights,
    centers,
    directions,
    ...(kernel !== undefined && { kernel }),
  });
  if (data.known === undefined) return model;
  return extended(model, {
    predict: loadKnown(data.known, model.clusters, (Y: Matrix) => model.predict(Y)),
  });
}
