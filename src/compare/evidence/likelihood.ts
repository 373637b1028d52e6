import type { Matrix } from "../../matrix/index.ts";

/**
 * The classification likelihood of a partition under Gaussian clusters with the penalty of BIC (ICL: Biernacki, Celeux
 * and Govaert 2000):
 *
 *     sum_k [ n_k ln(n_k / n) - n_k / 2 ln |S_k| ] - (parameters / 2) ln n
 *
 * the best of full, tied and diagonal covariances. A ridge in proportion to the spread of the data keeps small clusters
 * from infinite likelihoods.
 */
export interface Moments extends Half {
  /** -n/2 ln |S| of the full and of the diagonal covariance. */
  readonly full: number;
  readonly diagonal: number;
}

const RIDGE = 1e-3;
const TIED_RIDGE = 1e-6;
const FEW_RIDGE = 0.1;

export function moments(
  G: Matrix,
  rows: Int32Array,
  spread: number,
  [first, second]: readonly [Half, Half] = halves(G, rows),
): Moments {
  return mergedMoments(first, second, spread);
}

/** Every second row of a cluster, from the first or from the second row on. */
export interface Half {
  readonly count: number;
  readonly mean: Float64Array;
  /** Lower triangle of sum (x - mean)(x - mean)', d x d. */
  readonly scatter: Float64Array;
}

/** Both halves of a cluster; they are the same for all its borders. */
export function halves(G: Matrix, rows: Int32Array): readonly [Half, Half] {
  return [halfOf(G, rows, 0), halfOf(G, rows, 1)];
}

function halfOf({ cols: d, data }: Matrix, rows: Int32Array, first: number): Half {
  const mean = new Float64Array(d);
  const scatter = new Float64Array(d * d);
  const x = new Float64Array(d);
  let count = 0;
  for (let p = first; p < rows.length; p += 2) {
    count++;
    for (let f = 0; f < d; f++) mean[f] += data[rows[p] * d + f];
  }
  for (let f = 0; f < d; f++) mean[f] /= Math.max(count, 1);
  for (let p = first; p < rows.length; p += 2) {
    for (let f = 0; f < d; f++) x[f] = data[rows[p] * d + f] - mean[f];
    for (let f = 0; f < d; f++) {
      const xf = x[f];
      for (let g = 0, at = f * d; g <= f; g++, at++) scatter[at] += xf * x[g];
    }
  }
  return { count, mean, scatter };
}

/** The moments of two clusters taken as one. */
export function mergedMoments(a: Half, b: Half, spread: number): Moments {
  const d = a.mean.length;
  const n = a.count + b.count;
  const weight = (a.count * b.count) / n;
  const scatter = new Float64Array(d * d);
  for (let f = 0; f < d; f++) {
    for (let g = 0; g <= f; g++) {
      const p = f * d + g;
      scatter[p] = a.scatter[p] + b.scatter[p] + weight * (a.mean[f] - b.mean[f]) * (a.mean[g] - b.mean[g]);
    }
  }
  const mean = a.mean.map((value, f) => (a.count * value + b.count * b.mean[f]) / n);
  return { count: n, mean, scatter, ...terms(scatter, n, d, spread) };
}

function terms(
  scatter: Float64Array,
  n: number,
  d: number,
  spread: number,
): { full: number; diagonal: number } {
  const ridge = n > d + 1 ? RIDGE * spread * (d + 1) : FEW_RIDGE * spread * (d + 2 - n);
  const count = Math.max(n, 1);
  let logs = 0;
  for (let f = 0; f < d; f++) logs += Math.log(Math.max(scatter[f * d + f] / count, RIDGE * spread));
  return { full: -0.5 * n * logDeterminant(scatter, d, ridge, count), diagonal: -0.5 * n * logs };
}

/** ICL of a partition into these clusters, per row. */
export function icl(clusters: readonly Moments[], spread: number): number {
  const K = clusters.length;
  const d = clusters[0].mean.length;
  const n = clusters.reduce((sum, { count }) => sum + count, 0);
  const pooled = new Float64Array(d * d);
  let full = 0;
  let diagonal = 0;
  let shares = 0;
  for (const cluster of clusters) {
    for (let p = 0; p < pooled.length; p++) pooled[p] += cluster.scatter[p];
    full += cluster.full;
    diagonal += cluster.diagonal;
    if (cluster.count > 0) shares += cluster.count * Math.log(cluster.count / n);
  }
  const tied = -0.5 * n * logDeterminant(pooled, d, TIED_RIDGE * spread * n, n);
  const unit = 0.5 * Math.log(n);
  const best = Math.max(
    full - unit * ((K * d * (d + 3)) / 2),
    tied - unit * (K * d + (d * (d + 1)) / 2),
    diagonal - unit * 2 * K * d,
  );
  return (best + shares - unit * (K - 1)) / n;
}

/** The gain of two Gaussians over one on the rows of two clusters, in ICL per row. */
export function splitGain(a: Moments, b: Moments, spread: number): number {
  const d = a.mean.length;
  const m = a.count + b.count;
  const one = mergedMoments(a, b, spread);
  const unit = 0.5 * Math.log(m);
  const whole = Math.max(one.full - unit * ((d * (d + 3)) / 2), one.diagonal - unit * 2 * d);
  return icl([a, b], spread) - whole / m;
}

/** ln |(S + ridge I) / count| by Cholesky; S has its lower triangle. */
function logDeterminant(S: Float64Array, d: number, ridge: number, count: number): number {
  const L = S.slice();
  let sum = -d * Math.log(count);
  for (let j = 0; j < d; j++) {
    for (let i = j; i < d; i++) {
      let value = L[i * d + j] + (i === j ? ridge : 0);
      for (let k = 0; k < j; k++) value -= L[i * d + k] * L[j * d + k];
      if (i === j) {
        const pivot = Math.max(value, 1e-300);
        L[j * d + j] = Math.sqrt(pivot);
        sum += Math.log(pivot);
      } else L[i * d + j] = value / L[j * d + j];
    }
  }
  return sum;
}
