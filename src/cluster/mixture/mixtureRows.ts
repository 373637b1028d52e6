/**
 * The sums of EM over the rows and components of a Gaussian mixture. In WebAssembly (kernelMixtureRows.ts) rows and
 * responsibilities stay in the kernel's memory from step to step, and threads share them; wide covariances use products
 * of matrices (wideMixtureRows.ts). To read: test/cluster/plainMixtureRows.ts, the same sums as they are written.
 */
import type { Matrix } from "../../matrix/index.ts";
import type { CovarianceKind, Precisions } from "./gaussianCovariance.ts";
import type { Mixture } from "./gaussianEm.ts";
import { isWide, kernelFor, withKernelRows } from "./kernelMixtureRows.ts";
import { wideMixtureRows } from "./wideMixtureRows.ts";

/** Rows x_i with their responsibilities R, n x K. */
export interface MixtureRows {
  weigh(): Weighed;
  /** sum_i R_ik (x_i - mu_k)(x_i - mu_k)', in the shape of the covariances. Sums over parts of the rows add up. */
  scatter(means: Float64Array): Matrix[];
  /** R := the probability of each component given the row; `logs` receives the log-density of each row. */
  expect(mixture: Density, logs?: Float64Array): Expected;
  /** Leaves out all components but these. */
  keep(components: readonly number[]): void;
  /** R, in the given array if that has its size. */
  responsibilities(): Float64Array;
}

export interface Weighed {
  /** sum_i R_ik. */
  readonly counts: Float64Array;
  /** K x d: sum_i R_ik x_i. */
  readonly sums: Float64Array;
}

/** The sums under the new responsibilities. */
export interface Expected extends Weighed {
  readonly logLikelihood: number;
}

/** A mixture as the density of its components, exp(constants[k] - |W_k (x - mu_k)|^2 / 2). */
export interface Density {
  readonly constants: Float64Array;
  readonly means: Float64Array;
  readonly whiteners: Precisions["whiteners"];
}

/** Passes rows with responsibilities R to `work`; they are freed when it ends. */
export function withMixtureRows<T>(
  X: Matrix,
  kind: CovarianceKind,
  R: Float64Array,
  work: (rows: MixtureRows) => T,
): T {
  const wide = isWide(kind, X.cols);
  return wide === undefined ? withKernelRows(X, kind, R, work) : work(wideMixtureRows(X, wide, R));
}

/** Threads that are not running yet start while the caller prepares the rows for `withMixtureRows`. */
export function startThreadsFor(X: Matrix, kind: CovarianceKind, K: number): void {
  if (isWide(kind, X.cols) === undefined) kernelFor(X, kind, K);
}

export function densityOf(
  { weights, means }: Pick<Mixture, "weights" | "means">,
  { logDeterminants, whiteners }: Precisions,
): Density {
  const d = means.length / weights.length;
  const constants = weights.map(
    (weight, k) => Math.log(weight) - (d * Math.log(2 * Math.PI) + logDeterminants[k]) / 2,
  );
  return { constants, means, whiteners };
}
