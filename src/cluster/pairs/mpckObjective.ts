import type { Random } from "../../core/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import { clusterMetric, identityMetric, optimalMetric, type ClusterMetric } from "./clusterMetric.ts";
import { pairField, type PairCosts, type PairField } from "./pairField.ts";
import type { SoftProblem } from "./softInput.ts";

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
export interface MpckState {
  readonly labels: Int32Array;
  readonly centers: Float64Array;
  readonly metrics: readonly ClusterMetric[];
}

export interface MpckSettings {
  readonly clusters: number;
  readonly penalty: number;
  readonly shared: boolean;
  readonly form: "diagonal" | "full";
  readonly prior: number;
}

interface Farthest {
  readonly squared: number;
  readonly i: number;
  readonly j: number;
}

export class MpckObjective {
  private readonly X: Matrix;
  private readonly weights: Float64Array | undefined;
  private readonly settings: MpckSettings;
  private readonly field: PairField;
  private readonly variances: Float64Array;
  private readonly farthestPairs = new WeakMap<ClusterMetric, Farthest>();

  constructor(X: Matrix, { constraints, pairs, weights }: SoftProblem, settings: MpckSettings) {
    this.X = X;
    this.weights = weights;
    this.settings = settings;
    this.field = pairField(constraints, pairs, settings.clusters);
    this.variances = identityMetric(X, weights).variances;
  }

  /** Moves labels in place; returns the number of moves. */
  relabel(state: MpckState, stream: Random): number {
    return this.field.descend(this.costs(state), state.labels, stream);
  }

  value(state: MpckState): number {
    let prior = 0;
    const metrics = this.settings.shared ? state.metrics.slice(0, 1) : state.metrics;
    for (const metric of metrics) {
      const A = metric.matrix();
      for (let j = 0; j < A.rows; j++) prior += A.data[j * A.rows + j] * this.variances[j];
      prior -= metric.logDeterminant;
    }
    return this.field.energy(this.costs(state), state.labels) + this.settings.prior * prior;
  }

  /** Metrics with a lower objective than `value`, or undefined if the step found none. */
  improveMetrics(
    state: MpckState,
    value: number,
  ): { metrics: readonly ClusterMetric[]; value: number } | undefined {
    const { clusters: K, shared } = this.settings;
    const d = this.X.cols;
    let { metrics } = state;
    let least = value;
    for (let k = 0; k < (shared ? 1 : K); k++) {
      const { S, mass } = this.scatter({ ...state, metrics }, k);
      const target = optimalMetric(S, d, mass);
      const from = entries(metrics[k].matrix(), target.length);
      for (let t = 1; t > 1 / 100; t /= 2) {
        const next = clusterMetric(
          target.map((a, p) => t * a + (1 - t) * from[p]),
          d,
        );
        const trial = metrics.map((metric, h) => (shared || h === k ? next : metric));
        const reached = this.value({ ...state, metrics: trial });
        if (reached >= least) continue;
        least = reached;
        metrics = trial;
        break;
      }
    }
    return least < value ? { metrics, value: least } : undefined;
  }

  private costs({ centers, metrics }: MpckState): PairCosts {
    const { X, weights, field } = this;
    const { clusters: K, penalty } = this.settings;
    const { rows: n, cols: d, data } = X;
    const row = new Float64Array(n * K);
    for (let i = 0; i < n; i++) {
      const w = weights === undefined ? 1 : weights[i];
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
        const flat = same ? data : metrics[k].flatten(X).data;
        pairs.forEach(([i, j], p) => {
          out[p * K + k] = same ? out[p * K] : cost(squaredDistance(flat, i * d, j * d, d), k);
        });
      }
      return out;
    };
    const farthest =
      field.cannotLink.length === 0 ? [] : metrics.map((metric) => this.farthest(metric).squared);
    return {
      row,
      must: lengths(field.mustLink, (squared) => (penalty / 2) * squared),
      cannot: lengths(field.cannotLink, (squared, k) => penalty * Math.max(0, farthest[k] - squared)),
    };
  }

  /** S and the mass of tr(A S) - mass log det A, the part of J that depends on A_k (on A, if shared). */
  private scatter(state: MpckState, k: number): { S: Float64Array; mass: number } {
    const { X, weights, field, variances } = this;
    const { penalty, shared, form, prior } = this.settings;
    const { rows: n, cols: d, data } = X;
    const S = new Float64Array(form === "diagonal" ? d : d * d);
    const v = new Float64Array(d);
    const add = (factor: number): void => {
      if (form === "diagonal") {
        for (let j = 0; j < d; j++) S[j] += factor * v[j] * v[j];
        return;
      }
      for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) S[i * d + j] += factor * v[i] * v[j];
    };
    const difference = (i: number, j: number): void => {
      for (let c = 0; c < d; c++) v[c] = data[i * d + c] - data[j * d + c];
    };
    const { labels, centers } = state;
    let mass = prior;
    for (let i = 0; i < n; i++) {
      if (!shared && labels[i] !== k) continue;
      const w = weights === undefined ? 1 : weights[i];
      for (let c = 0; c < d; c++) v[c] = data[i * d + c] - centers[labels[i] * d + c];
      add(w);
      mass += w;
    }
    for (const [i, j] of field.mustLink) {
      if (labels[i] === labels[j] || !(shared || labels[i] === k || labels[j] === k)) continue;
      difference(i, j);
      add(shared ? penalty : penalty / 2);
    }
    for (const [i, j] of field.cannotLink) {
      if (labels[i] !== labels[j] || !(shared || labels[i] === k)) continue;
      difference(i, j);
      add(-penalty);
      const far = this.farthest(state.metrics[k]);
      difference(far.i, far.j);
      add(penalty);
    }
    for (let j = 0; j < d; j++) S[form === "diagonal" ? j : j * d + j] += prior * variances[j];
    return { S, mass };
  }

  /**
   * The two rows that are farthest apart: among all pairs up to `ALL_PAIRS` rows, beyond that by repeated
   * jumps to the farthest row.
   */
  private farthest(metric: ClusterMetric): Farthest {
    const known = this.farthestPairs.get(metric);
    if (known !== undefined) return known;
    const { rows: n, cols: d, data } = metric.flatten(this.X);
    let best: Farthest = { squared: 0, i: 0, j: 0 };
    const from = (i: number, below: number): number => {
      let at = i;
      let most = 0;
      for (let j = 0; j < below; j++) {
        const squared = squaredDistance(data, i * d, j * d, d);
        if (squared <= most) continue;
        most = squared;
        at = j;
      }
      if (most > best.squared) best = { squared: most, i, j: at };
      return at;
    };
    if (n <= ALL_PAIRS) {
      for (let i = 1; i < n; i++) from(i, i);
    } else {
      for (let walk = 0; walk < WALKS; walk++) {
        let at = Math.floor((walk * n) / WALKS);
        for (let step = 0; step < 4; step++) at = from(at, n);
      }
    }
    this.farthestPairs.set(metric, best);
    return best;
  }
}

const ALL_PAIRS = 1000;
const WALKS = 8;

function squaredDistance(data: Float64Array, a: number, b: number, d: number): number {
  let sum = 0;
  for (let c = 0; c < d; c++) sum += (data[a + c] - data[b + c]) ** 2;
  return sum;
}

function entries(A: Matrix, length: number): Float64Array {
  if (length === A.data.length) return A.data;
  return Float64Array.from({ length }, (_, j) => A.data[j * A.rows + j]);
}
