import { inValueOrder, asGiven, mapped, scaled } from "../../matrix/internal.ts";
import { asRows, isSparse, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { random } from "../../core/index.ts";
import { extended, numericError, optionError, rule } from "../../core/internal.ts";
import { centerClustering, type CenterClustering } from "../centerClustering.ts";
import { checkConstraints } from "../../data/index.ts";
import { boundAssigner, constrainedAssigner } from "./constrainedAssignment.ts";
import { exclusionGraph, type ExclusionGraph } from "./coloring/exclusionGraph.ts";
import { checkedScale, checkStart, checkRowWeights } from "../clusterInput.ts";
import type { LloydRun } from "../kmeans/lloyd.ts";
import type { Points } from "../kmeans/points.ts";
import { contract, violatedPairs } from "./contracted.ts";
import { pairMetric } from "./mpckMeans.ts";
import { requireColoring } from "./coloring/feasible.ts";
import { bestLloyd, RUN_RULES, START_RULES } from "../kmeans/restarts.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { withPoints } from "../kmeans/withPoints.ts";

export const constrainedKmeansOptions = {
  ...RUN_RULES,
  ...START_RULES,
  ...PAIR_RULES,
  /**
   * "plain": the columns as they are. "learned": under the metric that MPCK-means learns from the same pairs (dense
   * rows only); the objective is in its units, the centres are in those of the data. Default: learned if
   * there are pairs and learning takes a few seconds at most (5000 rows, rows x columns^2 up to 1e6),
   * otherwise plain.
   */
  space: rule.oneOf(["plain", "learned"] as const, undefined, {
    says: "the columns as they are, or under a metric learned from the pairs",
    usual: "learned where there are pairs and the data is small",
  }),
  /** Stop a run when an iteration lowers the objective by no more than this share of it. */
  tolerance: rule.real({ min: 0, below: 1, default: 0 }),
  budget: rule.integer({
    min: 1,
    default: 200_000,
    says: "search steps for a first partition that keeps all pairs",
  }),
};

export type ConstrainedKmeansOptions = rule.OptionsOf<typeof constrainedKmeansOptions>;

export interface ConstrainedKmeans extends CenterClustering<"constrained-kmeans", ConstrainedCertificate> {
  /** With learned distances: A, d x d. */
  readonly metric?: Matrix;
}

export interface ConstrainedCertificate {
  /** `local optimum`: no must-link group has a nearer centre that its cannot-links allow. */
  readonly kind: "local optimum" | "none";
  /** Pairs that the final labels violate: always 0. */
  readonly violated: number;
  /** Groups with a nearer centre that no cannot-link forbids. */
  readonly reassigned: number;
  /** Groups that cannot-links keep from their nearest centre. */
  readonly heldBack: number;
}

const NAME = "constrainedKmeans";

/**
 * k-means under hard pairs, after COP-KMEANS (K. Wagstaff, C. Cardie, S. Rogers and S. Schroedl, 2001):
 *
 *     min  sum_i w_i ||x_i - c_{l_i}||^2   with  l_i = l_j for must-links,  l_i != l_j for cannot-links.
 *
 * Must-link groups become weighted points (contracted.ts), and the assignment step becomes a colouring with
 * costs (constrainedAssignment.ts) from a colouring found once (feasible.ts). So the answer never violates a
 * pair, and the algorithm fails only when no answer exists (the error names pairs that exclude each other) or
 * when the search for a first one gave up (the error says so).
 */
export function constrainedKmeans(
  input: MatrixLike | Sparse,
  options: ConstrainedKmeansOptions,
): ConstrainedKmeans {
  return inValueOrder(asRows(input, "constrainedKmeans"), options, ["weights"], fitted, asGiven());
}

function fitted(X: Matrix | Sparse, options: ConstrainedKmeansOptions): ConstrainedKmeans {
  const resolved = rule.resolveOptions(NAME, options, constrainedKmeansOptions);
  const { initialCenters, seed, budget } = resolved;
  const K = checkStart(NAME, X, resolved);
  const weights = checkRowWeights(NAME, resolved.weights, X.rows);
  checkedScale(X, initialCenters);
  const constraints = checkConstraints(X.rows, resolved);
  const graph = exclusionGraph(constraints);
  const streams = random(seed);
  const coloring = requireColoring(NAME, graph, K, constraints, budget, streams.split());
  const pairs = constraints.mustLink.length + constraints.cannotLink.length;
  const space = resolved.space ?? (pairs > 0 && learnable(X) ? "learned" : "plain");
  if (space === "learned" && isSparse(X)) {
    throw optionError(`${NAME}: space "learned" needs dense rows`);
  }
  const learned =
    space === "learned" ? pairMetric(X as Matrix, K, constraints, { weights, seed }) : undefined;
  const rows = learned?.map(X as Matrix) ?? X;
  const starts = initialCenters && (learned?.map(initialCenters) ?? initialCenters);
  const scale = checkedScale(rows, starts);
  const data = scaled(rows, scale);
  const { points, masses } = contract(data, constraints, weights);
  const warnings: string[] = [];
  const { run, held } = withPoints(points, (groups) => {
    const bound = constrainedAssigner(graph, K, coloring);
    const plan = {
      ...resolved,
      points: groups,
      weights: masses,
      clusters: K,
      assigner: boundAssigner(groups, masses, graph.groups, groups.assigner(K), bound),
      initial: starts?.data.map((value) => value * scale),
      scale,
      free: false,
    };
    const best = bestLloyd(plan, streams, warnings);
    const run = starts === undefined ? numberedByRows(best, X.cols) : best;
    return { run, held: examine(groups, run, K, graph) };
  });
  const labels = constraints.group.map((g) => run.labels[g]);
  const { mustLinks, cannotLinks } = violatedPairs(constraints, labels);
  const sum = withPoints(data, (all) => all.ownDistances(run.centers, labels, weights));
  const objective = sum / scale / scale;
  if (!Number.isFinite(objective)) {
    throw numericError(
      `${NAME}: the sum of squared distances exceeds the number range; scale the data first`,
    );
  }
  // The runs track E without the scatter inside the groups, which no label changes.
  const inside = sum - run.history[run.history.length - 1];
  const centers = mapped(matrix(K, X.cols, run.centers), (value) => value / scale);
  const clustering = centerClustering(X, {
    method: "constrained-kmeans",
    labels,
    centers: learned?.back(centers) ?? centers,
    map: learned?.L,
    objective,
    history: run.history.map((value) => Math.max(objective, (value + inside) / scale / scale)),
    converged: run.converged,
    certificate: {
      kind: run.converged && held.reassigned === 0 ? ("local optimum" as const) : ("none" as const),
      violated: mustLinks + cannotLinks,
      ...held,
    },
    warnings,
    emptyBecause: TOO_FEW_GROUPS,
  });
  return extended(clustering, { ...(learned && { metric: learned.A }) });
}

/** Clusters numbered by their first rows, not by the draw: rounding decides among runs that find the same. Empty ones are last. */
function numberedByRows(run: LloydRun, d: number): LloydRun {
  const K = run.centers.length / d;
  const order = [...new Set([...run.labels, ...Array(K).keys()])];
  const centers = new Float64Array(K * d);
  order.forEach((k, place) => centers.set(run.centers.subarray(k * d, (k + 1) * d), place * d));
  return { ...run, labels: run.labels.map((k) => order.indexOf(k)), centers };
}

export const TOO_FEW_GROUPS = ": the must-links leave too few distinct groups";

/** Up to this size learning takes a few seconds. */
export function learnable(X: Matrix | Sparse): boolean {
  return !isSparse(X) && X.rows <= 5000 && X.rows * X.cols * X.cols <= 1e6;
}

/** Groups with a nearer centre: those that may move there, and those that may not. */
function examine(all: Points, run: LloydRun, K: number, graph: ExclusionGraph) {
  const { labels, centers } = run;
  const own = new Float64Array(all.rows);
  const least = new Float64Array(all.rows);
  all.nearest(centers, K, false);
  all.ownDistances(centers, undefined, undefined, least);
  all.ownDistances(centers, labels, undefined, own);
  const nearer = (g: number): boolean => least[g] < own[g] * (1 - 1e-12);
  let reassigned = 0;
  for (let g = 0; g < all.rows; g++) if (nearer(g)) reassigned++;
  let heldBack = 0;
  const distances = new Float64Array(K);
  for (let v = 0; v < graph.count; v++) {
    const g = graph.groups[v];
    if (!nearer(g)) continue;
    reassigned--;
    heldBack++;
    all.distances(g, g + 1, centers, K, distances);
    for (let e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
      distances[labels[graph.groups[graph.neighbors[e]]]] = Infinity;
    }
    if (distances.some((distance) => distance < own[g] * (1 - 1e-12))) reassigned++;
  }
  return { reassigned, heldBack };
}
