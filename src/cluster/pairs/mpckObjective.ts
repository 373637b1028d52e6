import type { Random } from "../../core/index.ts";
import { cholesky, matrix, multiply, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { diagonalOf, scaledColumns, squaredDistance } from "../../matrix/internal.ts";
import { pairField, type PairCosts, type PairField } from "./pairField.ts";
import type { SoftProblem } from "./softKmeans.ts";

/** The labels, centres and metrics of a run. */
export interface MpckState {
  readonly labels: Int32Array;
  readonly centers: Float64Array;
  readonly metrics: readonly ClusterMetric[];
}

interface Settings {
  readonly clusters: number;
  readonly penalty: number;
  readonly perCluster: boolean;
  readonly diagonal: boolean;
  readonly prior: number;
}

/**
 * The objective of MPCK-means, equation (8) of Bilenko, Basu and Mooney (2004), with natural logarithms and
 * equal weights for both kinds of pairs:
 *
 *     J = sum_i w_i (||x_i - c_k||^2_{A_k} - log det A_k)                                            k = l_i
 *       + penalty sum_{broken must-links}   1/2 ||x_i - x_j||^2_{A_{l_i}} + 1/2 ||x_i - x_j||^2_{A_{l_j}}
 *       + penalty sum_{broken cannot-links} D_k - ||x_i - x_j||^2_{A_k},      D_k the largest distance of two rows in A_k
 *       + prior sum_k (tr(A_k V) - log det A_k),                               V the diagonal of column variances
 *
 * For fixed labels and centres it is convex in A. Its minimiser for a fixed farthest pair has a closed form;
 * since the pair changes with A, the step towards it is shortened until J falls, or not taken.
 */
export function mpckObjective(
  X: Matrix,
  { constraints, pairs, weights }: SoftProblem,
  variances: Float64Array,
  { clusters: K, penalty, perCluster, diagonal, prior }: Settings,
) {
  const { rows: n, cols: d, data } = X;
  const field = pairField(constraints, pairs, K);
  const farthest = farthestRows(X);
  const weightOf = (i: number): number => (weights === undefined ? 1 : weights[i]);

  const costs = ({ centers, metrics }: MpckState): PairCosts => {
    const row = new Float64Array(n * K);
    for (let i = 0; i < n; i++) {
      const w = weightOf(i);
      for (let k = 0; k < K; k++) {
        row[i * K + k] = w * (metrics[k].squared(data, i * d, centers, k * d) - metrics[k].logDeterminant);
      }
    }
    const lengths = (
      pairs: PairField["mustLink"],
      cost: (squared: number, k: number) => number,
    ): Float64Array => {
      const out = new Float64Array(pairs.length * K);
      for (let k = 0; k < K; k++) {
        // One metric for all clusters means one distance.
        const same = k > 0 && metrics[k] === metrics[0];
        const flat = same ? X : metrics[k].flatten(X);
        pairs.forEach(([i, j], p) => {
          out[p * K + k] = same ? out[p * K] : cost(squaredDistance(flat, i, flat, j), k);
        });
      }
      return out;
    };
    const most = field.cannotLink.length === 0 ? [] : metrics.map((metric) => farthest(metric).squared);
    return {
      row,
      must: lengths(field.mustLink, (squared) => (penalty / 2) * squared),
      cannot: lengths(field.cannotLink, (squared, k) => penalty * Math.max(0, most[k] - squared)),
    };
  };

  const value = (state: MpckState): number => {
    let sum = 0;
    for (const metric of perCluster ? state.metrics : state.metrics.slice(0, 1)) {
      diagonalOf(metric.matrix()).forEach((a, j) => (sum += a * variances[j]));
      sum -= metric.logDeterminant;
    }
    return field.energy(costs(state), state.labels) + prior * sum;
  };

  /** S and the mass of tr(A S) - mass log det A, the part of J that depends on A_k (on A, if there is one). */
  const scatter = ({ labels, centers, metrics }: MpckState, k: number) => {
    const S = new Float64Array(diagonal ? d : d * d);
    const v = new Float64Array(d);
    /** Adds factor (x - y)(x - y)'. */
    const add = (factor: number, i: number, from: Float64Array, at: number): void => {
      for (let c = 0; c < d; c++) v[c] = data[i * d + c] - from[at + c];
      if (diagonal) for (let j = 0; j < d; j++) S[j] += factor * v[j] * v[j];
      else for (let a = 0; a < d; a++) for (let b = 0; b < d; b++) S[a * d + b] += factor * v[a] * v[b];
    };
    let mass = prior;
    for (let i = 0; i < n; i++) {
      if (perCluster && labels[i] !== k) continue;
      add(weightOf(i), i, centers, labels[i] * d);
      mass += weightOf(i);
    }
    for (const [i, j] of field.mustLink) {
      if (labels[i] === labels[j] || (perCluster && labels[i] !== k && labels[j] !== k)) continue;
      add(perCluster ? penalty / 2 : penalty, i, data, j * d);
    }
    for (const [i, j] of field.cannotLink) {
      if (labels[i] !== labels[j] || (perCluster && labels[i] !== k)) continue;
      add(-penalty, i, data, j * d);
      const far = farthest(metrics[k]);
      add(penalty, far.i, data, far.j * d);
    }
    for (let j = 0; j < d; j++) S[diagonal ? j : j * d + j] += prior * variances[j];
    return { S, mass };
  };

  return {
    value,
    /** Moves labels in place; returns the number of moves. */
    relabel: (state: MpckState, stream: Random): number => field.descend(costs(state), state.labels, stream),
    /** Metrics with a lower objective than `before`, or undefined if the step found none. */
    improveMetrics(
      state: MpckState,
      before: number,
    ): { metrics: readonly ClusterMetric[]; value: number } | undefined {
      let { metrics } = state;
      let least = before;
      for (let k = 0; k < (perCluster ? K : 1); k++) {
        const { S, mass } = scatter({ ...state, metrics }, k);
        const target = optimalMetric(S, d, mass);
        const now = metrics[k].matrix();
        const from = diagonal ? diagonalOf(now) : now.data;
        for (let t = 1; t > 1 / 100; t /= 2) {
          const next = clusterMetric(
            target.map((a, p) => t * a + (1 - t) * from[p]),
            d,
          );
          const trial = metrics.map((metric, h) => (!perCluster || h === k ? next : metric));
          const reached = value({ ...state, metrics: trial });
          if (reached >= least) continue;
          least = reached;
          metrics = trial;
          break;
        }
      }
      return least < before ? { metrics, value: least } : undefined;
    },
  };
}

export type MpckObjective = ReturnType<typeof mpckObjective>;

/** Rows up to which all pairs are compared; beyond, so many walks of four steps to the farthest row, a budget of time. */
const ALL_PAIRS = 1000;
const WALKS = 8;

/** The two rows that are farthest apart under a metric, of those compared. */
function farthestRows(X: Matrix) {
  const known = new WeakMap<ClusterMetric, { squared: number; i: number; j: number }>();
  return (metric: ClusterMetric): { squared: number; i: number; j: number } => {
    let best = known.get(metric);
    if (best !== undefined) return best;
    best = { squared: 0, i: 0, j: 0 };
    known.set(metric, best);
    const flat = metric.flatten(X);
    const n = X.rows;
    const from = (i: number, below: number): number => {
      let [at, most] = [i, 0];
      for (let j = 0; j < below; j++) {
        const squared = squaredDistance(flat, i, flat, j);
        if (squared > most) [at, most] = [j, squared];
      }
      if (most > best.squared) Object.assign(best, { squared: most, i, j: at });
      return at;
    };
    if (n <= ALL_PAIRS) for (let i = 1; i < n; i++) from(i, i);
    else {
      for (let walk = 0; walk < WALKS; walk++) {
        let at = Math.floor((walk * n) / WALKS);
        for (let step = 0; step < 4; step++) at = from(at, n);
      }
    }
    return best;
  };
}

/** A positive definite A, diagonal or full, with the distances and the log-determinant that MPCK-means needs. */
export interface ClusterMetric {
  readonly logDeterminant: number;
  /** ||a - b||^2 in A, for the rows that begin at `a` of x and `b` of y. */
  squared(x: Float64Array, a: number, y: Float64Array, b: number): number;
  /** The rows of X in coordinates in which A is the Euclidean distance. */
  flatten(X: Matrix): Matrix;
  matrix(): Matrix;
}

/** From the diagonal of A (length d) or all of it (d x d, row-major). */
export function clusterMetric(A: Float64Array, d: number): ClusterMetric {
  return A.length === d ? diagonal(A) : full(A, d);
}

function diagonal(A: Float64Array): ClusterMetric {
  const d = A.length;
  let logDeterminant = 0;
  for (const a of A) logDeterminant += Math.log(a);
  return {
    logDeterminant,
    squared(x, a, y, b) {
      let sum = 0;
      for (let j = 0; j < d; j++) {
        const difference = x[a + j] - y[b + j];
        sum += A[j] * difference * difference;
      }
      return sum;
    },
    flatten: (X) => scaledColumns(X, (j) => Math.sqrt(A[j])),
    matrix() {
      const M = matrix(d, d);
      for (let j = 0; j < d; j++) M.data[j * d + j] = A[j];
      return M;
    },
  };
}

function full(A: Float64Array, d: number): ClusterMetric {
  const { L, logDeterminant } = cholesky(matrix(d, d, A.slice()));
  const difference = new Float64Array(d);
  return {
    logDeterminant,
    squared(x, a, y, b) {
      for (let j = 0; j < d; j++) difference[j] = x[a + j] - y[b + j];
      let sum = 0;
      for (let c = 0; c < d; c++) {
        let dot = 0;
        for (let j = c; j < d; j++) dot += L.data[j * d + c] * difference[j];
        sum += dot * dot;
      }
      return sum;
    },
    flatten: (X) => multiply(X, L),
    matrix: () => matrix(d, d, A.slice()),
  };
}

/**
 * The minimiser of tr(A S) - mass log det A: mass S^-1. Cannot-links can make S indefinite; eigenvalues below
 * `FLOOR` times their mean are raised to it, which bounds A.
 */
function optimalMetric(S: Float64Array, d: number, mass: number): Float64Array {
  if (S.length === d) {
    const floor = FLOOR * Math.max(S.reduce((sum, s) => sum + Math.max(0, s), 0) / d, Number.MIN_VALUE);
    return S.map((s) => mass / Math.max(s, floor));
  }
  const { values, vectors } = symmetricEigen(matrix(d, d, S));
  const floor = FLOOR * Math.max(values.reduce((sum, v) => sum + Math.max(0, v), 0) / d, Number.MIN_VALUE);
  const A = new Float64Array(d * d);
  for (let r = 0; r < d; r++) {
    const weight = mass / Math.max(values[r], floor);
    for (let i = 0; i < d; i++) {
      const left = weight * vectors.data[i * d + r];
      for (let j = 0; j < d; j++) A[i * d + j] += left * vectors.data[j * d + r];
    }
  }
  return A;
}

const FLOOR = 1e-4;

/** The weighted variance of each column, 1 for a constant one. */
export function weightedVariances(X: Matrix, weights: Float64Array | undefined): Float64Array {
  const { rows, cols: d, data } = X;
  const means = new Float64Array(d);
  const variances = new Float64Array(d);
  let mass = 0;
  for (let i = 0; i < rows; i++) {
    const w = weights === undefined ? 1 : weights[i];
    if (w === 0) continue;
    mass += w;
    for (let j = 0; j < d; j++) {
      const difference = data[i * d + j] - means[j];
      means[j] += (w / mass) * difference;
      variances[j] += w * difference * (data[i * d + j] - means[j]);
    }
  }
  return variances.map((sum) => (sum > 0 ? sum / mass : 1));
}
