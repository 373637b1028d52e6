import { random, type Random } from "../core/random.ts";
import { nearestNeighbors, type Neighbors } from "../graph/nearestNeighbors.ts";
import { symmetricEigen } from "../matrix/factor/eigen.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { gram, multiply, multiplyTransposeA } from "../matrix/multiply.ts";
import { qr } from "../matrix/factor/qr.ts";
import { principalComponents } from "../convex/recipe/principal.ts";

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
  const neighbors: Neighbors =
    n < 2
      ? { count: 0, indices: new Int32Array(0), distances: new Float64Array(0) }
      : nearestNeighbors(withoutTies(Z, random(seed)), Math.min(NEIGHBORS, n - 1));
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
 * The rows with uniform noise of one step, the median gap between values, in columns of few values. Ages, counts and
 * rounded numbers have ties, and ties make false valleys: there is no row at all between two values. If a share p of the
 * rows, more than half, has the same value, the noise is 2 (1 - p) of a step: a frequent value, such as 0, is not a rounded
 * number.
 */
function withoutTies(Z: Matrix, source: Random): Matrix {
  const { rows: n, cols: d } = Z;
  const smooth = matrix(n, d, Z.data.slice());
  const most = Math.min(SOME_VALUES, n / 2);
  for (let f = 0; f < d; f++) {
    const counts = new Map<number, number>();
    for (let i = 0; i < n && counts.size <= most; i++) {
      const value = Z.data[i * d + f];
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    if (counts.size > most || counts.size < 2) continue;
    const sorted = [...counts.keys()].toSorted((a, b) => a - b);
    const gaps = sorted.slice(1).map((value, v) => value - sorted[v]);
    const gap = gaps.toSorted((a, b) => a - b)[(gaps.length - 1) >> 1];
    let frequent = 0;
    for (const count of counts.values()) frequent = Math.max(frequent, count);
    const step = gap * Math.min(1, 2 * (1 - frequent / n));
    for (let i = 0; i < n; i++) smooth.data[i * d + f] += step * (source.uniform() - 0.5);
  }
  return smooth;
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
