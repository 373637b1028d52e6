import { requireCoordinates } from "./checkedRows.ts";
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
import { centered, requireFinite } from "../matrix/internal.ts";
import type { KnownRowsData } from "../cluster/index.ts";
import { knownPlacing, loadKnown } from "../cluster/internal.ts";
import { extended, inputError, plain } from "../core/internal.ts";
import type { KernelPcaModel } from "./kernelPca.ts";
import { loadKernelSpace, storeKernelSpace, type KernelSpaceData } from "./kernelSpace.ts";

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
export interface ProjectionData extends KernelSpaceData {
  readonly method: string;
  readonly mean: readonly number[];
  readonly map: StoredMatrix;
  readonly offset: readonly number[];
  readonly centers?: StoredMatrix;
  readonly known?: KnownRowsData;
}

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
    model: () => ({
      method,
      mean: Array.from(mean),
      map: storeMatrix(map),
      offset: Array.from(offset),
      ...(centers !== undefined && { centers: storeMatrix(centers) }),
      ...storeKernelSpace(kernel),
    }),
  });
}

/** Reads the output of `model()` of aml, rpcaOm or fme. */
export function loadProjection(data: ProjectionData): Projection {
  if (typeof data?.method !== "string") throw inputError("the projection has no method: the file is damaged");
  const kernel = loadKernelSpace(data);
  const map = restoreMatrix(data.map, `the map of ${data.method}`);
  const centers =
    data.centers === undefined ? undefined : restoreMatrix(data.centers, `the centres of ${data.method}`);
  if (centers !== undefined && centers.cols !== map.cols) {
    throw inputError(`the centres of ${data.method} do not fit its map: the file is damaged`);
  }
  const model = projection({
    method: data.method,
    mean: restoreNumbers(data.mean, `the mean of ${data.method}`, { count: map.rows }),
    map,
    offset: restoreNumbers(data.offset, `the offset of ${data.method}`, { count: map.cols }),
    ...(centers !== undefined && { centers }),
    ...(kernel !== undefined && { kernel }),
  });
  if (data.known === undefined) return model;
  const predict = loadKnown(data.known, model.centers?.rows ?? 0, (Y: Matrix) => model.predict(Y));
  return extended(model, { predict });
}
