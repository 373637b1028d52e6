import { asRows, isSparse, matrix, type Matrix, type MatrixLike, type Sparse } from "../../matrix/index.ts";
import { asGiven, inValueOrder } from "../../matrix/internal.ts";
import { random } from "../../core/index.ts";
import { inputError, option, optionError, plain, rule } from "../../core/internal.ts";
import { knownPlacing } from "../knownRows.ts";
import { checkConstraints, type Constraints } from "../../data/index.ts";
import { bregman, bregmanOptions, type BregmanDistance } from "../../metric/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import { bestLloyd, RUN_RULES, START_RULES } from "../kmeans/restarts.ts";
import { MEANS } from "../kmeans/lloyd.ts";
import { densePoints, sparsePoints } from "../kmeans/points.ts";
import { clusterSizes } from "../kmeans/weightedMeans.ts";
import { violatedPairs } from "../pairs/contracted.ts";
import { boundAssigner, constrainedAssigner } from "../pairs/constrainedAssignment.ts";
import { exclusionGraph } from "../pairs/coloring/exclusionGraph.ts";
import { requireColoring } from "../pairs/coloring/feasible.ts";
import { checkStart } from "../clusterInput.ts";
import { bregmanPoints, nearestByBregman, type BregmanForm } from "./bregmanPoints.ts";
import type { Clustered, Iterated } from "../clustered.ts";

export const bregmanKmeansOptions = {
  ...rule.without(RUN_RULES, "weights"),
  ...START_RULES,
  /** K. */
  clusters: rule.required(rule.integer({ min: 1 })),
  form: rule.oneOf(["divergence", "symmetrised"] as const, "divergence", {
    says: "the divergence, or the symmetrised distance, for which the objective may rise",
  }),
  ...PAIR_RULES,
  /**
   * An existing distance; then `function`, `cost` and `loss` are not accepted, and pairs only with
   * `enforce`.
   */
  distance: rule.given<BregmanDistance>("a Bregman distance", isDistance),
  /** h of the distance that is learned (bregman.ts). */
  function: bregmanOptions.function,
  /** Weight of the pairs when the distance is learned. */
  cost: bregmanOptions.cost,
  /** Loss of a pair on the wrong side when the distance is learned: the hinge, squared by default. */
  loss: bregmanOptions.loss,
  /**
   * The clusters must respect the pairs, regardless of the distance. Without it the pairs have no further
   * effect.
   */
  enforce: rule.flag(false, { says: "clusters must respect the pairs, not only learn from them" }),
};

export type BregmanKmeansOptions = rule.OptionsOf<typeof bregmanKmeansOptions>;

export interface BregmanKmeans extends Clustered, Iterated {
  readonly method: "bregman-kmeans";
  /** Arithmetic means of the rows, K x d. */
  readonly centers: Matrix;
  readonly certificate: {
    /** `local optimum`: no row (or must-link group) has an allowed centre that is nearer. */
    readonly kind: "local optimum" | "none";
    /** Pairs that the labels violate; 0 with `enforce`. */
    readonly violated: number;
  };
  /** The learned or given distance. */
  readonly distance: BregmanDistance;
  /** The centre with the smallest divergence; training rows that pairs hold elsewhere stay there. */
  predict(Y: MatrixLike | Sparse): Int32Array;
  readonly placement: "divergence";
}

function placeByDivergence(
  distance: BregmanDistance,
  form: BregmanForm,
  centers: Float64Array,
): (Y: Matrix | Sparse) => Int32Array {
  return (Y) => nearestByBregman(distance, form, distance.project(Y), centers);
}

const NAME = "bregmanKmeans";

/**
 * k-means under a learned Bregman distance (A. Banerjee, S. Merugu, I. Dhillon and J. Ghosh, 2005, "Clustering with
 * Bregman divergences"):
 *
 *     minimise  E = sum_i D(x_i || c_{l_i}),   c_k the arithmetic mean of cluster k
 *
 * For the divergence D(x || c) = phi(x) - phi(c) - phi'(c)'(x - c) the mean is the best centre for every phi,
 * so E never rises. For the symmetrised distance, which the text uses, it is not: E may rise, and the best
 * iterate is returned. Only the inner products of rows with the points of the distance are used, so the cost
 * does not depend on the number of columns.
 */
export function bregmanKmeans(input: MatrixLike | Sparse, options: BregmanKmeansOptions): BregmanKmeans {
  return inValueOrder(asRows(input, "bregmanKmeans"), options, [], fitted, asGiven());
}

