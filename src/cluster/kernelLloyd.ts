import type { Matrix } from "../matrix/matrix.ts";

/** One run of kernel k-means. */
export interface KernelRun {
  readonly labels: Int32Array;
  /** sum_{i, j in c} w_i w_j K_ij / (sum_{i in c} w_i)^2 of each cluster. */
  readonly within: Float64Array;
  /** E after each pass over the rows; never rises. */
  readonly history: readonly number[];
  readonly converged: boolean;
  readonly stopped: boolean;
  /** A squared distance to a centre was negative beyond rounding: the kernel is not positive semidefinite. */
  readonly indefinite: boolean;
}

export interface KernelLloydSettings {
  readonly maxIterations: number;
  /** False stops the run. */
  readonly report: (iteration: number, objective: number) => boolean;
}

/** What lowers E by less than this part of its size is rounding. */
const ROUNDING = 1e-12;

/**
 * Kernel k-means (Dhillon, Guan and Kulis 2007) on a kernel matrix, from given labels: with s_c = sum of the weights,
 *
 *     d^2(i, c) = K_ii - 2 sum_{j in c} w_j K_ij / s_c + sum_{j, l in c} w_j w_l K_jl / s_c^2
 *     E = sum_i w_i d^2(i, l_i)
 *
 * First all rows move to their nearest centre at once (Lloyd), which lowers E where K is positive semidefinite and is
 * taken back where it is not; then single rows move as long as E falls (Hartigan), which finds what Lloyd leaves. The
 * sums over clusters are kept and changed by the rows that move; nothing but these K x n numbers is held beside K.
 */
export function kernelLloyd(
  K: Matrix,
  weights: Float64Array,
  start: Int32Array,
  clusters: number,
  settings: KernelLloydSettings,
): KernelRun {
  const n = K.rows;
  const state = new ClusterSums(K, weights, start.slice(), clusters);
  state.fillEmpty();
  const history: number[] = [];
  let batch = true;
  let converged = false;
  let stopped = false;
  let best = state.objective();
  const slack = ROUNDING * state.scale;
  for (let iteration = 1; iteration <= settings.maxIterations && !converged && !stopped; iteration++) {
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
      // Sums that were changed many times are made again before they are believed.
      if (converged) {
        state.reset(state.labels);
        converged = state.moveSingly(slack) === 0;
      }
    }
    best = Math.min(best, state.objective());
    history.push(best);
    stopped = !settings.report(iteration, best);
  }
  state.reset(state.labels);
  const within = state.mass.map((mass, c) => (mass > 0 ? state.squares[c] / mass / mass : 0));
  let least = 0;
  for (let i = 0; i < n; i++) least = Math.min(least, state.distance(i, state.labels[i]));
  const { labels } = state;
  return { labels, within, history, converged, stopped, indefinite: least < -1e-8 * state.largest };
}

/** Labels and what E needs of them. */
class ClusterSums {
  readonly labels: Int32Array;
  readonly mass: Float64Array;
  readonly counts: Int32Array;
  /** Q_c = sum_{i, j in c} w_i w_j K_ij. */
  readonly squares: Float64Array;
  /** sum_i w_i |K_ii|, the size to which rounding of E is relative. */
  readonly scale: number;
  /** max |K_ii|. */
  readonly largest: number;
  /** S(c, i) = sum_{j in c} w_j K_ij, c n + i. */
  readonly #sums: Float64Array;
  readonly #diagonal: Float64Array;
  readonly #K: Matrix;
  readonly #weights: Float64Array;

  constructor(K: Matrix, weights: Float64Array, labels: Int32Array, clusters: number) {
    const n = K.rows;
    this.#K = K;
    this.#weights = weights;
    this.#diagonal = Float64Array.from({ length: n }, (_, i) => K.data[i * (n + 1)]);
    let scale = 0;
    let largest = 0;
    // Rounding is relative to the largest entries, of which a shifted kernel has none on its diagonal.
    for (let p = 0; p < K.data.length; p++) largest = Math.max(largest, Math.abs(K.data[p]));
    for (const weight of weights) scale += weight * largest;
    this.scale = scale;
    this.largest = largest;
    this.labels = labels;
    this.mass = new Float64Array(clusters);
    this.counts = new Int32Array(clusters);
    this.squares = new Float64Array(clusters);
    this.#sums = new Float64Array(clusters * n);
    this.reset(labels);
  }

