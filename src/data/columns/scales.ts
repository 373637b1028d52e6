import { plainNumber } from "./amount.ts";

/** Words with an order, lowest first. */
const SCALES: readonly (readonly string[])[] = [
  "very low|low|medium low|medium|medium high|high|very high|critical",
  "very low|low|med|high|very high",
  "low|mid|high",
  "low|normal|high|urgent",
  "low|medium|high|urgent|critical",
  "low|moderate|high|very high|extreme",
  "low|average|high",
  "below average|average|above average",
  "none|minimal|mild|moderate|severe|very severe|critical",
  "none|low|medium|high",
  "none|some|a lot",
  "none|few|some|many",
  "normal|mild|moderate|severe",
  "normal|elevated|high",
  "neg|negative|trace|+|++|+++|++++",
  "neg|negative|trace|1+|2+|3+|4+",
  "xxs|xs|s|m|l|xl|xxl|xxxl",
  "never|almost never|rarely|seldom|occasionally|sometimes|often|frequently|usually|almost always|always",
  "never|hourly|daily|weekly|monthly|quarterly|yearly",
  "never|yearly|monthly|weekly|daily",
  "never|once a year|a few times a year|several times a year|once a month|a few times a month|several times a month|once a week|a few times a week|several times a week|daily|every day|several times a day",
  "unsatisfactory|does not meet|below|below expectations|needs improvement|partially meets|meets|meets expectations|exceeds|exceeds expectations|far exceeds|outstanding",
  "strongly disagree|disagree|somewhat disagree|slightly disagree|neither agree nor disagree|neutral|slightly agree|somewhat agree|agree|strongly agree",
  "completely disagree|disagree|neutral|agree|completely agree",
  "very dissatisfied|dissatisfied|somewhat dissatisfied|neutral|somewhat satisfied|satisfied|very satisfied",
  "very unlikely|unlikely|neither likely nor unlikely|neither|neutral|likely|very likely",
  "not at all|slightly|somewhat|moderately|very|extremely",
  "not important|slightly important|moderately important|important|very important|extremely important",
  "terrible|awful|very poor|very bad|poor|bad|below average|fair|ok|okay|acceptable|average|satisfactory|decent|above average|good|very good|great|excellent|outstanding|perfect",
  "tiny|small|medium|large|huge",
  "small|medium|large|extra large|x large|xx large",
  "bronze|silver|gold|platinum|diamond",
  "trivial|minor|moderate|major|critical|blocker",
  "non urgent|standard|less urgent|semi urgent|urgent|very urgent|emergency|immediate",
  "info|notice|warning|error|critical|fatal",
  "first|second|third|fourth|fifth|sixth",
  "basement|ground|ground floor|gf|1st|2nd|3rd|4th|5th|6th|7th|8th|9th|10th",
  "studio|1|2|3|3+|4|4+|5|5+|6|6+",
  "i|ii|iii|iv|v|vi|vii|viii|ix|x",
  "beginner|elementary|intermediate|upper intermediate|advanced|expert|master",
  "novice|intermediate|advanced|expert",
  "junior|mid|senior|lead|principal",
  "trainee|junior|intermediate|senior",
  "none|primary|secondary|high school|some college|associate|bachelor|master|doctorate|phd",
  "high school|college|bachelor|bachelors|master|masters|phd",
  "no education|primary|secondary|tertiary",
  "freezing|cold|cool|mild|warm|hot",
  "very slow|slow|medium|fast|very fast",
  "very light|light|medium|heavy|very heavy",
  "dry|off dry|medium|sweet",
  "underweight|normal|overweight|obese",
  "child|teen|young|adult|middle aged|senior|old",
  "young|adult|old",
  "young|middle|old",
  "infant|child|adolescent|adult|elderly",
  "new|like new|excellent|very good|good|fair|acceptable|poor",
  "short|medium|long",
  "easy|medium|hard|very hard",
  "weak|medium|strong",
  "weak|moderate|strong|very strong",
  "thin|medium|thick",
  "narrow|medium|wide",
  "soft|medium|hard",
  "low income|lower middle income|upper middle income|high income",
  "low|lower middle|middle|upper middle|high",
  "lower|middle|upper",
  "bottom|middle|top",
  "sehr niedrig|niedrig|mittel|hoch|sehr hoch",
  "sehr gering|gering|mittel|hoch|sehr hoch",
  "klein|mittel|groß",
  "nie|selten|manchmal|gelegentlich|oft|häufig|meistens|immer",
  "sehr schlecht|schlecht|mittel|befriedigend|gut|sehr gut",
  "ungenügend|mangelhaft|ausreichend|befriedigend|gut|sehr gut",
  "stimme gar nicht zu|stimme nicht zu|stimme eher nicht zu|teils teils|neutral|stimme eher zu|stimme zu|stimme voll zu|stimme voll und ganz zu",
  "leicht|mittel|schwer",
  "keine|leicht|mittel|stark|sehr stark",
  "très faible|faible|moyen|moyenne|élevé|élevée|très élevé",
  "petit|moyen|grand",
  "jamais|rarement|parfois|souvent|toujours",
  "mauvais|passable|moyen|bon|très bon|excellent",
  "pas du tout d'accord|pas d'accord|neutre|d'accord|tout à fait d'accord",
  "muy bajo|bajo|medio|alto|muy alto",
  "baja|media|alta",
  "pequeño|mediano|grande",
  "nunca|raramente|a veces|a menudo|siempre",
  "molto basso|basso|medio|alto|molto alto",
  "bassa|media|alta",
  "baixo|médio|alto",
  "laag|gemiddeld|hoog",
  "låg|medel|hög",
  "niski|średni|wysoki",
].map((scale) => scale.split("|"));

const YES_NO: readonly (readonly [string, string])[] = [
  ["no", "yes"],
  ["false", "true"],
  ["n", "y"],
  ["nein", "ja"],
  ["non", "oui"],
  ["no", "sí"],
  ["no", "si"],
  ["não", "sim"],
  ["nee", "ja"],
  ["nej", "ja"],
  ["nie", "tak"],
  ["f", "t"],
  ["off", "on"],
  ["0", "1"],
  ["absent", "present"],
  ["negative", "positive"],
  ["inactive", "active"],
  ["disabled", "enabled"],
];

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
  for (const [no, yes] of YES_NO) {
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

/** The pairs with exactly this meaning. */
const PLAIN_YES_NO = YES_NO.slice(
  0,
  YES_NO.findIndex(([no]) => no === "absent"),
);

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
