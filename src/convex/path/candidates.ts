import type { Edges } from "../../graph/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { squaredDistance } from "../../matrix/internal.ts";
import { modularity, withinSumOfSquares } from "../../score/index.ts";
import {
  assignClusters,
  type Assignment,
  bigSize,
  clusterMeans,
  countBig,
  keepComponents,
  type KeptComponents,
  type Merge,
  nearestCenter,
} from "./assignment.ts";
import { gaps } from "./fusionTree.ts";
import { groupMeans, type Hints } from "./hints.ts";
import type { PathStep } from "./path.ts";

/**
 * The candidate partitions of a path, and the choice among them without labels.
 *
 * - practical: where at least K components are big, they become K clusters (assignment.ts);
 * - strict: every component counts, including singletons: "exactly K clusters" of the papers.
 */
export interface Candidate extends Assignment {
  readonly gamma: number;
  /** Components at this gamma, including singletons, and the number of big ones. */
  readonly components: number;
  readonly big: number;
  /** How the components became clusters; absent in the strict form. */
  readonly merge?: Merge;
  /** Sum of squared distances to cluster means, in the scaled data. */
  readonly withinSumOfSquares: number;
  /** On the 10-nearest-neighbour graph of the scaled data. */
  readonly modularity: number;
}

export type Criterion = "wss" | "modularity";
export type Protocol = "practical" | "strict";

export interface Judge {
  /** The space of means and distances: the scaled data, or its projection (CCSCML). */
  readonly space: Matrix;
  /** The scaled data, in which candidates are compared. */
  readonly data: Matrix;
  /** The graph for modularity. */
  readonly graph: Edges;
  readonly protocol: Protocol;
  readonly merge: Merge | "both";
  readonly criterion: Criterion;
  readonly hints: Hints | undefined;
  /** Total number of rows; points that represent several have masses. */
  readonly rows: number;
  readonly masses: Float64Array | undefined;
}

/** The candidates of one step for K clusters; none if too few of its components are big. */
export function candidatesAt(step: PathStep, clusters: number, judge: Judge, least?: number): Candidate[] {
  const size = least ?? bigSize(judge.rows, clusters);
  if (judge.protocol === "strict") return [strictCandidate(step, judge)];
  const big = countBig(step.sizes, size);
  const merges: Merge[] = judge.merge === "both" ? ["largest", "ward"] : [judge.merge];
  return merges.flatMap((merge) => {
    // With exactly K big components both forms are the same.
    if (merge === "ward" && judge.merge === "both" && big === clusters) return [];
    const found = assign(step, clusters, judge, size, merge);
    return found === undefined ? [] : [candidate(step, found, judge, big, merge)];
  });
}

/** Clusters that cannot-links have emptied do not count. */
function assign(
  { labels, sizes }: PathStep,
  clusters: number,
  { space, hints, masses }: Judge,
  least: number,
  merge: Merge,
): Assignment | undefined {
  if (hints === undefined) return assignClusters(space, labels, sizes, clusters, least, merge, masses);
  const kept = keepComponents(space, labels, sizes, clusters, least, merge);
  const found = kept && assignGroups(space, hints, kept);
  return found?.sizes.includes(0) ? undefined : found;
}

/**
 * The last step under pairs: with mu_k the means of the kept components, group g costs
 *
 *     0 in the component that it belongs to,     m_g ||y_g - mu_k||^2 elsewhere,
 *
 * and the labels have the smallest total cost that keeps every cannot-link (`Apart.assign`). Groups without a
 * cannot-link stay, or take the nearest mean.
 */
