/**
 * The sums for EM steps near a mixture p0 of which the sums over all n rows are known, from a sample of m rows:
 *
 *     S(p) = (n / m) S_m(p) + [S_n(p0) - (n / m) S_m(p0)].
 *
 * At p0 they are those of all rows, and elsewhere they err only by how differently the sample changes. So EM by them ends
 * where EM over all rows ends but for a small part of the way from p0, and costs no pass; the bracket belongs to the
 * variance-reduced EM of J. Chen et al. (Stochastic expectation maximization with variance reduction, 2018) and to the
 * surrogate likelihood of M. I. Jordan, J. D. Lee and Y. Yang (Communication-efficient distributed statistical inference,
 * 2019). With the bracket's counts c_k and its scatter C_k about the means of p, it never lowers
 *
 *     L(p) = (n / m) log p(sample) + sum_k c_k (log pi_k - log |S_k| / 2) - tr(S_k^-1 C_k) / 2.
 */
import type { CovarianceKind } from "../../cluster/index.ts";
import { precisions, type Mixture } from "../../cluster/internal.ts";
import { matrix, tryCholesky, type Matrix } from "../../matrix/index.ts";
import {
  addedMoments,
  mixtureSumsAccumulator,
  type MixtureMoments,
  type MixtureSums,
} from "./mixtureSums.ts";

/** The sums under a mixture as above; undefined for a mixture that is none, or has lost a component. */
export function correctedSums(
  all: MixtureSums,
  sample: Matrix,
): (mixture: Mixture) => MixtureSums | undefined {
  const { kind } = all.mixture;
  const factor = all.rows / sample.rows;
  const own = sampleSums(sample, all.mixture);
  const bracket = addedMoments(all, own, -factor);
  return (mixture) => {
    if (mixture.weights.length < all.counts.length || !isMixture(mixture)) return undefined;
    const found = sampleSums(sample, mixture);
    const about = movedTo(bracket, all.mixture.means, mixture.means, kind);
    return {
      ...addedMoments(about, found, factor),
      mixture,
      rows: all.rows,
      sizes: found.sizes,
      logLikelihood: factor * found.logLikelihood + expected(mixture, about),
    };
  };
}

/** The sums over the rows of a matrix. */
export function sampleSums(X: Matrix, mixture: Mixture): MixtureSums {
  const accumulator = mixtureSumsAccumulator(mixture);
  accumulator.add(X);
  return accumulator.result();
}

/** Moments about other means: with delta_k from the old to the new, (x - delta)(x - delta)' summed. */
function movedTo(
  { counts, sums, scatter }: MixtureMoments,
  from: Float64Array,
  to: Float64Array,
  kind: CovarianceKind,
): MixtureMoments {
  const d = sums.cols;
  const first = sums.data.slice();
  const second = scatter.map(({ rows, cols, data }) => matrix(rows, cols, data.slice()));
  for (let k = 0; k < counts.length; k++) {
    const delta = (f: number): number => to[k * d + f] - from[k * d + f];
    for (let a = 0; a < d; a++) {
      first[k * d + a] -= counts[k] * delta(a);
      if (kind === "diagonal" || kind === "spherical") {
        const p = kind === "diagonal" ? k * d + a : k;
        second[0].data[p] -= delta(a) * (sums.data[k * d + a] + first[k * d + a]);
      }
    }
    if (kind === "diagonal" || kind === "spherical") continue;
    const { data } = second[kind === "full" ? k : 0];
    for (let a = 0; a < d; a++) {
      for (let b = 0; b < d; b++)
        data[a * d + b] -= delta(a) * sums.data[k * d + b] + first[k * d + a] * delta(b);
    }
  }
  return { counts, sums: matrix(sums.rows, d, first), scatter: second };
}

/** Corrected sums need not be those of any rows, and then give no covariances. */
function isMixture({ kind, weights, covariances }: Mixture): boolean {
  if (!weights.every((weight) => weight > 0)) return false;
  return kind === "full" || kind === "tied"
    ? covariances.every((S) => tryCholesky(S) !== undefined)
    : covariances[0].data.every((value) => value > 0);
}

/** sum_k c_k (log pi_k - log |S_k| / 2) - tr(S_k^-1 C_k) / 2. */
function expected(
  { kind, weights, covariances }: Mixture,
  { counts, sums, scatter }: MixtureMoments,
): number {
  const d = sums.cols;
  const { logDeterminants } = precisions(kind, covariances, weights.length, d);
  let value = 0;
  weights.forEach((weight, k) => (value += counts[k] * (Math.log(weight) - logDeterminants[k] / 2)));
  scatter.forEach((C, m) => (value -= traceOfQuotient(kind, covariances[m], C, d) / 2));
  return value;
}

/** tr(S^-1 C); of variances, the sum of c / s. */
function traceOfQuotient(kind: CovarianceKind, S: Matrix, C: Matrix, d: number): number {
  let trace = 0;
  if (kind === "diagonal" || kind === "spherical") {
    for (let p = 0; p < C.data.length; p++) trace += C.data[p] / S.data[p];
    return trace;
  }
  const quotient = tryCholesky(S)!.solve(C);
  for (let a = 0; a < d; a++) trace += quotient.data[a * (d + 1)];
  return trace;
}
