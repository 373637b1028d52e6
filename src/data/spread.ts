import { inputError } from "../core/errors.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { isSparse, type Sparse } from "../matrix/sparse.ts";

/** Location and spread of one column. */
export interface Spread {
  readonly min: number;
  readonly max: number;
  /** max - min; infinite if that overflows. */
  readonly range: number;
  readonly mean: number;
  /** With divisor n. */
  readonly deviation: number;
  /** No variation beyond rounding. */
  readonly constant: boolean;
}

/** Range within which values of magnitude 1 count as equal: 64 units in the last place. */
const ROUNDING = 64 * Number.EPSILON;

/**
 * The spread of every column over the given rows, in two passes. Columns are scaled by a power of two so that squares
 * neither overflow nor vanish at magnitudes such as 1e300 and 1e-300.
 */
export function columnSpreads(X: Matrix | Sparse, names: readonly string[], rows?: Int32Array): Spread[] {
  const count = rows?.length ?? X.rows;
  const min = new Float64Array(X.cols).fill(Infinity);
  const max = new Float64Array(X.cols).fill(-Infinity);
  const entries = new Float64Array(X.cols);
  visit(X, rows, (i, j, x) => {
    if (!Number.isFinite(x)) {
      throw inputError(`scale: row ${i}, column "${names[j]}" is ${x}; only finite numbers can be scaled`);
    }
    if (x < min[j]) min[j] = x;
    if (x > max[j]) max[j] = x;
    entries[j]++;
  });
  const factor = new Float64Array(X.cols);
  for (let j = 0; j < X.cols; j++) {
    if (entries[j] < count) {
      min[j] = Math.min(min[j], 0); // entries that a sparse matrix does not store
      max[j] = Math.max(max[j], 0);
    }
    factor[j] = powerOfTwo(Math.max(Math.abs(min[j]), Math.abs(max[j])));
  }
  const mean = new Float64Array(X.cols);
  visit(X, rows, (_, j, x) => {
    mean[j] += x * factor[j];
  });
  for (let j = 0; j < X.cols; j++) mean[j] /= count;
  // The mean is itself rounded; the sum of the residuals corrects the squares (Chan, Golub and LeVeque 1983).
  const squares = new Float64Array(X.cols);
  const residuals = new Float64Array(X.cols);
  visit(X, rows, (_, j, x) => {
    const residual = x * factor[j] - mean[j];
    residuals[j] += residual;
    squares[j] += residual * residual;
  });
  return Array.from({ length: X.cols }, (_, j) => {
    const absent = count - entries[j];
    const residual = (residuals[j] - absent * mean[j]) / count;
    const square = (squares[j] + absent * mean[j] * mean[j]) / count;
    const deviation = Math.sqrt(Math.max(0, square - residual * residual));
    const magnitude = Math.max(Math.abs(min[j]), Math.abs(max[j]));
    const halfRange = max[j] / 2 - min[j] / 2;
    const range = max[j] - min[j];
    return {
      min: min[j],
      max: max[j],
      range,
      mean: Math.min(max[j], Math.max(min[j], (mean[j] + residual) / factor[j])),
      deviation: deviation / factor[j],
      constant: range === 0 || halfRange <= (magnitude / 2) * ROUNDING || deviation / factor[j] === 0,
    };
  });
}

/** The power of two that brings `magnitude` near 1, kept so that it and its inverse are finite. */
function powerOfTwo(magnitude: number): number {
  if (magnitude === 0) return 1;
  return 2 ** -Math.max(-1000, Math.min(1000, Math.round(Math.log2(magnitude))));
}

function visit(
  X: Matrix | Sparse,
  rows: Int32Array | undefined,
  each: (i: number, j: number, x: number) => void,
): void {
  const count = rows?.length ?? X.rows;
  for (let r = 0; r < count; r++) {
    const i = rows === undefined ? r : rows[r];
    if (isSparse(X)) {
      for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++) each(i, X.indices[p], X.values[p]);
    } else {
      for (let j = 0; j < X.cols; j++) each(i, j, X.data[i * X.cols + j]);
    }
  }
}
