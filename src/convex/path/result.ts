import { extended } from "../../core/internal.ts";
import { placedRows, type ConvexPlacing } from "./placedRows.ts";
import type { Recovery } from "./recovery.ts";
import type { Edges } from "../../graph/index.ts";
import { identity, matrix, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { clusterMeans } from "./assignment.ts";
import type { Candidate } from "./candidates.ts";
import type { ConvexCompression } from "../recipe/compressedCc.ts";
import { availableCounts, type Fit } from "./fit.ts";
import { fusionTree, type Fusion, type Gap, gaps } from "./fusionTree.ts";
import type { Hints } from "./hints.ts";
import type { PathStep, Solved } from "./path.ts";
import type { Certificate } from "../solve/problem.ts";
import type { Setting } from "./setting.ts";

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
   * For `cc` without pairs: the gammas that must give exactly this partition (recovery.ts), if it is
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

export interface HalfStep {
  readonly step: "centers" | "metric" | "projection";
  readonly gamma: number;
  readonly objective: number;
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

export interface Ending<S extends Solved> {
  readonly setting: Setting;
  readonly fit: Fit<S>;
  /** B on the scaled features; absent for the identity. */
  readonly B?: Matrix;
  readonly history: readonly HalfStep[];
  readonly solution?: CentersAndDuals;
  /** Warnings beyond those of the setting and the fit. */
  readonly warnings?: readonly string[];
}

export function convexClustering<S extends Solved>(ending: Ending<S>): ConvexClustering {
  const { setting, fit } = ending;
  const { scaled, X } = setting;
  const { chosen, step, path, candidates } = fit;
  const B = ending.B ?? identity(scaled.X.cols);
  const solves = path.steps;
  const unproven = solves.filter((solved) => !solved.converged).length;
  const warnings = [...setting.warnings, ...fit.warnings, ...(ending.warnings ?? [])];
  if (unproven > 0) {
    warnings.push(`${unproven} of ${solves.length} solves did not reach the tolerance; see the certificates`);
  }
  if (setting.stopped()) warnings.push("stopped on request; the best result so far is returned");
  const { means: centers } = clusterMeans(X, chosen.labels, chosen.sizes.length, setting.judge.masses);
  const { labels } = chosen;
  const placing = placedRows({ method: setting.method, X, labels, centers, scaled, map: squareRoot(B) });
  const data = {
    method: setting.method,
    clusters: chosen.sizes.length,
    labels: chosen.labels,
    sizes: chosen.sizes,
    centers,
    gamma: step.gamma,
    objective: step.certificate.primal,
    certificate: step.certificate,
    converged: unproven === 0 && path.complete && !setting.stopped(),
    iterations: solves.reduce((sum, solved) => sum + solved.iterations, 0),
    history: ending.history,
    components: step.sizes,
    coverage: chosen.coverage,
    availableCounts: availableCounts(solves),
    candidates,
    path: { ...path, ...fusionTree(solves, X.rows), gaps: gaps(solves) },
    metric: learnedMetric(B, scaled.kept, X.cols),
    graph: setting.graph,
    ...(ending.solution !== undefined && { solution: ending.solution }),
    ...(setting.hints !== undefined && { pairs: keptPairs(setting.hints, chosen) }),
    warnings,
  };
  return extended(placing, data);
}

function keptPairs({ constraints }: Hints, { labels, moved }: Candidate): KeptPairs {
  const { mustLink, cannotLink, group } = constraints;
  const violated =
    mustLink.filter(([i, j]) => labels[i] !== labels[j]).length +
    cannotLink.filter(([i, j]) => labels[i] === labels[j]).length;
  return { groups: group, violated, moved: moved ?? 0 };
}

export function learnedMetric(B: Matrix, kept: readonly number[], features: number): LearnedMetric {
  const d = B.rows;
  const relevance = new Float64Array(features);
  let trace = 0;
  for (let f = 0; f < d; f++) trace += B.data[f * d + f];
  for (let f = 0; f < d; f++) relevance[kept[f]] = B.data[f * d + f] / trace;
  return { matrix: B, relevance, eigenvalues: symmetricEigen(B).values };
}

/** B^(1/2), symmetric. */
export function squareRoot(B: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(B);
  const d = B.rows;
  const scaled = matrix(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      scaled.data[i * d + j] = vectors.data[i * d + j] * Math.sqrt(Math.max(0, values[j]));
    }
  }
  const R = matrix(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      let sum = 0;
      for (let k = 0; k < d; k++) sum += scaled.data[i * d + k] * vectors.data[j * d + k];
      R.data[i * d + j] = sum;
    }
  }
  return R;
}
