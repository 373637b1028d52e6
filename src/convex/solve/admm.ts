/**
 * Convex clustering by the alternating direction method of multipliers (Chi and Lange 2015; Sui et al. 2018,
 * Algorithm 1): split v_l = u_i - u_j, multipliers lambda_l, penalty nu,
 *
 *     U:       B (u_i - x_i) m_i + nu sum_l (+-)(u_i - u_j) = sum_l (+-)(nu v_l + lambda_l)
 *     v_l:     prox of (gamma w_l / nu) ||.||_q at u_i - u_j - lambda_l / nu
 *     lambda:  lambda_l + nu (v_l - u_i + u_j)
 *
 * The U step is a Sylvester equation in B and the Laplacian of the split; in the eigenbasis of B (and of the Laplacian)
 * it is a division, so neither Schur forms nor back-substitution are needed. The papers split every pair of
 * points. Pairs without weight have v_l = u_i - u_j and lambda_l = 0 in every iteration, so they enter only
 * through sums and need no memory.
 *
 * This is the reference for tests of the exact solvers. It keeps z = -lambda, which the v step leaves inside
 * the dual ball, so every iterate has a certificate.
 */
import { optionError } from "../../core/internal.ts";
import type { Edges } from "../../graph/index.ts";
import {
  edgeDifferences,
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  row,
  symmetricEigen,
  type Matrix,
} from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { certificate, gapParts, gapUnit, relativeGap } from "./certificate.ts";
import { projectDual } from "./dualBall.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";

export interface AdmmOptions extends SolveOptions {
  /**
   * nu, fixed if given; by default it is adapted so that neither part of the gap lags (after Boyd et al.
   * 2011, 3.4.1).
   */
  readonly penalty?: number;
  /**
   * Which pairs are split: those of the graph (n^2 memory for its Laplacian's eigenvectors), or all as in
   * the papers.
   */
  readonly split?: "graph" | "complete";
}

/**
 * Edges count as fused if the shrunken difference v is zero in every feature (Sui et al. 2018, section 4.1).
 */
export function admm(problem: ConvexProblem, options: AdmmOptions): ConvexSolution {
  const { gamma, tolerance = 1e-6, start, maxIterations = 100_000, split = "graph" } = options;
  checkProblem(problem, gamma);
  const unit = gapUnit(problem);
  const steps = admmSteps(problem, { gamma, split, start, penalty: options.penalty });
  const { Z, V } = steps;
  let least = Infinity;
  let leastAt = 0;
  for (let iterations = 1; ; iterations++) {
    const U = steps.step(gamma);
    if (iterations % CHECK_EVERY !== 0 && iterations < maxIterations) continue;
    const { primal, nodes, edges } = gapParts(problem, gamma, U, Z);
    const gap = relativeGap(nodes + edges, primal, unit);
    const converged = gap <= tolerance;
    if (gap < PROGRESS * least) {
      least = gap;
      leastAt = iterations;
    }
    const stalled = iterations - leastAt >= STALLED && iterations > BALANCE_UNTIL / 2;
    if (converged || stalled || iterations >= maxIterations) {
      const proof = certificate(problem, gamma, U, Z);
      return { gamma, U, Z, certificate: proof, converged, iterations, fused: zeroRows(V) };
    }
    if (options.penalty === undefined && iterations <= BALANCE_UNTIL) steps.balance(nodes, edges);
  }
}

/** The three steps, from U = X or a start whose duals enter the ball of gamma. */
export function admmSteps(
  problem: ConvexProblem,
  { gamma, split = "graph", start, penalty }: Pick<AdmmOptions, "gamma" | "split" | "start" | "penalty">,
) {
  const { X, graph, norm } = problem;
  const d = X.cols;
  const metric = metricEigen(problem);
  let nu = penalty ?? firstPenalty(problem, metric.values, split);
  const solveU = split === "complete" ? completeSolve(problem, metric) : graphSolve(problem, metric);
  let U = start?.U ?? X;
  const Z = matrix(graph.from.length, d, start?.Z.data.slice());
  const V = edgeDifferences(U, graph.from, graph.to);
  for (let e = 0; e < Z.rows; e++) projectDual(Z.data, e * d, d, norm, gamma * graph.weights[e]);
  return {
    /** z_l and v_l, which each step overwrites. */
    Z,
    V,
    /** One iteration at gamma; its U. */
    step(at: number): Matrix {
      U = solveU(splitPull(graph, V, Z, nu, split === "complete" ? U : undefined), nu);
      shrink(problem, at, nu, U, V, Z);
      return U;
    },
    /** Adapts nu to the parts of the gap. */
    balance(nodes: number, edges: number): void {
      if (edges > 10 * nodes) nu *= 2;
      else if (nodes > 10 * edges) nu /= 2;
    },
  };
}

const CHECK_EVERY = 10;
/** Above this many rows the eigenvectors of the graph's Laplacian are not worth their memory. */
const MOST_ROWS = 4000;
/**
 * A gap that did not fall to this share of its minimum within so many iterations has reached its rounding,
 * or nearly.
 */
const PROGRESS = 0.95;
const STALLED = 1000;
/** The penalty must become constant, or the method need not converge. */
const BALANCE_UNTIL = 2000;

interface MetricEigen {
  readonly values: Float64Array;
  readonly vectors: Matrix;
}

function metricEigen({ metric, X }: ConvexProblem): MetricEigen {
  const d = X.cols;
  if (metric !== undefined && !(metric instanceof Float64Array)) return symmetricEigen(metric);
  return { values: metric ?? new Float64Array(d).fill(1), vectors: identity(d) };
}

