/**
 * The joint step of all level values in the full-metric problem. With the levels of every feature and the
 * order of neighbouring levels fixed, the objective is quadratic in the level values a,
 *
 *     1/2 a' H a - r' a ,      H_(k,c),(l,c') = B_kl (mass that level c of feature k and level c' of feature l share) ,
 *
 * so one linear system replaces the slow end of the block descent. H is applied through the nodes (expand to
 * levels, multiply by B, sum over levels) and the system is solved by conjugate gradients.
 */
import { engine, matrix, multiply, type Matrix } from "../../matrix/index.ts";
import { conjugateGradients } from "../../optimize/internal.ts";
import type { ConvexProblem } from "./problem.ts";

/** The state of the sweeps of blockDescent.ts. */
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
  /** Per feature and level: the pull of the cut edges, which cancels the gradient at the optimum. */
  readonly pulls: Float64Array[];
}

const MAX_STEPS = 200;

/** @param accuracy the factor by which the residual of the linear system is reduced */
export function levelStep(state: BlockState, accuracy: number) {
  const { problem, B, counts, pulls } = state;
  const d = problem.X.cols;
  const map = levelMap(state);
  const residual = new Float64Array(map.size);
  const diagonal = new Float64Array(map.size);
  for (let k = 0; k < d; k++) {
    const sums = levelSums(state, k);
    for (let c = 0; c < counts[k]; c++) {
      const s = map.bases[k] + c;
      residual[s] = -(sums[c] + pulls[k][c]);
      diagonal[s] = B.data[k * d + k] * map.masses[s];
    }
  }
  let first: number | undefined;
  const enough = (_: Float64Array, rho: number): boolean => rho <= (first ??= rho) * accuracy * accuracy;
  const { x, gain } = conjugateGradients(map.apply, diagonal, residual, { enough, maxSteps: MAX_STEPS });
  const direction = map.expand(x);
  return {
    /** d x n: the direction, equal on each level, and its product with B. */
    direction: direction.data,
    image: multiply(B, direction).data,
    /** The gain of the full step in the quadratic model. */
    gain,
    /** 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) at the current point. */
    fidelity: fidelity(state),
  };
}

export type LevelStep = ReturnType<typeof levelStep>;

/** Maps between level values, numbered through all features, and d x n node values. */
function levelMap({ problem, B, levels, counts }: BlockState) {
  const { X, masses } = problem;
  const [n, d] = [X.rows, X.cols];
  const bases = new Int32Array(d);
  let size = 0;
  for (let k = 0; k < d; k++) {
    bases[k] = size;
    size += counts[k];
  }
  const expanded = matrix(d, n);
  const image = new Float64Array(d * n);
  const rowMasses = masses ?? new Float64Array(n).fill(1);
  const expand = (values: Float64Array): Matrix => {
    for (let k = 0; k < d; k++) {
      const base = bases[k];
      for (let p = k * n; p < (k + 1) * n; p++) expanded.data[p] = values[base + levels[p]];
    }
    return expanded;
  };
  const sum = (nodes: Float64Array, out: Float64Array): void => {
    out.fill(0);
    for (let k = 0, p = 0; k < d; k++) {
      const base = bases[k];
      for (let i = 0; i < n; i++, p++) out[base + levels[p]] += rowMasses[i] * nodes[p];
    }
  };
  const levelMasses = new Float64Array(size);
  sum(new Float64Array(d * n).fill(1), levelMasses);
  return {
    size,
    /** The first level of each feature. */
    bases,
    masses: levelMasses,
    expand,
    /** out = H values */
    apply(values: Float64Array, out: Float64Array) {
      image.fill(0);
      engine().product(d, n, d, 1, B.data, false, expand(values).data, false, image);
      sum(image, out);
    },
  };
}

/**
 * Moves along the direction and halves the step until the objective falls; levels that cross are left to the
 * next sweep. Returns whether the whole step was taken, a sign that the levels have settled.
 */
export function applyLevelStep(state: BlockState, { direction, image, gain }: LevelStep): boolean {
  if (!(gain > 0)) return true;
  const { u, gradient } = state;
  for (let t = 1; t > 0.01; t /= 2) {
    if (objectiveChange(state, direction, image, t) > 0) continue;
    for (let p = 0; p < u.length; p++) {
      u[p] += t * direction[p];
      gradient[p] += t * image[p];
    }
    return t === 1;
  }
  return false;
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
