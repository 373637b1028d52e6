import type { TextEncoding, WordsEncoding } from "../featureRecord.ts";
import { hashText } from "../drawnRows.ts";
import { knownWords } from "./wordsOf.ts";

type Cell = (row: number) => string;

/** Rows x features; NaN for a text without any known word. */
export function encodeWords(
  { words, vectors, inside, center, spread }: WordsEncoding,
  cell: Cell,
  rows: ArrayLike<number>,
): Float64Array {
  const known = knownWords(new Map(words.map((word, w) => [word, w])), inside === true);
  return placed(rows, center, spread, (row, scores) => {
    const counts = known(cell(row));
    for (const [w, count] of counts) addRow(scores, vectors, w, 1 + Math.log(count));
    return counts.size > 0;
  });
}

/**
 * Texts of earlier models: principal scores of their words, which are hashed to buckets (Weinberger et al. 2009), weighted by
 * (1 + log count) idf, and divided by the norm of the row.
 */
export function encodeText(
  { buckets, used, idf, mean, components, center, spread }: TextEncoding,
  cell: Cell,
  rows: ArrayLike<number>,
): Float64Array {
  const place = new Map(used.map((bucket, j) => [bucket, j]));
  const shift = new Float64Array(components.cols);
  used.forEach((_, j) => addRow(shift, components, j, mean[j]));
  return placed(rows, center, spread, (row, scores) => {
    const counts = new Map<number, number>();
    for (const word of cell(row)
      .toLowerCase()
      .match(/[\p{L}\p{M}]{2,}/gu) ?? []) {
      const bucket = hashText(word) % buckets;
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    }
    const known = [...counts].filter(([bucket]) => place.has(bucket)).sort(([a], [b]) => a - b);
    const values = known.map(([bucket, count]) => (1 + Math.log(count)) * idf[place.get(bucket)!]);
    const norm = Math.hypot(...values) || 1;
    shift.forEach((value, f) => (scores[f] = -value));
    known.forEach(([bucket], k) => addRow(scores, components, place.get(bucket)!, values[k] / norm));
    return known.length > 0;
  });
}

/** Scores of length 1, about their center; `score` adds to zeros and tells whether a word is known. */
function placed(
  rows: ArrayLike<number>,
  center: readonly number[],
  spread: number,
  score: (row: number, scores: Float64Array) => boolean,
): Float64Array {
  const width = center.length;
  const out = new Float64Array(rows.length * width).fill(Number.NaN);
  const scores = new Float64Array(width);
  for (let r = 0; r < rows.length; r++) {
    scores.fill(0);
    if (!score(rows[r], scores)) continue;
    const norm = Math.sqrt(scores.reduce((sum, x) => sum + x * x, 0)) || 1;
    for (let f = 0; f < width; f++) out[r * width + f] = (scores[f] / norm - center[f]) / spread;
  }
  return out;
}

function addRow(
  scores: Float64Array,
  { cols, data }: { readonly cols: number; readonly data: ArrayLike<number> },
  row: number,
  factor: number,
): void {
  for (let f = 0; f < cols; f++) scores[f] += factor * data[row * cols + f];
}
