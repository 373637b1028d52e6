/**
 * Spectral clustering: the relaxation of the normalised cut of a graph W into K parts (Shi and Malik 2000; von Luxburg
 * 2007),
 *
 *     minimise over A_1 .. A_K  sum_k cut(A_k, rest) / assoc(A_k, all)
 *
 * k-means finds the clusters in the coordinates D^(-1/2) u, where u are the K leading eigenvectors of
 * D^(-1/2) W D^(-1/2). The graph stays sparse: no n x n matrix is formed unless requested.
 */
import { inValueOrder, asGiven } from "../../matrix/internal.ts";
import {
  asMatrix,
  matrix,
  topEigen,
  type Matrix,
  type MatrixLike,
  type Sparse,
  type TopEigen,
} from "../../matrix/index.ts";
import { plain, rule, sizesOf } from "../../core/internal.ts";
import type { Edges, Neighbors } from "../../graph/index.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";
import { kmeansFrom } from "../kmeans/weightedMeans.ts";
import { withVote, type Voted } from "./neighborVote.ts";
import {
  affinityOf,
  normalizedAffinity,
  ROW_GRAPH_RULES,
  rowGraph,
  normalizedCutValue,
  partsText,
  type Affinity,
} from "./spectralGraph.ts";
import { requireCount } from "../clusterInput.ts";
import type { Partitioned } from "../clustered.ts";

export const spectralGraphOptions = {
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  restarts: rule.integer({ min: 1, max: 10_000, default: 10, says: "starts of k-means on the eigenvectors" }),
  /** Rows of the embedding: "degrees" (default): D^(-1/2) u; "rows": scaled to length 1 (Ng, Jordan and Weiss 2002). */
  normalize: rule.oneOf(["degrees", "rows"] as const, "degrees", {
    says: "coordinates divided by the degrees of the graph, or rows of length 1",
  }),
  seed: rule.seed,
  onProgress: rule.progress,
};

export type SpectralGraphOptions = rule.OptionsOf<typeof spectralGraphOptions>;

export const spectralOptions = { ...spectralGraphOptions, ...ROW_GRAPH_RULES };

export type SpectralOptions = rule.OptionsOf<typeof spectralOptions>;

/** Clusters of the nodes of a graph. */
export interface SpectralGraph extends Partitioned {
  readonly method: "spectral";
  /** The normalised cut of these clusters. */
  readonly objective: number;
  /**
   * The K largest eigenvalues of D^(-1/2) W D^(-1/2): 1 once for each connected part, and K minus their sum
   * is a lower bound of the objective.
   */
  readonly eigenvalues: Float64Array;
  /** n x K: the input of k-means. */
  readonly embedding: Matrix;
  /** Of the eigensolver. */
  readonly iterations: number;
}

export interface Spectral extends SpectralGraph, Voted {}

export function spectral(input: MatrixLike, options: SpectralOptions): Spectral {
  return inValueOrder(
    asMatrix(input, "spectral"),
    options,
    [],
    spectralInOrder,
    asGiven<Spectral>("embedding"),
  );
}

/** The same on rows with a fixed order, which random starts and ties follow. */
export function spectralInOrder(X: Matrix, options: SpectralOptions): Spectral {
  const resolved = rule.resolveOptions("spectral", options, spectralOptions);
  const { clusters, neighbors } = resolved;
  requireCount("spectral", clusters, X.rows);
  const { affinity, gamma, warnings } = rowGraph(X, resolved, clusters, "spectral");
  const result = solve(affinity, resolved, warnings);
  return withVote(result, { rows: X, neighbors, gamma });
}

/** The same for a given graph: edges, or a symmetric matrix of affinities of at least 0. */
export function spectralGraph(
  affinities: Edges | Sparse | Matrix,
  options: SpectralGraphOptions,
): SpectralGraph {
  const resolved = rule.resolveOptions("spectralGraph", options, spectralGraphOptions);
  const affinity = affinityOf(affinities, "spectralGraph");
  requireCount("spectral", resolved.clusters, affinity.W.rows);
  const { componentSizes: sizes } = affinity;
  return solve(affinity, resolved, sizes.length > 1 ? [`${partsText(sizes)}, which are kept apart`] : []);
}

