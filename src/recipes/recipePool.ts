import {
  comparisonGraph,
  rankPartitions,
  representatives,
  type Compression,
  type Representatives,
} from "../cluster/index.ts";
import { kmeansInOrder } from "../cluster/internal.ts";
import { ccmlOptions, type Certificate } from "../convex/index.ts";
import {
  alternate,
  COMMON,
  compose,
  fitCc,
  labelCount,
  massGraph,
  type RoundFit,
} from "../convex/internal.ts";
import { rule } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { borderCuts } from "./borderCuts.ts";
import { clusterRepresentatives, compressionWarning, labelsOf, REPRESENTATIVES } from "./compressedCc.ts";
import { ccml, ccscml } from "./methods.ts";
import { settingOf } from "./run.ts";

/**
 * How much of the recipe runs: with all neighbourhoods, with the small one, on k-means centres, on means of
 * cells.
 */
export type Form = "full" | "light" | "landmarks" | "representatives";

/** One partition of the pool of candidates. */
export interface RecipeCandidate {
  readonly method: "cc" | "ccml" | "ccscml" | "kmeans";
  /** Neighbours of the weight graph; absent for k-means. */
  readonly neighbors?: number;
  /** Round of metric learning. */
  readonly round?: number;
  readonly gamma?: number;
  readonly modularity: number;
  readonly labels: Int32Array;
  readonly certificate?: Certificate;
  readonly converged: boolean;
  /** B on the projected data; the identity when absent. */
  readonly B?: Matrix;
}

/** What the candidates are made from. */
export interface PoolRequest {
  readonly form: Form;
  readonly clusters: number | undefined;
  readonly seed: number;
  readonly going: (label: string, fraction: number) => boolean;
}

/** The partitions of all methods, best first. */
export function candidatePool(Z: Matrix, request: PoolRequest): RecipeCandidate[] {
  const { form, going } = request;
  const sizes = form === "light" ? [10] : [30, 10];
  return poolOf(Z, undefined, sizes, request, (neighbors, clusters, s) =>
    convexChain(Z, neighbors, clusters, form, (label) => going(label, (s + 0.5) / sizes.length)),
  );
}

/**
 * The candidates for many rows: convex clustering of weighted representatives on two neighbourhood sizes, and weighted
 * k-means of the same. Labels of candidates are the representatives'; `labels` are those of the rows by the first.
 */
export function representativePool(Z: Matrix, request: PoolRequest, warnings: string[]) {
  request.going("representatives", 0);
  const { cells, ...weighted }: Representatives & { cells: Int32Array; compression: Compression } =
    representatives(Z, { count: affordable(Z.cols) });
  const { points, masses, compression } = weighted;
  const pool = poolOf(points, masses, [30, 10], request, (neighbors, clusters, s) => {
    const options = { neighbors: neighborsFor(points, neighbors), clusters };
    const resolved = { ...rule.resolveOptions("convexRecipe", {}, COMMON), ...options };
    const { clustering } = clusterRepresentatives("convexRecipe", weighted, resolved);
    const { labels, gamma, certificate, converged } = clustering;
    if (s === 0) warnings.push(compressionWarning(compression));
    return [{ method: "cc", neighbors, labels, gamma, certificate, converged }];
  });
  const { labels, border } = labelsOf(Z, cells, borderCuts(points, masses, pool[0].labels));
  return { pool, labels, compression: { ...compression, cells, border } };
}

/** Convex clustering by each number of neighbours, and k-means, for K clusters or the K of the first. */
function poolOf(
  points: Matrix,
  masses: Float64Array | undefined,
  sizes: readonly number[],
  { clusters, seed, going }: PoolRequest,
  convex: (neighbors: number, clusters: number | undefined, step: number) => Unranked[],
): RecipeCandidate[] {
  const pool: Unranked[] = [];
  let count = clusters;
  for (const [s, neighbors] of sizes.entries()) {
    if (!going(`convex clustering, ${neighbors} neighbours`, s / sizes.length)) break;
    pool.push(...convex(neighbors, count, s));
    count ??= labelCount(pool[0].labels);
  }
  if (pool.length === 0 || (going("k-means", 0.95) && count !== 1)) {
    const { labels, converged } = kmeansInOrder(points, { clusters: count ?? 2, seed, weights: masses });
    pool.push({ method: "kmeans", labels, converged });
  }
  return ranked(points, masses, pool, clusters);
}

