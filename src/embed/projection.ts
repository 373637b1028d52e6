import { requireCoordinates } from "./checkedRows.ts";
import { asMatrix, multiply, nearestRows, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { centered, matrixForm, requireFinite } from "../matrix/internal.ts";
import { knownPlacing, knownRowsForm, placeKnown } from "../cluster/internal.ts";
import {
  extended,
  inputError,
  load,
  numbers,
  optional,
  plain,
  record,
  text,
  type StoredOf,
} from "../core/internal.ts";
import { loadKernelPca, type KernelPcaModel } from "./kernelPca.ts";
import { kernelSpaceFields } from "./kernelSpace.ts";

/**
 * An affine map, on the rows or on their kernel components, and the centres of its clusters, if there are
 * any.
 */
export interface ProjectionParts {
  readonly method: string;
  /** d; subtracted first. */
  readonly mean: Float64Array;
  /** d x r. */
  readonly map: Matrix;
  /** r; added last. */
  readonly offset: Float64Array;
  /** K x r. */
  readonly centers?: Matrix;
  readonly kernel?: KernelPcaModel;
}

export interface Projection extends ProjectionParts {
  /** (y - mean) map + offset. */
  transform(Y: MatrixLike): Matrix;
  /** The nearest centre of each row, after the map. */
  predict(Y: MatrixLike): Int32Array;
  model(): ProjectionData;
  toJSON(): object;
}

/** The form in a file. */
const projectionForm = record({
  method: text(),
  map: matrixForm("numbers", "coordinates"),
  mean: numbers("numbers"),
  offset: numbers("coordinates"),
  centers: optional(matrixForm("clusters", "coordinates")),
  known: optional(knownRowsForm),
  ...kernelSpaceFields,
});

export interface ProjectionData extends StoredOf<typeof projectionForm> {}

/** A projection whose clusters come from labels: rows that it would place elsewhere keep theirs. */
export function placedProjection(X: Matrix, labels: Int32Array, parts: ProjectionParts): Projection {
  const model = projection(parts);
  const { predict, stored } = knownPlacing(X, labels, (Y: Matrix) => model.predict(Y));
  return extended(model, { predict, model: (): ProjectionData => ({ ...model.model(), ...stored() }) });
}

export function projection(parts: ProjectionParts): Projection {
  const { method, mean, map, offset, centers, kernel } = parts;
  const transform = (input: MatrixLike): Matrix => {
    const rows = asMatrix(input, method);
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    if (Y.cols !== mean.length) {
      throw inputError(`${method} was made of ${mean.length} columns, but these rows have ${Y.cols}`);
    }
    const Z = multiply(centered(Y, mean), map);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += offset[p % map.cols];
    return requireCoordinates(Z, method);
  };
  return plain({
    ...parts,
    transform,
    predict(Y) {
      if (centers === undefined)
        throw inputError(`${method} found no clusters, so it cannot place rows in them`);
      const Z = transform(Y);
      return Z.rows === 0 ? new Int32Array(0) : nearestRows(centers, 1, { queries: Z }).indices;
    },
    model: () => projectionForm.save({ ...parts, kernel: kernel?.model() }),
  });
}

/** Reads the output of `model()` of aml, rpcaOm or fme. */
export function loadProjection(data: ProjectionData): Projection {
  const { known, kernel, ...parts } = load(projectionForm, data, "the projection");
  const model = projection({ ...parts, ...(kernel && { kernel: loadKernelPca(kernel) }) });
  return extended(model, { predict: placeKnown(known, (Y: Matrix) => model.predict(Y)) });
}
