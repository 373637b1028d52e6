/**
 * Normalised cuts by recursive bisection (Shi and Malik 2000): the graph is cut in two where
 *
 *     Ncut(A, B) = cut(A, B) / assoc(A, V) + cut(A, B) / assoc(B, V)
 *
 * is smallest along the second eigenvector, and then the part with the cheapest cut is cut again, until there
 * are K parts or the next cut would cost more than `maxCut`. Each cut uses only the edges inside its part, as
 * in the paper.
 */
import { inValueOrder, asGiven } from "../../matrix/internal.ts";
import { asMatrix, topEigen, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { option, optionError, plain, progressGate, rule } from "../../core/internal.ts";
import { components, type Edges } from "../../graph/index.ts";
import { withVote, type Voted } from "./neighborVote.ts";
import {
  affinityOf,
  normalizedAffinity,
  normalizedCutValue,
  partsText,
  ROW_GRAPH_RULES,
  rowGraph,
  rowSums,
  type Affinity,
} from "./spectralGraph.ts";
import { requireCount } from "../clusterInput.ts";
import type { Partitioned } from "../clustered.ts";

export const normalizedCutGraphOptions = {
  /** K; this or `maxCut` is required. */
  clusters: rule.integer({ min: 1 }),
  maxCut: rule.real({
    min: 0,
    max: 2,
    says: "maximum value of a cut, 0 to 2; instead of a number of clusters, or with it",
  }),
  /** Seed of the eigensolver's start; default 0. */
  seed: rule.seed,
  onProgress: rule.progress,
};

export type NormalizedCutGraphOptions = rule.OptionsOf<typeof normalizedCutGraphOptions>;

export const normalizedCutOptions = { ...normalizedCutGraphOptions, ...ROW_GRAPH_RULES };

export type NormalizedCutOptions = rule.OptionsOf<typeof normalizedCutOptions>;

/** Clusters of the nodes of a graph. */
export interface NormalizedCutGraph extends Partitioned {
  readonly method: "ncut";
  /** In the order of the clusters' first rows. */
  readonly labels: Int32Array;
  /** The normalised cut of all clusters in the whole graph. */
  readonly objective: number;
  /** The cuts in order: their value and the sizes of the two sides. */
  readonly cuts: readonly { readonly cut: number; readonly sizes: readonly [number, number] }[];
  /** Two-way cuts that were made. */
  readonly iterations: number;
}

export interface NormalizedCut extends NormalizedCutGraph, Voted {}

export function normalizedCut(input: MatrixLike, options: NormalizedCutOptions): NormalizedCut {
  return inValueOrder(asMatrix(input, "normalizedCut"), options, [], fitted, asGiven());
}

function fitted(X: Matrix, options: NormalizedCutOptions): NormalizedCut {
  const resolved = rule.resolveOptions("normalizedCut", options, normalizedCutOptions);
  checkCount(resolved, X.rows);
  const { neighbors } = resolved;
  const parts = resolved.clusters ?? X.rows;
  const { affinity, gamma, warnings } = rowGraph(X, resolved, parts, "normalizedCut");
  const result = bisect(affinity, resolved, warnings);
  return withVote(result, { rows: X, neighbors, gamma });
}

/** The same for a given graph: edges, or a symmetric matrix of affinities of at least 0. */
export function normalizedCutGraph(
  affinities: Edges | Sparse | Matrix,
  options: NormalizedCutGraphOptions,
): NormalizedCutGraph {
  const resolved = rule.resolveOptions("normalizedCutGraph", options, normalizedCutGraphOptions);
  const affinity = affinityOf(affinities, "normalizedCutGraph");
  checkCount(resolved, affinity.W.rows);
  const { componentSizes: sizes } = affinity;
  return bisect(affinity, resolved, sizes.length > 1 ? [`${partsText(sizes)}, which are cut first`] : []);
}

type Settings = rule.ResolvedOptions<typeof normalizedCutGraphOptions>;

interface Part {
  readonly nodes: Int32Array;
  readonly split: Split | undefined;
}

function bisect(affinity: Affinity, settings: Settings, before: readonly string[]): NormalizedCutGraph {
  const { W } = affinity;
  const { seed, clusters = W.rows, maxCut = 2 } = settings;
  const gate = progressGate(settings.onProgress);
  const warnings = [...before];
  const partOf = (nodes: Int32Array): Part => ({ nodes, split: bestSplit(W, nodes, seed) });
  let parts = [partOf(Int32Array.from({ length: W.rows }, (_, i) => i))];
  const cuts: NormalizedCutGraph["cuts"][number][] = [];
  let converged = true;
  while (parts.length < clusters) {
    if (!gate({ fraction: parts.length / clusters, label: `${parts.length} parts` })) {
      warnings.push(`stopped by onProgress at ${parts.length} of ${clusters} clusters`);
      converged = false;
      break;
    }
    let next: Part | undefined;
    for (const part of parts) if (part.split !== undefined && cheaper(part, next)) next = part;
    if (next?.split === undefined || next.split.cut > maxCut) break;
    const { sides, cut } = next.split;
    converged &&= next.split.converged;
    cuts.push({ cut, sizes: [sides[0].length, sides[1].length] });
    parts = [...parts.filter((part) => part !== next), partOf(sides[0]), partOf(sides[1])];
  }
  if (!cuts.every(({ cut }) => Number.isFinite(cut))) converged = false;
  if (!converged && !gate.stopped) warnings.push("the eigenvectors of a cut had not converged");
  parts.sort((a, b) => a.nodes[0] - b.nodes[0]);
  const labels = new Int32Array(W.rows);
  parts.forEach(({ nodes }, k) => nodes.forEach((node) => (labels[node] = k)));
  return plain({
    method: "ncut",
    clusters: parts.length,
    labels,
    sizes: Int32Array.from(parts, ({ nodes }) => nodes.length),
    objective: normalizedCutValue(affinity, labels, parts.length),
    cuts,
    converged,
    iterations: cuts.length,
    warnings,
  });
}

/** The smallest cut first; in a tie, for example of unconnected parts, the larger part. */
function cheaper(part: Part, than: Part | undefined): boolean {
  if (than?.split === undefined) return true;
  const [a, b] = [part.split!.cut, than.split.cut];
  return a < b || (a === b && part.nodes.length > than.nodes.length);
}

function checkCount({ clusters, maxCut }: Settings, n: number): void {
  if (clusters === undefined && maxCut === undefined) {
    throw optionError(`normalizedCut: give ${option("clusters")}, ${option("maxCut")} or both`);
  }
  requireCount("normalizedCut", clusters ?? 1, n);
}

/** The best two-way cut found for some nodes of a graph, using only the edges among these nodes. */
interface Split {
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
