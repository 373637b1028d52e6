import { scale, type PairHint, type Scaled } from "../data/index.ts";
import { matrix, takeRows, type Matrix } from "../matrix/index.ts";
import { requireSquares } from "../matrix/internal.ts";
import { knownFrom, type Known } from "./known.ts";
import type { Partition } from "./library.ts";
import type { GivenPartition } from "./shelf.ts";

/** Rows above which members learn from a sample; fewer between questions, where a person waits. */
const SAMPLE = 1000;
export const QUICK_SAMPLE = 500;

/** The rows for the members, in an order that depends only on their values. */
export interface Arranged {
  /** Scaled, centred, and of mean column variance 1. */
  readonly X: Matrix;
  readonly scaled: Scaled<Matrix>;
  readonly sampled: boolean;
  rowOf(place: number): number;
  /** -1: not in the sample. */
  placeOf(row: number): number;
  known(same: readonly PairHint[], different: readonly PairHint[]): Known;
  partitions(given: readonly GivenPartition[]): (Partition & Pick<GivenPartition, "weight">)[];
}

/**
 * Rows in the order of a hash of their values, so results do not depend on the order of the input; for many
 * rows the first of that order, a random sample, plus the rows named in hints.
 */
export function arrange(
  X: Matrix,
  options: {
    readonly scale: "zscore" | "none";
    readonly seed: number;
    /** Rows that must be included. */
    readonly keep: readonly number[];
    readonly sample?: number;
  },
): Arranged {
  const n = X.rows;
  const most = options.sample ?? SAMPLE;
  const order = hashOrder(X, options.seed, new Set(options.keep));
  const scaled = scale(takeRows(X, order), options.scale);
  requireSquares(scaled.X, "learnFromHints");
  let places = Int32Array.from({ length: Math.min(n, most) }, (_, p) => p);
  if (n > most) {
    const needed = new Set(options.keep);
    const extra = Array.from({ length: n - most }, (_, p) => most + p).filter((p) => needed.has(order[p]));
    places = Int32Array.from([...places, ...extra]);
  }
  const rows = Int32Array.from(places, (p) => order[p]);
  const placeOf = new Map<number, number>();
  rows.forEach((row, place) => placeOf.set(row, place));
  const place = (row: number): number => placeOf.get(row) ?? -1;
  return {
    X: unitVariance(n > most ? takeRows(scaled.X, places) : scaled.X),
    scaled,
    sampled: n > most,
    rowOf: (p) => rows[p],
    placeOf: place,
    known: (same, different) => {
      const ends = ({ a, b }: PairHint): [number, number] => {
        const [p, q] = [place(a), place(b)];
        return p < q ? [p, q] : [q, p];
      };
      const sorted = (hints: readonly PairHint[]): [number, number][] =>
        hints.map(ends).sort((p, q) => p[0] - q[0] || p[1] - q[1]);
      return knownFrom(rows.length, sorted(same), sorted(different));
    },
    partitions: (given) =>
      given.map(({ labels, ...one }) => ({
        ...one,
        labels: dense(Int32Array.from(rows, (row) => labels[row])),
      })),
  };
}

function unitVariance({ rows, cols, data }: Matrix): Matrix {
  const mean = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) mean[p % cols] += data[p] / rows;
  let sum = 0;
  for (let p = 0; p < data.length; p++) sum += (data[p] - mean[p % cols]) ** 2 / data.length;
  const unit = sum > 0 ? Math.sqrt(sum) : 1;
  return matrix(
    rows,
    cols,
    data.map((value, p) => (value - mean[p % cols]) / unit),
  );
}

/** Labels 0, 1, ... by first occurrence. */
export function dense(labels: Int32Array): Int32Array {
  const numbers = new Map<number, number>();
  return labels.map((label) => {
    if (!numbers.has(label)) numbers.set(label, numbers.size);
    return numbers.get(label)!;
  });
}

function hashOrder({ rows: n, cols: d, data }: Matrix, seed: number, first: ReadonlySet<number>): Int32Array {
  const value = new Float64Array(1);
  const bits = new Uint32Array(value.buffer);
  const hash = new Float64Array(n);
  const occurrences = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    let a = 0x9e3779b9 ^ seed;
    let b = 0x85ebca6b;
    for (let f = 0; f < d; f++) {
      value[0] = data[i * d + f] + 0; // -0 and 0 are the same
      a = Math.imul(a ^ bits[0], 0x01000193) ^ (b >>> 15);
      b = Math.imul(b ^ bits[1], 0x5bd1e995) ^ (a >>> 13);
    }
    a = Math.imul(a ^ (a >>> 16) ^ b, 0x21f0aaad);
    a = Math.imul(a ^ (a >>> 15), 0x735a2d97);
    const base = (a ^ (a >>> 15)) >>> 0;
    // Equal rows are distinguished by the number of earlier ones, not by position.
    const seen = occurrences.get(base) ?? 0;
    occurrences.set(base, seen + 1);
    hash[i] = seen === 0 ? base : Math.imul(base + seen * 0x9e3779b9, 0x21f0aaad) >>> 0;
  }
  const compare = (i: number, j: number): number => {
    if (hash[i] !== hash[j]) return hash[i] - hash[j];
    for (let f = 0; f < d; f++) {
      const difference = data[i * d + f] - data[j * d + f];
      if (difference !== 0) return difference;
    }
    return Number(first.has(j)) - Number(first.has(i)) || i - j;
  };
  return Int32Array.from({ length: n }, (_, i) => i).sort(compare);
}
