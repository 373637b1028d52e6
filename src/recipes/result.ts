import { extended } from "../core/internal.ts";
import type { Candidate, Certificate, Fusion, Gap, HalfStep, PathStep, Recovery } from "../convex/index.ts";
import {
  availableCounts,
  clusterMeans,
  fusionTree,
  gaps,
  squareRoot,
  type Hints,
  type Outcome,
  type Solved,
} from "../convex/internal.ts";
import type { Edges } from "../graph/index.ts";
import { violatedPairs } from "../cluster/internal.ts";
import { identity, symmetricEigen, type Matrix } from "../matrix/index.ts";
import type { ConvexCompression } from "./compressedCc.ts";
import { placedRows, type ConvexPlacing } from "./placedRows.ts";

/** The result of a method of the family. Row and column numbers refer to the given data. */
export interface ConvexClustering extends ConvexPlacing {
  readonly method: string;
  readonly clusters: number;
  /** 0 .. K - 1 for each row. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** Means of the clusters' rows, in the units of the data. */
  readonly centers: Matrix;
  readonly gamma: number;
  /** The convex objective at the chosen gamma, and the proof that it is minimal. */
  readonly objective: number;
  readonly certificate: Certificate;
  /** Every solve reached its tolerance, and the search for gamma ran to its end. */
  readonly converged: boolean;
  /** Solver iterations over all gammas. */
  readonly iterations: number;
  /** Objective after each half step; one entry for methods without a learned metric. */
  readonly history: readonly HalfStep[];
  /** Sizes of the components at the chosen gamma, before they became K clusters. */
  readonly components: Int32Array;
  /** Fraction of rows in the components that became clusters. */
  readonly coverage: number;
  /** Numbers of components that occur on the path. */
  readonly availableCounts: readonly number[];
  /** All candidate partitions into K clusters, for another rule of choice. */
  readonly candidates: readonly Candidate[];
  readonly path: ClusterPath;
  readonly metric: LearnedMetric;
  /** Between rows or, with pairs, between must-link groups. */
  readonly graph: Edges;
  /** On request: the solution at the chosen gamma. */
  readonly solution?: CentersAndDuals;
  /**
   * For `cc` without pairs: the gammas that must give exactly this partition (convex/path/recovery.ts), if it is
   * separated well enough.
   */
  readonly recovery?: Recovery;
  /** With pairs: their outcome. */
  readonly pairs?: KeptPairs;
  /**
   * If representatives were clustered instead of rows: the loss. `graph`, `candidates` and `path` are
   * theirs.
   */
  readonly compression?: ConvexCompression;
  readonly warnings: readonly string[];
  toJSON(): object;
}

/**
 * The point of the certificate, in scaled units. The differences V of the papers are u_i - u_j along the
 * edges.
 */
export interface CentersAndDuals {
  /** One centre for each node of `graph`. */
  readonly U: Matrix;
  /** One vector for each edge of `graph`, ||z_l||_{q*} <= gamma w_l. */
  readonly Z: Matrix;
}

export interface KeptPairs {
  /** The must-link group of each row: its node in `graph`. */
  readonly groups: Int32Array;
  /** Pairs that the final labels violate: always 0. */
  readonly violated: number;
  /** Rows that a cannot-link moved to another cluster than their component's. */
  readonly moved: number;
}

export interface ClusterPath {
  readonly steps: readonly PathStep[];
  readonly complete: boolean;
  readonly fusions: readonly Fusion[];
  readonly splits: number;
  readonly gaps: readonly Gap[];
}

/** (x - y)' B (x - y) on the scaled features. */
export interface LearnedMetric {
  readonly matrix: Matrix;
  /** Share of each given feature in the metric, B_ff / tr B; 0 for constant features. */
  readonly relevance: Float64Array;
  /** Descending. */
  readonly eigenvalues: Float64Array;
}

/** The clustering that a recipe's outcome describes. */
export function convexClustering<S extends Solved, M extends object>({
  setting,
  fit,
  B = identity(setting.scaled.X.cols),
  history,
  warnings: more = [],
  more: own,
}: Outcome<S, M>): ConvexClustering & M {
  const { scaled, X, method, hints, judge } = setting;
  const { chosen, step, path, candidates } = fit;
  const { labels, sizes, coverage } = chosen;
  const { steps } = path;
  const unproven = steps.filter((solved) => !solved.converged).length;
  const warnings = [...setting.warnings, ...fit.warnings, ...more];
  if (unproven > 0) {
    warnings.push(`${unproven} of ${steps.length} solves did not reach the tolerance; see the certificates`);
  }
  if (setting.stopped()) warnings.push("stopped on request; the best result so far is returned");
  const { means: centers } = clusterMeans(X, labels, sizes.length, judge.masses);
  const placing = placedRows({ X, labels, centers, scaled, map: squareRoot(B) });
  return extended(placing, {
    method,
    clusters: sizes.length,
    labels,
    sizes,
    centers,
    gamma: step.gamma,
    objective: step.certificate.primal,
    certificate: step.certificate,
    converged: unproven === 0 && path.complete && !setting.stopped(),
    iterations: steps.reduce((sum, solved) => sum + solved.iterations, 0),
    history,
    components: step.sizes,
    coverage,
    availableCounts: availableCounts(steps),
    candidates,
    path: { ...path, ...fusionTree(steps, X.rows), gaps: gaps(steps) },
    metric: learnedMetric(B, scaled.kept, X.cols),
    graph: setting.graph,
    ...(hints !== undefined && { pairs: keptPairs(hints, chosen) }),
    warnings,
    ...own,
  }) as unknown as ConvexClustering & M;
}

function keptPairs({ constraints }: Hints, { labels, moved }: Candidate): KeptPairs {
  const { mustLinks, cannotLinks } = violatedPairs(constraints, labels);
  return { groups: constraints.group, violated: mustLinks + cannotLinks, moved: moved ?? 0 };
}

export function learnedMetric(B: Matrix, kept: readonly number[], features: number): LearnedMetric {
  const d = B.rows;
  const relevance = new Float64Array(features);
  let trace = 0;
  for (let f = 0; f < d; f++) trace += B.data[f * d + f];
  for (let f = 0; f < d; f++) relevance[kept[f]] = B.data[f * d + f] / trace;
  return { matrix: B, relevance, eigenvalues: symmetricEigen(B).values };
}
