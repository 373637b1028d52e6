import { numericError } from "../../core/internal.ts";
import { tryCholesky, type Matrix } from "../../matrix/index.ts";
import { groupMeans } from "./means.ts";
import type { Certificate, ConvexProblem, Norm } from "./problem.ts";
import { dot } from "../../matrix/internal.ts";

/**
 * The duality gap of any U and any feasible edge duals Z (the dual of Chi and Lange 2015), for every norm and metric:
 *
 *     dual(Z) = sum_i g_i' x_i - 1/2 sum_i g_i' B^-1 g_i / m_i ,          g_i = sum_(i,j) z_l - sum_(h,i) z_l
 *     gap = 1/2 sum_i s_i' B^-1 s_i / m_i + sum_l (gamma w_l ||u_i - u_j||_q - z_l'(u_i - u_j)) ,
 *           s_i = m_i B (u_i - x_i) + g_i
 *
 * Both sums have terms that are never negative, so a gap of 1e-15 is as reliable as one of 1e-3; the
 * difference P(U) - dual(Z) would lose it. Throws when Z is not feasible beyond rounding.
 */
export function certificate(problem: ConvexProblem, gamma: number, U: Matrix, Z: Matrix): Certificate {
  const { primal, nodes, edges } = gapParts(problem, gamma, U, Z);
  return proofOf(primal, nodes + edges, gapUnit(problem));
}

/** The certificate of an objective and its gap; `unit` as in `relativeGap`. */
export function proofOf(primal: number, gap: number, unit: number): Certificate {
  return { primal, dual: primal - gap, gap, relativeGap: relativeGap(gap, primal, unit) };
}

/** The gap as two sums: the disagreement between U and the outflow of Z, and the slack of Z on the edges. */
export function gapParts(problem: ConvexProblem, gamma: number, U: Matrix, Z: Matrix) {
  const edges = edgeTerms(problem, gamma, U, Z);
  const nodes = nodeTerms(problem, U, edges.outflow);
  return { primal: nodes.fidelity + edges.penalty, nodes: nodes.slack, edges: edges.slack };
}

/** @param unit scale for problems whose objective is near 0 (gapUnit) */
export function relativeGap(gap: number, primal: number, unit: number): number {
  return gap === 0 ? 0 : gap / Math.max(unit, Math.abs(primal));
}

/**
 * min(1, T), T = 1/2 sum_i m_i (x_i - mean)' B (x_i - mean): the objective of complete fusion, an upper bound
 * of the optimum at every gamma. On data of a small scale a gap must be small relative to T, or it would
 * prove any U.
 */
export function gapUnit(problem: ConvexProblem): number {
  const { X, masses } = problem;
  const d = X.cols;
  const means = groupMeans(X, masses).data;
  const metric = metricForm(problem);
  const residual = new Float64Array(d);
  const image = new Float64Array(d);
  let T = 0;
  for (let i = 0; i < X.rows && T < 1; i++) {
    for (let k = 0; k < d; k++) residual[k] = X.data[i * d + k] - means[k];
    metric.apply(residual, image);
    T += 0.5 * (masses === undefined ? 1 : masses[i]) * dot(residual, image);
  }
  return Math.min(1, T);
}

/** P(U) alone, without a dual. */
export function primalObjective(problem: ConvexProblem, gamma: number, U: Matrix): number {
  const { graph, X, norm } = problem;
  const d = X.cols;
  let penalty = 0;
  for (let e = 0; e < graph.from.length; e++) {
    penalty += graph.weights[e] * differenceNorm(U.data, graph.from[e] * d, U.data, graph.to[e] * d, d, norm);
  }
  let fidelity = 0;
  const metric = metricForm(problem);
  const residual = new Float64Array(d);
  const image = new Float64Array(d);
  for (let i = 0; i < X.rows; i++) {
    for (let k = 0; k < d; k++) residual[k] = U.data[i * d + k] - X.data[i * d + k];
    metric.apply(residual, image);
    fidelity += 0.5 * dot(residual, image) * (problem.masses?.[i] ?? 1);
  }
  return fidelity + gamma * penalty;
}

/** Relative excess of ||z_l|| over gamma w_l that counts as rounding, and is scaled away. */
const ROUNDING = 1e-10;

