import { random, type Random } from "../core/index.ts";
import { nearestNeighbors, type Neighbors } from "../graph/index.ts";
import {
  gram,
  matrix,
  multiply,
  multiplyTransposeA,
  qr,
  symmetricEigen,
  type Matrix,
} from "../matrix/index.ts";
import { principalComponents } from "../matrix/internal.ts";

/**
 * The space in which all partitions are judged, built once.
 *
 * - the graph: an edge of weight 1 where one row is among the 10 nearest of the other, without ties (see below);
 * - G, the coordinates of likelihoods and discriminants: the scaled columns, beyond 15 their first 10 principal
 * components. Columns with at most 20 values first get noise of half a step: ties make false valleys;
 * - the local dimension of each row (Levina and Bickel 2004) from 20 neighbours.
 */
export interface JudgedSpace {
  readonly rows: number;
  readonly Z: Matrix;
  /** 20 neighbours of each row, fewer if there are not enough rows. */
  readonly neighbors: Neighbors;
  readonly graph: RowGraph;
  readonly G: Matrix;
  /** Mean variance of the columns of G. */
  readonly spread: number;
  /** 1 / dimension. */
  readonly inverseDimension: Float64Array;
}

/** Neighbours of node i: entries offsets[i] to offsets[i + 1]. */
export interface RowGraph {
  readonly offsets: Int32Array;
  readonly neighbors: Int32Array;
}

export const GRAPH_NEIGHBORS = 10;
const NEIGHBORS = 20;
const FEW_VALUES = 20;
/** A column with more values has too few ties to matter. */
const SOME_VALUES = 100;
const MOST_COLUMNS = 15;
const COMPONENTS = 10;
/** Beyond this size, the leading components come from a few products with random directions. */
const EXACT_COLUMNS = 200;
const DIRECTIONS = 20;
const PASSES = 5;

export function judgedSpace(Z: Matrix, seed: number): JudgedSpace {
  const n = Z.rows;
  const neighbors = neighborsOf(Z, seed);
  const G = likelihoodSpace(Z, seed);
  return {
    rows: n,
    Z,
    neighbors,
    graph: unionGraph(neighbors, n, GRAPH_NEIGHBORS),
    G,
    spread: meanVariance(G),
    inverseDimension: inverseDimensions(neighbors, n),
  };
}

/** An edge where one of the two is among the k nearest of the other. */
export function unionGraph({ count, indices }: Neighbors, n: number, most: number): RowGraph {
  const k = Math.min(count, most);
  const degree = new Int32Array(n + 1);
  const isNear = (i: number, j: number): boolean => {
    for (let p = i * count; p < i * count + k; p++) if (indices[p] === j) return true;
    return false;
  };
  // Row i holds its own k neighbours and the rows that name it without being named back.
  for (let i = 0; i < n; i++) {
    degree[i + 1] += k;
    for (let p = i * count; p < i * count + k; p++) if (!isNear(indices[p], i)) degree[indices[p] + 1]++;
  }
  for (let i = 0; i < n; i++) degree[i + 1] += degree[i];
  const next = degree.slice(0, n);
  const neighbors = new Int32Array(degree[n]);
  for (let i = 0; i < n; i++) {
    for (let p = i * count; p < i * count + k; p++) {
      neighbors[next[i]++] = indices[p];
      if (!isNear(indices[p], i)) neighbors[next[indices[p]]++] = i;
    }
  }
  return { offsets: degree, neighbors };
}

/**
 * The neighbours that show valleys. Ages, counts and rounded numbers have ties, and ties make false valleys: there is
 * no row at all between two values. If half of the rows have their ten nearest rows within one step of all columns, the
 * rows get noise of one step, and their neighbours are searched again.
 */
function neighborsOf(Z: Matrix, seed: number): Neighbors {
  const { rows: n, cols: d } = Z;
  if (n < 2) return { count: 0, indices: new Int32Array(0), distances: new Float64Array(0) };
  const count = Math.min(NEIGHBORS, n - 1);
  const found = nearestNeighbors(Z, count);
  // In many columns, distances are much larger than a step.
  if (d > MOST_COLUMNS) return found;
  const steps = Array.from({ length: d }, (_, f) => stepOf(Z, f));
  const squares = steps.reduce((sum, step) => sum + (step?.width ?? 0) ** 2, 0);
  const place = Math.min(GRAPH_NEIGHBORS, count) - 1;
  const reach = Float64Array.from({ length: n }, (_, i) => found.distances[i * count + place]).sort();
  if (reach[n >> 1] > squares) return found;
  const smooth = matrix(n, d, Z.data.slice());
  const source = random(seed);
  steps.forEach((step, f) => {
    for (const own of step?.rowsOf ?? []) {
      // Evenly over the step, in a random order.
      source.shuffle(own);
      own.forEach((i, r) => (smooth.data[i * d + f] += step!.width * ((r + 0.5) / own.length - 0.5)));
    }
  });
  return nearestNeighbors(smooth, count);
}

