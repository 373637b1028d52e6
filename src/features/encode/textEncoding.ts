/**
 * A column of free text becomes a few components of its words. Words are hashed to buckets (Weinberger et al. 2009),
 * weighted by (1 + log count) log(texts / texts with it), and each text is divided by its norm. Components
 * are kept if their eigenvalue exceeds 1.3 times the first one of the same buckets shuffled over the texts;
 * if there are none, the words contain no joint information. Together the features have the variance of one
 * standardised number.
 */
import { random } from "../../core/index.ts";
import { columnSpreads } from "../../data/internal.ts";
import { matrix, storeMatrix, topEigen, type Matrix } from "../../matrix/index.ts";
import type { TextEncoding } from "../featureRecord.ts";
import { hashText } from "../drawnRows.ts";

const BUCKETS = 2048;
const COMPONENTS = 10;
const BEYOND_SHUFFLED = 1.3;
const TEXTS = 4000;

export function learnText(
  cell: (row: number) => string,
  rows: ArrayLike<number>,
  seed: number,
): TextEncoding | undefined {
  const texts: Map<number, number>[] = [];
  const inTexts = new Float64Array(BUCKETS);
  for (let r = 0; r < rows.length && texts.length < TEXTS; r++) {
    const words = wordsOf(cell(rows[r]));
    if (words.size === 0) continue;
    texts.push(words);
    for (const bucket of words.keys()) inTexts[bucket]++;
  }
  const n = texts.length;
  const least = Math.max(3, 0.002 * n);
  const used = Array.from(inTexts.keys()).filter((b) => inTexts[b] >= least && inTexts[b] <= 0.3 * n);
  if (used.length < 10) return undefined;
  const idf = used.map((b) => Math.log(n / inTexts[b]));
  const place = new Int32Array(BUCKETS).fill(-1);
  used.forEach((b, f) => (place[b] = f));
  const sparse = texts.map((words) => weighted(words, place, idf)).filter((entries) => entries.length > 0);
  if (sparse.length < 20) return undefined;
  const { C, mean } = covariance(sparse, used.length);
  const q = Math.min(COMPONENTS, used.length - 1, sparse.length - 1);
  const { values, vectors } = topEigen(C, q, { tolerance: 1e-8 });
  const shuffled = covariance(shuffledColumns(sparse, used.length, seed), used.length).C;
  const bar = BEYOND_SHUFFLED * topEigen(shuffled, 1, { tolerance: 1e-4 }).values[0];
  let width = 0;
  while (width < q && values[width] > bar) width++;
  if (width === 0) return undefined;
  const components = matrix(used.length, width);
  for (let j = 0; j < used.length; j++)
    for (let f = 0; f < width; f++) components.data[j * width + f] = vectors.data[j * q + f];
  const start: TextEncoding = {
    form: "text",
    buckets: BUCKETS,
    used,
    idf,
    mean: Array.from(mean),
    components: storeMatrix(components),
    center: Array.from({ length: width }, () => 0),
    spread: 1,
  };
  const raw = encodeText(start, cell, rows).filter((value) => !Number.isNaN(value));
  const spreads = columnSpreads(matrix(raw.length / width, width, raw), start.center.map(String));
  const variance = spreads.reduce((sum, { deviation }) => sum + deviation ** 2, 0);
  if (!(variance > 0)) return undefined;
  return { ...start, center: spreads.map((s) => s.mean), spread: Math.sqrt(variance) };
}

/** Rows x features; NaN for a text without any known word. */
export function encodeText(
  encoding: TextEncoding,
  cell: (row: number) => string,
  rows: ArrayLike<number>,
): Float64Array {
  const { used, idf, mean, components, center, spread } = encoding;
  const width = components.cols;
  const place = new Int32Array(encoding.buckets).fill(-1);
  used.forEach((b, f) => (place[b] = f));
  const shift = new Float64Array(width);
  for (let j = 0; j < used.length; j++)
    for (let f = 0; f < width; f++) shift[f] += mean[j] * components.data[j * width + f];
  const out = new Float64Array(rows.length * width).fill(Number.NaN);
  const scores = new Float64Array(width);
  for (let r = 0; r < rows.length; r++) {
    const entries = weighted(wordsOf(cell(rows[r])), place, idf);
    if (entries.length === 0) continue;
    for (let f = 0; f < width; f++) scores[f] = -shift[f];
    for (const [j, value] of entries)
      for (let f = 0; f < width; f++) scores[f] += value * components.data[j * width + f];
    let square = 0;
    for (let f = 0; f < width; f++) square += scores[f] * scores[f];
    const norm = Math.sqrt(square) || 1;
    for (let f = 0; f < width; f++) out[r * width + f] = (scores[f] / norm - center[f]) / spread;
  }
  return out;
}

type Entries = readonly (readonly [number, number])[];

function wordsOf(text: string): Map<number, number> {
  const words = new Map<number, number>();
  for (const word of text.toLowerCase().match(/[\p{L}\p{M}]{2,}/gu) ?? []) {
    const bucket = hashText(word) % BUCKETS;
    words.set(bucket, (words.get(bucket) ?? 0) + 1);
  }
  return words;
}

function weighted(words: Map<number, number>, place: Int32Array, idf: readonly number[]): Entries {
  const entries: [number, number][] = [];
  let square = 0;
  // In a fixed order, so texts with the same words are equal to the last bit.
  for (const bucket of [...words.keys()].sort((a, b) => a - b)) {
    const j = place[bucket];
    if (j < 0) continue;
    const count = words.get(bucket)!;
    const value = (1 + Math.log(count)) * idf[j];
    entries.push([j, value]);
    square += value * value;
  }
  const norm = Math.sqrt(square) || 1;
  return entries.map(([j, value]) => [j, value / norm] as const);
}

function covariance(texts: readonly Entries[], width: number): { C: Matrix; mean: Float64Array } {
  const C = matrix(width, width);
  const mean = new Float64Array(width);
  const n = texts.length;
  for (const entries of texts) {
    for (const [a, x] of entries) {
      mean[a] += x / n;
      for (const [b, y] of entries) C.data[a * width + b] += (x * y) / n;
    }
  }
  for (let a = 0; a < width; a++) for (let b = 0; b < width; b++) C.data[a * width + b] -= mean[a] * mean[b];
  return { C, mean };
}

/** Each bucket's values moved to other texts, which breaks the relations between words. */
function shuffledColumns(texts: readonly Entries[], width: number, seed: number): Entries[] {
  const stream = random(seed);
  const columns: number[][] = Array.from({ length: width }, () => []);
  for (const entries of texts) for (const [j, value] of entries) columns[j].push(value);
  const out: [number, number][][] = texts.map(() => []);
  columns.forEach((values, j) => {
    const chosen = stream.sample(values.length, texts.length);
    values.forEach((value, p) => out[chosen[p]].push([j, value]));
  });
  return out;
}
