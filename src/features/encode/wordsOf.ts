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

/**
 * What a person reads in a text: its words, and every two that follow each other with nothing but space between them. Of scripts
 * without spaces, pairs of characters, and for Japanese words in katakana as a whole; hiragana mostly bends the words beside it.
 */
export function phrasesOf(text: string): Set<string> {
  const found = new Set<string>();
  let before: { readonly word: string; readonly end: number } | undefined;
  const plain = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(KATAKANA, (word) => (found.add(word), " "));
  for (const { 0: run, index } of plain.matchAll(RUNS)) {
    if (UNSPACED_RUN.test(run)) {
      for (const part of run.match(NO_HIRAGANA) ?? []) for (const pair of pairsOf(part)) found.add(pair);
      before = undefined;
      continue;
    }
    found.add(run);
    if (before !== undefined && /^\s+$/.test(plain.slice(before.end, index)))
      found.add(`${before.word} ${run}`);
    before = { word: run, end: index + run.length };
  }
  return found;
}

/**
 * The known words of a text, by their places, and how often each occurs. A word that is not known stands for the longest
 * known ones inside it: compounds and endings are rare, and their parts often are not.
 */
export function knownWords(places: ReadonlyMap<string, number>): (text: string) => Map<number, number> {
  const memory = new Map<string, readonly number[]>();
  const meant = (word: string): readonly number[] => {
    const place = places.get(word);
    if (place !== undefined) return [place];
    let found = memory.get(word);
    if (found === undefined) memory.set(word, (found = partsOf(word, places)));
    return found;
  };
  return (text) => {
    const counts = new Map<number, number>();
    for (const [word, count] of wordsOf(text)) {
      for (const place of meant(word)) counts.set(place, (counts.get(place) ?? 0) + count);
    }
    return counts;
  };
}

/** Letters of a part that says something alone; a syllable of Hangul is written in one character and counts twice. */
const LEAST_LETTERS = 4;
/** A longer run of letters is no word. */
const MOST_LETTERS = 40;

/** The places of the known words inside another word, but for those inside a longer one. */
function partsOf(word: string, places: ReadonlyMap<string, number>): number[] {
  const letters = Array.from(word);
  if (letters.length > MOST_LETTERS) return [];
  const weight = (part: readonly string[]): number =>
    part.reduce((sum, letter) => sum + (HANGUL.test(letter) ? 2 : 1), 0);
  const found: { readonly from: number; readonly end: number; readonly place: number }[] = [];
  for (let length = letters.length - 1; length > 1; length--) {
    for (let from = 0; from + length <= letters.length; from++) {
      const end = from + length;
      if (found.some((one) => one.from <= from && end <= one.end)) continue;
      const part = letters.slice(from, end);
      const place = places.get(part.join(""));
      if (place !== undefined && weight(part) >= LEAST_LETTERS) found.push({ from, end, place });
    }
  }
  return found.map(({ place }) => place);
}

const HANGUL = /\p{sc=Hangul}/u;
const UNSPACED =
  "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]";
const RUNS = new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{M}]){2,}`, "gu");
const KATAKANA = /[\p{sc=Katakana}ー]{2,}/gu;
const NO_HIRAGANA = /\P{sc=Hiragana}+/gu;
const UNSPACED_RUN = new RegExp(`^${UNSPACED}`, "u");

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, c) => characters[c] + character);
}
