import {
  gram,
  isSparse,
  matrix,
  multiplyTransposeB,
  multiplyTransposeVector,
  multiplyVector,
  svd,
  toDense,
  topEigen,
  type Matrix,
  type Operator,
  type Sparse,
  type TopEigen,
} from "../matrix/index.ts";
import { centered, columnMeans, columnsAsRows, dot } from "../matrix/internal.ts";
import { principalAxes } from "./principalAxes.ts";

/** The leading right singular vectors of X - 1m'. */
export interface Directions {
  /** k x d, with the entry of largest absolute value of each row positive. */
  readonly components: Matrix;
  /** Squared singular values, descending; none of them zero up to rounding. */
  readonly values: Float64Array;
  /** ||X - 1m'||^2. */
  readonly total: number;
  readonly converged: boolean;
  readonly iterations: number;
}

/** Up to this smaller side all singular values are cheaper than iterating. */
const SMALL = 400;
/** Up to this smaller side the matrix of inner products is formed; beyond that, only products with X. */
const FORMED = 3000;
/**
 * Eigenvalues of C'C below this share of the largest, or of ||X||^2, are rounding of its formation, or of C
 * itself.
 */
const PRODUCT_CUT = 1e-13;
const CENTRING_CUT = 1e-28;

export function leadingDirections(
  X: Matrix | Sparse,
  mean: Float64Array,
  k: number,
  solver: "auto" | "full" | "top",
  seed: number,
  tolerance: number,
): Directions {
  const small = Math.min(X.rows, X.cols);
  const full = solver === "full" || (solver === "auto" && !isSparse(X) && (8 * k >= small || small <= SMALL));
  if (!full) return fromTop(X, mean, k, seed, tolerance);
  return (solver === "auto" ? fromProduct(X, mean, k) : undefined) ?? fromSingularValues(X, mean, k);
}

/** Values from which the product costs a fraction of the singular values; fewer take no time either way. */
const MANY_VALUES = 1e5;
/**
 * Eigenvalues of C'C are exact relative to the largest: above this share of it they, and their vectors, are as good to
 * some 11 digits as those of singular values.
 */
const WELL = 1e-4;

/** From the eigenpairs of C'C or CC', whichever is smaller; undefined where components are too small for that. */
function fromProduct(X: Matrix | Sparse, mean: Float64Array, k: number): Directions | undefined {
  if (isSparse(X) || X.data.length < MANY_VALUES) return undefined;
  const C = centered(X, mean);
  const { V, values, meanValue } = principalAxes(C);
  if (values.length < k || values[k - 1] < WELL * values[0]) return undefined;
  if (values[k - 1] <= rankCut(X, mean, Math.sqrt(values[0])) ** 2) return undefined;
  return {
    components: signed(columnsAsRows(V, k)),
    values: values.slice(0, k),
    total: meanValue * X.cols,
    converged: true,
    iterations: 0,
  };
}

export function meanOf(X: Matrix | Sparse): Float64Array {
  if (!isSparse(X)) return columnMeans(X);
  const ones = new Float64Array(X.rows).fill(1 / X.rows);
  return multiplyTransposeVector(X, ones);
}

function fromSingularValues(X: Matrix | Sparse, mean: Float64Array, k: number): Directions {
  const C = centered(isSparse(X) ? toDense(X) : X, mean);
  const { values, V } = svd(C);
  const cut = rankCut(X, mean, values[0]);
  let rank = 0;
  while (rank < Math.min(k, values.length) && values[rank] > cut) rank++;
  return {
    components: signed(columnsAsRows(V, rank)),
    values: values.slice(0, rank).map((value) => value * value),
    total: values.reduce((sum, value) => sum + value * value, 0),
    converged: true,
    iterations: 0,
  };
}

/** Singular values up to this are rounding; that of the centring is relative to the size of the original rows. */
function rankCut(X: Matrix | Sparse, mean: Float64Array, largest: number): number {
  return Math.max(X.rows, X.cols) * 2 ** -52 * Math.max(largest, Math.sqrt(dot(mean, mean) * X.rows));
}

