/**
 * The joint step of all level values in the full-metric problem. With the levels of every feature and the order of
 * neighbouring levels held, the objective is quadratic in the level values a,
 *
 *     1/2 a' H a - r' a ,      H_(k,c),(l,c') = B_kl (mass that level c of feature k and level c' of feature l share) ,
 *
 * so one linear system replaces the tail of the block descent. H is applied through the nodes (expand to levels,
 * multiply by B, sum over levels) and the system is solved by conjugate gradients.
 */
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { multiply } from "../matrix/multiply.ts";
import type { ConvexProblem } from "./problem.ts";

/** What the sweeps of blockDescent.ts work on. */
export interface BlockState {
  readonly problem: ConvexProblem;
  readonly B: Matrix;
  readonly gamma: number;
  /** d x n each: X, U and (U - X) B, transposed. */
  readonly x: Float64Array;
  readonly u: Float64Array;
  readonly gradient: Float64Array;
  /** d x m flows of each feature in its own units, |z_kl| <= gamma w_l / B_kk. */
  readonly flows: Float64Array;
  /** d x n: level of node i in feature k, 0 .. counts[k] - 1. */
  readonly levels: Int32Array;
  readonly counts: Int32Array;
  /** Per feature and level: what the cut edges take from it, so that at the optimum gradient and pull cancel. */
  readonly pulls: Float64Array[];
}

export interface LevelStep {
  /** d x n: the direction, equal on each level, and its product with B. */
  readonly direction: Float64Array;
  readonly image: Float64Array;
  /** What the quadratic model gains by the full step. */
  readonly gain: number;
  /** 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) at the current point. */
  readonly fidelity: number;
}

/** The residual is reduced by this much: the levels usually still change, so more would be wasted. */
const ACCURACY = 1e-5;
const MAX_STEPS = 200;

export function levelStep(state: BlockState): LevelStep {
  const { problem, B, levels, counts, pulls } = state;
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const mass = (i: number): number => (masses === undefined ? 1 : masses[i]);
  const bases = new Int32Array(d + 1);
  for (let k = 0; k < d; k++) bases[k + 1] = bases[k] + counts[k];
  const size = bases[d];

  const residual = new Float64Array(size);
  const diagonal = new Float64Array(size);
  for (let k = 0; k < d; k++) {
    const sums = levelSums(state, k);
    for (let c = 0; c < counts[k]; c++) residual[bases[k] + c] = -(sums[c] + pulls[k][c]);
    for (let i = 0; i < n; i++) diagonal[bases[k] + levels[k * n + i]] += B.data[k * d + k] * mass(i);
  }

  const solution = new Float64Array(size);
  const p = new Float64Array(size);
  const q = new Float64Array(size);
  const expanded = matrix(d, n);
  const expand = (values: Float64Array): void => {
    for (let k = 0; k < d; k++) {
      for (let i = 0; i < n; i++) expanded.data[k * n + i] = values[bases[k] + levels[k * n + i]];
    }
  };
  let rho = preconditioned(residual, diagonal);
  const enough = rho * ACCURACY * ACCURACY;
  let previous = 0;
  let gain = 0;
  for (let step = 0; step < MAX_STEPS && rho > enough && rho > 0; step++) {
    for (let s = 0; s < size; s++) {
      p[s] = residual[s] / diagonal[s] + (previous === 0 ? 0 : (rho / previous) * p[s]);
    }
    expand(p);
    const image = multiply(B, expanded).data;
    q.fill(0);
    for (let k = 0; k < d; k++) {
      for (let i = 0; i < n; i++) q[bases[k] + levels[k * n + i]] += mass(i) * image[k * n + i];
    }
    let curvature = 0;
    for (let s = 0; s < size; s++) curvature += p[s] * q[s];
    const alpha = rho / curvature;
    gain += 0.5 * alpha * rho;
    for (let s = 0; s < size; s++) {
      solution[s] += alpha * p[s];
      residual[s] -= alpha * q[s];
    }
    previous = rho;
    rho = preconditioned(residual, diagonal);
  }
  expand(solution);
  const image = multiply(B, expanded).data;
  return { direction: expanded.data, image, gain, fidelity: fidelity(state) };
}

/** Moves along the direction as far as the objective falls; levels that cross on the way are left to the next sweep. */
export function applyLevelStep(state: BlockState, { direction, image, gain }: LevelStep): void {
  if (!(gain > 0)) return;
  const { u, gradient } = state;
  for (let t = 1; t > 0.01; t /= 2) {
    if (objectiveChange(state, direction, image, t) > 0) continue;
    for (let p = 0; p < u.length; p++) {
      u[p] += t * direction[p];
      gradient[p] += t * image[p];
    }
    return;
  }
}

/** P(U + t direction) - P(U). */
function objectiveChange(
  { problem, u, gradient, gamma }: BlockState,
  direction: Float64Array,
  image: Float64Array,
  t: number,
): number {
  const { X, masses, graph } = problem;
  const n = X.rows;
  let change = 0;
  for (let k = 0; k < X.cols; k++) {
    const base = k * n;
    for (let i = 0; i < n; i++) {
      const move = t * direction[base + i];
      const term = move * (gradient[base + i] + 0.5 * t * image[base + i]);
      change += masses === undefined ? term : masses[i] * term;
    }
    let variation = 0;
    for (let e = 0; e < graph.from.length; e++) {
      const i = base + graph.from[e];
      const j = base + graph.to[e];
      const before = u[i] - u[j];
      const after = before + t * (direction[i] - direction[j]);
      variation += graph.weights[e] * (Math.abs(after) - Math.abs(before));
    }
    change += gamma * variation;
  }
  return change;
}

/** Sums of m_i gradient_ik over the levels of feature k. */
export function levelSums({ problem, gradient, levels, counts }: BlockState, k: number): Float64Array {
  const { masses, X } = problem;
  const base = k * X.rows;
  const sums = new Float64Array(counts[k]);
  for (let i = 0; i < X.rows; i++) {
    sums[levels[base + i]] += (masses === undefined ? 1 : masses[i]) * gradient[base + i];
  }
  return sums;
}

function fidelity({ problem, x, u, gradient }: BlockState): number {
  const { X, masses } = problem;
  let sum = 0;
  for (let k = 0; k < X.cols; k++) {
    for (let i = 0; i < X.rows; i++) {
      const at = k * X.rows + i;
      sum += (masses === undefined ? 0.5 : 0.5 * masses[i]) * (u[at] - x[at]) * gradient[at];
    }
  }
  return sum;
}

function preconditioned(residual: Float64Array, diagonal: Float64Array): number {
  let sum = 0;
  for (let s = 0; s < residual.length; s++) sum += (residual[s] * residual[s]) / diagonal[s];
  return sum;
}
