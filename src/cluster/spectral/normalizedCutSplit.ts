import { components } from "../../graph/index.ts";
import { topEigen, type Sparse } from "../../matrix/index.ts";
import { normalizedAffinity } from "./spectralGraph.ts";

/** The best two-way cut found for some nodes of a graph, using only the edges among these nodes. */
export interface Split {
  /** Nodes of the two sides, ascending. */
  readonly sides: readonly [Int32Array, Int32Array];
  /** cut / assoc(A) + cut / assoc(B), 0 to 2. */
  readonly cut: number;
  readonly converged: boolean;
}

const TOLERANCE = 1e-8;

/**
 * Shi and Malik (2000), section 3: the second eigenvector of the normalised affinities orders the nodes, and
 * the best of the n - 1 thresholds by normalised cut is taken. An unconnected graph is split for free, its
 * largest part from the others. `undefined` for a single node.
 */
export function bestSplit(W: Sparse, nodes: Int32Array, seed: number): Split | undefined {
  if (nodes.length < 2) return undefined;
  const part = induced(W, nodes);
  const loose = looseSides(part, nodes);
  if (loose !== undefined) return { sides: loose, cut: 0, converged: true };
  const degrees = rowSums(part);
  const { vectors, converged } = topEigen(normalizedAffinity({ W: part, degrees }), 2, {
    seed,
    tolerance: TOLERANCE,
  });
  const y = degrees.map((degree, i) => vectors.data[2 * i + 1] / Math.sqrt(degree));
  const order = Int32Array.from(y.keys()).sort((a, b) => y[a] - y[b] || a - b);
  const { count, cut } = sweep(part, degrees, order);
  const left = Int32Array.from(order.subarray(0, count), (i) => nodes[i]).sort();
  const right = Int32Array.from(order.subarray(count), (i) => nodes[i]).sort();
  return { sides: left[0] < right[0] ? [left, right] : [right, left], cut, converged };
}

/** The number of first nodes in the order that give the smallest normalised cut. */
function sweep(W: Sparse, degrees: Float64Array, order: Int32Array) {
  let total = 0;
  for (const degree of degrees) total += degree;
  const inside = new Uint8Array(order.length);
  let crossing = 0;
  let association = 0;
  let best = { count: 1, cut: Infinity };
  for (let p = 0; p < order.length - 1; p++) {
    const i = order[p];
    let within = 0;
    for (let q = W.offsets[i]; q < W.offsets[i + 1]; q++)
      if (inside[W.indices[q]] === 1) within += W.values[q];
    inside[i] = 1;
    crossing = Math.max(0, crossing + degrees[i] - 2 * within);
    association += degrees[i];
    const cut = crossing / association + crossing / (total - association);
    if (cut < best.cut) best = { count: p + 1, cut };
  }
  return best;
}

/** The subgraph of `nodes`, which are ascending. */
function induced(W: Sparse, nodes: Int32Array): Sparse {
  if (nodes.length === W.rows) return W;
  const place = new Map<number, number>();
  nodes.forEach((node, p) => place.set(node, p));
  const offsets = new Int32Array(nodes.length + 1);
  const indices: number[] = [];
  const values: number[] = [];
  nodes.forEach((node, p) => {
    for (let q = W.offsets[node]; q < W.offsets[node + 1]; q++) {
      const other = place.get(W.indices[q]);
      if (other === undefined) continue;
      indices.push(other);
      values.push(W.values[q]);
    }
    offsets[p + 1] = indices.length;
  });
  return {
    rows: nodes.length,
    cols: nodes.length,
    offsets,
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  };
}

function looseSides(W: Sparse, nodes: Int32Array): [Int32Array, Int32Array] | undefined {
  const from: number[] = [];
  for (let i = 0; i < W.rows; i++) for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) from.push(i);
  const graph = { nodes: W.rows, from: Int32Array.from(from), to: W.indices, weights: W.values };
  const { count, labels, sizes } = components(graph);
  if (count === 1) return undefined;
  const largest = sizes.indexOf(sizes.reduce((a, b) => Math.max(a, b), 0));
  const inside = nodes.filter((_, p) => labels[p] === largest);
  const outside = nodes.filter((_, p) => labels[p] !== largest);
  return inside[0] < outside[0] ? [inside, outside] : [outside, inside];
}

function rowSums(W: Sparse): Float64Array {
  const sums = new Float64Array(W.rows);
  for (let i = 0; i < W.rows; i++)
    for (let p = W.offsets[i]; p < W.offsets[i + 1]; p++) sums[i] += W.values[p];
  return sums;
}
