import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { centered, matrixForm, requireFinite } from "../../matrix/internal.ts";
import { knownRowsForm } from "../../cluster/internal.ts";
import {
  choice,
  load,
  number,
  numbers,
  optional,
  plain,
  record,
  type LoadedOf,
  type StoredOf,
} from "../../core/internal.ts";
import { kernelMatrix } from "../../metric/index.ts";
import { requireColumns, requireCoordinates } from "../checkedRows.ts";
import type { PlacingMap } from "../embedding.ts";
import { kernelSpaceFields, loadKernelPca, type KernelPcaModel } from "../kernelPca.ts";
import { withKnown } from "../projection.ts";

/** The form in a file. */
const cpdUmlForm = record({
  method: choice("cpd-uml"),
  /** Width of the field. */
  sigma: number({ above: 0 }),
  /** z, m x d, minus the mean. */
  fieldCenters: matrixForm("field", "coordinates"),
  /** Psi, m x d. */
  fieldWeights: matrixForm("field", "coordinates"),
  /** K x d, means of the moved rows of each cluster. */
  centers: matrixForm("clusters", "coordinates"),
  /** d x r: moved rows times this matrix are the spectral coordinates. */
  directions: matrixForm("coordinates"),
  /** The subtracted means; zeros without centring. */
  mean: numbers("coordinates"),
  known: optional(knownRowsForm),
  ...kernelSpaceFields,
});

export interface CpdUmlData extends StoredOf<typeof cpdUmlForm> {}

/** The field and its clusters, without the fitted rows. */
interface CpdUmlParts extends Omit<LoadedOf<typeof cpdUmlForm>, "method" | "known" | "kernel"> {
  /** Kernel form: rows are first converted to their kernel components. */
  readonly kernel?: KernelPcaModel;
}

/** What places new rows: `transform` gives the spectral coordinates of moved rows. */
export interface CpdUmlModel extends CpdUmlParts, PlacingMap<CpdUmlData> {
  readonly method: "cpd-uml";
  readonly clusters: number;
  /** Moved rows (kernel form: their components): x + sum_l psi_l g(x, z_l). */
  move(Y: MatrixLike): Matrix;
  readonly placement: "projection";
}

export function cpdUmlModel(parts: CpdUmlParts): CpdUmlModel {
  const { sigma, mean, fieldCenters, fieldWeights, centers, directions, kernel } = parts;
  const d = mean.length;
  const centred = (input: MatrixLike): Matrix => {
    const rows = asMatrix(input, "cpdUml");
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    requireColumns("the field", d, Y);
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
    predict: (Y) => nearestRows(centers, 1, { queries: move(Y) }).indices,
    placement: "projection",
    model: () => cpdUmlForm.save({ method: "cpd-uml", ...parts, kernel: kernel?.model() }),
  });
}

/** Reads the output of `model()`. */
export function loadCpdUml(data: CpdUmlData): CpdUmlModel {
  const { known, kernel, ...parts } = load(cpdUmlForm, data, "cpd-uml");
  return withKnown(cpdUmlModel({ ...parts, ...(kernel && { kernel: loadKernelPca(kernel) }) }), known);
}