/** Residual of the eigenvectors: far too small to move a row to another cluster. */
const TOLERANCE = 1e-8;
/** For a family, which is only compared with others. */
const ROUGH = 1e-5;
/** Steps of k-means from given partitions. */
const STEPS = 60;

type Settings = rule.ResolvedOptions<typeof spectralGraphOptions>;

function solve(
  affinity: Affinity,
  settings: Settings,
  before: readonly string[],
  known?: TopEigen,
  starts?: readonly Int32Array[],
): SpectralGraph {
  const { clusters: K, restarts, normalize, seed, onProgress } = settings;
  const { degrees, componentSizes } = affinity;
  const n = degrees.length;
  const warnings = [...before];
  const parts = componentSizes.length;
  const { values, vectors, converged, iterations } = known ?? leading(affinity, K, seed);
  if (!converged) warnings.push("the eigenvectors had not converged");
  const embedding = matrix(n, K);
  for (let i = 0; i < n; i++) {
    const at = i * vectors.cols;
    let divisor = degrees[i] > 0 ? Math.sqrt(degrees[i]) : 1;
    if (normalize === "rows") {
      let square = 0;
      for (let r = 0; r < K; r++) square += vectors.data[at + r] ** 2;
      divisor = square > 0 ? Math.sqrt(square) : 1;
    }
    for (let r = 0; r < K; r++) embedding.data[i * K + r] = vectors.data[at + r] / divisor;
  }
  let labels: Int32Array;
  if (parts >= K) {
    labels = groupedParts(affinity, K);
    if (parts > K) {
      warnings.push(
        `there are more parts than clusters: the ${K - 1} largest are clusters, all others together are one`,
      );
    }
  } else if (starts !== undefined) {
    labels = kmeansFrom(embedding, starts, STEPS);
  } else {
    const found = kmeansInOrder(embedding, { clusters: K, restarts, seed, onProgress });
    labels = found.labels;
    warnings.push(...found.warnings);
  }
  const made = labels.reduce((most, label) => Math.max(most, label), 0) + 1;
  return plain({
    method: "spectral",
    clusters: made,
    labels,
    sizes: sizesOf(labels, made),
    objective: normalizedCutValue(affinity, labels, made),
    eigenvalues: values.subarray(0, K),
    embedding,
    converged,
    iterations,
    warnings,
  });
}

function leading(affinity: Affinity, K: number, seed: number, tolerance: number = TOLERANCE): TopEigen {
  return topEigen(normalizedAffinity(affinity), K, { seed, tolerance });
}

/**
 * Spectral clusterings of the same rows for many K, from one graph and one set of eigenvectors: equal to
 * `spectral` for each K up to `most`, except for the rounding of the eigenvectors. There is none for fewer
 * clusters than parts of the graph: that needs edges between the parts, and other eigenvectors. With partitions to
 * start from, k-means draws nothing.
 */
export function spectralFamily(
  X: Matrix,
  options: Omit<SpectralOptions, "clusters" | "onProgress">,
  most: number,
  known?: Neighbors,
): (clusters: number, starts?: readonly Int32Array[]) => SpectralGraph | undefined {
  const resolved = rule.resolveOptions("spectral", { ...options, clusters: most }, spectralOptions);
  const { affinity, warnings } = rowGraph(X, resolved, X.rows, "spectral", known);
  let eigen: TopEigen | undefined;
  return (clusters, starts) => {
    if (affinity.componentSizes.length > clusters) return undefined;
    eigen ??= leading(affinity, most, resolved.seed, ROUGH);
    return solve(affinity, { ...resolved, clusters }, warnings, eigen, starts);
  };
}

/**
 * The connected parts as clusters: a cut of value 0. If there are too many, the smallest share the last
 * cluster.
 */
function groupedParts({ components, componentSizes }: Affinity, K: number): Int32Array {
  const order = Array.from(componentSizes.keys()).sort(
    (a, b) => componentSizes[b] - componentSizes[a] || a - b,
  );
  const cluster = new Int32Array(componentSizes.length).fill(K - 1);
  const kept = order.slice(0, componentSizes.length === K ? K : K - 1).sort((a, b) => a - b);
  kept.forEach((part, k) => (cluster[part] = k));
  return components.map((part) => cluster[part]);
}
