import { inputError, numericError, optionError } from "../../core/errors.ts";
import { given, integer, oneOf, required, resolveOptions } from "../../core/options.ts";
import type { OnProgress } from "../../core/progress.ts";
import { random } from "../../core/random.ts";
import { checkConstraints, type CheckedConstraints, type Constraints } from "../../data/constraints.ts";
import { matrix, type Matrix } from "../../matrix/matrix.ts";
import { isSparse, type Sparse } from "../../matrix/sparse.ts";
import type { BregmanDistance } from "../../metric/bregman/bregmanModel.ts";
import { bregmanLloyd, type BoundGroups, type BregmanRun } from "./bregmanLloyd.ts";
import { BregmanPoints } from "./bregmanPoints.ts";
import { constrainedAssigner } from "../pairs/constrainedAssignment.ts";
import { conflictMessage } from "../pairs/constrainedKmeans.ts";
import { exclusionGraph } from "../pairs/coloring/exclusionGraph.ts";
import { colorGraph, explain } from "../pairs/coloring/feasible.ts";
import { bestOfRestarts } from "../kmeans/restarts.ts";

/**
 * k-means under a learned Bregman distance (A. Banerjee, S. Merugu, I. Dhillon and J. Ghosh, 2005, "Clustering with
 * Bregman divergences"):
 *
 *     minimise  E = sum_i D(x_i || c_{l_i}),   c_k the arithmetic mean of cluster k
 *
 * For the divergence D(x || c) = phi(x) - phi(c) - phi'(c)'(x - c) the mean is the best centre, whatever phi, so E never
 * rises. For the symmetrised distance, which the text uses, it is not: E may rise, and the best iterate is returned.
 * Rows enter through their inner products with the points of the distance only, so the cost does not depend on the
 * number of columns.
 */
export interface BregmanKmeansOptions {
  /** K. */
  clusters: number;
  /** D: the divergence (default), or the symmetrised distance. */
  form?: "divergence" | "symmetrised";
  /**
   * Pairs that the clusters must respect, whatever the distance says. Without it the pairs that the distance was learned
   * from have no further say.
   */
  enforce?: Constraints;
  /** 10 by default, 1 with `initialCenters`. */
  restarts?: number;
  seed?: number;
  /** K x d. */
  initialCenters?: Matrix;
  maxIterations?: number;
  onProgress?: OnProgress;
}

export interface BregmanKmeans {
  readonly method: "bregman-kmeans";
  readonly clusters: number;
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Arithmetic means of the rows, K x d. */
  readonly centers: Matrix;
  /** E of the labels and centres that are returned. */
  readonly objective: number;
  readonly iterations: number;
  readonly converged: boolean;
  /** E after each iteration; never rises for the divergence. */
  readonly history: readonly number[];
  readonly certificate: {
    /** `local optimum`: no row (or must-link group) has a nearer centre that it may go to. */
    readonly kind: "local optimum" | "none";
    /** Pairs of `enforce` that the labels violate: always 0. */
    readonly violated: number;
  };
  readonly warnings: readonly string[];
  /** The nearest centre of each row of Y; new rows are in no pair. */
  predict(Y: Matrix | Sparse): Int32Array;
}

const NAME = "bregmanKmeans";

export function bregmanKmeans(
  X: Matrix | Sparse,
  distance: BregmanDistance,
  options: BregmanKmeansOptions,
): BregmanKmeans {
  const resolved = resolveOptions<BregmanKmeansOptions, typeof RULES>(NAME, options, RULES);
  const { clusters: K, form, initialCenters, seed, maxIterations } = resolved;
  requireClusters(X, K, initialCenters, resolved.restarts);
  if (distance.weights.length === 0) {
    throw inputError(`${NAME}: the distance is 0 everywhere, so every partition is as good as another`);
  }
  const constraints = checkConstraints(X.rows, resolved.enforce);
  const streams = random(seed);
  const bound = boundGroups(constraints, K, streams.split());
  const points = new BregmanPoints(distance, form, distance.project(X), constraints);
  const warnings: string[] = [];
  if (points.groups < K) {
    throw inputError(
      `${NAME}: the must-links leave ${points.groups} groups of rows, fewer than ${K} clusters`,
    );
  }
  const restarts = initialCenters === undefined ? (resolved.restarts ?? 10) : 1;
  const best = bestOfRestarts<BregmanRun>(
    { restarts, maxIterations, onProgress: resolved.onProgress },
    warnings,
    (run) => run.objective,
    (_, report) => {
      const stream = streams.split();
      const initial =
        initialCenters === undefined ? points.seedCenters(K, stream) : distance.project(initialCenters).data;
      return bregmanLloyd(points, initial, bound, maxIterations, report);
    },
  );
  if (best.rises > 0) {
    warnings.push(
      `the objective rose ${best.rises} times: means are not the best centres for the symmetrised distance; ` +
        `the best iterate is returned`,
    );
  }
  return describe(X, distance, points, constraints, best, K, warnings);
}

