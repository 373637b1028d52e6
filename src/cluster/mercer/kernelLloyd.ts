import type { Matrix } from "../../matrix/index.ts";
import type { ReportIteration } from "../kmeans/lloyd.ts";

/** One run of kernel k-means. */
export interface KernelRun {
  readonly labels: Int32Array;
  /** sum_{i, j in c} w_i w_j K_ij / (sum_{i in c} w_i)^2 of each cluster. */
  readonly within: Float64Array;
  /** E after each pass over the rows; never rises. */
  readonly history: readonly number[];
  readonly converged: boolean;
}

/** A decrease of E below this share of it is rounding. */
const ROUNDING = 1e-12;

/**
 * Kernel k-means (Dhillon, Guan and Kulis 2007) on a kernel matrix, from given labels: with s_c = sum of the weights,
 *
 *     d^2(i, c) = K_ii - 2 sum_{j in c} w_j K_ij / s_c + sum_{j, l in c} w_j w_l K_jl / s_c^2
 *     E = sum_i w_i d^2(i, l_i)
 *
 * First all rows move to their nearest centre at once (Lloyd), which lowers E for a positive semidefinite K
 * and is undone otherwise; then single rows move as long as E falls (Hartigan), which improves on Lloyd. The
 * sums over clusters are kept and updated by the rows that move; besides K only these K x n numbers are held.
 */
export function kernelLloyd(
  K: Matrix,
  weights: Float64Array,
  start: Int32Array,
  clusters: number,
  maxIterations: number,
  report: ReportIteration,
): KernelRun {
  const state = clusterSums(K, weights, start, clusters);
  state.fillEmpty();
  const history: number[] = [];
  let batch = true;
  let converged = false;
  let best = state.objective();
  const slack = ROUNDING * state.scale;
  for (let iteration = 1; iteration <= maxIterations && !converged; iteration++) {
    if (batch) {
      const before = state.labels.slice();
      const moved = state.moveAll();
      const objective = state.objective();
      if (moved === 0 || objective > best - slack) {
        if (objective > best) state.reset(before);
        batch = false;
      }
    } else {
      converged = state.moveSingly(slack) === 0;
      // Sums that were updated many times are recomputed before they are used for a decision.
      if (converged) {
        state.reset(state.labels);
        converged = state.moveSingly(slack) === 0;
      }
    }
    best = Math.min(best, state.objective());
    history.push(best);
    if (!report(iteration, best)) break;
  }
  state.reset(state.labels);
  const within = state.mass.map((mass, c) => (mass > 0 ? state.squares[c] / mass / mass : 0));
  return { labels: state.labels, within, history, converged };
}

/** Labels with the sums for E, updated by the rows that move. */
function clusterSums(K: Matrix, weights: Float64Array, start: Int32Array, clusters: number) {
  const n = K.rows;
  const { data } = K;
  const diagonal = Float64Array.from({ length: n }, (_, i) => data[i * (n + 1)]);
  // Not the diagonal alone: that of a shifted kernel is zero.
  let largest = 0;
  for (let p = 0; p < data.length; p++) largest = Math.max(largest, Math.abs(data[p]));
  let scale = 0;
  for (const weight of weights) scale += weight * largest;
  const labels = start.slice();
  const mass = new Float64Array(clusters);
  const counts = new Int32Array(clusters);
  const squares = new Float64Array(clusters);
  const S = new Float64Array(clusters * n); // S(c, i) = sum_{j in c} w_j K_ij

  /** S(c, .) += factor K(j, .). */
  const addRow = (c: number, j: number, factor: number): void => {
    for (let i = 0, p = j * n, q = c * n; i < n; i++, p++, q++) S[q] += factor * data[p];
  };
  const reset = (next: Int32Array): void => {
    labels.set(next);
    mass.fill(0);
    counts.fill(0);
    squares.fill(0);
    S.fill(0);
    for (let j = 0; j < n; j++) {
      mass[labels[j]] += weights[j];
      counts[labels[j]]++;
      addRow(labels[j], j, weights[j]);
    }
    for (let i = 0; i < n; i++) squares[labels[i]] += weights[i] * S[labels[i] * n + i];
  };
  const move = (i: number, to: number): void => {
    const from = labels[i];
    const w = weights[i];
    const self = w * w * diagonal[i];
    squares[from] += self - 2 * w * S[from * n + i];
    squares[to] += self + 2 * w * S[to * n + i];
    mass[from] = counts[from] === 1 ? 0 : mass[from] - w;
    mass[to] += w;
    counts[from]--;
    counts[to]++;
    labels[i] = to;
    addRow(from, i, -w);
    addRow(to, i, w);
  };
  const distance = (i: number, c: number): number =>
    mass[c] === 0 ? Infinity : diagonal[i] - (2 * S[c * n + i]) / mass[c] + squares[c] / mass[c] / mass[c];
  const fillEmpty = (): void => {
    for (let c = 0; c < clusters; c++) {
      if (mass[c] > 0) continue;
      let farthest = -1;
      let most = -Infinity;
      for (let i = 0; i < n; i++) {
        if (weights[i] === 0 || !(mass[labels[i]] > weights[i])) continue;
        const cost = weights[i] * distance(i, labels[i]);
        if (cost > most) {
          most = cost;
          farthest = i;
        }
      }
      if (farthest >= 0) move(farthest, c);
    }
  };
  reset(start);
  return {
    labels,
    mass,
    /** Q_c = sum_{i, j in c} w_i w_j K_ij. */
    squares,
    /** max |K_ij|, and the same times the weights: the scales for the rounding of d^2 and of E. */
    scale,
    /** d^2(i, c); infinite for a cluster without weight. */
    distance,
    /** Everything from the labels. */
    reset,
    /** A cluster without rows takes the row that is farthest from its centre, of a cluster that can spare it. */
    fillEmpty,
    objective() {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += weights[i] * diagonal[i];
      for (let c = 0; c < clusters; c++) if (mass[c] > 0) sum -= squares[c] / mass[c];
      return Math.abs(sum) <= ROUNDING * scale ? Math.max(0, sum) : sum;
    },
    /**
     * Moves every row to its nearest centre, and to an empty cluster the row with the largest cost; returns
     * the number of moves.
     */
    moveAll() {
      const next = labels.slice();
      let moved = 0;
      for (let i = 0; i < n; i++) {
        let least = distance(i, labels[i]);
        for (let c = 0; c < clusters; c++) {
          const other = distance(i, c);
          if (other < least) {
            least = other;
            next[i] = c;
          }
        }
        if (next[i] !== labels[i]) moved++;
      }
      // Moving a row costs two passes over its row of K; recomputing all sums costs one.
      if (2 * moved >= n) reset(next);
      else for (let i = 0; i < n; i++) if (next[i] !== labels[i]) move(i, next[i]);
      fillEmpty();
      return moved;
    },
    /** One row at a time, as long as E falls by more than `slack`; returns the number of moves in one pass. */
    moveSingly(slack: number) {
      let moved = 0;
      for (let i = 0; i < n; i++) {
        const own = labels[i];
        const w = weights[i];
        if (w === 0 || counts[own] === 1 || !(mass[own] > w)) continue;
        let best = own;
        let least = ((w * mass[own]) / (mass[own] - w)) * distance(i, own) - slack;
        for (let c = 0; c < clusters; c++) {
          if (c === own || mass[c] === 0) continue;
          const cost = ((w * mass[c]) / (mass[c] + w)) * distance(i, c);
          if (cost < least) {
            least = cost;
            best = c;
          }
        }
        if (best === own) continue;
        move(i, best);
        moved++;
      }
      return moved;
    },
  };
}
