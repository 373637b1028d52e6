import { inputError, medianOfSorted, option, optionError, plain, rule } from "../../core/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { columnMeans, requireFinite } from "../../matrix/internal.ts";
import type { Mahalanobis } from "../../metric/index.ts";
import { clusterMeansOf } from "../kmeans/weightedMeans.ts";

export const segmentOptions = {
  clusters: rule.integer({ min: 1, says: "number of segments", usual: "chosen by the penalty" }),
  /** The metric of the distances; default: Euclidean. */
  metric: rule.given<Mahalanobis>(
    "a learned metric",
    (value) => (value as Mahalanobis | null)?.kind === "mahalanobis",
  ),
  /**
   * beta, the required gain of a segment; only without `clusters`. Default: more than the gain of cuts in
   * noise. The noise of each direction is estimated from the differences of consecutive rows.
   */
  penalty: rule.real({
    min: 0,
    says: "minimum decrease of the sum of squares by one more segment",
    usual: "the largest decrease that cuts in noise can give",
  }),
  shortest: rule.integer({ min: 1, default: 1, says: "minimum number of rows of a segment" }),
};

export type SegmentOptions = rule.OptionsOf<typeof segmentOptions>;

export interface Segmentation {
  readonly method: "segment";
  readonly clusters: number;
  /** The segment of each row, counted from 0 in the order of the rows. */
  readonly labels: Int32Array;
  readonly sizes: Int32Array;
  /** The first rows of all segments but the first. */
  readonly cuts: Int32Array;
  /** Means of the segments in the columns of X, K x d. */
  readonly centers: Matrix;
  /** The sum of the costs c, without beta K. */
  readonly objective: number;
  /** beta; 0 where K was given. */
  readonly penalty: number;
  /** The dynamic program is exact: no cuts are better. */
  readonly certificate: { readonly kind: "exact by dynamic programming"; readonly residual: 0 };
  readonly converged: true;
  toJSON(): object;
}

/**
 * The partition of consecutive rows, such as those of a time series, into segments (R. Bellman, 1961; under a learned metric
 * R. Lajugie, S. Arlot and F. Bach, "Large-margin metric learning for constrained partitioning problems", 2014):
 *
 *     minimise over cuts 0 = t_0 < t_1 < ... < t_K = n:   sum_k c(t_(k-1), t_k) + beta K,
 *     c(a, b) = sum_(a <= i < b) ||L x_i - mean of L x_a .. L x_(b-1)||^2
 *
 * found exactly by dynamic programming: n^2 K / 2 costs of d operations for K given (beta = 0), n^2 / 2 for K chosen.
 */
export function segment(input: MatrixLike, options: SegmentOptions = {}): Segmentation {
  const X = asMatrix(input, "segment");
  const { clusters, metric, penalty, shortest } = rule.resolveOptions("segment", options, segmentOptions);
  requireFinite(X);
  const n = X.rows;
  if (n === 0) throw inputError("segment: the table is empty");
  if (clusters !== undefined && penalty !== undefined) {
    throw optionError(
      `segment: ${option("penalty")} chooses the number of segments, but ${option("clusters")} gives it`,
    );
  }
  if ((clusters ?? 1) * shortest > n) {
    throw optionError(
      `segment: ${n} rows are too few for ${clusters === undefined ? "a segment" : `${clusters} segments`} of ${shortest} rows`,
    );
  }
  const moved = metric === undefined ? X : metric.transform(X);
  const beta = clusters === undefined ? (penalty ?? noisePenalty(moved)) : 0;
  const costs = segmentCosts(moved);
  const starts =
    clusters === undefined ? penalised(n, costs, beta, shortest) : withSegments(n, clusters, costs, shortest);
  return described(X, starts, costs, beta);
}

/** c(a, b) of rows a .. b - 1, by cumulative sums. */
type Costs = (a: number, b: number) => number;

function segmentCosts(Y: Matrix): Costs {
  const { rows: n, cols: d } = Y;
  const mean = columnMeans(Y); // about it sums lose the fewest digits
  const sums = new Float64Array((n + 1) * d);
  const squares = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) {
    squares[i + 1] = squares[i];
    for (let f = 0; f < d; f++) {
      const value = Y.data[i * d + f] - mean[f];
      sums[(i + 1) * d + f] = sums[i * d + f] + value;
      squares[i + 1] += value * value;
    }
  }
  return (a, b) => {
    let between = 0;
    for (let f = 0, p = a * d, q = b * d; f < d; f++) {
      const sum = sums[q++] - sums[p++];
      between += sum * sum;
    }
    return Math.max(0, squares[b] - squares[a] - between / (b - a));
  };
}

