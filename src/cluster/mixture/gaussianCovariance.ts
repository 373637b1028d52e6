import { cholesky, identity, matrix, solveTriangular, type Matrix } from "../../matrix/index.ts";

export type CovarianceKind = "full" | "tied" | "diagonal" | "spherical";

/**
 * The covariances of K Gaussians in d dimensions: "full" K matrices of d x d, "tied" one that all share, "diagonal" one
 * K x d matrix of variances, "spherical" one K x 1 matrix of variances.
 */
export type Covariances = readonly Matrix[];

/** Sums for each component and feature, K x d, in the shape of the variances. */
export function inCovarianceShape(kind: CovarianceKind, sums: Matrix): Matrix[] {
  if (kind === "diagonal") return [sums];
  const spherical = matrix(sums.rows, 1);
  sums.data.forEach((sum, p) => (spherical.data[Math.floor(p / sums.cols)] += sum));
  return [spherical];
}

/**
 * The maximiser of the expected log-likelihood minus the penalty (strength ridge / 2) sum_k tr S_k^-1 (tied:
 * n instead of strength): the weighted scatter about the means divided by n_k, plus (strength / n_k) ridge on
 * its diagonal. With this prior every covariance is positive definite and EM still never lowers its
 * objective.
 *
 * @param counts n_k, the sums of responsibilities
 * @param d features
 */
export function covariancesFrom(
  kind: CovarianceKind,
  scatter: readonly Matrix[],
  counts: Float64Array,
  d: number,
  { rows, ridge, strength }: { readonly rows: number; readonly ridge: number; readonly strength: number },
): Covariances {
  if (kind === "tied") return [finished(scatter[0], rows, ridge)];
  if (kind === "full") return scatter.map((S, k) => finished(S, counts[k], (strength * ridge) / counts[k]));
  const [sums] = scatter;
  const shared = kind === "spherical" ? d : 1;
  const variances = sums.data.map(
    (sum, p) => (sum / shared + strength * ridge) / counts[Math.floor(p / sums.cols)],
  );
  return [matrix(sums.rows, sums.cols, variances)];
}

function finished({ rows: d, data }: Matrix, count: number, ridge: number): Matrix {
  const S = matrix(d, d);
  for (let a = 0; a < d; a++) {
    for (let b = 0; b < a; b++) {
      S.data[a * d + b] = S.data[b * d + a] = (data[a * d + b] + data[b * d + a]) / 2 / count;
    }
    S.data[a * (d + 1)] = data[a * (d + 1)] / count + ridge;
  }
  return S;
}

/** The quantities that a density needs from the covariances. */
export interface Precisions {
  /** log |S_k|. */
  readonly logDeterminants: Float64Array;
  /** tr S_k^-1, once for each matrix: K, or 1 if tied. */
  readonly inverseTraces: Float64Array;
  /**
   * The smallest scale in any direction of each: the smallest variance on the diagonal of the Cholesky
   * factor.
   */
  readonly leastVariances: Float64Array;
  /**
   * What makes rows white: lower triangles W_k with S_k^-1 = W_k'W_k, one for each component or one for all; or, of
   * variances, one K x d matrix of their inverses.
   */
  readonly whiteners: readonly Matrix[];
}

export function precisions(kind: CovarianceKind, covariances: Covariances, K: number, d: number): Precisions {
  if (kind === "diagonal" || kind === "spherical") return fromVariances(kind, covariances[0], K, d);
  const factors = covariances.map((S) => cholesky(S));
  const inverses = factors.map(({ L }) => solveTriangular(L, identity(d)));
  return {
    logDeterminants: Float64Array.from({ length: K }, (_, k) => factors[k % factors.length].logDeterminant),
    inverseTraces: Float64Array.from(inverses, ({ data }) =>
      data.reduce((sum, value) => sum + value * value, 0),
    ),
    leastVariances: Float64Array.from(factors, ({ L }) => {
      let least = Infinity;
      for (let f = 0; f < d; f++) least = Math.min(least, L.data[f * (d + 1)] ** 2);
      return least;
    }),
    whiteners: inverses,
  };
}

function fromVariances(kind: "diagonal" | "spherical", V: Matrix, K: number, d: number): Precisions {
  const at = (k: number, f: number): number => (kind === "diagonal" ? V.data[k * d + f] : V.data[k]);
  const inverse = new Float64Array(K * d);
  const logDeterminants = new Float64Array(K);
  const inverseTraces = new Float64Array(K);
  const leastVariances = new Float64Array(K).fill(Infinity);
  for (let k = 0; k < K; k++) {
    for (let f = 0; f < d; f++) {
      inverse[k * d + f] = 1 / at(k, f);
      logDeterminants[k] += Math.log(at(k, f));
      inverseTraces[k] += 1 / at(k, f);
      leastVariances[k] = Math.min(leastVariances[k], at(k, f));
    }
  }
  return { logDeterminants, inverseTraces, leastVariances, whiteners: [matrix(K, d, inverse)] };
}

/** W_k of the `whiteners` as a matrix. */
export function whitening(kind: CovarianceKind, whiteners: readonly Matrix[], k: number): Matrix {
  if (kind === "full" || kind === "tied") return whiteners[k % whiteners.length];
  const [{ cols: d, data }] = whiteners;
  const W = matrix(d, d);
  for (let f = 0; f < d; f++) W.data[f * (d + 1)] = Math.sqrt(data[k * d + f]);
  return W;
}

/** Free numbers in the covariances of K Gaussians. */
export function covarianceParameters(kind: CovarianceKind, K: number, d: number): number {
  if (kind === "full") return (K * d * (d + 1)) / 2;
  if (kind === "tied") return (d * (d + 1)) / 2;
  return kind === "diagonal" ? K * d : K;
}
