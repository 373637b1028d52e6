import { matrix, multiply, solve, transpose, type Matrix } from "../../matrix/index.ts";
import { agreementBetween } from "../agreement.ts";

/** Means of the clusters and scatter about them. */
export interface ClusterMoments {
  /** K x d. */
  readonly means: Matrix;
  /** sum (x - mean)(x - mean)' over the rows of each cluster, d x d. */
  readonly scatters: readonly Float64Array[];
  /** Their sum over the number of rows. */
  readonly within: Float64Array;
}

export function clusterMoments(
  { rows: n, cols: d, data }: Matrix,
  labels: Int32Array,
  sizes: Int32Array,
): ClusterMoments {
  const K = sizes.length;
  const means = matrix(K, d);
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) means.data[labels[i] * d + f] += data[i * d + f] / sizes[labels[i]];
  }
  const scatters = Array.from(sizes, () => new Float64Array(d * d));
  const x = new Float64Array(d);
  for (let i = 0; i < n; i++) {
    const S = scatters[labels[i]];
    for (let f = 0; f < d; f++) x[f] = data[i * d + f] - means.data[labels[i] * d + f];
    for (let f = 0; f < d; f++) for (let g = 0; g <= f; g++) S[f * d + g] += x[f] * x[g];
  }
  const within = new Float64Array(d * d);
  for (const S of scatters) {
    for (let f = 0; f < d; f++) for (let g = 0; g < f; g++) S[g * d + f] = S[f * d + g];
    for (let p = 0; p < S.length; p++) within[p] += S[p] / n;
  }
  return { means, scatters, within };
}

/** Added to variances within clusters, as a share of their own and of the mean one. */
const OWN_RIDGE = 0.1;
const RIDGE = 1e-6;

/** The adjusted Rand index of the partition and the classes of its own linear discriminant (Fisher 1936). */
export function reproduced(
  X: Matrix,
  labels: Int32Array,
  sizes: Int32Array,
  { means, within }: ClusterMoments,
): number {
  const { rows: n, cols: d } = X;
  const K = sizes.length;
  const S = matrix(d, d, within.slice());
  const spread = RIDGE * meanDiagonal(within, d) + Number.MIN_VALUE;
  for (let f = 0; f < d; f++) S.data[f * (d + 1)] += OWN_RIDGE * S.data[f * (d + 1)] + spread;
  const M = transpose(means);
  const W = solve(S, M);
  const bias = Float64Array.from(sizes, (size, k) => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += M.data[f * K + k] * W.data[f * K + k];
    return Math.log(size / n) - 0.5 * sum;
  });
  const { data: scores } = multiply(X, W);
  const classes = Int32Array.from({ length: n }, (_, i) => {
    let best = 0;
    for (let k = 1; k < K; k++) if (scores[i * K + k] + bias[k] > scores[i * K + best] + bias[best]) best = k;
    return best;
  });
  return agreementBetween(classes, labels);
}

export function meanDiagonal(S: Float64Array, d: number): number {
  let sum = 0;
  for (let f = 0; f < d; f++) sum += S[f * (d + 1)];
  return sum / d;
}
