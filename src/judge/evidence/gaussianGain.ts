import type { ClusterMoments } from "./discriminant.ts";

/** Gains over one Gaussian: of one for each cluster with its own covariance, a common one, own variances alone. */
export interface GaussianGain {
  readonly full: number;
  readonly tied: number;
  readonly diagonal: number;
}

/** Added to variances, as a share of those of all rows. */
const RIDGE = 1e-3;
/** Rows for each parameter of a mean that the common covariance is worth in a cluster's own. */
const PRIOR = 0.2;

/**
 * The classification likelihood of Gaussian clusters over that of one Gaussian, per row, less the penalty of BIC (ICL:
 * Biernacki, Celeux and Govaert 2000):
 *
 *     sum_k n_k / n [ln(n_k / n) - ln |S_k| / 2] + ln |S| / 2 - (parameters / 2 n) ln n
 *
 * Covariances of clusters are drawn to the common one, so that small clusters have no infinite likelihood.
 */
export function gaussianGain(
  rows: number,
  d: number,
  sizes: Int32Array,
  { scatters, within, total }: ClusterMoments,
): GaussianGain {
  const K = sizes.length;
  const logOf = (S: Float64Array): number =>
    logDeterminant(
      S.map((value, p) => value + (p % (d + 1) === 0 ? RIDGE * total[p] + Number.MIN_VALUE : 0)),
      d,
    );
  const prior = PRIOR * (d + 1);
  let shares = 0;
  let own = 0;
  let variances = 0;
  sizes.forEach((size, k) => {
    shares += (size / rows) * Math.log(size / rows);
    const S = within.map((value, p) => (scatters[k][p] + prior * value) / (size + prior));
    own += (size / rows) * logOf(S);
    variances += (size / rows) * logOf(diagonalOf(S, d));
  });
  const one = logOf(total);
  const unit = (0.5 * Math.log(rows)) / rows;
  const means = (K - 1) * (d + 1);
  return {
    full: clip(shares + 0.5 * (one - own) - unit * (means + ((K - 1) * d * (d + 1)) / 2)),
    diagonal: clip(shares + 0.5 * (logOf(diagonalOf(total, d)) - variances) - unit * (means + (K - 1) * d)),
    tied: clip(shares + 0.5 * (one - logOf(within)) - unit * means),
  };
}

function diagonalOf(S: Float64Array, d: number): Float64Array {
  return S.map((value, p) => (p % (d + 1) === 0 ? value : 0));
}

/** Far beyond, the number says nothing more. */
function clip(gain: number): number {
  return Math.max(-2, Math.min(3, gain));
}

/** Of a symmetric positive definite matrix, by Cholesky in place. */
function logDeterminant(L: Float64Array, d: number): number {
  let sum = 0;
  for (let j = 0; j < d; j++) {
    for (let i = j; i < d; i++) {
      let value = L[i * d + j];
      for (let k = 0; k < j; k++) value -= L[i * d + k] * L[j * d + k];
      if (i === j) {
        const pivot = Math.max(value, Number.MIN_VALUE);
        L[j * d + j] = Math.sqrt(pivot);
        sum += Math.log(pivot);
      } else L[i * d + j] = value / L[j * d + j];
    }
  }
  return sum;
}
