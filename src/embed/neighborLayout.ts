import { random } from "../core/index.ts";
import { extended, form, inputError, plain, progressGate, rule } from "../core/internal.ts";
import { nearestNeighbors, type Neighbors } from "../graph/index.ts";
import { approximateNote, directions } from "../graph/internal.ts";
import {
  asMatrix,
  loadKernel,
  matrix,
  nearestRows,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../matrix/index.ts";
import {
  matrixForm,
  requireFinite,
  requireSquares,
  rowsInGivenOrder,
  valueOrder,
} from "../matrix/internal.ts";
import { requireColumns, type EmbeddedRows, type RowMap } from "./embedding.ts";
import * as binary from "./kernel/layout.wasm.ts";
import { pca } from "./pca.ts";

/**
 * A neighbour layout of rows, for plots (L. McInnes, J. Healy and J. Melville, 2018, "UMAP"). A row and its k
 * nearest have the weights
 *
 *     w_ij = exp(-(d_ij - rho_i) / sigma_i),   rho_i the distance to the nearest,   sum_j w_ij = log2(k + 1),
 *
 * joined to v = w_ij + w_ji - w_ij w_ji. With q = 1 / (1 + a |y_i - y_j|^(2 b)) the layout lowers the cross entropy
 *
 *     - sum over pairs of  v log q + (1 - v) log(1 - q)
 *
 * by stochastic gradient steps: edges pull in proportion to their weight, and random rows push away. It
 * starts from the principal components, so the same rows with the same seed give the same picture. Near rows
 * stay near; distances between distant groups, and the sizes of groups, mean little.
 */
export const neighborLayoutOptions = {
  /** Number of coordinates; default 2. */
  dims: rule.integer({ min: 1, default: 2 }),
  /** k; a larger number shows more of the global shape and less detail; default 15. */
  neighbors: rule.integer({
    min: 2,
    default: 15,
    says: "neighbours of a row; more show more of the global shape and less detail",
  }),
  /** Minimum distance of rows, in units of the layout's scale; default 0.1. */
  minDistance: rule.real({
    min: 0,
    max: 0.99,
    default: 0.1,
    says: "minimum distance of rows in the layout, in units of its scale",
  }),
  /** Between rows; "angle": as directions from the origin. Default "euclidean". */
  distance: rule.oneOf(["euclidean", "angle"] as const, "euclidean", { says: "distance between rows" }),
  /** Passes over the edges; default 500 up to 10000 rows, else 200. */
  epochs: rule.integer({
    min: 1,
    max: 10_000,
    says: "passes over the edges",
    usual: "500 up to 10000 rows, else 200",
  }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type NeighborLayoutOptions = rule.OptionsOf<typeof neighborLayoutOptions>;

/** The form in a file. */
const layoutForm = form.record({
  method: form.choice("layout"),
  distance: form.choice("euclidean", "angle"),
  rows: matrixForm("rows"),
  positions: matrixForm("rows"),
  neighbors: form.whole({ min: 1, max: "rows" }),
});

export interface NeighborLayoutData extends form.StoredOf<typeof layoutForm> {}

type Parts = form.LoadedOf<typeof layoutForm>;

/** The rule for new rows: each is placed at the weighted mean of its neighbours. */
export interface NeighborLayoutModel extends Parts, RowMap<NeighborLayoutData> {
  readonly method: "layout";
}

export interface NeighborLayout extends EmbeddedRows, NeighborLayoutModel {}

const NAME = "neighborLayout";
/** Number of random rows that push away, for each step along an edge. */
const NEGATIVES = 5;
/**
 * A picture is as good with nearly all of the neighbours (the reference implementation finds about the same
 * share).
 */
const LEAST_RECALL = 0.8;
/** Epochs between two reports. */
const STEP = 5;

export function neighborLayout(input: MatrixLike, options: NeighborLayoutOptions = {}): NeighborLayout {
  const X = asMatrix(input, NAME);
  const resolved = rule.resolveOptions(NAME, options, neighborLayoutOptions);
  const { dims, minDistance, distance, seed } = resolved;
  const n = X.rows;
  if (n < 3 || X.cols === 0)
    throw inputError(`${NAME}: the data is too small (${n} x ${X.cols}); give 3 rows`);
  requireFinite(X);
  requireSquares(X, NAME);
  const gate = progressGate(resolved.onProgress);
  const k = Math.min(resolved.neighbors, n - 1);
  // In the order of the values, so the order of the input does not matter.
  const order = valueOrder(X);
  const sorted = takeRows(X, order);
  const near = nearestNeighbors(sorted, k, {
    distance,
    seed,
    recall: LEAST_RECALL,
    onProgress: ({ fraction, label }) => gate({ fraction: 0.3 * fraction, label }),
  });
  const warnings = approximateNote(near);
  if (k < resolved.neighbors) warnings.push(`${n} rows have ${k} neighbours each, not ${resolved.neighbors}`);
  const epochs = resolved.epochs ?? (n <= 10_000 ? 500 : 200);
  const edges = dueEdges(joinedWeights(near, n), epochs);
  const [a, b] = curve(minDistance);
  const stream = random(seed);
  const placed = started(sorted, dims, stream.normal);
  const kernel = loadKernel<binary.Exports>("embed/layout", binary);
  let done = 0;
  kernel.scope(() => {
    const count = edges.from.length;
    const [from, to] = [kernel.reserve(4 * count), kernel.reserve(4 * count)];
    const [period, due] = [kernel.reserve(4 * count), kernel.reserve(4 * count)];
    const Y = kernel.reserve(4 * n * dims);
    const { f32 } = kernel;
    kernel.i32(from, count).set(edges.from);
    kernel.i32(to, count).set(edges.to);
    f32(period, count).set(edges.periods);
    f32(due, count).set(edges.periods);
    f32(Y, n * dims).set(placed.data);
    for (; done < epochs && gate({ fraction: 0.3 + (0.7 * done) / epochs, label: "layout" }); done += STEP) {
      const last = Math.min(epochs, done + STEP);
      const drawn = 1 + stream.integer(2 ** 31 - 2);
      const graph = [count, from, to, period, due] as const;
      kernel.exports.descend(done, last, epochs, drawn, n, dims, ...graph, NEGATIVES, a, b, Y);
    }
    placed.data.set(f32(Y, n * dims));
  });
  const positions = rowsInGivenOrder(placed, order);
  if (gate.stopped)
    warnings.push(`stopped by onProgress after ${Math.min(done, epochs)} of ${epochs} epochs`);
  const model = layoutModel({ method: "layout", neighbors: k, distance, rows: X, positions });
  const iterations = Math.min(done, epochs);
  return extended(model, { embedding: positions, converged: !gate.stopped, iterations, warnings });
}

/** Reads the output of `model()`. */
export function loadNeighborLayout(data: NeighborLayoutData): NeighborLayoutModel {
  return layoutModel(form.load(layoutForm, data, "the layout"));
}

function layoutModel(parts: Parts): NeighborLayoutModel {
  const { neighbors, distance, rows, positions } = parts;
  return plain({
    ...parts,
    transform(input) {
      const Y = asMatrix(input, NAME);
      requireColumns("the layout", rows.cols, Y);
      requireFinite(Y);
      const placed = matrix(Y.rows, positions.cols);
      if (Y.rows === 0) return placed;
      const unit = (Z: Matrix): Matrix => (distance === "angle" ? directions(Z) : Z);
      const near = nearestRows(unit(rows), neighbors, { queries: unit(Y) });
      const weights = new Float64Array(neighbors);
      for (let i = 0; i < Y.rows; i++) {
        const first = i * neighbors;
        weights.fill(0);
        if (near.distances[first] === 0) weights[0] = 1;
        else rowWeights(near.distances.subarray(first, first + neighbors), weights);
        const sum = weights.reduce((one, other) => one + other, 0);
        for (let p = 0; p < neighbors; p++) {
          for (let f = 0; f < positions.cols; f++) {
            const at = near.indices[first + p] * positions.cols + f;
            placed.data[i * positions.cols + f] += (weights[p] / sum) * positions.data[at];
          }
        }
      }
      return placed;
    },
    model: () => layoutForm.save(parts),
  });
}

/** exp(-(d - rho) / sigma) of squared distances in ascending order, with sigma by bisection. */
function rowWeights(squares: ArrayLike<number>, weights: Float64Array): void {
  const k = squares.length;
  let rho = 0;
  let mean = 0;
  for (let p = k - 1; p >= 0; p--) {
    const d = Math.sqrt(squares[p]);
    mean += d / k;
    if (d > 0) rho = d;
  }
  const target = Math.log2(k + 1);
  let low = 0;
  let high = Infinity;
  let sigma = 1;
  const sumAt = (width: number): number => {
    let sum = 0;
    for (let p = 0; p < k; p++) {
      weights[p] = Math.exp(-Math.max(0, Math.sqrt(squares[p]) - rho) / width);
      sum += weights[p];
    }
    return sum;
  };
  for (let step = 0; step < 64; step++) {
    const sum = sumAt(sigma);
    if (Math.abs(sum - target) < 1e-5) break;
    if (sum > target) high = sigma;
    else low = sigma;
    sigma = high === Infinity ? 2 * sigma : (low + high) / 2;
  }
  // No width is much smaller than the distances themselves (as in the reference implementation).
  if (sigma < 1e-3 * mean) sumAt(1e-3 * mean);
}

interface WeightedEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly weights: Float64Array;
}

/** v of every pair in which one is a neighbour of the other, in both directions, row after row. */
function joinedWeights({ count: k, indices, distances }: Neighbors, n: number): WeightedEdges {
  const own = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    rowWeights(distances.subarray(i * k, (i + 1) * k), own.subarray(i * k, (i + 1) * k));
  }
  const weightOf = (i: number, j: number): number => {
    for (let p = i * k; p < (i + 1) * k; p++) if (indices[p] === j) return own[p];
    return 0;
  };
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let p = i * k; p < (i + 1) * k; p++) {
      const j = indices[p];
      const back = weightOf(j, i);
      // For a mutual pair the smaller row makes the edge.
      if (back > 0 && j < i) continue;
      const v = own[p] + back - own[p] * back;
      from.push(i, j);
      to.push(j, i);
      weights.push(v, v);
    }
  }
  return { from: Int32Array.from(from), to: Int32Array.from(to), weights: Float64Array.from(weights) };
}