/** The contribution of the edges to the objective and to the gap, and the outflow of every node. */
export function edgeTerms({ graph, norm, X }: ConvexProblem, gamma: number, U: Matrix, Z: Matrix) {
  const d = X.cols;
  const u = U.data;
  const z = Z.data;
  const outflow = new Float64Array(X.rows * d);
  let penalty = 0;
  let slack = 0;
  for (let e = 0; e < graph.from.length; e++) {
    const [i, j, l] = [graph.from[e] * d, graph.to[e] * d, e * d];
    const radius = gamma * graph.weights[e];
    const size = dualNorm(z, l, d, norm);
    if (!(size <= radius * (1 + ROUNDING))) {
      throw numericError(
        `edge ${e} has a dual vector of norm ${size}, beyond gamma w = ${radius}: not a dual feasible point`,
      );
    }
    const shrink = size > radius ? radius / size : 1;
    let inner = 0;
    for (let k = 0; k < d; k++) {
      const flow = shrink * z[l + k];
      inner += flow * (u[i + k] - u[j + k]);
      outflow[i + k] += flow;
      outflow[j + k] -= flow;
    }
    const length = radius * differenceNorm(u, i, u, j, d, norm);
    penalty += length;
    slack += Math.max(0, length - inner); // Hoelder: negative only by rounding
  }
  return { penalty, slack, outflow };
}

function nodeTerms(problem: ConvexProblem, U: Matrix, outflow: Float64Array) {
  const { X, masses } = problem;
  const d = X.cols;
  const metric = metricForm(problem);
  const residual = new Float64Array(d);
  const image = new Float64Array(d);
  let fidelity = 0;
  let slack = 0;
  for (let i = 0; i < X.rows; i++) {
    const mass = masses === undefined ? 1 : masses[i];
    for (let k = 0; k < d; k++) residual[k] = U.data[i * d + k] - X.data[i * d + k];
    metric.apply(residual, image);
    fidelity += 0.5 * mass * dot(residual, image);
    for (let k = 0; k < d; k++) image[k] = mass * image[k] + outflow[i * d + k];
    slack += (0.5 / mass) * metric.inverseQuadratic(image);
  }
  return { fidelity, slack };
}

interface MetricForm {
  /** image = B x */
  apply(x: Float64Array, image: Float64Array): void;
  /** s' B^-1 s, overwriting s */
  inverseQuadratic(s: Float64Array): number;
}

/** The metric of a problem, applied to vectors. */
export function metricForm({ metric, X }: ConvexProblem): MetricForm {
  const d = X.cols;
  if (metric === undefined) return { apply: (x, image) => image.set(x), inverseQuadratic: (s) => dot(s, s) };
  if (metric instanceof Float64Array) {
    return {
      apply(x, image) {
        for (let k = 0; k < d; k++) image[k] = metric[k] * x[k];
      },
      inverseQuadratic(s) {
        let sum = 0;
        for (let k = 0; k < d; k++) sum += (s[k] * s[k]) / metric[k];
        return sum;
      },
    };
  }
  const B = metric.data;
  const factor = tryCholesky(metric);
  if (factor === undefined) throw numericError("the metric is not positive definite to working precision");
  const L = factor.L.data;
  return {
    apply(x, image) {
      for (let k = 0; k < d; k++) {
        let sum = 0;
        for (let l = 0; l < d; l++) sum += B[k * d + l] * x[l];
        image[k] = sum;
      }
    },
    inverseQuadratic(s) {
      let sum = 0;
      for (let k = 0; k < d; k++) {
        let value = s[k];
        for (let l = 0; l < k; l++) value -= L[k * d + l] * s[l];
        s[k] = value / L[k * d + k];
        sum += s[k] * s[k];
      }
      return sum;
    },
  };
}

/** ||u_i - u_j||_q of two rows. */
export function differenceNorm(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  d: number,
  norm: Norm,
): number {
  let size = 0;
  if (norm === 1) {
    for (let k = 0; k < d; k++) size += Math.abs(a[i + k] - b[j + k]);
  } else if (norm === 2) {
    for (let k = 0; k < d; k++) size += (a[i + k] - b[j + k]) ** 2;
    size = Math.sqrt(size);
  } else {
    for (let k = 0; k < d; k++) size = Math.max(size, Math.abs(a[i + k] - b[j + k]));
  }
  return size;
}

/** ||z||_{q*} of the row that starts at `offset`: the norm dual to q. */
export function dualNorm(z: Float64Array, offset: number, d: number, norm: Norm): number {
  let size = 0;
  if (norm === 1) {
    for (let k = offset; k < offset + d; k++) size = Math.max(size, Math.abs(z[k]));
  } else if (norm === 2) {
    for (let k = offset; k < offset + d; k++) size += z[k] * z[k];
    size = Math.sqrt(size);
  } else {
    for (let k = offset; k < offset + d; k++) size += Math.abs(z[k]);
  }
  return size;
}
