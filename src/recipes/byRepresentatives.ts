import type { CellTree, Compression, Representatives } from "../cluster/index.ts";
import { cellTree } from "../cluster/internal.ts";
import type { Certificate } from "../convex/index.ts";
import { COMMON } from "../convex/internal.ts";
import { inputError, rule, type ProgressGate } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { type BorderCuts, uncut } from "./borderCuts.ts";
import { clusterRepresentatives, REPRESENTATIVES } from "./compressedCc.ts";
import type { ConvexClustering } from "./result.ts";

/** The options of convex clustering by weighted representatives, for rows in a stream or on an engine. */
export const byRepresentativesOptions = {
  ...rule.without(COMMON, "gammas", "graph", "scale", "batch", "mustLink", "cannotLink"),
  /** Maximum number of representatives; default 20000. */
  representatives: rule.integer({
    min: 2,
    default: REPRESENTATIVES,
    says: "clusters at most this many weighted points instead of the rows",
  }),
  /** Rows from which the cells are learned; default 200000. */
  sample: rule.integer({ min: 2, default: 200_000, says: "rows from which the representatives are learned" }),
  /** Of the sample. */
  seed: rule.seed,
};

export type ByRepresentativesOptions = rule.OptionsOf<typeof byRepresentativesOptions>;

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

/** Passes over the rows; an answer is undefined if its pass was stopped. */
interface Rows {
  readonly name: string;
  readonly gate: ProgressGate;
  count(): number;
  sample(size: number): Promise<{ readonly X: Matrix } | undefined>;
}

/** What the passes find of the rows in the cells of a tree. */
interface CellPasses<C extends Representatives> {
  names(): readonly string[];
  /** The rows of each cell as a weighted point. */
  cells(tree: CellTree, sample: Matrix): Promise<C | undefined>;
  /** Sizes and means of the clusters. */
  clusters(
    cells: C,
    border: BorderCuts,
    centers: Matrix,
  ): Promise<Pick<ConvexByRepresentatives, "sizes" | "centers"> | undefined>;
}

/**
 * Cells are learned from a sample, and their rows are summed; the weighted points are clustered, and the rows of the clusters are
 * counted. Cuts that would empty a cluster are not made.
 */
export async function convexByPasses<C extends Representatives>(
  rows: Rows,
  { representatives, sample, ...own }: rule.ResolvedOptions<typeof byRepresentativesOptions>,
  passes: CellPasses<C>,
): Promise<{ readonly result: ConvexByRepresentatives; readonly border: BorderCuts; readonly cells: C }> {
  const { name, gate } = rows;
  const found = <T>(answer: T | undefined): T => {
    if (answer === undefined || gate.stopped) throw inputError(`${name} was stopped by onProgress`);
    return answer;
  };
  const drawn = found(await rows.sample(sample));
  if (drawn.X.rows === 0) throw inputError(`${name}: no rows were drawn to learn the cells from`);
  const cells = found(await passes.cells(cellTree(drawn.X, representatives), drawn.X));
  const { clustering, border } = clusterRepresentatives(name, cells, {
    ...rule.resolveOptions("cc", {}, COMMON),
    ...own,
    onProgress: ({ fraction, ...rest }) => gate({ ...rest, fraction: 0.4 + 0.4 * fraction }),
  });
  const counted = async (cuts: BorderCuts) => found(await passes.clusters(cells, cuts, clustering.centers));
  const first = await counted(border);
  const emptied = first.sizes.includes(0);
  const used = emptied ? uncut(border) : border;
  const { gamma, objective, certificate, converged, iterations, coverage, warnings } = clustering;
  const last = emptied ? await counted(used) : first;
  const result: ConvexByRepresentatives = {
    method: "cc",
    clusters: clustering.sizes.length,
    rows: cells.compression.rows,
    names: passes.names(),
    ...last,
    gamma,
    objective,
    certificate,
    converged,
    iterations,
    coverage,
    compression: cells.compression,
    representatives: clustering,
    passes: rows.count(),
    warnings,
  };
  return { result, border: used, cells };
}