  /** Everything from the labels. */
  reset(labels: Int32Array): void {
    const n = labels.length;
    this.labels.set(labels);
    this.mass.fill(0);
    this.counts.fill(0);
    this.squares.fill(0);
    this.#sums.fill(0);
    for (let j = 0; j < n; j++) {
      this.mass[labels[j]] += this.#weights[j];
      this.counts[labels[j]]++;
      this.#addRow(labels[j], j, this.#weights[j]);
    }
    for (let i = 0; i < n; i++) this.squares[labels[i]] += this.#weights[i] * this.#sums[labels[i] * n + i];
  }

  /** d^2(i, c); infinite for a cluster without weight. */
  distance(i: number, c: number): number {
    const mass = this.mass[c];
    if (mass === 0) return Infinity;
    const n = this.labels.length;
    return this.#diagonal[i] - (2 * this.#sums[c * n + i]) / mass + this.squares[c] / mass / mass;
  }

  objective(): number {
    let sum = 0;
    for (let i = 0; i < this.labels.length; i++) sum += this.#weights[i] * this.#diagonal[i];
    for (let c = 0; c < this.mass.length; c++) if (this.mass[c] > 0) sum -= this.squares[c] / this.mass[c];
    return Math.max(0, sum);
  }

  /** Every row to its nearest centre, empty clusters to the row that costs most; returns how many moved. */
  moveAll(): number {
    const n = this.labels.length;
    const next = this.labels.slice();
    let moved = 0;
    for (let i = 0; i < n; i++) {
      let nearest = this.labels[i];
      let least = this.distance(i, nearest);
      for (let c = 0; c < this.mass.length; c++) {
        const distance = this.distance(i, c);
        if (distance < least) {
          least = distance;
          nearest = c;
        }
      }
      if (nearest !== next[i]) moved++;
      next[i] = nearest;
    }
    if (moved === 0) return 0;
    this.#relabel(next, moved);
    this.fillEmpty();
    return moved;
  }

  /** One row at a time, as long as E falls by more than `slack`; returns how many moved in one pass. */
  moveSingly(slack: number): number {
    const n = this.labels.length;
    let moved = 0;
    for (let i = 0; i < n; i++) {
      const own = this.labels[i];
      const w = this.#weights[i];
      if (w === 0 || this.counts[own] === 1 || !(this.mass[own] > w)) continue;
      const gain = ((w * this.mass[own]) / (this.mass[own] - w)) * this.distance(i, own);
      let best = own;
      let least = gain - slack;
      for (let c = 0; c < this.mass.length; c++) {
        if (c === own || this.mass[c] === 0) continue;
        const cost = ((w * this.mass[c]) / (this.mass[c] + w)) * this.distance(i, c);
        if (cost < least) {
          least = cost;
          best = c;
        }
      }
      if (best === own) continue;
      this.#move(i, best);
      moved++;
    }
    return moved;
  }

  /** A cluster without rows takes the row that is farthest from its centre, of a cluster that can spare it. */
  fillEmpty(): void {
    for (let c = 0; c < this.mass.length; c++) {
      if (this.mass[c] > 0) continue;
      let farthest = -1;
      let most = -Infinity;
      for (let i = 0; i < this.labels.length; i++) {
        const own = this.labels[i];
        if (this.#weights[i] === 0 || !(this.mass[own] > this.#weights[i])) continue;
        const cost = this.#weights[i] * this.distance(i, own);
        if (cost > most) {
          most = cost;
          farthest = i;
        }
      }
      if (farthest >= 0) this.#move(farthest, c);
    }
  }

  #relabel(next: Int32Array, moved: number): void {
    const n = next.length;
    if (2 * moved >= n) {
      this.reset(next);
      return;
    }
    for (let i = 0; i < n; i++) if (next[i] !== this.labels[i]) this.#move(i, next[i]);
  }

  #move(i: number, to: number): void {
    const n = this.labels.length;
    const from = this.labels[i];
    const w = this.#weights[i];
    const self = w * w * this.#diagonal[i];
    this.squares[from] += self - 2 * w * this.#sums[from * n + i];
    this.squares[to] += self + 2 * w * this.#sums[to * n + i];
    this.mass[from] = this.counts[from] === 1 ? 0 : this.mass[from] - w;
    this.mass[to] += w;
    this.counts[from]--;
    this.counts[to]++;
    this.labels[i] = to;
    this.#addRow(from, i, -w);
    this.#addRow(to, i, w);
  }

  /** S(c, .) += factor K(j, .). */
  #addRow(c: number, j: number, factor: number): void {
    const n = this.labels.length;
    const { data } = this.#K;
    for (let i = 0, p = j * n, q = c * n; i < n; i++, p++, q++) this.#sums[q] += factor * data[p];
  }
}
