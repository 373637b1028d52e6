import { sizesOf } from "../core/internal.ts";
import { adjustedRand } from "../score/index.ts";

/** The expected agreement with partitions that have these weights. */
export function expectedAgreement(
  labels: Int32Array,
  partitions: readonly Int32Array[],
  weights: ArrayLike<number>,
): number {
  const own = withPairs(labels);
  let sum = 0;
  let total = 0;
  partitions.forEach((other, j) => {
    sum += weights[j] * agreementOf(own, withPairs(other));
    total += weights[j];
  });
  return total > 0 ? sum / total : 0;
}

/** The adjusted Rand index (Hubert and Arabie 1985) of every two of m partitions of the same rows, m x m. */
export function agreements(partitions: readonly Int32Array[]): Float64Array {
  const m = partitions.length;
  const all = partitions.map(withPairs);
  const A = new Float64Array(m * m);
  for (let a = 0; a < m; a++) {
    A[a * m + a] = 1;
    for (let b = 0; b < a; b++) A[a * m + b] = A[b * m + a] = agreementOf(all[a], all[b]);
  }
  return A;
}

/** The adjusted Rand index of two partitions of the same rows, with labels 0 .. K - 1. */
export function agreementBetween(first: Int32Array, second: Int32Array): number {
  return agreementOf(withPairs(first), withPairs(second));
}

interface Partition {
  readonly labels: Int32Array;
  readonly clusters: number;
  /** Pairs of rows that are together. */
  readonly pairs: number;
}

function withPairs(labels: Int32Array): Partition {
  const clusters = labels.reduce((most, label) => Math.max(most, label + 1), 1);
  const pairs = sizesOf(labels, clusters).reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  return { labels, clusters, pairs };
}

/** Cells of the table of two partitions for each row: a larger table is mostly empty. */
const MOST_CELLS = 16;

function agreementOf(a: Partition, b: Partition): number {
  const n = a.labels.length;
  const K = b.clusters;
  const used = a.clusters * K;
  if (used > MOST_CELLS * n) return adjustedRand(a.labels, b.labels);
  if (used > cells.length) cells = new Int32Array(used);
  cells.fill(0, 0, used);
  for (let i = 0; i < n; i++) cells[a.labels[i] * K + b.labels[i]]++;
  let together = 0;
  for (let c = 0; c < used; c++) together += (cells[c] * (cells[c] - 1)) / 2;
  const chance = (a.pairs * b.pairs) / Math.max(1, (n * (n - 1)) / 2);
  const most = (a.pairs + b.pairs) / 2;
  return most - chance > 1e-9 ? (together - chance) / (most - chance) : 1;
}

let cells = new Int32Array(1024);
