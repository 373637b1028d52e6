/**
 * The words of a text and how often each occurs. Scripts that are written without spaces give pairs of neighbouring
 * characters instead, so no dictionary is needed. Numbers and single letters are no words.
 */
export function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const run of text.normalize("NFKC").toLowerCase().match(RUNS) ?? []) {
    for (const word of UNSPACED_RUN.test(run) ? pairsOf(run) : [run]) {
      words.set(word, (words.get(word) ?? 0) + 1);
    }
  }
  return words;
}

const UNSPACED =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]";
const RUNS = new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{M}]){2,}`, "gu");
const UNSPACED_RUN = new RegExp(`^${UNSPACED}`, "u");

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, c) => characters[c] + character);
}
