import type { WordsEncoding } from "../featureRecord.ts";
import { knownWords } from "./wordsOf.ts";

/** Rows x features: scores of length 1, about their center; NaN for a text without any known word. */
export function encodeWords(
  { words, vectors, center, spread }: WordsEncoding,
  cell: (row: number) => string,
  rows: ArrayLike<number>,
): Float64Array {
  const known = knownWords(new Map(words.map((word, w) => [word, w])));
  const width = center.length;
  const out = new Float64Array(rows.length * width).fill(Number.NaN);
  const scores = new Float64Array(width);
  for (let r = 0; r < rows.length; r++) {
    const counts = known(cell(rows[r]));
    if (counts.size === 0) continue;
    scores.fill(0);
    for (const [w, count] of counts) {
      const factor = 1 + Math.log(count);
      for (let f = 0; f < width; f++) scores[f] += factor * vectors.data[w * width + f];
    }
    const norm = Math.sqrt(scores.reduce((sum, x) => sum + x * x, 0)) || 1;
    for (let f = 0; f < width; f++) out[r * width + f] = (scores[f] / norm - center[f]) / spread;
  }
  return out;
}
