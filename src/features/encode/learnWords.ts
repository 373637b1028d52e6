/**
 * Words are alike if they occur in the same texts. The vectors of the words are the leading eigenvectors, times the square
 * root of the eigenvalue, of the positive part of their pointwise mutual information
 *
 *     log p(a, b) / (p(a) q(b)),   q(b) proportional to p(b)^0.75
 *
 * (Levy, Goldberg and Dagan, Transactions of the ACL 3, 2015, where 0.75 is from). A text is the mean of its words'
 * vectors, weighted by (1 + log count) log(texts / texts with it) and divided by its norm: texts without a common word
 * are alike if their words are. Together the features have the variance of as many standardised numbers as there are
 * components, (sum v)^2 / sum v^2 for their variances v, since each tells something of its own. A word outside of the
 * vocabulary stands for the longest known words inside it (wordsOf.ts), in learning and in placing.
 *
 * The first vector is left out, because it tells how frequent words are. Each further one is kept as long as its eigenvalue
 * is larger than the one of the same rank after the words were dealt to the texts at random (parallel analysis, Horn 1965).
 */
import { random } from "../../core/index.ts";
import { columnSpreads } from "../../data/internal.ts";
import { matrix, storeMatrix, topEigen, toSparse, type TopEigen } from "../../matrix/index.ts";
import type { WordsEncoding } from "../featureRecord.ts";
import { encodeWords } from "./encodeWords.ts";
import { knownWords, wordsOf } from "./wordsOf.ts";

/** Limits of the work, which grows with their square: words and their vectors. */
const MOST_WORDS = 3000;
const MOST_VECTORS = 60;
/** Pairs of words that are counted. */
const MOST_PAIRS = 1e8;
/** A word in fewer texts has no company beyond its text. */
const LEAST_TEXTS = 2;
const SMOOTHING = 0.75;
/** One vector exceeds its draw by chance every second time. */
const LEAST_VECTORS = 2;
/** So many are kept of texts of which too few exceed chance. */
const DOUBTFUL_VECTORS = 10;
/** Of the eigenvectors. A smaller entry is not known: a text of such words alone would point anywhere. */
const TOLERANCE = 1e-6;
/** Of matrices with fewer entries than this share, only the entries are multiplied. */
const FEW_ENTRIES = 0.1;

/** The vectors of the words, and whether they tell more than chance would. */
export interface LearnedWords {
  readonly encoding: WordsEncoding;
  readonly related: boolean;
}

/** Undefined if hardly any word occurs in several texts, or none beside another. */
export function learnWords(
  cell: (row: number) => string,
  rows: ArrayLike<number>,
  seed: number,
): LearnedWords | undefined {
  const texts = distinctTexts(cell, rows);
  const words = frequentWords(texts);
  if (words.length < 3) return undefined;
  const known = knownWords(new Map(words.map((word, w) => [word, w])));
  const used = texts.map((text) => [...known(text).keys()]);
  const counts = new Float64Array(words.length);
  for (const own of used) for (const w of own) counts[w]++;
  const rank = Math.min(MOST_VECTORS, words.length - 1);
  const found = leading(used, words.length, rank, TOLERANCE);
  const chance = leading(dealt(used, seed), words.length, rank, 1e-3);
  let end = 1;
  while (end < rank && found.values[end] > chance.values[end]) end++;
  const related = end > LEAST_VECTORS;
  if (!related) end = Math.min(rank, 1 + DOUBTFUL_VECTORS);
  const vectors = matrix(words.length, end - 1);
  words.forEach((_, w) => {
    const rarity = Math.log(texts.length / counts[w]);
    for (let f = 1; f < end; f++) {
      const entry = found.vectors.data[w * rank + f];
      if (Math.abs(entry) < TOLERANCE || found.values[f] <= 0) continue;
      vectors.data[w * (end - 1) + f - 1] = rarity * Math.sqrt(found.values[f]) * entry;
    }
  });
  const start: WordsEncoding = {
    form: "words",
    words,
    vectors: storeMatrix(vectors),
    center: Array.from({ length: vectors.cols }, () => 0),
    spread: 1,
  };
  const placed = encodeWords(start, cell, rows).filter((value) => !Number.isNaN(value));
  const spreads = columnSpreads(
    matrix(placed.length / vectors.cols, vectors.cols, placed),
    start.center.map(String),
  );
  const variances = spreads.map(({ deviation }) => deviation ** 2);
  const sum = variances.reduce((a, b) => a + b, 0);
  if (!(sum > 0)) return undefined;
  const squares = variances.reduce((a, b) => a + b * b, 0);
  const center = spreads.map(({ mean }) => mean);
  return { encoding: { ...start, center, spread: Math.sqrt(squares / sum) }, related };
}

/** A text that occurs again tells nothing more about its words. */
function distinctTexts(cell: (row: number) => string, rows: ArrayLike<number>): string[] {
  const known = new Set<string>();
  const texts: string[] = [];
  let pairs = 0;
  for (let r = 0; r < rows.length && pairs < MOST_PAIRS; r++) {
    const text = cell(rows[r]);
    if (known.has(text)) continue;
    known.add(text);
    const { size } = wordsOf(text);
    if (size > 0) texts.push(text);
    pairs += size ** 2;
  }
  return texts;
}

/** The words of several texts, the most frequent first. */
function frequentWords(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts)
    for (const word of wordsOf(text).keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts.keys()]
    .filter((word) => counts.get(word)! >= LEAST_TEXTS)
    .sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
}

/** The leading eigenpairs of the positive pointwise mutual information. */
function leading(
  texts: readonly (readonly number[])[],
  size: number,
  rank: number,
  tolerance: number,
): TopEigen {
  const M = matrix(size, size);
  let entries = 0;
  for (const words of texts) for (const a of words) for (const b of words) M.data[a * size + b]++;
  const sums = new Float64Array(size);
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) sums[a] += M.data[a * size + b];
  const smooth = sums.map((sum) => sum ** SMOOTHING);
  const all = smooth.reduce((total, value) => total + value, 0);
  const information = (pair: number, a: number, b: number): number =>
    Math.max(0, Math.log((pair * all) / (sums[a] * smooth[b])));
  for (let a = 0; a < size; a++) {
    for (let b = a; b < size; b++) {
      const pair = M.data[a * size + b];
      const value = pair === 0 ? 0 : (information(pair, a, b) + information(pair, b, a)) / 2;
      if (value > 0) entries += a === b ? 1 : 2;
      M.data[a * size + b] = value;
      M.data[b * size + a] = value;
    }
  }
  return topEigen(entries < FEW_ENTRIES * size ** 2 ? toSparse(M) : M, rank, { tolerance });
}

/** The words dealt to the texts at random: each occurs as often, and each text has as many, but for words it already has. */
function dealt(texts: readonly (readonly number[])[], seed: number): number[][] {
  const words = texts.flat();
  const order = random(seed).sample(words.length, words.length);
  let next = 0;
  return texts.map(({ length }) => [
    ...new Set(Array.from(order.subarray(next, (next += length)), (p) => words[p])),
  ]);
}