function fromTop(
  X: Matrix | Sparse,
  mean: Float64Array,
  k: number,
  seed: number,
  tolerance: number,
): Directions {
  const { rows: n, cols: d } = X;
  const wide = d > n;
  const small = Math.min(n, d);
  const { total, size } = squares(X, mean);
  let found: TopEigen;
  if (!isSparse(X) && small <= FORMED) {
    const C = centered(X, mean);
    found = topEigen(wide ? multiplyTransposeB(C, C) : gram(C), k, { seed, tolerance });
  } else {
    found = topEigen(centeredProducts(X, mean, wide), k, { seed, tolerance });
  }
  let rank = 0;
  const cut = Math.max(PRODUCT_CUT * found.values[0], CENTRING_CUT * size);
  while (rank < k && found.values[rank] > cut) rank++;
  const components = matrix(rank, d);
  for (let r = 0; r < rank; r++) {
    const vector = Float64Array.from({ length: small }, (_, i) => found.vectors.data[i * k + r]);
    const direction = wide ? transposeTimes(X, mean, vector) : vector;
    const norm = Math.sqrt(dot(direction, direction));
    for (let f = 0; f < d; f++) components.data[r * d + f] = direction[f] / norm;
  }
  const { converged, iterations } = found;
  return {
    components: signed(components),
    values: found.values.slice(0, rank),
    total: Math.max(
      total,
      found.values.slice(0, rank).reduce((sum, value) => sum + value, 0),
    ),
    converged,
    iterations,
  };
}

/** C'C v or C C'v, C = X - 1m', without forming C. */
function centeredProducts(X: Matrix | Sparse, mean: Float64Array, wide: boolean): Operator {
  return {
    size: wide ? X.rows : X.cols,
    apply(x, y) {
      y.set(wide ? times(X, mean, transposeTimes(X, mean, x)) : transposeTimes(X, mean, times(X, mean, x)));
    },
  };
}

/** C v. */
function times(X: Matrix | Sparse, mean: Float64Array, v: Float64Array): Float64Array {
  const w = multiplyVector(X, v);
  const shift = dot(mean, v);
  for (let i = 0; i < w.length; i++) w[i] -= shift;
  return w;
}

/** C'u. */
function transposeTimes(X: Matrix | Sparse, mean: Float64Array, u: Float64Array): Float64Array {
  const w = multiplyTransposeVector(X, u);
  let sum = 0;
  for (let i = 0; i < u.length; i++) sum += u[i];
  for (let f = 0; f < w.length; f++) w[f] -= sum * mean[f];
  return w;
}

/** ||X - 1m'||^2, and ||X||^2, the size to which rounding is relative. */
function squares(X: Matrix | Sparse, mean: Float64Array): { total: number; size: number } {
  let size = 0;
  if (isSparse(X)) {
    let total = dot(mean, mean) * X.rows;
    for (let p = 0; p < X.values.length; p++) {
      const m = mean[X.indices[p]];
      total += (X.values[p] - m) ** 2 - m * m;
      size += X.values[p] ** 2;
    }
    return { total: Math.max(0, total), size };
  }
  let total = 0;
  for (let i = 0, p = 0; i < X.rows; i++) {
    for (let f = 0; f < X.cols; f++, p++) {
      total += (X.data[p] - mean[f]) ** 2;
      size += X.data[p] ** 2;
    }
  }
  return { total, size };
}

function signed(components: Matrix): Matrix {
  const { rows, cols, data } = components;
  for (let r = 0; r < rows; r++) {
    let largest = 0;
    for (let p = r * cols; p < (r + 1) * cols; p++)
      if (Math.abs(data[p]) > Math.abs(largest)) largest = data[p];
    if (largest < 0) for (let p = r * cols; p < (r + 1) * cols; p++) data[p] = -data[p];
  }
  return components;
}
