import type { Compression } from "../cluster/index.ts";
import type { Certificate } from "../convex/index.ts";
import { COMMON, type Common } from "../convex/internal.ts";
import {
  integer,
  resolveOptions,
  seedRule,
  without,
  type OptionsOf,
  type ResolvedOptions,
} from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { type BorderCuts, uncut } from "./borderCuts.ts";
import { type CompressedClustering, REPRESENTATIVES } from "./compressedCc.ts";
import type { ConvexClustering } from "./result.ts";

/** The options of convex clustering by weighted representatives, for rows in a stream or on an engine. */
export const byRepresentativesOptions = {
  ...without(COMMON, "gammas", "graph", "scale", "batch", "mustLink", "cannotLink"),
  /** Maximum number of representatives; default 20000. */
  representatives: integer({
    min: 2,
    default: REPRESENTATIVES,
    says: "clusters at most this many weighted points instead of the rows",
  }),
  /** Rows from which the cells are learned; default 200000. */
  sample: integer({ min: 2, default: 200_000, says: "rows from which the representatives are learned" }),
  /** Of the sample. */
  seed: seedRule,
};

export type ByRepresentativesOptions = OptionsOf<typeof byRepresentativesOptions>;

/** Options for the rows, and options for the weighted problem. */
export function splitOptions({
  representatives,
  sample,
  seed,
  ...rest
}: ResolvedOptions<typeof byRepresentativesOptions>): {
  representatives: number;
  sample: number;
  seed: number;
  convex: Common;
} {
  return { representatives, sample, seed, convex: { ...resolveOptions("cc", {}, COMMON), ...rest } };
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