/**
 * next[b] = min over a of best[a] + c(a, b) + beta, for segments from `first` on and ends b up to `last`; the a of each b.
 */
function extended(
  best: Float64Array,
  next: Float64Array,
  [first, last]: readonly [number, number],
  costs: Costs,
  shortest: number,
  beta: number,
): Int32Array {
  const from = new Int32Array(best.length);
  for (let b = first + shortest; b <= last; b++) {
    for (let a = first; a <= b - shortest; a++) {
      if (best[a] >= next[b]) continue;
      const value = best[a] + costs(a, b) + beta;
      if (value < next[b]) {
        next[b] = value;
        from[b] = a;
      }
    }
  }
  return from;
}

/** The first rows of the segments: the best of all numbers, each of which costs beta. */
function penalised(n: number, costs: Costs, beta: number, shortest: number): number[] {
  const best = new Float64Array(n + 1).fill(Infinity);
  best[0] = 0;
  const from = extended(best, best, [0, n], costs, shortest, beta);
  const starts: number[] = [];
  for (let b = n; b > 0; b = from[b]) starts.push(from[b]);
  return starts.reverse();
}

/** The same for K segments, one after the other. */
function withSegments(n: number, K: number, costs: Costs, shortest: number): number[] {
  let best = new Float64Array(n + 1).fill(Infinity);
  best[0] = 0;
  const from: Int32Array[] = [];
  for (let k = 1; k <= K; k++) {
    const next = new Float64Array(n + 1).fill(Infinity);
    // The remaining rows must suffice for the remaining segments.
    from.push(extended(best, next, [(k - 1) * shortest, n - (K - k) * shortest], costs, shortest, 0));
    best = next;
  }
  const starts: number[] = [];
  for (let k = K - 1, b = n; k >= 0; k--) starts.push((b = from[k][b]));
  return starts.reverse();
}

/**
 * The gain of the best cut in noise of variances s_f is at most sum s + 2 sqrt(x sum s^2) + 2 x max s, except
 * with probability e^-x (B. Laurent and P. Massart, 2000, lemma 1); x = 2 log n covers all pairs of rows. s_f
 * comes from the median absolute difference of consecutive rows, which a few jumps do not affect; if more
 * than half of the differences are zero, it comes from their mean square.
 */
function noisePenalty({ rows: n, cols: d, data }: Matrix): number {
  if (n < 3) return 0;
  const x = 2 * Math.log(n);
  let sum = 0;
  let squares = 0;
  let largest = 0;
  for (let f = 0; f < d; f++) {
    const steps = Float64Array.from({ length: n - 1 }, (_, i) =>
      Math.abs(data[(i + 1) * d + f] - data[i * d + f]),
    );
    const meanSquare = steps.reduce((total, step) => total + step * step, 0) / (2 * (n - 1));
    steps.sort();
    const median = medianOfSorted(steps);
    const s = median > 0 ? (median / (0.6744897501960817 * Math.SQRT2)) ** 2 : meanSquare;
    sum += s;
    squares += s * s;
    largest = Math.max(largest, s);
  }
  return sum + 2 * Math.sqrt(x * squares) + 2 * x * largest;
}

function described(X: Matrix, starts: readonly number[], costs: Costs, penalty: number): Segmentation {
  const n = X.rows;
  const K = starts.length;
  const labels = new Int32Array(n);
  const sizes = new Int32Array(K);
  let objective = 0;
  starts.forEach((start, k) => {
    const end = starts[k + 1] ?? n;
    labels.fill(k, start, end);
    sizes[k] = end - start;
    objective += costs(start, end);
  });
  return plain({
    method: "segment",
    clusters: K,
    labels,
    sizes,
    cuts: Int32Array.from(starts.slice(1)),
    centers: clusterMeansOf(X, labels, K),
    objective,
    penalty,
    certificate: { kind: "exact by dynamic programming", residual: 0 },
    converged: true,
  });
}
