/**
 * The weighted graph to cut: built from the rows, or given as edges, a sparse or a dense matrix of
 * affinities. W is stored as compressed sparse rows without a diagonal, which no cut crosses.
 */
import { inputError } from "../../core/internal.ts";
import { adjacency, components, requireEdges, type Edges } from "../../graph/index.ts";
import { isSparse, type Matrix, type Sparse } from "../../matrix/index.ts";

export function affinityOf(given: Edges | Sparse | Matrix, method: string) {
  const graph = "from" in given ? requireEdges(given) : edgesOf(given, method);
  if (graph.nodes === 0) throw inputError(`${method}: the graph has no nodes`);
  const { offsets, neighbors, edges } = adjacency(graph);
  const values = new Float64Array(edges.length);
  for (let p = 0; p < edges.length; p++) values[p] = graph.weights[edges[p]];
  const degrees = new Float64Array(graph.nodes);
  for (let i = 0; i < graph.nodes; i++)
    for (let p = offsets[i]; p < offsets[i + 1]; p++) degrees[i] += values[p];
  const parts = components(graph);
  return {
    /** Symmetric, no diagonal, entries above 0. */
    W: { rows: graph.nodes, cols: graph.nodes, offsets, indices: neighbors, values } as Sparse,
    /** Row sums of W. */
    degrees,
    /** The connected component of each node, numbered in the order of their first nodes. */
    components: parts.labels,
    componentSizes: parts.sizes,
  };
}

export type Affinity = ReturnType<typeof affinityOf>;

/** D^(-1/2) W D^(-1/2); a node without edges keeps a row of zeros. */
export function normalizedAffinity({
  W,
  degrees,
}: {
  readonly W: Sparse;
  readonly degrees: Float64Array;
}): Sparse {
  const roots = degrees.map((degree) => (degree > 0 ? 1 / Math.sqrt(degree) : 0));
  const values = new Float64Array(W.values.length);
  for (let i = 0; i < W.rows; i++) {
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) {
      values[p] = W.values[p] * roots[i] * roots[W.indices[p]];
    }
  }
  return { ...W, values };
}

/** sum_k cut(A_k, rest) / assoc(A_k, all); a cluster without edges counts 0. */
export function normalizedCutValue({ W, degrees }: Affinity, labels: Int32Array, K: number): number {
  const cut = new Float64Array(K);
  const association = new Float64Array(K);
  for (let i = 0; i < W.rows; i++) {
    association[labels[i]] += degrees[i];
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) {
      if (labels[W.indices[p]] !== labels[i]) cut[labels[i]] += W.values[p];
    }
  }
  return cut.reduce((sum, value, k) => sum + (association[k] > 0 ? value / association[k] : 0), 0);
}

/** "the graph has 3 unconnected parts (90, 8, 2 rows)". */
export function partsText(sizes: Int32Array): string {
  const falling = sizes.toSorted().toReversed();
  const shown = Array.from(falling.subarray(0, 5)).join(", ");
  return `the graph has ${sizes.length} unconnected parts (${shown}${sizes.length > 5 ? ", ..." : ""} rows)`;
}

function edgesOf(A: Matrix | Sparse, method: string): Edges {
  if (A.rows !== A.cols) {
    throw inputError(`${method}: affinities are a square matrix, not ${A.rows} x ${A.cols}`);
  }
  const from: number[] = [];
  const to: number[] = [];
  const weights: number[] = [];
  forEachEntry(A, (i, j, value) => {
    const mirrored = entry(A, j, i);
    // Only rounding may differ between the two sides.
    if (!(Math.abs(value - mirrored) <= 1e-10 * Math.max(Math.abs(value), Math.abs(mirrored)))) {
      throw inputError(
        `${method}: the affinity of rows ${i} and ${j} is ${value}, but that of ${j} and ${i} is ${mirrored}`,
      );
    }
    if (!(value >= 0 && value < Infinity)) {
      throw inputError(
        `${method}: the affinity of rows ${i} and ${j} is ${value}; it must be finite and at least 0`,
      );
    }
    if (i >= j || value === 0) return;
    from.push(i);
    to.push(j);
    weights.push(value);
  });
  return {
    nodes: A.rows,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    weights: Float64Array.from(weights),
  };
}

function forEachEntry(A: Matrix | Sparse, visit: (i: number, j: number, value: number) => void): void {
  for (let i = 0; i < A.rows; i++) {
    if (isSparse(A)) {
      for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) visit(i, A.indices[p], A.values[p]);
    } else {
      for (let j = 0; j < A.cols; j++) visit(i, j, A.data[i * A.cols + j]);
    }
  }
}

function entry(A: Matrix | Sparse, i: number, j: number): number {
  if (!isSparse(A)) return A.data[i * A.cols + j];
  for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) if (A.indices[p] === j) return A.values[p];
  return 0;
}
