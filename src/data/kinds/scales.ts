import missing from "../words/missing.json.ts";
import scales from "../words/scales.json.ts";
import { plainNumber } from "./amount.ts";

/** Words for "no value" in tables of every origin. */
const WORDS: ReadonlySet<string> = new Set(["", ...missing.words]);

/** Words that say that there is none of a thing: a level among levels, and no value among numbers. */
const NONE: ReadonlySet<string> = new Set(missing.none);

/** Words that may also be a level: "none" is the lowest of none, mild, severe. */
const SOFT: ReadonlySet<string> = new Set([...missing.levels, ...NONE]);

/** All of them, in lower case. */
export function missingWords(): readonly string[] {
  return [...WORDS, ...SOFT].filter((word) => word !== "");
}

/** By first character the lengths of the words, as bits, because most cells match none of them. */
let lengthBits: Uint32Array | undefined;

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
  return (
    length <= 20 && (!(first < 128) || (((lengthBits ??= lengthsByFirst())[first] >>> length) & 1) === 1)
  );
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

/** Words with an order, lowest first. */
const SCALES: readonly (readonly string[])[] = scales.scales.map((scale) => scale.split("|"));

/** Pairs of no and yes with exactly this meaning. */
const PLAIN_YES_NO: readonly string[][] = scales.yesNo;

export function normalLevel(level: string): string {
  return level
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, " ")
    .replace(/[.!]+$/, "")
    .trim();
}

/** The two levels with "no" first, if they are a pair of that kind. */
export function yesNo(levels: readonly string[]): readonly string[] | undefined {
  if (levels.length !== 2) return undefined;
  for (const [no, yes] of [...PLAIN_YES_NO, ...scales.alike]) {
    const at = levels.findIndex((level) => level.toLowerCase() === no);
    if (at >= 0 && levels[1 - at].toLowerCase() === yes) return [levels[at], levels[1 - at]];
  }
  return undefined;
}

/**
 * Yes and no in several spellings: yes, Y, no, N. Every level belongs to a pair whose other level occurs, or
 * is the first letter of one that does. Undefined if some level does not, or is ambiguous: T, F and N.
 *
 * @returns the levels that mean no, those that mean yes, and the pairs of which both occur
 */
export function yesNoSpellings(levels: readonly string[]):
  | {
      readonly no: readonly string[];
      readonly yes: readonly string[];
      readonly pairs: readonly (readonly [string, string])[];
    }
  | undefined {
  if (levels.length < 3 || levels.length > 12) return undefined;
  const lower = new Map(levels.map((level) => [level.toLowerCase(), level]));
  const pairs = PLAIN_YES_NO.filter(([a, b]) => lower.has(a) && lower.has(b));
  if (pairs.length === 0) return undefined;
  const sides: [string[], string[]] = [[], []];
  for (const [text, level] of lower) {
    const side = [0, 1].filter(
      (s) =>
        pairs.some((pair) => pair[s] === text) ||
        (PLAIN_YES_NO.some((pair) => pair[s] === text) && pairs.some((pair) => pair[s].startsWith(text[0]))),
    );
    if (side.length !== 1) return undefined;
    sides[side[0]].push(level);
  }
  const written = pairs.map(([no, yes]) => [lower.get(no)!, lower.get(yes)!] as const);
  return { no: sides[0], yes: sides[1], pairs: written };
}

/** 1 for a word that means yes, 0 for one that means no. */
export function yesNoMeaning(text: string): number | undefined {
  const lower = text.toLowerCase();
  return PLAIN_YES_NO.find((pair) => pair.includes(lower))?.indexOf(lower);
}

/** What the levels of a scale are, and the place of each. */
interface Ranked {
  readonly what: string;
  readonly ranks: readonly number[];
}

/** The levels in order if they form a scale. */
export function orderOf(
  levels: readonly string[],
): { readonly levels: string[]; readonly why: string } | undefined {
  if (levels.length < 3 || levels.length > 30) return undefined;
  const found =
    known(levels) ?? grades(levels) ?? creditRatings(levels) ?? ranges(levels) ?? numbered(levels);
  if (found === undefined) return undefined;
  const rank = new Map(levels.map((level, k) => [level, found.ranks[k]]));
  const order = [...levels].sort((a, b) => rank.get(a)! - rank.get(b)! || (a < b ? -1 : 1));
  return { levels: order, why: `${found.what}, ${order[0]} to ${order[order.length - 1]}` };
}

function known(levels: readonly string[]): Ranked | undefined {
  const normal = levels.map(normalLevel);
  if (new Set(normal).size < 3) return undefined;
  const scale = SCALES.find((words) => normal.every((level) => words.includes(level)));
  return scale && { what: "a known scale", ranks: normal.map((level) => scale.indexOf(level)) };
}

/** A to H, with + and -. */
function grades(levels: readonly string[]): Ranked | undefined {
  if (!levels.every((level) => /^[A-H][+-]{0,3}$/.test(level))) return undefined;
  const letters = [...new Set(levels.map((level) => level[0]))].sort();
  if (letters.length < 3 || !"AB".includes(letters[0])) return undefined;
  const span = letters[letters.length - 1].charCodeAt(0) - letters[0].charCodeAt(0);
  if (span > letters.length + 1) return undefined;
  const plus = (level: string): number => level.split("+").length - level.split("-").length;
  return { what: "grades", ranks: levels.map((level) => level.charCodeAt(0) - 0.2 * plus(level)) };
}

