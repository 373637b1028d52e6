/**
 * The weighted graph to cut: built from the rows, or given as edges, a sparse or a dense matrix of
 * affinities. W is stored as compressed sparse rows without a diagonal, which no cut crosses.
 */
import { inputError, option, optionError, rule } from "../../core/internal.ts";
import {
  adjacency,
  components,
  neighborGraph,
  requireEdges,
  type Edges,
  type Neighbors,
} from "../../graph/index.ts";
import { isSparse, type Matrix, type Sparse } from "../../matrix/index.ts";
import { requireFinite, requireSquares } from "../../matrix/internal.ts";
import { kernelFunction, kernelMatrix } from "../../metric/index.ts";

/** How the graph of a spectral method is made from rows. */
export const ROW_GRAPH_RULES = {
  graph: rule.oneOf(["neighbors", "full"] as const, "neighbors", {
    says: "edges to the nearest rows, or between all rows",
  }),
  /** Number of neighbours in the graph, and of voters in `predict`; default 10. */
  neighbors: rule.integer({ min: 1, default: 10, says: "neighbours of each row in the graph" }),
  kind: rule.oneOf(["union", "mutual"] as const, undefined, {
    says: "an edge where one row is a neighbour of the other, or where both are",
    usual: "union",
  }),
  alpha: rule.real({
    min: 0,
    says: "decay a of the weights exp(-a d^2 / median d^2) of the neighbour graph",
    usual: "0: all weights are 1",
  }),
  localScale: rule.integer({
    min: 1,
    says: "weights exp(-d^2 / s_i s_j), s the distance to the neighbour of this rank",
    usual: "no local scale",
  }),
  sigma: rule.real({
    above: 0,
    says: "s of the weights exp(-d^2 / 2 s^2) of the full graph",
    usual: "the median distance",
  }),
};

export type RowGraphOptions = rule.OptionsOf<typeof ROW_GRAPH_RULES>;

/**
 * The graph of the rows. A graph with more than `parts` components is connected by its shortest missing
 * edges, with the smallest existing weight: otherwise all partitions of the components would be equally good.
 */
export function rowGraph(
  X: Matrix,
  options: rule.ResolvedOptions<typeof ROW_GRAPH_RULES>,
  parts: number,
  method: string,
  known?: Neighbors,
) {
  const { graph: form, neighbors, kind, alpha, sigma, localScale } = options;
  requireFinite(X);
  requireSquares(X, method);
  if (X.rows < 2 || X.cols === 0)
    throw inputError(`${method}: the data is too small (${X.rows} x ${X.cols})`);
  if (form === "full") {
    for (const [name, value] of Object.entries({ alpha, localScale, kind })) {
      if (value === undefined) continue;
      throw optionError(
        `${method}: ${option(name)} belongs to the neighbour graph; the full one has ${option("sigma")} alone`,
      );
    }
    const kernel = kernelFunction(X, { sigma }, method);
    const affinity = affinityOf(kernelMatrix(X, X, kernel), method);
    const width = kernel.kind === "gaussian" ? kernel.sigma : 1;
    const warnings: string[] = [];
    if (affinity.componentSizes.length > 1) {
      warnings.push(
        `${partsText(affinity.componentSizes)}: sigma ${short(width)} is too small to connect them`,
      );
    } else if (affinity.W.values.every((value) => value > 1 - 1e-9)) {
      warnings.push(
        `all affinities are almost 1, so clusters mean little: sigma ${short(width)} is too large`,
      );
    }
    return { affinity, gamma: 1 / 2 / width / width, warnings };
  }
  if (sigma !== undefined) {
    throw optionError(`${method}: ${option("sigma")} belongs to the full graph; use ${option("alpha")}`);
  }
  if (alpha !== undefined && localScale !== undefined)
    throw optionError(`${method}: give ${option("alpha")} or "localScale", not both`);
  const setting = {
    neighbors,
    kind: kind ?? "union",
    alpha: alpha ?? 0,
    ...(localScale !== undefined && { localScale }),
  } as const;
  const plain = neighborGraph(X, setting, known);
  const apart = plain.components > 1;
  const made = plain.components > parts ? neighborGraph(X, { ...setting, join: true }, known) : plain;
  const warnings = [...plain.warnings];
  if (apart) {
    const said = partsText(affinityOf(plain.graph, method).componentSizes);
    warnings.push(
      made.joined === 0
        ? `${said}, which are kept apart`
        : `${said}, more than clusters; ${made.joined} edges were added to connect them, a larger number of neighbours ` +
            "would too",
    );
  }
  if (
    setting.alpha === 0 &&
    localScale === undefined &&
    X.rows > 2 &&
    2 * made.graph.from.length === X.rows * (X.rows - 1)
  ) {
    warnings.push(
      `${neighbors} neighbours join all ${X.rows} rows equally, so the graph contains no information; use fewer ` +
        "neighbours, or an alpha above 0",
    );
  }
  return {
    affinity: affinityOf(made.graph, method),
    /** Affinities are exp(-gamma d^2). */
    gamma: setting.alpha / made.scale,
    warnings,
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

export function affinityOf(given: Edges | Sparse | Matrix, method: string) {
  const graph = "from" in given ? requireEdges(given) : edgesOf(given, method);
  if (graph.nodes === 0) throw inputError(`${method}: the graph has no nodes`);
  const { offsets, neighbors, edges } = adjacency(graph);
  const values = new Float64Array(edges.length);
  for (let p = 0; p < edges.length; p++) values[p] = graph.weights[edges[p]];
  const parts = components(graph);
  const W: Sparse = { rows: graph.nodes, cols: graph.nodes, offsets, indices: neighbors, values };
  return {
    /** Symmetric, no diagonal, entries above 0. */
    W,
    degrees: rowSums(W),
    /** The connected component of each node, numbered in the order of their first nodes. */
    components: parts.labels,
    componentSizes: parts.sizes,
  };
}

export type Affinity = ReturnType<typeof affinityOf>;

export function rowSums({ rows, offsets, values }: Sparse): Float64Array {
  const sums = new Float64Array(rows);
  for (let i = 0; i < rows; i++) for (let p = offsets[i]; p < offsets[i + 1]; p++) sums[i] += values[p];
  return sums;
}

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
