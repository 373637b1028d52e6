import type { Constraints } from "kindred/data";
import { identity, type Matrix } from "kindred/matrix";
import {
  itml,
  kissme,
  lajugie,
  lda,
  lmnn,
  mahalanobis,
  type Mahalanobis,
  mlca,
  mmc,
  pcca,
  rca,
  xqda,
} from "kindred/metric";
import type { Column } from "./mlca/mlcaTables.ts";

/** The input of a metric. */
export interface Training {
  readonly X: Matrix;
  readonly labels: Int32Array;
  /** Drawn from the labels, for the methods that take pairs. */
  readonly pairs: Constraints;
}

export interface Setting {
  /** "" for the defaults. */
  readonly name: string;
  learn(training: Training): Mahalanobis;
}

/**
 * The settings that each column of a table tries; with several settings the one with the smallest Delta on a
 * validation set is taken, as in the text. The first is the default.
 */
export const LEARNERS: Readonly<Record<Column, readonly Setting[]>> = {
  mlca: [{ name: "", learn: ({ X, labels }) => mlca(X, labels) }],
  euclidean: [{ name: "", learn: ({ X }) => euclidean(X.cols) }],
  // The problem of the text; `mmc` adds a term that keeps the metric from falling to rank one.
  xing: [{ name: "", learn: ({ X, pairs }) => mmc(X, { ...pairs, regularization: 0 }) }],
  lajugie: [true, false].flatMap((whiten) =>
    [0.01, 1].map((regularization) => ({
      name: `${whiten ? "whitened" : "raw"}, lambda ${regularization}`,
      learn: ({ X, labels }) => lajugie(X, labels, { whiten, regularization }),
    })),
  ),
  kissme: [{ name: "", learn: ({ X, pairs }) => kissme(X, pairs) }],
  itml: (["percentile", "squared"] as const).flatMap((bounds) =>
    [1, 0.1, 10].map((gamma) => ({
      name: `bounds ${bounds}, gamma ${gamma}`,
      learn: ({ X, pairs }) => itml(X, { ...pairs, bounds, gamma }),
    })),
  ),
  pcca: (["all", 2] as const).flatMap((dims) =>
    [3, 1].map((beta) => ({
      name: `dims ${dims}, beta ${beta}`,
      learn: ({ X, pairs }) => pcca(X, { ...pairs, dims: dims === "all" ? X.cols : dims, beta }),
    })),
  ),
  lmnn: [{ name: "", learn: ({ X, labels }) => lmnn(X, labels) }],
  xqda: [{ name: "", learn: ({ X, labels }) => xqda(X, labels) }],
  mmc: [{ name: "", learn: ({ X, pairs }) => mmc(X, pairs) }],
  lda: [{ name: "", learn: ({ X, labels }) => lda(X, labels) }],
  rca: [{ name: "", learn: ({ X, labels }) => rca(X, labels) }],
};

/** The identity as a metric, so that the Euclidean case needs no special code. */
export function euclidean(features: number): Mahalanobis {
  return mahalanobis({
    method: "euclidean",
    factor: identity(features),
    converged: true,
    iterations: 0,
    certificate: { kind: "nothing is learned", residual: 0 },
    warnings: [],
  });
}

/**
 * Starts a clock in seconds: CPU time of the process or wall time, whichever is smaller, so that other
 * threads and other work on the machine do not count in full.
 */
export function stopwatch(): () => number {
  const host = globalThis as { process?: { cpuUsage?: () => { user: number; system: number } } };
  const used = (): number => {
    const { user, system } = host.process?.cpuUsage?.() ?? { user: Infinity, system: 0 };
    return (user + system) / 1e6;
  };
  const [cpu, wall] = [used(), performance.now()];
  return () => Math.min(used() - cpu || Infinity, (performance.now() - wall) / 1000);
}

export type Spread = ReturnType<typeof spread>;

/** Mean and standard deviation over seeds, splits or images; the deviation of one is 0. */
export function spread(values: readonly number[]) {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: count > 1 ? Math.sqrt(squares / (count - 1)) : 0, count };
}

/** Standard error of the mean. */
export function errorOf({ deviation, count }: Spread): number {
  return deviation / Math.sqrt(count);
}