/** Balances b and nu times a typical eigenvalue of the Laplacian. */
function firstPenalty({ graph }: ConvexProblem, values: Float64Array, split: "graph" | "complete"): number {
  const b = Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
  const degree = (2 * graph.from.length) / Math.max(1, graph.nodes);
  return (10 * b) / Math.max(1, split === "complete" ? graph.nodes : degree);
}

/**
 * R: the pull of the split at each node, sum_l (+-)(nu v_l - z_l), with the weightless pairs at the given U.
 */
function splitPull(graph: Edges, V: Matrix, Z: Matrix, nu: number, everywhere: Matrix | undefined): Matrix {
  const d = V.cols;
  const R = matrix(graph.nodes, d);
  if (everywhere !== undefined) {
    const sums = new Float64Array(d);
    everywhere.data.forEach((value, p) => {
      sums[p % d] += value;
    });
    everywhere.data.forEach((value, p) => {
      R.data[p] = nu * (graph.nodes * value - sums[p % d]);
    });
  }
  for (let e = 0; e < V.rows; e++) {
    const [i, j] = [graph.from[e] * d, graph.to[e] * d];
    for (let k = 0; k < d; k++) {
      let pull = nu * V.data[e * d + k] - Z.data[e * d + k];
      if (everywhere !== undefined) pull -= nu * (everywhere.data[i + k] - everywhere.data[j + k]);
      R.data[i + k] += pull;
      R.data[j + k] -= pull;
    }
  }
  return R;
}

/** The v and lambda steps: with z = -lambda, z moves to its projection and v takes the rest. */
function shrink(
  { graph, norm, X }: ConvexProblem,
  gamma: number,
  nu: number,
  U: Matrix,
  V: Matrix,
  Z: Matrix,
): void {
  const d = X.cols;
  const before = new Float64Array(d);
  for (let e = 0; e < V.rows; e++) {
    const [i, j, l] = [graph.from[e] * d, graph.to[e] * d, e * d];
    for (let k = 0; k < d; k++) {
      before[k] = nu * (U.data[i + k] - U.data[j + k]) + Z.data[l + k];
      Z.data[l + k] = before[k];
    }
    projectDual(Z.data, l, d, norm, gamma * graph.weights[e]);
    for (let k = 0; k < d; k++) V.data[l + k] = (before[k] - Z.data[l + k]) / nu;
  }
}

type SolveU = (R: Matrix, nu: number) => Matrix;

/**
 * (b_k M + nu L) u = b_k M x + r for each eigenvalue b_k of B, where L = n I - 11' is the Laplacian of all
 * pairs: a diagonal matrix minus a multiple of 11', inverted by Sherman and Morrison.
 */
function completeSolve({ X, masses }: ConvexProblem, { values, vectors }: MetricEigen): SolveU {
  const [n, d] = [X.rows, X.cols];
  const rotatedX = multiply(X, vectors);
  return (R, nu) => {
    const rotated = multiply(R, vectors);
    const u = rotated.data;
    for (let k = 0; k < d; k++) {
      let sum = 0;
      let inverses = 0;
      for (let i = 0; i < n; i++) {
        const weight = values[k] * (masses?.[i] ?? 1);
        const diagonal = weight + nu * n;
        u[i * d + k] = (weight * rotatedX.data[i * d + k] + u[i * d + k]) / diagonal;
        sum += u[i * d + k];
        // 1 - nu sum 1/diagonal, as a sum without cancellation
        inverses += weight / (diagonal * n);
      }
      for (let i = 0; i < n; i++) {
        const diagonal = values[k] * (masses?.[i] ?? 1) + nu * n;
        u[i * d + k] += (nu * sum) / (inverses * diagonal);
      }
    }
    return multiplyTransposeB(rotated, vectors);
  };
}

/** The same with the Laplacian of the graph, in the eigenbasis of M^-1/2 L M^-1/2. */
function graphSolve({ X, graph, masses }: ConvexProblem, { values, vectors }: MetricEigen): SolveU {
  const [n, d] = [X.rows, X.cols];
  if (n > MOST_ROWS) {
    throw optionError(
      `admm: ${n} rows would need the eigenvectors of a ${n} x ${n} matrix; use split "complete" or the default solver`,
    );
  }
  const root = Float64Array.from({ length: n }, (_, i) => Math.sqrt(masses?.[i] ?? 1));
  const L = matrix(n, n);
  for (let e = 0; e < graph.from.length; e++) {
    const [i, j] = [graph.from[e], graph.to[e]];
    L.data[i * n + i] += 1 / root[i] ** 2;
    L.data[j * n + j] += 1 / root[j] ** 2;
    L.data[i * n + j] -= 1 / (root[i] * root[j]);
    L.data[j * n + i] -= 1 / (root[i] * root[j]);
  }
  const laplacian = symmetricEigen(L);
  const scaled = (A: Matrix, power: 1 | -1): Matrix =>
    mapped(A, (value, p) => value * root[Math.floor(p / d)] ** power);
  const rotatedX = multiply(multiplyTransposeA(laplacian.vectors, scaled(X, 1)), vectors);
  return (R, nu) => {
    const rotated = multiply(multiplyTransposeA(laplacian.vectors, scaled(R, -1)), vectors);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < d; k++) {
        const p = i * d + k;
        rotated.data[p] =
          (values[k] * rotatedX.data[p] + rotated.data[p]) /
          (values[k] + nu * Math.max(0, laplacian.values[i]));
      }
    }
    return scaled(multiply(laplacian.vectors, multiplyTransposeB(rotated, vectors)), -1);
  };
}

/** 1 for each edge whose shrunken difference is zero in every feature. */
export function zeroRows(V: Matrix): Uint8Array {
  return Uint8Array.from({ length: V.rows }, (_, e) => Number(row(V, e).every((value) => value === 0)));
}