/**
 * The step of a column of few values, the median gap, and the rows of each value. If a share p of the rows, more than
 * half, has the same value, 2 (1 - p) of the gap: a frequent value, such as 0, is not a rounded number.
 */
function stepOf(
  { rows: n, cols: d, data }: Matrix,
  f: number,
): { width: number; rowsOf: number[][] } | undefined {
  const most = Math.min(SOME_VALUES, n / 2);
  const rowsOf = new Map<number, number[]>();
  for (let i = 0; i < n && rowsOf.size <= most; i++) {
    const own = rowsOf.get(data[i * d + f]);
    if (own === undefined) rowsOf.set(data[i * d + f], [i]);
    else own.push(i);
  }
  if (rowsOf.size > most || rowsOf.size < 2) return undefined;
  const sorted = [...rowsOf].toSorted(([a], [b]) => a - b);
  const gaps = sorted.slice(1).map(([value], v) => value - sorted[v][0]);
  const gap = gaps.toSorted((a, b) => a - b)[(gaps.length - 1) >> 1];
  const frequent = Math.max(...sorted.map(([, { length }]) => length));
  return { width: gap * Math.min(1, 2 * (1 - frequent / n)), rowsOf: sorted.map(([, own]) => own) };
}

function likelihoodSpace(Z: Matrix, seed: number): Matrix {
  const { rows: n, cols: d } = Z;
  const source = random(seed);
  const G = matrix(n, d, Z.data.slice());
  for (let f = 0; f < d; f++) {
    const values = new Set<number>();
    for (let i = 0; i < n && values.size <= FEW_VALUES; i++) values.add(Z.data[i * d + f]);
    if (values.size > FEW_VALUES || values.size > n / 2 || values.size < 2) continue;
    const sorted = [...values].toSorted((a, b) => a - b);
    const step = (sorted[sorted.length - 1] - sorted[0]) / (sorted.length - 1);
    for (let i = 0; i < n; i++) G.data[i * d + f] += 0.5 * step * source.normal();
  }
  if (d <= MOST_COLUMNS || n < 2) return G;
  return d <= EXACT_COLUMNS ? principalComponents(G, 1, COMPONENTS).scores : leadingComponents(G, source);
}

/**
 * By subspace iteration (Halko, Martinsson and Tropp 2011), which is accurate enough to separate clusters.
 */
function leadingComponents(X: Matrix, source: Random): Matrix {
  const { rows: n, cols: d } = X;
  const C = matrix(n, d, X.data.slice());
  for (let f = 0; f < d; f++) {
    let mean = 0;
    for (let i = 0; i < n; i++) mean += (X.data[i * d + f] - mean) / (i + 1);
    for (let i = 0; i < n; i++) C.data[i * d + f] -= mean;
  }
  const width = Math.min(DIRECTIONS, n, d);
  let V = matrix(d, width);
  for (let p = 0; p < V.data.length; p++) V.data[p] = source.normal();
  for (let pass = 0; pass < PASSES; pass++) V = qr(multiplyTransposeA(C, qr(multiply(C, V)).Q)).Q;
  const scores = multiply(C, V);
  const { vectors } = symmetricEigen(gram(scores));
  const r = Math.min(COMPONENTS, width);
  const leading = matrix(width, r);
  for (let a = 0; a < width; a++)
    for (let b = 0; b < r; b++) leading.data[a * r + b] = vectors.data[a * width + b];
  return multiply(scores, leading);
}

function meanVariance({ rows: n, cols: d, data }: Matrix): number {
  if (n === 0 || d === 0) return 1;
  let total = 0;
  for (let f = 0; f < d; f++) {
    let mean = 0;
    let square = 0;
    for (let i = 0; i < n; i++) {
      const delta = data[i * d + f] - mean;
      mean += delta / (i + 1);
      square += delta * (data[i * d + f] - mean);
    }
    total += square / n;
  }
  return total > 0 ? total / d : 1;
}

/** Mean of ln(T_k / T_j), j < k, T_j the distance to the j-th neighbour: the inverse of the local dimension. */
function inverseDimensions({ count: k, distances }: Neighbors, n: number): Float64Array {
  const inverse = new Float64Array(n);
  if (k < 2) return inverse;
  for (let i = 0; i < n; i++) {
    const farthest = Math.log(Math.max(distances[i * k + k - 1], TINY));
    let sum = 0;
    for (let j = 0; j < k - 1; j++) sum += farthest - Math.log(Math.max(distances[i * k + j], TINY));
    inverse[i] = (0.5 * sum) / (k - 1); // distances are squared
  }
  return inverse;
}

const TINY = 1e-24;