function assignGroups(X: Matrix, hints: Hints, { assigned, means, coverage }: KeptComponents): Assignment {
  const { constraints, masses, apart } = hints;
  const { group, groups } = constraints;
  const K = means.rows;
  const Y = groupMeans(X, hints);
  const component = new Int32Array(groups);
  for (let i = 0; i < group.length; i++) component[group[i]] = assigned[i];
  const placed = component.map((c, g) => (c < 0 ? nearestCenter(Y, g, means) : c));
  if (apart !== undefined) {
    const costs = matrix(apart.groups.length, K);
    apart.groups.forEach((g, v) => {
      for (let k = 0; k < K; k++) {
        costs.data[v * K + k] = k === component[g] ? 0 : masses[g] * squaredDistance(Y, g, means, k);
      }
    });
    const clusters = apart.assign(costs);
    apart.groups.forEach((g, v) => (placed[g] = clusters[v]));
  }
  let moved = 0;
  for (let g = 0; g < groups; g++) {
    if (component[g] >= 0 && component[g] !== placed[g]) moved += masses[g];
  }
  const labels = group.map((g) => placed[g]);
  const final = clusterMeans(X, labels, K);
  return { labels, sizes: final.sizes, centers: final.means, coverage, moved };
}

/** An additional partition, judged like those of the path. */
export function foreignCandidate(step: PathStep, labels: Int32Array, judge: Judge): Candidate {
  const codes = [...new Set(labels)];
  const renumbered = labels.map((label) => codes.indexOf(label));
  const { means, sizes } = clusterMeans(judge.space, renumbered, codes.length, judge.masses);
  return candidate(step, { labels: renumbered, sizes, centers: means, coverage: 0 }, judge, 0);
}

/** Every component a cluster. */
export function strictCandidate(step: PathStep, judge: Judge): Candidate {
  const { labels, sizes, clusters } = step;
  const centers = clusterMeans(judge.space, labels, clusters, judge.masses).means;
  const big = countBig(sizes, bigSize(judge.rows, clusters));
  return candidate(step, { labels, sizes, centers, coverage: 1 }, judge, big);
}

function candidate(step: PathStep, found: Assignment, judge: Judge, big: number, merge?: Merge): Candidate {
  return {
    ...found,
    gamma: step.gamma,
    components: step.clusters,
    big,
    ...(merge !== undefined && { merge }),
    withinSumOfSquares: withinSumOfSquares(judge.data, found.labels, judge.masses),
    modularity: modularity(judge.graph, found.labels),
  };
}

/** Whether a is the better candidate for K clusters; in a tie the one at the larger gamma. */
export function better(a: Candidate, b: Candidate | undefined, clusters: number, judge: Judge): boolean {
  if (b === undefined) return true;
  const missA = Math.abs(a.sizes.length - clusters);
  const missB = Math.abs(b.sizes.length - clusters);
  if (missA !== missB) return missA < missB;
  // If two counts are equally far from K, the larger one, which fuses nothing that the data keep apart.
  if (a.sizes.length !== b.sizes.length) return a.sizes.length > b.sizes.length;
  const gain =
    judge.criterion === "wss" ? b.withinSumOfSquares - a.withinSumOfSquares : a.modularity - b.modularity;
  return gain > 0 || (gain === 0 && a.gamma > b.gamma);
}

/**
 * K if it is not given: the number of big components that lasts over the longest range of log gamma, ties to
 * the smaller. A number c is counted with the threshold for c clusters; one cluster lasts for ever and is the
 * answer only if nothing else occurs. Steps that cover less than 35 % of the rows do not count.
 */
export function persistentCount(steps: readonly PathStep[], rows: number): number {
  const length = new Map<number, number>();
  for (const gap of gaps(steps, (step) => consistentCount(step, rows))) {
    if (gap.clusters >= 2) length.set(gap.clusters, (length.get(gap.clusters) ?? 0) + gap.length);
  }
  let best = 1;
  for (const [count, long] of [...length].sort(([a], [b]) => a - b)) {
    if (best === 1 || long > (length.get(best) ?? 0)) best = count;
  }
  return best;
}

/** The largest c such that c components are big for c clusters; 0 if they cover too little. */
function consistentCount({ sizes }: PathStep, rows: number): number {
  const descending = sizes.toSorted().reverse();
  let covered = 0;
  let best = 0;
  for (let c = 1; c <= descending.length && descending[c - 1] >= 3; c++) {
    covered += descending[c - 1];
    if (descending[c - 1] >= bigSize(rows, c)) best = covered >= 0.35 * rows ? c : 0;
  }
  return best;
}
