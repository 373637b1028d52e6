import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { centered, matrixForm, requireFinite } from "../../matrix/internal.ts";
import { knownRowsForm, placeKnown } from "../../cluster/internal.ts";
import {
  choice,
  extended,
  inputError,
  load,
  number,
  numbers,
  optional,
  plain,
  record,
  type StoredOf,
} from "../../core/internal.ts";
import { kernelMatrix } from "../../metric/index.ts";

import { requireCoordinates } from "../checkedRows.ts";
import { kernelSpaceFields } from "../kernelSpace.ts";
import { loadKernelPca, type KernelPcaModel } from "../kernelPca.ts";

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
const cpdUmlForm = record({
  method: choice("cpd-uml"),
  sigma: number({ above: 0 }),
  fieldCenters: matrixForm("field", "coordinates"),
  fieldWeights: matrixForm("field", "coordinates"),
  centers: matrixForm("clusters", "coordinates"),
  directions: matrixForm("coordinates"),
  mean: numbers("coordinates"),
  known: optional(knownRowsForm),
  ...kernelSpaceFields,
});

export interface CpdUmlData extends StoredOf<typeof cpdUmlForm> {}

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
    model: () => cpdUmlForm.save({ method: "cpd-uml", ...parts, kernel: kernel?.model() }),
  });
}

/** Reads the output of `model()`. */
export function loadCpdUml(data: CpdUmlData): CpdUmlModel {
  const { known, kernel, ...parts } = load(cpdUmlForm, data, "cpd-uml");
  const model = cpdUmlModel({ ...parts, ...(kernel && { kernel: loadKernelPca(kernel) }) });
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) });
}
