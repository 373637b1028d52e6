import type { Note } from "../core/index.ts";
import type { Matrix } from "../matrix/index.ts";
import type { PlacingRule } from "../method/index.ts";
import type { SpaceName } from "./spaces.ts";
import type { Trust } from "../model/index.ts";

/** A method that found a partition, and the coding of the columns in which it did. */
export interface Maker {
  readonly method: string;
  readonly space: SpaceName;
}

/** A partition with all methods that found it. */
export interface JudgedCandidate {
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly methods: readonly Maker[];
  /** Its expected agreement with the belief, and the same with what its own evidence adds: the largest is chosen. */
  readonly expected: number;
  readonly support: number;
  /** Adjusted Rand index with the chosen partition. */
  readonly agreement: number;
}

/** One number of clusters. */
export interface PathEntry {
  readonly clusters: number;
  /** Of the partition into that many with the most support. */
  readonly expected: number;
  readonly support: number;
  /** Its sizes, the largest first. */
  readonly sizes: readonly number[];
  /**
   * The cluster of the previous entry that this one splits, by its size there, and the sizes of its two
   * largest parts.
   */
  readonly divides?: { readonly size: number; readonly into: readonly [number, number] };
}

/** What would be chosen if all columns had the same weight. */
export interface EqualWeights {
  readonly clusters: number;
  /** Adjusted Rand index with the chosen partition. */
  readonly agreement: number;
  /** The expected agreement of the chosen partition among those where columns count the same. */
  readonly expected: number;
}

/** Another number of clusters that is nearly as plausible. */
export interface Alternative {
  readonly kind: "coarse" | "fine";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly expected: number;
  readonly trust: Trust;
}

/** How sure a cluster is. */
export interface ClusterTrust {
  readonly size: number;
  /** Its expected largest Jaccard index with a cluster of the belief: 1 if every plausible partition has it. */
  readonly expected: number;
  /** The cluster with which it is joined most often. */
  readonly nearest?: number;
}

export interface Choice {
  readonly method: "auto";
  /** 0 .. clusters - 1 by decreasing size; -1: in no cluster. */
  readonly labels: Int32Array;
  /** The most plausible number, also where `trust` says that no groups are needed. */
  readonly clusters: number;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  readonly chosen: Maker;
  /** Distinct partitions into that many clusters, the chosen one first, then by support. */
  readonly candidates: readonly JudgedCandidate[];
  readonly path: readonly PathEntry[];
  readonly alternatives: readonly Alternative[];
  /** Only where it is another partition. */
  readonly equalWeights?: EqualWeights;
  readonly trust: Trust;
  readonly perCluster: readonly ClusterTrust[];
  /**
   * Per row: how often plausible partitions join it with its own cluster, less how often with another one, -1
   * to 1.
   */
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
  /** The rule that placed all rows, if a sample was clustered. */
  readonly rule?: PlacingRule;
}
