import type { Compression } from "../../cluster/index.ts";
import { integer, type RulesOf } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { type BorderCuts, uncut } from "../solve/borderCuts.ts";
import { REPRESENTATIVES } from "./cc.ts";
import type { CompressedClustering } from "./compressedCc.ts";
import type { Certificate } from "../solve/problem.ts";
import type { ConvexClustering } from "../path/result.ts";
import { COMMON, type ConvexOptions, type ResolvedOptions } from "../path/setting.ts";

/** The options of convex clustering by weighted representatives, for rows in a stream or on an engine. */
export interface ByRepresentativesOptions extends Pick<
  ConvexOptions,
  | "clusters"
  | "gamma"
  | "norm"
  | "solver"
  | "tolerance"
  | "neighbors"
  | "kind"
  | "alpha"
  | "rawAlpha"
  | "join"
  | "protocol"
  | "merge"
  | "choose"
  | "onProgress"
> {
  /** Maximum number of representatives; default 20000. */
  readonly representatives?: number;
  /** Rows from which the cells are learned; default 200000. */
  readonly sample?: number;
  /** Of the sample. */
  readonly seed?: number;
}

export const byRepresentativesOptions: RulesOf<ByRepresentativesOptions> = {
  clusters: COMMON.clusters,
  gamma: COMMON.gamma,
  norm: COMMON.norm,
  solver: COMMON.solver,
  tolerance: COMMON.tolerance,
  neighbors: COMMON.neighbors,
  kind: COMMON.kind,
  alpha: COMMON.alpha,
  rawAlpha: COMMON.rawAlpha,
  join: COMMON.join,
  protocol: COMMON.protocol,
  merge: COMMON.merge,
  choose: COMMON.choose,
  onProgress: COMMON.onProgress,
  representatives: integer({
    min: 2,
    default: REPRESENTATIVES,
    says: "clusters at most this many weighted points instead of the rows",
  }),
  sample: integer({ min: 2, default: 200_000, says: "rows from which the representatives are learned" }),
  seed: integer({ min: 0, default: 0 }),
};

/** Options for the rows, and options for the weighted problem. */
export function splitOptions(resolved: {
  readonly representatives: number;
  readonly sample: number;
  readonly seed: number;
}): { representatives: number; sample: number; seed: number; convex: ResolvedOptions } {
  const { representatives, sample, seed, ...rest } = resolved;
  const convex = { ...rest, scale: "none" } as unknown as ResolvedOptions;
  return { representatives, sample, seed, convex };
}

/** A convex clustering of rows in a stream or on an engine. */
export interface ConvexByRepresentatives {
  readonly method: "cc";
  readonly clusters: number;
  readonly rows: number;
  readonly names: readonly string[];
  /** Means of the clusters' rows. */
  readonly centers: Matrix;
  /** Rows of each cluster. */
  readonly sizes: Float64Array;
  readonly gamma: number;
  readonly objective: number;
  /** For the problem of the weighted representatives. */
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
  readonly coverage: number;
  readonly compression: Compression;
  /** The clustering of the representatives themselves. */
  readonly representatives: ConvexClustering;
  /** Number of passes over the rows. */
  readonly passes: number;
  readonly warnings: readonly string[];
}

/** Sizes and means of the clusters, a pass over the rows. */
export type ClusterSums = (border: BorderCuts) => Promise<Pick<ConvexByRepresentatives, "sizes" | "centers">>;

/** Counts the rows of the clusters of representatives; cuts that would empty a cluster are not made. */
export async function countedRows(
  { clustering, border }: CompressedClustering,
  { names, compression, passes }: Pick<ConvexByRepresentatives, "names" | "compression" | "passes">,
  sums: ClusterSums,
): Promise<{ readonly result: ConvexByRepresentatives; readonly border: BorderCuts }> {
  const first = await sums(border);
  const emptied = first.sizes.includes(0);
  const used = emptied ? uncut(border) : border;
  const { gamma, objective, certificate, converged, iterations, coverage, warnings } = clustering;
  const result: ConvexByRepresentatives = {
    method: "cc",
    clusters: clustering.sizes.length,
    rows: compression.rows,
    names,
    ...(emptied ? await sums(used) : first),
    gamma,
    objective,
    certificate,
    converged,
    iterations,
    coverage,
    compression,
    representatives: clustering,
    passes: passes + (emptied ? 2 : 1),
    warnings,
  };
  return { result, border: used };
}