/** AAA to D, with + and -, as agencies rate debtors. */
function creditRatings(levels: readonly string[]): Ranked | undefined {
  const parts = levels.map((level) => /^(A{1,3}|B{1,3}|C{1,3}|D)([+-]?)$/.exec(level));
  if (!parts.every((part) => part !== null) || !levels.some((level) => /^(AA|BB)/.test(level)))
    return undefined;
  const sign: Readonly<Record<string, number>> = { "+": -0.3, "-": 0.3, "": 0 };
  const ranks = parts.map(([, letters, mark]) => 3 * letters.charCodeAt(0) - letters.length + sign[mark]);
  return { what: "ratings", ranks };
}

const AMOUNT = "[€$£]?\\s*(\\d[\\d.,]*)\\s*([kKmM]?)\\s*[€$£%]?";
const BETWEEN = new RegExp(
  `^${AMOUNT}\\s*(?:-|–|—|to|bis|à|a|\\.\\.)\\s*${AMOUNT}(?:\\s*[\\p{L}.²³]+)?$`,
  "u",
);
const FROM = new RegExp(
  `^(?:>=?|≥|over|above|more than|at least|from|ab|über|mehr als|plus de|más de)\\s*${AMOUNT}(?:\\s*[\\p{L}.²³]+)?$`,
  "iu",
);
const PLUS = new RegExp(
  `^${AMOUNT}(?:\\s*[\\p{L}]+)?\\s*(?:\\+|and over|and above|or more|or older|and older|plus|und mehr|und älter|oder mehr|et plus|y más)(?:\\s*[\\p{L}.]+)?$`,
  "iu",
);
const UP_TO = new RegExp(
  `^(?:<=?|≤|under|below|less than|up to|at most|bis|unter|weniger als|moins de|menos de)\\s*${AMOUNT}(?:\\s*[\\p{L}.²³]+)?$`,
  "iu",
);

/** 18-24, 25-34, 65+, under 18. */
function ranges(levels: readonly string[]): Ranked | undefined {
  let between = 0;
  const ranks = levels.map((level) => {
    let found = BETWEEN.exec(level);
    if (found !== null) {
      const [, low, lowMultiple, high, multiple] = found;
      between++;
      const upper = amount(high, multiple);
      if (amount(low, lowMultiple) > upper && lowMultiple === multiple) return Number.NaN;
      return Math.min(upper, amount(low, lowMultiple === "" ? multiple : lowMultiple)) + 1e-4;
    }
    found = FROM.exec(level) ?? PLUS.exec(level);
    if (found !== null) return amount(found[1], found[2]) + 2e-4;
    found = UP_TO.exec(level);
    if (found !== null) return amount(found[1], found[2]) - 1e-3;
    return /^\d+$/.test(level) ? Number(level) : Number.NaN;
  });
  const isScale = !ranks.some(Number.isNaN) && between >= levels.length / 3;
  return isScale ? { what: "ranges", ranks } : undefined;
}

function amount(digits: string, multiple: string): number {
  const value = Number(
    digits
      .replaceAll(/[.,](?=\d{3}(?:\D|$))/g, "")
      .replace(",", ".")
      .replace(/\.$/, ""),
  );
  return value * (/k/i.test(multiple) ? 1e3 : /m/i.test(multiple) ? 1e6 : 1);
}

/** "3/5", "3 of 5", "3*"; "★★★", "★★☆", "$$"; "1 - poor"; "stage 2", but not "store 2": steps and what is the same in all. */
const NUMBERED: readonly RegExp[] = [
  /^(?<step>\d{1,2})(?<rest>\s?(?:\/|(?:out\s)?of|von|sur|de)\s?\d{1,3}|\s?[*★])$/,
  /^(?<signs>(?<rest>[⭐★●•*$€£+])\k<rest>*)[☆○◦]*$/u,
  /^(?<step>\d{1,2})\s*[-–=:.)]\s*\p{L}/u,
  /^(?<rest>stage|stadium|grade|grad|level|stufe|class|klasse|tier|phase|step|band|rank|priority|prio|severity|sev|quartile|quintile|decile|year|[tngpq])\s?(?<step>\d{1,2})$/iu,
];

function numbered(levels: readonly string[]): Ranked | undefined {
  if (levels.length > 12) return undefined;
  for (const pattern of NUMBERED) {
    const parts = levels.map((level) => pattern.exec(level)?.groups);
    if (!parts.every((part) => part !== undefined)) continue;
    if (new Set(parts.map(({ rest }) => rest?.toLowerCase())).size > 1) continue;
    const ranks = parts.map(({ step, signs }) => Number(step ?? signs.length));
    const span = Math.max(...ranks) - Math.min(...ranks) + 1;
    if (span <= levels.length + 1 && new Set(ranks).size === levels.length)
      return { what: "numbered levels", ranks };
  }
  return undefined;
}

/**
 * Reads numbers that are no levels of a column of numbered levels: 3 beside 0, 1 and 2. Numbers farther from the levels
 * than their range are not read, because 99 is often a mark.
 */
export function numbersBeside(levels: readonly string[]):
  | {
      readonly numbers: readonly number[];
      readonly least: number;
      readonly most: number;
    }
  | undefined {
  const numbers = levels.map((level) => plainNumber(level, "."));
  if (numbers.length < 2 || !numbers.every((value) => value !== undefined)) return undefined;
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  return { numbers, least: 2 * low - high, most: 2 * high - low };
}

/** Whether a cell is such a number. */
export function isBeside(levels: readonly string[] | undefined, cell: string): boolean {
  const beside = numbersBeside(levels ?? []);
  const value = plainNumber(cell, ".");
  return beside !== undefined && value !== undefined && value >= beside.least && value <= beside.most;
}