const RULES = {
  clusters: required(integer({ min: 1 })),
  form: oneOf(["divergence", "symmetrised"] as const, "divergence"),
  enforce: given<Constraints>(
    "an object with mustLink and cannotLink",
    (value) => typeof value === "object" && value !== null,
    { mustLink: [], cannotLink: [] },
  ),
  restarts: integer({ min: 1 }),
  seed: integer({ min: 0, default: 0 }),
  initialCenters: given<Matrix>(
    "a matrix",
    (value) => typeof value === "object" && value !== null && "data" in value,
  ),
  maxIterations: integer({ min: 1, default: 300 }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

function requireClusters(
  X: Matrix | Sparse,
  K: number,
  initialCenters: Matrix | undefined,
  restarts: number | undefined,
): void {
  if (K > X.rows) throw optionError(`${NAME}: cannot make ${K} clusters of ${X.rows} rows`);
  if (initialCenters === undefined) return;
  if (initialCenters.rows !== K || initialCenters.cols !== X.cols) {
    throw optionError(
      `${NAME}: "initialCenters" is ${initialCenters.rows} x ${initialCenters.cols}, but ${K} x ${X.cols} is needed`,
    );
  }
  if (restarts !== undefined && restarts !== 1) {
    throw optionError(`${NAME}: "restarts" must be 1 with "initialCenters": every run would be the same`);
  }
}

function boundGroups(
  constraints: CheckedConstraints,
  K: number,
  stream: ReturnType<typeof random>,
): BoundGroups {
  const budget = 200_000;
  const graph = exclusionGraph(constraints);
  const coloring = colorGraph(graph, K, budget, stream);
  if (coloring.status === "infeasible") {
    throw inputError(conflictMessage(explain(coloring.core!, K, constraints, budget), K));
  }
  if (coloring.status === "gave up") {
    throw numericError(
      `${NAME}: gave up without knowing whether ${K} clusters can satisfy the cannot-links of "enforce"; ` +
        `leave it out, or ask for more clusters`,
    );
  }
  return { groups: graph.groups, assigner: constrainedAssigner(graph, K, coloring.colors!) };
}

function describe(
  X: Matrix | Sparse,
  distance: BregmanDistance,
  points: BregmanPoints,
  constraints: CheckedConstraints,
  run: BregmanRun,
  K: number,
  warnings: string[],
): BregmanKmeans {
  const labels = constraints.group.map((g) => run.labels[g]);
  const sizes = new Int32Array(K);
  for (const k of labels) sizes[k]++;
  const empty = sizes.filter((size) => size === 0).length;
  if (empty > 0) warnings.push(`${empty} of ${K} clusters are empty`);
  const violated =
    constraints.mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    constraints.cannotLink.filter(([i, j]) => labels[i] === labels[j]).length;
  return {
    method: "bregman-kmeans",
    clusters: K,
    labels,
    sizes,
    centers: meansOf(X, labels, sizes),
    objective: run.objective,
    iterations: run.history.length,
    converged: run.converged,
    history: run.history,
    certificate: { kind: run.converged && run.rises === 0 ? "local optimum" : "none", violated },
    warnings,
    predict: (Y) => points.nearest(distance.project(Y), run.centers),
  };
}

function meansOf(X: Matrix | Sparse, labels: Int32Array, sizes: Int32Array): Matrix {
  const d = X.cols;
  const centers = matrix(sizes.length, d);
  for (let i = 0; i < X.rows; i++) {
    const at = labels[i] * d;
    const share = 1 / sizes[labels[i]];
    if (isSparse(X)) {
      for (let p = X.offsets[i]; p < X.offsets[i + 1]; p++)
        centers.data[at + X.indices[p]] += share * X.values[p];
    } else {
      for (let f = 0; f < d; f++) centers.data[at + f] += share * X.data[i * d + f];
    }
  }
  return centers;
}
