import { inputError } from "../core/internal.ts";
import { isSparse, matrix, type Matrix, type Sparse } from "../matrix/index.ts";

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
 * The spread of every column over the given rows, in two passes: range and sum, then residuals r about the
 * rounded mean, whose own sum corrects it: variance = mean(r^2) - mean(r)^2 (Chan, Golub and LeVeque 1983).
 * Columns near the ends of the number range are scaled by a power of two first, so that squares neither
 * overflow nor vanish.
 */
export function columnSpreads(X: Matrix | Sparse, names: readonly string[], rows?: Int32Array): Spread[] {
  const { cols } = X;
  const count = rows?.length ?? X.rows;
  const min = new Float64Array(cols).fill(Infinity);
  const max = new Float64Array(cols).fill(-Infinity);
  const sum = new Float64Array(cols);
  const entries = new Float64Array(cols);
  const { values, indices, bounds } = storage(X);
  for (let r = 0; r < count; r++) {
    const i = rows === undefined ? r : rows[r];
    const start = bounds === undefined ? i * cols : bounds[i];
    const end = bounds === undefined ? start + cols : bounds[i + 1];
    for (let p = start; p < end; p++) {
      const j = indices === undefined ? p - start : indices[p];
      const x = values[p];
      if (!(x - x === 0)) {
        throw inputError(`scale: row ${i}, column "${names[j]}" is ${x}; only finite numbers can be scaled`);
      }
      if (x < min[j]) min[j] = x;
      if (x > max[j]) max[j] = x;
      sum[j] += x;
      entries[j]++;
    }
  }

  const factor = new Float64Array(cols);
  const center = new Float64Array(cols);
  for (let j = 0; j < cols; j++) {
    if (entries[j] < count) {
      min[j] = Math.min(min[j], 0); // entries that a sparse matrix does not store
      max[j] = Math.max(max[j], 0);
    }
    factor[j] = powerOfTwo(Math.max(Math.abs(min[j]), Math.abs(max[j])));
    center[j] = factor[j] * (Number.isFinite(sum[j]) ? sum[j] / count : min[j] / 2 + max[j] / 2);
  }

  const residuals = new Float64Array(cols);
  const squares = new Float64Array(cols);
  for (let r = 0; r < count; r++) {
    const i = rows === undefined ? r : rows[r];
    const start = bounds === undefined ? i * cols : bounds[i];
    const end = bounds === undefined ? start + cols : bounds[i + 1];
    for (let p = start; p < end; p++) {
      const j = indices === undefined ? p - start : indices[p];
      const residual = values[p] * factor[j] - center[j];
      residuals[j] += residual;
      squares[j] += residual * residual;
    }
  }

  return Array.from({ length: cols }, (_, j) => {
    const absent = count - entries[j];
    const residual = (residuals[j] - absent * center[j]) / count;
    const square = (squares[j] + absent * center[j] * center[j]) / count;
    const deviation = Math.sqrt(Math.max(0, square - residual * residual)) / factor[j];
    return spreadOf(min[j], max[j], (center[j] + residual) / factor[j], deviation);
  });
}

export function spreadOfValues(values: Float64Array): Spread {
  return columnSpreads(matrix(values.length, 1, values), [""])[0];
}

/** From numbers computed elsewhere; the mean is kept within the range. */
export function spreadOf(min: number, max: number, mean: number, deviation: number): Spread {
  const magnitude = Math.max(Math.abs(min), Math.abs(max));
  const withinRounding = max / 2 - min / 2 <= (magnitude / 2) * ROUNDING;
  return {
    min,
    max,
    range: max - min,
    mean: Math.min(max, Math.max(min, mean)),
    deviation,
    constant: min === max || withinRounding || deviation === 0,
  };
}

/**
 * A common view of dense and sparse rows: runs of values, with their columns if those are not 0, 1, 2, ...
 */
function storage(X: Matrix | Sparse): {
  values: Float64Array;
  indices: Int32Array | undefined;
  bounds: Int32Array | undefined;
} {
  return isSparse(X)
    ? { values: X.values, indices: X.indices, bounds: X.offsets }
    : { values: X.data, indices: undefined, bounds: undefined };
}

/** A power of two that brings an extreme magnitude near 1; 1 if the squares can be summed directly. */
function powerOfTwo(magnitude: number): number {
  if (magnitude === 0 || (magnitude > 1e-100 && magnitude < 1e100)) return 1;
  return 2 ** -Math.max(-1000, Math.min(1000, Math.round(Math.log2(magnitude))));
}
