import { cholesky } from "../../matrix/factor/cholesky.ts";
import { engine } from "../../matrix/engine.ts";
import { identity, matrix, type Matrix } from "../../matrix/matrix.ts";
import { solveTriangular } from "../../matrix/factor/triangular.ts";
import { kernelPays, scatterSums, whitenedSquares } from "./gaussianKernel.ts";

export type CovarianceKind = "full" | "tied" | "diagonal" | "spherical";

/**
 * The covariances of K Gaussians in d dimensions: "full" K matrices of d x d, "tied" one that all share, "diagonal" one
 * K x d matrix of variances, "spherical" one K x 1 matrix of variances.
 */
export type Covariances = readonly Matrix[];

/** Rows that pass through the products at a time. */
const BLOCK = 1024;
/** Smaller responsibilities cannot change the sums. */
const NEGLIGIBLE = 1e-30;

/**
 * sum_i R_ik (x_i - mu_k)(x_i - mu_k)', in the shape of the covariances of this `kind`. Sums over parts of
 * the rows add up.
 *
 * @param R n x K responsibilities
 * @param means K x d
 */
export function weightedScatter(
  kind: CovarianceKind,
  X: Matrix,
  R: Float64Array,
  K: number,
  means: Float64Array,
): Matrix[] {
  const { rows: n, cols: d } = X;
  if (kind === "diagonal" || kind === "spherical") return [squaredDeviations(kind, X, R, K, means)];
  const result = Array.from({ length: kind === "full" ? K : 1 }, () => matrix(d, d));
  if (kernelPays(d)) {
    scatterSums(X, R, means, kind === "tied", result);
    return result;
  }
  const block = new Float64Array(BLOCK * d);
  for (let k = 0; k < K; k++) {
    const S = kind === "full" ? result[k] : result[0];
    let filled = 0;
    const flush = (): void => {
      const rows = block.subarray(0, filled * d);
      engine().product(d, d, filled, 1, rows, true, rows, false, S.data);
      filled = 0;
    };
    for (let i = 0; i < n; i++) {
      const r = R[i * K + k];
      if (r < NEGLIGIBLE) continue;
      const root = Math.sqrt(r);
      for (let f = 0; f < d; f++) block[filled * d + f] = root * (X.data[i * d + f] - means[k * d + f]);
      if (++filled === BLOCK) flush();
    }
    flush();
  }
  return result;
}

function squaredDeviations(
  kind: "diagonal" | "spherical",
  X: Matrix,
  R: Float64Array,
  K: number,
  means: Float64Array,
): Matrix {
  const { rows: n, cols: d } = X;
  const sums = matrix(K, d);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < K; k++) {
      const r = R[i * K + k];
      if (r < NEGLIGIBLE) continue;
      for (let f = 0; f < d; f++) sums.data[k * d + f] += r * (X.data[i * d + f] - means[k * d + f]) ** 2;
    }
  }
  if (kind === "diagonal") return sums;
  const spherical = matrix(K, 1);
  sums.data.forEach((sum, p) => (spherical.data[Math.floor(p / d)] += sum));
  return spherical;
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
  /** out (n x K) := (x_i - mu_k)' S_k^-1 (x_i - mu_k). */
  distances(X: Matrix, means: Float64Array, out: Float64Array): void;
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
    distances(X, means, out) {
      if (kernelPays(d)) return whitenedSquares(X, means, inverses, out);
      const block = new Float64Array(BLOCK * d);
      const white = new Float64Array(BLOCK * d);
      for (let first = 0; first < X.rows; first += BLOCK) {
        const rows = Math.min(BLOCK, X.rows - first);
        for (let k = 0; k < K; k++) {
          for (let p = 0, q = first * d; p < rows * d; p++, q++)
            block[p] = X.data[q] - means[k * d + (p % d)];
          const used = white.subarray(0, rows * d).fill(0);
          const inverse = inverses[k % inverses.length].data;
          engine().product(rows, d, d, 1, block.subarray(0, rows * d), false, inverse, true, used);
          for (let i = 0, p = 0; i < rows; i++) {
            let sum = 0;
            for (let f = 0; f < d; f++, p++) sum += used[p] * used[p];
            out[(first + i) * K + k] = sum;
          }
        }
      }
    },
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
  return {
    logDeterminants,
    inverseTraces,
    leastVariances,
    distances(X, means, out) {
      for (let i = 0; i < X.rows; i++) {
        for (let k = 0; k < K; k++) {
          let sum = 0;
          for (let f = 0, p = i * d, q = k * d; f < d; f++, p++, q++) {
            const difference = X.data[p] - means[q];
            sum += difference * difference * inverse[q];
          }
          out[i * K + k] = sum;
        }
      }
    },
  };
}

/** Free numbers in the covariances of K Gaussians. */
export function covarianceParameters(kind: CovarianceKind, K: number, d: number): number {
  if (kind === "full") return (K * d * (d + 1)) / 2;
  if (kind === "tied") return (d * (d + 1)) / 2;
  return kind === "diagonal" ? K * d : K;
}
