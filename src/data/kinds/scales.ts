import { plainNumber } from "./amount.ts";
import words from "../words/scales.json.ts";

/** Words with an order, lowest first. */
const SCALES: readonly (readonly string[])[] = words.scales.map((scale) => scale.split("|"));

/** Pairs of no and yes with exactly this meaning. */
const PLAIN_YES_NO: readonly string[][] = words.yesNo;

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
  for (const [no, yes] of [...PLAIN_YES_NO, ...words.alike]) {
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

/** 1 for a word that means yes, 0 for one that means no, -1 for another. */
export function yesNoMeaning(text: string): number {
  const lower = text.toLowerCase();
  return PLAIN_YES_NO.find((pair) => pair.includes(lower))?.indexOf(lower) ?? -1;
}

/** Whether some scale has this word beside all the others. */
export function orderOf(
  levels: readonly string[],
): { readonly levels: string[]; readonly why: string } | undefined {
  if (levels.length < 3 || levels.length > 30) return undefined;
  return known(levels) ?? grades(levels) ?? creditRatings(levels) ?? ranges(levels) ?? numbered(levels);
}

function sorted(levels: readonly string[], rank: ReadonlyMap<string, number>): string[] {
  return [...levels].sort((a, b) => rank.get(a)! - rank.get(b)! || (a < b ? -1 : 1));
}

function known(levels: readonly string[]): { levels: string[]; why: string } | undefined {
  const normal = levels.map(normalLevel);
  const distinct = new Set(normal);
  if (distinct.size < 3) return undefined;
  for (const scale of SCALES) {
    if (!normal.every((level) => scale.includes(level))) continue;
    const rank = new Map(levels.map((level, i) => [level, scale.indexOf(normal[i])]));
    const order = sorted(levels, rank);
    return { levels: order, why: `a known scale, ${order[0]} to ${order[order.length - 1]}` };
  }
  return undefined;
}

/** A to H, with + and -. */
function grades(levels: readonly string[]): { levels: string[]; why: string } | undefined {
  if (!levels.every((level) => /^[A-H][+-]{0,3}$/.test(level))) return undefined;
  const letters = [...new Set(levels.map((level) => level[0].toUpperCase()))].sort();
  if (letters.length < 3 || !"AB".includes(letters[0])) return undefined;
  const span = letters[letters.length - 1].charCodeAt(0) - letters[0].charCodeAt(0);
  if (span > letters.length + 1) return undefined;
  const rank = new Map(
    levels.map((level) => {
      const plus = level.split("+").length - level.split("-").length;
      return [level, level.toUpperCase().charCodeAt(0) - 0.2 * plus];
    }),
  );
  const order = sorted(levels, rank);
  return { levels: order, why: `grades, ${order[0]} to ${order[order.length - 1]}` };
}

/** AAA to D, with + and -, as agencies rate debtors. */
function creditRatings(levels: readonly string[]): { levels: string[]; why: string } | undefined {
  const parts = levels.map((level) => /^(A{1,3}|B{1,3}|C{1,3}|D)([+-]?)$/.exec(level));
  if (!parts.every(Boolean) || !levels.some((level) => /^(AA|BB)/.test(level))) return undefined;
  const rank = new Map(
    parts.map((part) => {
      const [level, letters, sign] = part!;
      const step = 3 * letters.charCodeAt(0) - letters.length;
      return [level, step - (sign === "+" ? 0.3 : sign === "-" ? -0.3 : 0)];
    }),
  );
  const order = sorted(levels, rank);
  return { levels: order, why: `ratings, ${order[0]} to ${order[order.length - 1]}` };
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
function ranges(levels: readonly string[]): { levels: string[]; why: string } | undefined {
  const rank = new Map<string, number>();
  let between = 0;
  for (const level of levels) {
    let found = BETWEEN.exec(level);
    if (found !== null) {
      between++;
      const upper = amount(found[3], found[4]);
      rank.set(level, Math.min(upper, amount(found[1], found[2] === "" ? found[4] : found[2])) + 1e-4);
      if (amount(found[1], found[2]) > upper && found[2] === found[4]) return undefined;
      continue;
    }
    found = FROM.exec(level) ?? PLUS.exec(level);
    if (found !== null) {
      rank.set(level, amount(found[1], found[2]) + 2e-4);
      continue;
    }
    found = UP_TO.exec(level);
    if (found !== null) {
      rank.set(level, amount(found[1], found[2]) - 1e-3);
      continue;
    }
    if (/^\d+$/.test(level)) {
      rank.set(level, Number(level));
      continue;
    }
    return undefined;
  }
  if (between < levels.length / 3) return undefined;
  const order = sorted(levels, rank);
  return { levels: order, why: `ranges, ${order[0]} to ${order[order.length - 1]}` };
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

/** Words that count steps before a number; "store 2" and "zone 3" are names. */
const STEPS =
  /^(?:stage|stadium|grade|grad|level|stufe|class|klasse|tier|phase|step|band|rank|priority|prio|severity|sev|quartile|quintile|decile|year|t|n|g|p|q)$/;

/** "1 - poor", "5 = excellent", "stage 2", "T3", "3/5", "★★★", "$$". */
function numbered(levels: readonly string[]): { levels: string[]; why: string } | undefined {
  if (levels.length > 12) return undefined;
  const rank = new Map<string, number>();
  const leading = levels.map((level) => /^(\d{1,2})\s*[-–=:.)]\s*\p{L}/u.exec(level));
  const trailing = levels.map((level) => /^(\p{L}+[\s-]?)(\d{1,2})$/u.exec(level));
  // "3/5", "3 of 5", "3*": one number and a constant rest.
  const outOf = levels.map((level) =>
    /^(\d{1,2})(\s?(?:\/|(?:out\s)?of|von|sur|de)\s?\d{1,3}|\s?[*★])$/.exec(level),
  );
  const same = outOf.every(Boolean) && new Set(outOf.map((match) => match![2])).size === 1;
  // "★★★", "★★☆", "$$": one sign, as often as the step is high.
  const signs = levels.map((level) => /^(⭐+|★+|●+|•+|\*+|\$+|€+|£+|\++)[☆○◦]*$/u.exec(level)?.[1]);
  const oneSign = signs.every(Boolean) && new Set(signs.map((sign) => sign![0])).size === 1;
  const found = same
    ? outOf.map((match) => match![1])
    : oneSign
      ? signs.map((sign) => String([...sign!].length))
      : leading.every(Boolean)
        ? leading.map((match) => match![1])
        : undefined;
  const words = new Set(trailing.map((match) => match?.[1].toLowerCase().trim()));
  const ends =
    trailing.every(Boolean) && words.size === 1 && STEPS.test([...words][0]!)
      ? trailing.map((match) => match![2])
      : undefined;
  const numbers = (found ?? ends)?.map(Number);
  if (numbers === undefined) return undefined;
  const span = Math.max(...numbers) - Math.min(...numbers) + 1;
  if (span > levels.length + 1 || new Set(numbers).size !== levels.length) return undefined;
  levels.forEach((level, i) => rank.set(level, numbers[i]));
  const order = sorted(levels, rank);
  return { levels: order, why: `numbered levels, ${order[0]} to ${order[order.length - 1]}` };
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
