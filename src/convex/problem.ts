import type { Edges } from "../graph/edges.ts";
import type { Matrix } from "../matrix/matrix.ts";

/**
 * The convex clustering problem that every variant reduces to (METHODS 1; Chi and Lange):
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
  /** m_i, the number of rows that point i stands for; all 1 when absent. */
  readonly masses?: Float64Array;
  /** B: absent is the identity, a vector is its diagonal, a matrix is the full symmetric positive definite metric. */
  readonly metric?: Float64Array | Matrix;
}

export type Norm = 1 | 2 | "inf";

export interface Certificate {
  readonly primal: number;
  readonly dual: number;
  /** primal - dual >= 0, computed without cancellation; ||U - U*||_B <= sqrt(2 gap). */
  readonly gap: number;
  /** gap / max(1, |primal|). */
  readonly relativeGap: number;
}

export interface ConvexSolution {
  readonly gamma: number;
  /** n x d centres, the point that the certificate is about. */
  readonly U: Matrix;
  /** m x d edge duals z, feasible: ||z_l||_{q*} <= gamma w_l. */
  readonly Z: Matrix;
  readonly certificate: Certificate;
  readonly converged: boolean;
  readonly iterations: number;
  /** Edge l is fused (u_i = u_j exactly, as the solver holds it): 1, else 0. */
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
