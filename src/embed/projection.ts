import { inputError } from "../core/errors.ts";
import { matrix, requireFinite, type Matrix } from "../matrix/matrix.ts";
import { multiply } from "../matrix/multiply.ts";
import { nearestRows } from "../matrix/nearest.ts";
import { restoreMatrix, storeMatrix, type StoredMatrix } from "../matrix/storedMatrix.ts";
import type { KernelPcaModel } from "./kernelPca.ts";
import { loadKernelSpace, storeKernelSpace, type KernelSpaceData } from "./kernelSpace.ts";

/** An affine map, on the rows or on their kernel components, and the centres of clusters behind it, if there are any. */
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
  transform(Y: Matrix): Matrix;
  /** The nearest centre of each row, after the map. */
  predict(Y: Matrix): Int32Array;
  toJSON(): ProjectionData;
}

/** As it is written to a file. */
export interface ProjectionData extends KernelSpaceData {
  readonly method: string;
  readonly mean: readonly number[];
  readonly map: StoredMatrix;
  readonly offset: readonly number[];
  readonly centers?: StoredMatrix;
}

export function projection(parts: ProjectionParts): Projection {
  const { method, mean, map, offset, centers, kernel } = parts;
  const transform = (rows: Matrix): Matrix => {
    requireFinite(rows);
    const Y = kernel === undefined ? rows : kernel.transform(rows);
    if (Y.cols !== mean.length) {
      throw inputError(`${method} was made of ${mean.length} columns, but these rows have ${Y.cols}`);
    }
    const Z = multiply(less(Y, mean), map);
    for (let p = 0; p < Z.data.length; p++) Z.data[p] += offset[p % map.cols];
    return Z;
  };
  return {
    ...parts,
    transform,
    predict(Y) {
      if (centers === undefined)
        throw inputError(`${method} found no clusters, so it cannot place rows in them`);
      return Y.rows === 0 ? new Int32Array(0) : nearestRows(centers, 1, { queries: transform(Y) }).indices;
    },
    toJSON: () => ({
      method,
      mean: Array.from(mean),
      map: storeMatrix(map),
      offset: Array.from(offset),
      ...(centers !== undefined && { centers: storeMatrix(centers) }),
      ...storeKernelSpace(kernel),
    }),
  };
}

/** Reads back what `toJSON` of aml, naml, rpcaOm or fme wrote. */
export function loadProjection(data: ProjectionData): Projection {
  const kernel = loadKernelSpace(data);
  return projection({
    method: data.method,
    mean: Float64Array.from(data.mean),
    map: restoreMatrix(data.map, `the map of ${data.method}`),
    offset: Float64Array.from(data.offset),
    ...(data.centers !== undefined && {
      centers: restoreMatrix(data.centers, `the centres of ${data.method}`),
    }),
    ...(kernel !== undefined && { kernel }),
  });
}

/** X - 1m'. */
export function less(X: Matrix, mean: Float64Array): Matrix {
  const C = matrix(X.rows, X.cols);
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) C.data[p] = X.data[p] - mean[f];
  }
  return C;
}
