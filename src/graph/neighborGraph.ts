import { inputError, medianOfSorted, rule } from "../core/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { components } from "./unionFind.ts";
import { noEdges, type Edges } from "./edges.ts";
import { approximateNote, nearestNeighbors, type Neighbors } from "./nearestNeighbors.ts";
import { joinGroups } from "./spanningTree.ts";

/**
 * The k-nearest-neighbour graph with Gaussian weights (Chi and Lange 2015; Sui et al. 2018, section 4.1):
 *
 *     w_ij = exp(-alpha ||x_i - x_j||^2 / s)   where i and j are neighbours, else no edge
 *
 * s is the median squared distance over the kept edges (scale-free: one alpha works for data in any unit), or
 * 1.
 */
const RULES = {
  /** k; at most n - 1 are used. */
  neighbors: rule.integer({ min: 1, default: 10 }),
  /** "mutual": each is among the other's k nearest. "union": at least one is. */
  kind: rule.oneOf(["mutual", "union"], "mutual"),
  alpha: rule.real({ min: 0, default: 1 }),
  scaleFree: rule.flag(true),
  /**
   * Local scaling instead of alpha (Zelnik-Manor and Perona 2004): w_ij = exp(-||x_i - x_j||^2 / (s_i s_j)),
   * s_i the distance from row i to its neighbour of this rank. At most k.
   */
  localScale: rule.integer({ min: 1 }),
  /** Adds the shortest edges that connect the components (a minimum spanning tree over them). */
  join: rule.flag(false),
};

export type NeighborGraphOptions = rule.OptionsOf<typeof RULES>;

export interface NeighborGraph {
  readonly graph: Edges;
  /** s. */
  readonly scale: number;
  /** Connected components of `graph`. */
  readonly components: number;
  /** Number of edges whose weight fell below 1e-12; they are not in `graph`. */
  readonly dropped: number;
  /** Number of edges added to connect components, at the end of the list. */
  readonly joined: number;
  readonly warnings: readonly string[];
}

/**
 * An edge of this weight fuses at a gamma 1e12 times that of the heaviest, which no solver can distinguish
 * from no edge.
 */
const LEAST_WEIGHT = 1e-12;
/** With local scaling every neighbour stays, at any distance. */
const LEAST_LOCAL = 1e-9;

/** `known`: at least as many nearest neighbours of every row, from an earlier search. */
export function neighborGraph(X: Matrix, options?: NeighborGraphOptions, known?: Neighbors): NeighborGraph {
  const { neighbors, kind, alpha, scaleFree, join, localScale } = rule.resolveOptions(
    "neighborGraph",
    options,
    RULES,
  );
  if (X.rows < 2) throw inputError(`neighborGraph: a graph needs at least 2 rows, got ${X.rows}`);
  const warnings: string[] = [];
  const k = Math.min(neighbors, X.rows - 1);
  const nearest = known !== undefined && known.count >= k ? firstOf(known, k) : nearestNeighbors(X, k);
  warnings.push(...approximateNote(nearest));
  const near = neighborPairs(nearest, X.rows, kind);
  const local = localScale === undefined ? undefined : localScales(nearest, Math.min(localScale, k));
  const scale = scaleFree && local === undefined ? typicalDistance(near.distances) : 1;

  let from = near.from;
  let to = near.to;
  let weights = near.distances.map((distance, e) =>
    local === undefined
      ? Math.exp((-alpha * distance) / scale)
      : Math.max(LEAST_LOCAL, Math.exp(-distance / (local[from[e]] * local[to[e]]))),
  );
  const kept = Int32Array.from(weights.keys()).filter((e) => weights[e] >= LEAST_WEIGHT);
  const dropped = weights.length - kept.length;
  if (dropped > 0) {
    warnings.push(
      `${dropped} of ${weights.length} edges have a weight below ${LEAST_WEIGHT} and were dropped; ` +
        `a smaller alpha (now ${alpha}) keeps them`,
    );
    [from, to] = [from, to].map((ends) => kept.map((e) => ends[e]));
    weights = Float64Array.from(kept, (e) => weights[e]);
  }

  let graph: Edges = { nodes: X.rows, from, to, weights };
  let parts = components(graph);
  let joined = 0;
  if (join && parts.count > 1) {
    const joins = joinGroups(X, parts.labels);
    joined = joins.from.length;
    // A joining edge may be far longer than any neighbour edge. Its weight is at least that of the lightest
    // neighbour edge; otherwise the gamma that fuses across it would be out of proportion to the rest of the
    // path.
    const lightest = weights.reduce((a, b) => Math.min(a, b), 1);
    from = Int32Array.from([...from, ...joins.from]);
    to = Int32Array.from([...to, ...joins.to]);
    const added = joins.distances.map((distance) =>
      local === undefined ? Math.max(lightest, Math.exp((-alpha * distance) / scale)) : lightest,
    );
    graph = { nodes: X.rows, from, to, weights: Float64Array.from([...weights, ...added]) };
    parts = components(graph);
  }
  return { graph, scale, components: parts.count, dropped, joined, warnings };
}

