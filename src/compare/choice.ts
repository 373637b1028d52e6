import type { Note } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { PlacingRule } from "../method/index.ts";
import type { Trust } from "./trust.ts";

/** A method and its options that reproduce a partition. */
export interface Recipe {
  readonly method: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly converged: boolean;
  /** Fitted on principal components: on the columns, the method may give something else. */
  readonly components?: boolean;
}

/** A partition with all methods that made it. */
export interface JudgedCandidate {
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly methods: readonly Recipe[];
  /** Log-odds that its weakest border is real. */
  readonly evidence: number;
  /** Depth of its shallowest valley. */
  readonly depth: number;
  /** Likelihood per row with the penalty of its parameters. */
  readonly icl: number;
  /** Adjusted Rand index with the chosen partition. */
  readonly agreement: number;
}

/** One number of clusters on the path. */
export interface PathEntry {
  readonly clusters: number;
  /** M[K]: the evidence for the weakest border of the best partition into K; with a `gain`, against one cluster fewer. */
  readonly evidence: number;
  /** In a table of mixed columns: the share of the most that ICL gains over one cluster. */
  readonly gain?: number;
  /** Its decrease for more clusters. */
  readonly fall?: number;
  readonly icl: number;
  readonly sizes: readonly number[];
  /**
   * The cluster of the previous entry that this one splits, by its size there, and the sizes of its two
   * largest parts.
   */
  readonly divides?: { readonly size: number; readonly into: readonly [number, number] };
}

/** Another number of clusters that the data also show. */
export interface Alternative {
  readonly kind: "coarse" | "fine";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly evidence: number;
  readonly fall: number;
}

/** How clearly a cluster is separated. */
export interface ClusterTrust {
  readonly size: number;
  /** The cluster with the closest border; absent if it touches none. */
  readonly nearest?: number;
  readonly depth: number;
  readonly evidence: number;
}

export interface Choice {
  readonly method: "auto";
  /** 0 .. clusters - 1 by decreasing size; -1: in no cluster. */
  readonly labels: Int32Array;
  /** 1: no clusters here. */
  readonly clusters: number;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  /** The method of the partition; "auto" if no single method reproduces it. */
  readonly chosen: Recipe;
  /** Distinct partitions into that many clusters, the chosen one first, then by evidence and likelihood. */
  readonly candidates: readonly JudgedCandidate[];
  readonly path: readonly PathEntry[];
  readonly alternatives: readonly Alternative[];
  readonly trust: Trust;
  readonly perCluster: readonly ClusterTrust[];
  /** Per row: share of its nearest rows in its own cluster minus the largest share in another, -1 to 1. */
  readonly margins: Float64Array;
  /** Rows that look as if they belong to no cluster. */
  readonly outliers: number;
  readonly outlierRows: Int32Array;
  /** "sample": that many rows were clustered, and place the others. */
  readonly form: { readonly kind: "rows" | "sample"; readonly rows: number };
  /** False: stopped before everything was tried. */
  readonly converged: boolean;
  readonly seconds: { readonly candidates: number; readonly judgement: number };
  readonly notes: readonly Note[];
  /** The rule that placed all rows, if they were not scaled here. */
  readonly rule?: PlacingRule;
}