function fitted(X: Matrix | Sparse, options: BregmanKmeansOptions): BregmanKmeans {
  const resolved = rule.resolveOptions(NAME, options, bregmanKmeansOptions);
  const { form, initialCenters } = resolved;
  const K = checkStart(NAME, X, resolved);
  const pairs = checkConstraints(X.rows, resolved);
  const distance = distanceOf(X, pairs, options, resolved);
  if (distance.weights.length === 0) {
    throw inputError(`${NAME}: the distance is 0 everywhere, so every partition is as good as another`);
  }
  const constraints = resolved.enforce ? pairs : checkConstraints(X.rows, {});
  const streams = random(resolved.seed);
  const graph = exclusionGraph(constraints);
  const remedy = 'leave "enforce" out, or ask for more clusters';
  const coloring = requireColoring(NAME, graph, K, constraints, BUDGET, streams.split(), remedy);
  const points = bregmanPoints(distance, form, distance.project(X), constraints);
  const { masses } = points;
  const warnings = [...(resolved.distance === undefined ? distance.warnings : [])];
  if (points.rows < K) {
    throw inputError(`${NAME}: the must-links leave ${points.rows} groups of rows, fewer than ${K} clusters`);
  }
  const bound = constrainedAssigner(graph, K, coloring);
  const run = bestLloyd(
    {
      ...resolved,
      points,
      weights: masses,
      clusters: K,
      tolerance: 0,
      free: false,
      assigner: boundAssigner(points, masses, graph.groups, points.assigner(K), bound),
      // E is recomputed: for the symmetrised distance means are not the best centres, and it may rise.
      rule: {
        center: MEANS.center,
        objective: (_objective, _before, centers) => points.ownDistances(centers, undefined, masses),
        mayRise: true,
      },
      initial: initialCenters && distance.project(initialCenters).data,
    },
    streams,
    warnings,
  );
  const rises = run.history.filter((E, t) => t > 0 && E > run.history[t - 1] * (1 + ROUNDING)).length;
  if (rises > 0) {
    warnings.push(
      `the objective rose ${rises} times: means are not the best centres for the symmetrised distance; ` +
        `the best iterate is returned`,
    );
  }
  const labels = constraints.group.map((g) => run.labels[g]);
  const { mustLinks, cannotLinks } = violatedPairs(pairs, labels);
  const sizes = clusterSizes(labels, K, warnings);
  const { predict } = knownPlacing(X, labels, placeByDivergence(distance, form, run.centers), "any");
  return plain({
    method: "bregman-kmeans",
    clusters: K,
    labels,
    sizes,
    centers: meansOf(X, labels, sizes),
    objective: run.history.reduce((least, E) => Math.min(least, E)),
    iterations: run.history.length,
    converged: run.converged && distance.converged,
    history: run.history,
    certificate: {
      kind: run.converged && rises === 0 ? "local optimum" : "none",
      violated: mustLinks + cannotLinks,
    },
    warnings,
    distance,
    placement: "divergence",
    predict,
  });
}

/** A larger rise of E is not rounding. */
const ROUNDING = 1e-10;
/** Search steps for a first partition that keeps all pairs. */
const BUDGET = 200_000;

/** From the given distance, or learned from the pairs. */
function distanceOf(
  X: Matrix | Sparse,
  { mustLink, cannotLink }: Constraints,
  asked: BregmanKmeansOptions,
  { distance, enforce, seed, onProgress, function: h, cost, loss }: Resolved,
): BregmanDistance {
  if (distance === undefined) {
    if (mustLink.length === 0 || cannotLink.length === 0) {
      throw inputError(
        `${NAME} learns from both kinds of pairs: give ${option("mustLink")} and ${option("cannotLink")}, or a "distance"`,
      );
    }
    return bregman(X, { mustLink, cannotLink, function: h, cost, loss, seed, onProgress });
  }
  for (const name of ["function", "cost", "loss"] as const) {
    if (asked[name] !== undefined) {
      throw optionError(`${NAME}: "${name}" belongs to a learned distance, but "distance" is given`);
    }
  }
  if (!enforce && mustLink.length + cannotLink.length > 0) {
    throw optionError(`${NAME}: with "distance" given, pairs count only with "enforce"`);
  }
  return distance;
}

type Resolved = rule.ResolvedOptions<typeof bregmanKmeansOptions>;

function isDistance(value: unknown): boolean {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "bregman";
}

function meansOf(X: Matrix | Sparse, labels: Int32Array, sizes: Int32Array): Matrix {
  const centers = matrix(sizes.length, X.cols);
  const points = isSparse(X) ? sparsePoints(X) : densePoints(X);
  labels.forEach((k, i) => points.add(i, 1 / sizes[k], centers.data, k * X.cols));
  return centers;
}