/** The neighbour graph (either direction, weight 1) for comparing partitions. */
export function comparisonGraph(input: MatrixLike, neighbors: number = 10): Edges {
  const X = asMatrix(input, "comparisonGraph");
  if (X.rows < 2) return noEdges(X.rows);
  const near = nearestNeighbors(X, Math.min(neighbors, X.rows - 1));
  const { from, to } = neighborPairs(near, X.rows, "union");
  return { nodes: X.rows, from, to, weights: new Float64Array(from.length).fill(1) };
}

/** Each neighbour pair once, from < to, ordered by (from, to), with squared distances. */
function neighborPairs(near: Neighbors, n: number, kind: "mutual" | "union") {
  const { count: k, indices, distances } = near;
  const isNeighbor = (i: number, j: number): boolean => {
    for (let p = i * k; p < (i + 1) * k; p++) if (indices[p] === j) return true;
    return false;
  };
  const low = new Int32Array(n * k);
  const high = new Int32Array(n * k);
  const lengths = new Float64Array(n * k);
  let count = 0;
  for (let i = 0; i < n; i++) {
    for (let p = i * k; p < (i + 1) * k; p++) {
      const j = indices[p];
      const mutual = isNeighbor(j, i);
      // A pair that is known only to its larger row is recorded there.
      if (!(i < j ? mutual || kind === "union" : !mutual && kind === "union")) continue;
      low[count] = Math.min(i, j);
      high[count] = Math.max(i, j);
      lengths[count++] = distances[p];
    }
  }
  const all = new Int32Array(count);
  for (let e = 0; e < count; e++) all[e] = e;
  const order = byKey(low, byKey(high, all, n), n);
  const squares = new Float64Array(count);
  for (let e = 0; e < count; e++) squares[e] = lengths[order[e]];
  return { from: order.map((e) => low[e]), to: order.map((e) => high[e]), distances: squares };
}

/** `order` by rising keys below n; equal keys keep their order. */
function byKey(keys: Int32Array, order: Int32Array, n: number): Int32Array {
  const place = new Int32Array(n + 1);
  for (let e = 0; e < order.length; e++) place[keys[order[e]] + 1]++;
  for (let i = 0; i < n; i++) place[i + 1] += place[i];
  const sorted = new Int32Array(order.length);
  for (let e = 0; e < order.length; e++) sorted[place[keys[order[e]]]++] = order[e];
  return sorted;
}

/** The first k of longer lists of neighbours. */
function firstOf(near: Neighbors, k: number): Neighbors {
  if (near.count === k) return near;
  const n = near.indices.length / near.count;
  const indices = new Int32Array(n * k);
  const distances = new Float64Array(n * k);
  for (let i = 0; i < n; i++) {
    indices.set(near.indices.subarray(i * near.count, i * near.count + k), i * k);
    distances.set(near.distances.subarray(i * near.count, i * near.count + k), i * k);
  }
  return { ...near, count: k, indices, distances };
}

/**
 * The distance from each row to its q-th neighbour; if that is 0 (duplicates), the smallest of the others,
 * or 1.
 */
function localScales({ count: k, distances }: Neighbors, q: number): Float64Array {
  const scales = Float64Array.from({ length: distances.length / k }, (_, i) =>
    Math.sqrt(distances[i * k + q - 1]),
  );
  const least = scales.reduce((a, b) => (b > 0 && b < a ? b : a), Infinity);
  return scales.map((scale) => (scale > 0 ? scale : Number.isFinite(least) ? least : 1));
}

/**
 * The median; if more than half of the distances are zero (duplicate rows), the median of the others;
 * otherwise 1.
 */
function typicalDistance(distances: Float64Array): number {
  const sorted = distances.toSorted();
  const half = sorted.length === 0 ? 0 : medianOfSorted(sorted);
  if (half > 0) return half;
  const positive = sorted.filter((distance) => distance > 0);
  return positive.length > 0 ? medianOfSorted(positive) : 1;
}
