/**
 * The sums over the rows for a step of EM, given a mixture: for each component k, with the responsibilities
 * r_ik, the sums of r_ik, of r_ik (x_i - mu_k) and of r_ik (x_i - mu_k)(x_i - mu_k)', and the log-likelihood.
 * They are about the current means, near those of the next mixture, so the scatter about these loses no
 * digits.
 */
import { inputError } from "../../core/internal.ts";
import { densityOf, precisions, withMixtureRows, type Mixture } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { addCompensated, compensated, compensatedValues } from "../../matrix/internal.ts";

export interface MixtureSums {
  /** Of the responsibilities. */
  readonly mixture: Mixture;
  readonly rows: number;
  readonly counts: Float64Array;
  /** Rows of which each component is the most probable. */
  readonly sizes: Float64Array;
  /** K x d: sum of r (x - mu_k). */
  readonly sums: Matrix;
  /** About mu_k, in the shape of the covariances of the mixture. */
  readonly scatter: readonly Matrix[];
  readonly logLikelihood: number;
}

export interface MixtureSumsAccumulator {
  add(X: Matrix): void;
  result(): MixtureSums;
}

/** Collects the sums of a step of EM under a mixture. */
export function mixtureSumsAccumulator(mixture: Mixture): MixtureSumsAccumulator {
  const { kind, weights, means, covariances } = mixture;
  const K = weights.length;
  const d = means.length / K;
  const density = densityOf(mixture, precisions(kind, covariances, K, d));
  const sizes = new Float64Array(K);
  const counts = compensated(K);
  const sums = compensated(K * d);
  const scatter = covariances.map(({ data }) => compensated(data.length));
  const logLikelihood = compensated(1);
  let rows = 0;
  return {
    add(X) {
      if (X.cols !== d) throw inputError(`the rows have ${X.cols} columns, but the mixture has ${d}`);
      withMixtureRows(X, kind, new Float64Array(X.rows * K), (own) => {
        addCompensated(logLikelihood, Float64Array.of(own.expect(density).logLikelihood));
        const part = firstSums(X, own.responsibilities(), means, sizes);
        addCompensated(counts, part.counts);
        addCompensated(sums, part.sums);
        own.scatter(means).forEach(({ data }, m) => addCompensated(scatter[m], data));
      });
      rows += X.rows;
    },
    result: () => ({
      mixture,
      rows,
      counts: compensatedValues(counts),
      sizes: sizes.slice(),
      sums: matrix(K, d, compensatedValues(sums)),
      scatter: scatter.map((sum, m) => {
        const { rows: height, cols } = covariances[m];
        return matrix(height, cols, compensatedValues(sum));
      }),
      logLikelihood: compensatedValues(logLikelihood)[0],
    }),
  };
}

/** Sums of r and of r (x - mu); counts the rows of each component in `sizes`. */
function firstSums(
  X: Matrix,
  R: Float64Array,
  means: Float64Array,
  sizes: Float64Array,
): { readonly counts: Float64Array; readonly sums: Float64Array } {
  const d = X.cols;
  const K = sizes.length;
  const counts = new Float64Array(K);
  const sums = new Float64Array(K * d);
  for (let i = 0; i < X.rows; i++) {
    let largest = 0;
    for (let k = 0, p = i * K; k < K; k++) {
      const r = R[p + k];
      if (r > R[p + largest]) largest = k;
      counts[k] += r;
      for (let f = 0, q = k * d; f < d; f++, q++) sums[q] += r * (X.data[i * d + f] - means[q]);
    }
    sizes[largest]++;
  }
  return { counts, sums };
}

export type MixtureMoments = Pick<MixtureSums, "counts" | "sums" | "scatter">;

/** a + factor b. */
export function addedMoments(a: MixtureMoments, b: MixtureMoments, factor: number): MixtureMoments {
  const added = (x: Float64Array, y: Float64Array): Float64Array =>
    x.map((value, p) => value + factor * y[p]);
  const addedMatrix = (A: Matrix, B: Matrix): Matrix => matrix(A.rows, A.cols, added(A.data, B.data));
  return {
    counts: added(a.counts, b.counts),
    sums: addedMatrix(a.sums, b.sums),
    scatter: a.scatter.map((S, m) => addedMatrix(S, b.scatter[m])),
  };
}