type Unranked = Omit<RecipeCandidate, "modularity">;

/** By modularity on the graph of 10 nearest neighbours (rankPartitions.ts). */
function ranked(
  points: Matrix,
  masses: Float64Array | undefined,
  pool: readonly Unranked[],
  clusters: number | undefined,
): RecipeCandidate[] {
  const graph = massGraph(comparisonGraph(points), masses);
  return rankPartitions(graph, pool, clusters).map(({ partition, modularity }) => ({
    ...partition,
    modularity,
  }));
}

/** CC, then CCML from it, then CCSCML from the better of the two. */
function convexChain(
  Z: Matrix,
  neighbors: number,
  clusters: number | undefined,
  form: Form,
  going: (label: string) => boolean,
): Unranked[] {
  const options = { neighbors: neighborsFor(Z, neighbors) };
  const setting = settingOf("ccml", Z, { ...rule.resolveOptions("ccml", options, ccmlOptions), clusters });
  const entry = (
    method: "cc" | "ccml" | "ccscml",
    { chosen: { labels, gamma }, step: { certificate, converged } }: RoundFit,
    more: Partial<Unranked>,
  ): Unranked => ({ method, neighbors, labels, gamma, certificate, converged, ...more });
  const first = fitCc(setting);
  const { chosen, path, candidates } = first;
  const count = clusters ?? chosen.sizes.length;
  const converged = path.complete && path.steps.every((step) => step.converged);
  const chain = [entry("cc", first, { converged })];
  if (count < 2 || Z.rows <= count) return chain;
  let start = candidates.includes(chosen) ? chosen : undefined;
  // The U step of CCML couples all features: its work grows with d^2, and faster than n.
  const small = Z.rows <= 1000 && Z.rows * Z.cols * Z.cols <= 1e5;
  if (form !== "light" && small && going(`CCML, ${neighbors} neighbours`)) {
    // With K given, CCML starts with the path that CC has just followed.
    const { rounds } =
      clusters === undefined ? ccml(Z, { ...options, clusters: count }) : alternate(setting, first);
    rounds.forEach(({ fit, B }, round) => {
      if (round === 0 || fit.chosen.sizes.length !== count) return;
      chain.push(entry("ccml", fit, { round, ...(B && { B }) }));
      if (start === undefined || fit.chosen.modularity > start.modularity) start = fit.chosen;
    });
  }
  if (start === undefined || start.sizes.length !== count || !going(`CCSCML, ${neighbors} neighbours`))
    return chain;
  const { rounds } = ccscml(Z, { ...options, clusters: count, start: start.labels });
  rounds.forEach(({ fit, Q, sigma }, r) => {
    if (fit.chosen.sizes.length !== count) return;
    chain.push(entry("ccscml", fit, { round: r + 1, B: compose(Q, sigma) }));
  });
  return chain;
}

/** At most a fifth of the rows: the neighbourhood of a row should lie within its cluster. */
function neighborsFor({ rows }: Matrix, wanted: number): number {
  return Math.min(wanted, Math.max(2, Math.floor(rows / 5)));
}

/** The number of representatives that is solved on both neighbourhoods in about a minute (chooseForm in convexRecipe.ts). */
function affordable(features: number): number {
  const work = 3.5e8 / (27 * features * 30);
  return Math.max(1000, Math.min(REPRESENTATIVES, Math.floor((work * Math.sqrt(2000)) ** (2 / 3))));
}
