import { random, type Random } from "../core/index.ts";
import { optionError, rule } from "../core/internal.ts";
import { encodeLabels, type Labeling } from "../score/index.ts";
import type { Constraints, Pair } from "./constraints.ts";

/** Rows of each class, classes without a known label left out. */
function members(labels: Labeling): Int32Array[] {
  const { codes, classes } = encodeLabels(labels);
  const counts = new Int32Array(classes.length);
  for (const code of codes) if (code >= 0) counts[code]++;
  const rows = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (let i = 0; i < codes.length; i++) if (codes[i] >= 0) rows[codes[i]][counts[codes[i]]++] = i;
  return rows;
}

/**
 * Draws pairs of rows from class labels, each pair at most once: must-links uniformly over all pairs of one class,
 * cannot-links uniformly over all pairs of two classes. Asking for more pairs than exist is an error.
 */
export function samplePairs(
  labels: Labeling,
  options: { mustLink: number; cannotLink: number; seed?: number },
): Constraints {
  const count = rule.required(rule.integer({ min: 0 }));
  const asked = { mustLink: count, cannotLink: count, seed: rule.integer({ default: 0 }) };
  const { mustLink, cannotLink, seed } = rule.resolveOptions("samplePairs", options, asked);
  const stream = random(seed);
  const rows = members(labels);
  const sizes = rows.map((group) => group.length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const within = sizes.reduce((sum, size) => sum + (size * (size - 1)) / 2, 0);
  const between = (total * (total - 1)) / 2 - within;
  requireAvailable("must-link", mustLink, within);
  requireAvailable("cannot-link", cannotLink, between);

  // Cumulative pair counts turn one uniform integer into a class (or a row of one class and a row outside it).
  const withinEnds = cumulative(sizes.map((size) => (size * (size - 1)) / 2));
  const drawWithin = (): Pair => {
    const group = rows[bucket(withinEnds, stream.integer(within))];
    const a = stream.integer(group.length);
    let b = stream.integer(group.length - 1);
    if (b >= a) b++;
    return ordered(group[a], group[b]);
  };
  const outsideEnds = cumulative(sizes.map((size) => size * (total - size)));
  const drawBetween = (): Pair => {
    const c = bucket(outsideEnds, stream.integer(outsideEnds[outsideEnds.length - 1]));
    let other = stream.integer(total - sizes[c]);
    let k = 0;
    for (; k === c || other >= sizes[k]; k++) if (k !== c) other -= sizes[k];
    return ordered(rows[c][stream.integer(sizes[c])], rows[k][other]);
  };
  return {
    mustLink: distinct(mustLink, within, labels.length, drawWithin, () => allWithin(rows), stream),
    cannotLink: distinct(cannotLink, between, labels.length, drawBetween, () => allBetween(rows), stream),
  };
}

function requireAvailable(kind: string, wanted: number, available: number): void {
  if (wanted > available) {
    throw optionError(`the labels give only ${available} ${kind} pairs, but ${wanted} were asked for`);
  }
}

/**
 * Rejection while few of the pairs are taken; beyond half of them a shuffle of the whole list is cheaper and
 * always ends.
 */
function distinct(
  count: number,
  available: number,
  rows: number,
  draw: () => Pair,
  all: () => Pair[],
  stream: Random,
): Pair[] {
  if (count > available / 2) {
    const pairs = all();
    return Array.from(stream.sample(count, pairs.length), (index) => pairs[index]);
  }
  const seen = new Set<number>();
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const pair = draw();
    const key = pair[0] * rows + pair[1];
    if (seen.has(key)) continue;
    seen.add(key);
    pairs.push(pair);
  }
  return pairs;
}

function allWithin(rows: readonly Int32Array[]): Pair[] {
  const pairs: Pair[] = [];
  for (const group of rows) {
    for (let a = 0; a < group.length; a++)
      for (let b = 0; b < a; b++) pairs.push(ordered(group[a], group[b]));
  }
  return pairs;
}

function allBetween(rows: readonly Int32Array[]): Pair[] {
  const pairs: Pair[] = [];
  for (let c = 0; c < rows.length; c++) {
    for (let k = 0; k < c; k++) for (const i of rows[c]) for (const j of rows[k]) pairs.push(ordered(i, j));
  }
  return pairs;
}

function ordered(i: number, j: number): Pair {
  return i < j ? [i, j] : [j, i];
}

function cumulative(counts: readonly number[]): Float64Array {
  const ends = new Float64Array(counts.length);
  counts.reduce((sum, count, c) => (ends[c] = sum + count), 0);
  return ends;
}

/** The first bucket that ends after `position`. */
function bucket(ends: Float64Array, position: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > position) high = middle;
    else low = middle + 1;
  }
  return low;
}