/**
 * Edges with their periods: the heaviest are due in every epoch, and those that are never due are left out.
 */
function dueEdges(
  { from, to, weights }: WeightedEdges,
  epochs: number,
): { from: Int32Array; to: Int32Array; periods: Float32Array } {
  const heaviest = weights.reduce((a, b) => Math.max(a, b), 0);
  const kept = Int32Array.from(weights.keys()).filter((e) => weights[e] >= heaviest / epochs);
  return {
    from: kept.map((e) => from[e]),
    to: kept.map((e) => to[e]),
    periods: Float32Array.from(kept, (e) => heaviest / weights[e]),
  };
}

/** The principal components, with the largest entry at 10 and a little noise that separates duplicates. */
function started(X: Matrix, dims: number, normal: () => number): Matrix {
  const positions = matrix(X.rows, dims);
  const differ = X.data.some((value, p) => value !== X.data[p % X.cols]);
  if (differ) {
    const { embedding } = pca(X, { dims: Math.min(dims, X.cols, X.rows - 1) });
    const largest = embedding.data.reduce((a, b) => Math.max(a, Math.abs(b)), Number.MIN_VALUE);
    for (let i = 0; i < X.rows; i++) {
      for (let f = 0; f < embedding.cols; f++) {
        positions.data[i * dims + f] = (10 / largest) * embedding.data[i * embedding.cols + f];
      }
    }
  }
  for (let p = 0; p < positions.data.length; p++) positions.data[p] += 1e-3 * normal();
  return positions;
}

