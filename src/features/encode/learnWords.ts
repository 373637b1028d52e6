/**
 * Words are alike if they occur in the same texts. The vectors of the words are the leading eigenvectors, times the square
 * root of the eigenvalue, of the positive part of their pointwise mutual information
 *
 *     log p(a, b) / (p(a) q(b)),   q(b) proportional to p(b)^0.75
 *
 * (Levy, Goldberg and Dagan, Transactions of the ACL 3, 2015, where 0.75 is from). A text is the mean of its words'
 * vectors, weighted by (1 + log count) log(texts / texts with it) and divided by its norm: texts without a common word
 * are alike if their words are. Together the features have the variance of as many standardised numbers as there are
 * components, (sum v)^2 / sum v^2 for their variances v, since each tells something of its own.
 *
 * The first vector is left out, because it tells how frequent words are. Each further one is kept as long as its eigenvalue
 * is larger than the one of the same rank after the words were dealt to the texts at random (parallel analysis, Horn 1965).
 */
import { random } from "../../core/index.ts";
import { columnSpreads } from "../../data/internal.ts";
import { matrix, storeMatrix, topEigen, type TopEigen } from "../../matrix/index.ts";
import type { WordsEncoding } from "../featureRecord.ts";
import { encodeWords } from "./encodeText.ts";
import { wordsOf } from "./wordsOf.ts";

/** Limits of the work, which grows with their square: words and their vectors. */
const MOST_WORDS = 2000;
const MOST_VECTORS = 60;
/** Pairs of words that are counted. */
const MOST_PAIRS = 1e8;
/** A word in fewer texts says too little about its company. */
const LEAST_TEXTS = 3;
const SMOOTHING = 0.75;
/** One vector exceeds its draw by chance every second time. */
const LEAST_VECTORS = 2;
/** Of the eigenvectors. A smaller entry is not known: a text of such words alone would point anywhere. */
const TOLERANCE = 1e-6;

/** Undefined if the words have nothing in common beyond chance. */
export function learnWords(
  cell: (row: number) => string,
  rows: ArrayLike<number>,
  seed: number,
): WordsEncoding | undefined {
  const texts = distinctTexts(cell, rows);
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const words = [...counts.keys()]
    .filter((word) => counts.get(word)! >= LEAST_TEXTS)
    .sort((a, b) => counts.get(b)! - counts.get(a)! || (a < b ? -1 : 1))
    .slice(0, MOST_WORDS);
  if (words.length < 3) return undefined;
  const place = new Map(words.map((word, w) => [word, w]));
  const used = texts.map((own) => own.flatMap((word) => place.get(word) ?? []));
  const rank = Math.min(MOST_VECTORS, words.length - 1);
  const found = leading(used, words.length, rank, TOLERANCE);
  const chance = leading(dealt(used, seed), words.length, rank, 1e-3);
  let end = 1;
  while (end < rank && found.values[end] > chance.values[end]) end++;
  if (end <= LEAST_VECTORS) return undefined;
  const vectors = matrix(words.length, end - 1);
  words.forEach((word, w) => {
    const rarity = Math.log(texts.length / counts.get(word)!);
    for (let f = 1; f < end; f++) {
      const entry = found.vectors.data[w * rank + f];
      if (Math.abs(entry) < TOLERANCE) continue;
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
  return { ...start, center: spreads.map(({ mean }) => mean), spread: Math.sqrt(squares / sum) };
}

/** The words of each text, once; a text that occurs again tells nothing more about its words. */
function distinctTexts(cell: (row: number) => string, rows: ArrayLike<number>): string[][] {
  const known = new Set<string>();
  const texts: string[][] = [];
  let pairs = 0;
  for (let r = 0; r < rows.length && pairs < MOST_PAIRS; r++) {
    const text = cell(rows[r]);
    if (known.has(text)) continue;
    known.add(text);
    const words = [...wordsOf(text).keys()];
    if (words.length === 0) continue;
    texts.push(words);
    pairs += words.length ** 2;
  }
  return texts;
}

/** The leading eigenpairs of the positive pointwise mutual information. */
function leading(
  texts: readonly (readonly number[])[],
  size: number,
  rank: number,
  tolerance: number,
): TopEigen {
  const M = matrix(size, size);
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
      M.data[a * size + b] = value;
      M.data[b * size + a] = value;
    }
  }
  return topEigen(M, rank, { tolerance });
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
