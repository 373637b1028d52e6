import words from "../words/missing.json.ts";

/** Words for "no value" in tables of every origin. */
const WORDS: ReadonlySet<string> = new Set(["", ...words.words]);

/** Words that say that there is none of a thing: a level among levels, and no value among numbers. */
const NONE: ReadonlySet<string> = new Set(words.none);

/** Words that may also be a level: "none" is the lowest of none, mild, severe. */
const SOFT: ReadonlySet<string> = new Set([...words.levels, ...NONE]);

/** All of them, in lower case. */
export function missingWords(): readonly string[] {
  return [...WORDS, ...SOFT].filter((word) => word !== "");
}

/** By first character the lengths of the words, as bits, because most cells match none of them. */
let known: Uint32Array | undefined;

function lengthsByFirst(): Uint32Array {
  const lengths = new Uint32Array(128);
  for (const word of [...WORDS, ...SOFT]) {
    for (const first of [word.charCodeAt(0), word.toUpperCase().charCodeAt(0)]) {
      if (first < 128) lengths[first] |= 1 << word.length;
    }
  }
  return lengths;
}

/** Whether a text with the given first character, or byte, and length may be such a word. */
export function mayBeMissingWord(first: number, length: number): boolean {
  return length <= 20 && (!(first < 128) || (((known ??= lengthsByFirst())[first] >>> length) & 1) === 1);
}

function mayBe(text: string): boolean {
  return mayBeMissingWord(text.charCodeAt(0), text.length);
}

export function isMissingWord(text: string): boolean {
  return mayBe(text) && WORDS.has(text.toLowerCase());
}

export function isSoftMissingWord(text: string): boolean {
  return mayBe(text) && SOFT.has(text.toLowerCase());
}

export function isNoneWord(text: string): boolean {
  return mayBe(text) && NONE.has(text.toLowerCase());
}

const NON_ANSWER = new RegExp(
  "^(?:i |i'd |i would )?(?:(?:prefer|choose|chose|rather) not\\b|(?:do not|don[’']?t|did not|didn[’']?t) (?:know|say|answer|want)|" +
    "(?:am )?(?:not sure|unsure)$|no (?:answer|opinion|response|comment)\\b|(?:refuse|decline)[ds]?\\b|can[’']?t (?:say|choose)|" +
    "not (?:applicable|answered|asked|provided|specified|disclosed)\\b|dk(?:/na)?$|skipped$|" +
    "wei(?:ß|ss) (?:ich )?nicht|keine (?:antwort|meinung)|ne sai[st] pas|sans (?:réponse|opinion)|no sabe|" +
    "no (?:contesta|responde)|non so$|weet (?:ik )?niet|vet (?:ej|inte)|nie wiem)",
);

/** What people choose instead of an answer: "Prefer not to say". It has no place on a scale, but may be a level. */
export function isNonAnswer(text: string): boolean {
  return text.length <= 40 && NON_ANSWER.test(text.toLowerCase());
}