/**
 * a and b of 1 / (1 + a x^(2 b)), least squares to the curve that is 1 up to `minDistance` and exp(minDistance - x) beyond,
 * by Gauss-Newton with damping.
 */
function curve(minDistance: number): readonly [a: number, b: number] {
  const xs = Float64Array.from({ length: 300 }, (_, p) => (3 * (p + 1)) / 300);
  const error = (a: number, b: number): number =>
    xs.reduce(
      (sum, x) => sum + (1 / (1 + a * x ** (2 * b)) - Math.min(1, Math.exp(minDistance - x))) ** 2,
      0,
    );
  let [a, b, damping] = [1, 1, 1e-3];
  for (let step = 0; step < 200 && damping < 1e12; step++) {
    let [aa, ab, bb, ra, rb] = [0, 0, 0, 0, 0];
    for (const x of xs) {
      const raised = x ** (2 * b);
      const q = 1 / (1 + a * raised);
      const [da, db] = [-q * q * raised, -2 * q * q * a * raised * Math.log(x)];
      const rest = Math.min(1, Math.exp(minDistance - x)) - q;
      aa += da * da;
      ab += da * db;
      bb += db * db;
      ra += da * rest;
      rb += db * rest;
    }
    const [p, r] = [aa * (1 + damping), bb * (1 + damping)];
    const determinant = p * r - ab * ab;
    const [nextA, nextB] = [a + (r * ra - ab * rb) / determinant, b + (p * rb - ab * ra) / determinant];
    if (nextA > 0 && nextB > 0 && error(nextA, nextB) < error(a, b)) {
      [a, b] = [nextA, nextB];
      damping /= 10;
    } else damping *= 10;
  }
  return [a, b];
}
