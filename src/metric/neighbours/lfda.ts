/**
 * Local Fisher discriminant analysis (Sugiyama 2007): Fisher's criterion with pairs of one class weighted by
 * nearness, so a class may consist of several clusters. With the affinity within class c
 *
 *     A_ij = exp(-||x_i - x_j||^2 / (s_i s_j)),   s_i = distance of x_i to its k-th neighbour in its class
 *     S_w = 1/2 sum A_ij / n_c  (x_i - x_j)(x_i - x_j)'                         over pairs of one class
 *     S_b = 1/2 sum A_ij (1/n - 1/n_c) (...)(...)' + 1/2 sum 1/n (...)(...)'    the same, and pairs of two classes
 *
 * the directions solve S_b v = lambda S_w v, V'S_w V = I. S_b is not positive semidefinite in general: directions with
 * lambda <= 0 separate nothing and are left out of the weighted embedding. (A peer adds S_w to S_m where Sugiyama
 * subtracts it, so that its lambda is too large by 2; another trap is the scale s_i, see `localScales`.)
 */
import {
  asMatrix,
  generalizedEigen,
  matrix,
  multiply,
  multiplyTransposeA,
  nearestRows,
  qr,
  squaredDistances,
  takeRows,
  transpose,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import {
  centered,
  columnMeans,
  columnsAsRows,
  columnVariances,
  mapped,
  requireModerate,
  symmetrize,
} from "../../matrix/internal.ts";
import { inputError, numericError, option, rule } from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { closedForm, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { invertible, eigenResidual } from "../moments/covariance.ts";

export const lfdaOptions = {
  /** Directions to keep, 1 to d; default all that separate classes. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** k of the local scale (default 7); in a class of n_c rows at most n_c - 1. */
  neighbors: rule.integer({ min: 1, default: 7, says: "neighbour whose distance sets the local scale" }),
  /** "weighted" scales each direction by sqrt(lambda) (default), "plain" keeps V'S_w V = I, "orthonormal" V'V = I. */
  embedding: rule.oneOf(["weighted", "plain", "orthonormal"] as const, "weighted", {
    says: "scale of the directions",
  }),
  names: rule.names,
};

export type LfdaOptions = rule.OptionsOf<typeof lfdaOptions>;

export function lfda(input: MatrixLike, labels: Labeling, options: LfdaOptions = {}): Mahalanobis {
  const X = asMatrix(input, "lfda");
  const { dims, neighbors, embedding, names } = rule.resolveOptions("lfda", options, lfdaOptions);
  requireModerate(X);
  const d = X.cols;
  if (dims !== undefined && dims > d) {
    throw inputError(`lfda: ${option("dims")} is ${dims}, but there are ${d} columns`);
  }
  const { rows, members } = labelledRows("lfda", X, labels);
  const warnings: string[] = [];
  const { within, between } = localScatter(rows, members, neighbors, warnings);
  const { matrix: regular, share } = invertible(within, rows.rows - members.length);
  if (share > 0) {
    warnings.push(
      "the local scatter within the classes is singular (constant or collinear columns, or few rows): " +
        `shrunk towards its diagonal by ${share.toFixed(2)}`,
    );
  }
  const { values, vectors } = generalizedEigen(between, regular);
  const separating = values.filter((value) => value > 1e-12 * Math.abs(values[0])).length;
  if (!(values[0] > 0)) throw numericError("lfda: no direction separates the classes");
  const kept = Math.min(dims ?? d, separating);
  if (dims !== undefined && kept < dims) {
    warnings.push(`only ${kept} of the ${dims} requested directions separate the classes`);
  }
  const V = columnsAsRows(vectors, kept);
  return mahalanobis({
    method: "lfda",
    factor: embedded(V, values, embedding),
    names,
    variances: columnVariances(rows),
    objective: values.subarray(0, kept).reduce((sum, value) => sum + value, 0),
    ...closedForm("eigenpairs |S_b V - S_w V D| / |S_b|", eigenResidual(between, regular, V, values)),
    warnings,
  });
}

/** Affinities of a tile of rows; memory is TILE x n_c, for any size of the class. */
const TILE = 512;

function localScatter(
  X: Matrix,
  members: readonly Int32Array[],
  neighbors: number,
  warnings: string[],
): { within: Matrix; between: Matrix } {
  const d = X.cols;
  const n = X.rows;
  const within = matrix(d, d);
  const mixture = matrix(d, d); // S_m = S_b + S_w: weights A_ij / n within a class, 1 / n otherwise
  const center = columnMeans(X); // differences do not see it, and moments about it lose no digits
  let short = 0;
  for (const rows of members) {
    const C = centered(takeRows(X, rows), center);
    const size = C.rows;
    if (size - 1 < neighbors) short++;
    const k = Math.min(neighbors, size - 1);
    const weighted = laplacianProduct(C, localScales(C, k));
    const sum = new Float64Array(d);
    for (let i = 0, p = 0; i < size; i++) for (let f = 0; f < d; f++, p++) sum[f] += C.data[p];
    const G = multiplyTransposeA(C, weighted);
    const second = multiplyTransposeA(C, C);
    for (let f = 0; f < d; f++) {
      for (let g = 0; g < d; g++) {
        const p = f * d + g;
        within.data[p] += G.data[p] / size;
        // Pairs of two classes: n - n_c times the class's second moment, minus the products of sums, which
        // cancel in total about the mean, so only the class's own part remains.
        mixture.data[p] += G.data[p] / n + (1 - size / n) * second.data[p] + (sum[f] * sum[g]) / n;
      }
    }
  }
  if (short > 0) {
    warnings.push(
      `${short} classes have at most ${neighbors} rows: their local scale is the farthest of their rows`,
    );
  }
  for (let f = 0; f < d; f++) {
    if (within.data[f * d + f] > 1e-13 * mixture.data[f * d + f]) continue;
    // Rounding, not scatter: near rows are equal in this column.
    for (let g = 0; g < d; g++) within.data[f * d + g] = within.data[g * d + f] = 0;
  }
  for (let p = 0; p < mixture.data.length; p++) mixture.data[p] -= within.data[p];
  symmetrize(within);
  symmetrize(mixture);
  return { within, between: mixture };
}

/** The distance of every row to its k-th neighbour among the others; 0 for a single row. */
export function localScales(C: Matrix, k: number): Float64Array {
  const scales = new Float64Array(C.rows);
  if (k < 1) return scales;
  const { distances } = nearestRows(C, k);
  for (let i = 0; i < C.rows; i++) scales[i] = Math.sqrt(distances[i * k + k - 1]);
  return scales;
}

/** (D - A) C, A the affinities of the rows of C and D their sums: tile by tile, and each pair of tiles once. */
function laplacianProduct(C: Matrix, scales: Float64Array): Matrix {
  const { rows: n, cols: d } = C;
  const product = matrix(n, d);
  const degrees = new Float64Array(n);
  const subtract = (A: Matrix, start: number): void => {
    for (let p = 0, q = start * d; p < A.data.length; p++, q++) product.data[q] -= A.data[p];
  };
  for (let i = 0; i < n; i += TILE) {
    const rows = tileOf(C, i);
    for (let j = i; j < n; j += TILE) {
      const others = j === i ? rows : tileOf(C, j);
      const A = squaredDistances(rows, others);
      affinities(A, scales, i, j, degrees);
      subtract(multiply(A, others), i);
      if (j > i) subtract(multiplyTransposeA(A, rows), j);
    }
  }
  for (let i = 0, p = 0; i < n; i++) {
    for (let f = 0; f < d; f++, p++) product.data[p] += degrees[i] * C.data[p];
  }
  return product;
}

function tileOf(C: Matrix, start: number): Matrix {
  const end = Math.min(C.rows, start + TILE);
  return matrix(end - start, C.cols, C.data.subarray(start * C.cols, end * C.cols));
}

/**
 * Turns the squared distances of rows from `i` on and rows from `j` on into affinities, in place, and adds
 * them to the degrees of both; a scale of zero (k duplicates) has affinity only to its duplicates. A tile
 * with itself is symmetric: one half gives the other.
 */
function affinities(D: Matrix, scales: Float64Array, i: number, j: number, degrees: Float64Array): void {
  const { rows, cols, data } = D;
  for (let r = 0; r < rows; r++) {
    const scale = scales[i + r];
    let degree = 0;
    for (let c = i === j ? r : 0, p = r * cols + c; c < cols; c++, p++) {
      const affinity = data[p] === 0 ? 1 : Math.exp(-data[p] / (scale * scales[j + c]));
      data[p] = affinity;
      degree += affinity;
      if (i === j) data[c * cols + r] = affinity;
      if (i !== j || c > r) degrees[j + c] += affinity;
    }
    degrees[i + r] += degree;
  }
}

/** L from the directions, one in a row. */
function embedded(V: Matrix, values: Float64Array, embedding: "weighted" | "plain" | "orthonormal"): Matrix {
  if (embedding === "orthonormal") return transpose(qr(transpose(V)).Q);
  if (embedding === "plain") return V;
  return mapped(V, (value, p) => Math.sqrt(values[Math.floor(p / V.cols)]) * value);
}
