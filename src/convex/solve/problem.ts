import { inputError, optionError } from "../../core/internal.ts";
import type { Edges } from "../../graph/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { requireFinite, requireModerate, requireSymmetric } from "../../matrix/internal.ts";

/**
 * The convex clustering problem behind every variant (Chi and Lange 2015):
 *
 *     P(U) = 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l ||u_i - u_j||_q
 *
 * with one dual vector z_l per edge, ||z_l||_{q*} <= gamma w_l.
 */
export interface ConvexProblem {
  /** n x d points. */
  readonly X: Matrix;
  readonly graph: Edges;
  /** q: 1, 2 or infinity. */
  readonly norm: Norm;
  /** m_i, the number of rows of point i; all 1 if absent. */
  readonly masses?: Float64Array;
  /**
   * B: absent for the identity, a vector for a diagonal, a matrix for the full symmetric positive definite
   * metric.
   */
  readonly metric?: Float64Array | Matrix;
}

export type Norm = 1 | 2 | "inf";

export interface Certificate {
  readonly primal: number;
  readonly dual: number;
  /** primal - dual >= 0, computed without cancellation; ||U - U*||_B <= sqrt(2 gap). */
  readonly gap: number;
  /** gap / max(|primal|, min(1, T)), T the objective of complete fusion (certificate.ts). */
  readonly relativeGap: number;
}

export interface ConvexSolution {
  readonly gamma: number;
  /** n x d centres, the point of the certificate. */
  readonly U: Matrix;
  /** m x d edge duals z, feasible: ||z_l||_{q*} <= gamma w_l. */
  readonly Z: Matrix;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
  /** Edge l is fused (u_i = u_j exactly, in the solver's representation): 1, else 0. */
  readonly fused: Uint8Array;
}

/** How a solver is called; `start` is the solution at a nearby gamma of the same problem. */
export interface SolveOptions {
  readonly gamma: number;
  /** Relative duality gap to reach. */
  readonly tolerance?: number;
  readonly start?: ConvexSolution;
  readonly maxIterations?: number;
}

/** Solves one problem at one gamma, for any norm and metric (solve.ts). */
export type Solve = (problem: ConvexProblem, options: SolveOptions, solver?: SolverName) => ConvexSolution;

/** "default": the exact or certified method of each norm. "admm": Algorithms 1 and 2 of the papers, the reference. */
export type SolverName = "default" | "admm";

/**
 * Refuses a problem that no solver can answer, and names the wrong cell, edge or entry. A full metric is
 * checked for size and symmetry here; its factorisation shows whether it is positive definite.
 */
export function checkProblem(problem: ConvexProblem, gamma: number): void {
  const { X, graph, norm, masses, metric } = problem;
  if (!(gamma >= 0 && gamma < Infinity)) {
    throw optionError(`gamma must be a finite number of at least 0, got ${gamma}`);
  }
  if (norm !== 1 && norm !== 2 && norm !== "inf") {
    throw optionError(`the norm must be 1, 2 or "inf", got ${String(norm)}`);
  }
  requireModerate(X);
  checkGraph(graph, X.rows);
  if (masses !== undefined) checkPositive(masses, X.rows, "masses", "row");
  if (metric instanceof Float64Array) checkPositive(metric, X.cols, "the diagonal metric", "feature");
  else if (metric !== undefined) {
    const { rows, cols } = metric;
    if (rows !== X.cols || cols !== X.cols) {
      throw inputError(`the metric is ${rows} x ${cols}, but the data has ${X.cols} features`);
    }
    requireFinite(metric, "the metric");
    requireSymmetric(metric, "the metric", 1e-9);
  }
}

function checkGraph({ nodes, from, to, weights }: Edges, rows: number): void {
  if (nodes !== rows) throw inputError(`the graph has ${nodes} nodes, but the data has ${rows} rows`);
  if (from.length !== to.length || from.length !== weights.length) {
    throw inputError(
      `the graph's arrays disagree: ${from.length} from, ${to.length} to, ${weights.length} weights`,
    );
  }
  for (let e = 0; e < from.length; e++) {
    const [i, j, w] = [from[e], to[e], weights[e]];
    if (!(i >= 0 && i < nodes && j >= 0 && j < nodes) || i === j) {
      throw inputError(
        `edge ${e} joins nodes ${i} and ${j}; it must join two different nodes below ${nodes}`,
      );
    }
    if (!(w > 0 && w < Infinity)) {
      throw inputError(
        `edge ${e} (${i}, ${j}) has weight ${w}; weights must be finite and positive (leave out edges of weight 0)`,
      );
    }
  }
}

function checkPositive(values: Float64Array, length: number, name: string, unit: string): void {
  if (values.length !== length) throw inputError(`${name}: ${length} values needed, got ${values.length}`);
  for (let i = 0; i < length; i++) {
    if (!(values[i] > 0 && values[i] < Infinity)) {
      throw inputError(`${name}: ${unit} ${i} has ${values[i]}; values must be finite and positive`);
    }
  }
}
