import type { ColumnKind, ColumnReading } from "../columns/column.ts";
import { isCodeName, isIdName } from "./numberKind.ts";
import { isNonAnswer, isSoftMissingWord } from "./missingWords.ts";
import { normalLevel, orderOf, yesNo, yesNoSpellings } from "./scales.ts";

export interface TextKind {
  readonly kind: ColumnKind;
  readonly why: string;
  readonly reading: ColumnReading;
  /** Spellings that were joined because only their case differs. */
  readonly merged?: readonly string[];
  /** Words beside a scale that are no answers, and count as missing. */
  readonly unanswered?: readonly string[];
}

/** The distinct texts of a column that are not marks of missing values, with their counts. */
export interface Tally {
  readonly texts: readonly string[];
  readonly counts: ArrayLike<number>;
  /** Rows that hold a text. */
  readonly total: number;
}

const SAMPLE = 2000;

/** Decides the kind of a column of words: ordered levels, levels, ids or free text. */
export function textKind(name: string, tally: Tally, rows: number): TextKind {
  const { texts, counts, total } = tally;
  const made = (kind: ColumnKind, why: string, reading: ColumnReading = {}): TextKind => ({
    kind,
    why,
    reading,
  });
  if (total === 0) return made("empty", "no cell holds a value");
  if (texts.length === 1) {
    const shown = texts[0].length > 24 ? `${texts[0].slice(0, 22)}…` : texts[0];
    if (total >= rows / 2) return made("constant", `always "${shown}"`, { levels: [texts[0]] });
    return made("category", `"${shown}" or empty`, { levels: [texts[0]] });
  }
  const distinct = texts.length / total;
  if (texts.length <= 30) {
    const order = orderOf(texts) ?? orderOf(texts.filter((text) => !isSoftMissingWord(text)));
    if (order !== undefined) return made("ordered", order.why, { levels: order.levels });
    const unanswered = texts.filter(isNonAnswer);
    const scale = unanswered.length === 0 ? undefined : orderOf(texts.filter((text) => !isNonAnswer(text)));
    if (scale !== undefined) return { ...made("ordered", scale.why, { levels: scale.levels }), unanswered };
  }
  const step = Math.max(1, Math.floor(texts.length / SAMPLE));
  const sample: number[] = [];
  for (let k = 0; k < texts.length; k += step) sample.push(k);
  let weight = 0;
  for (const k of sample) weight += counts[k];
  const share = (test: (text: string) => boolean): number => {
    let sum = 0;
    for (const k of sample) if (test(texts[k])) sum += counts[k];
    return sum / weight;
  };
  let words = 0;
  for (const k of sample) words += counts[k] * wordCount(texts[k]);
  words /= weight;
  const codes = share((text) => !/\s/.test(text) && /\d/.test(text));
  if (texts.length < 0.5 * total) {
    for (const separator of [" > ", " / ", "::", "/", ">", "\\"]) {
      if (share((text) => text.includes(separator)) >= 0.9 && isTree(texts, separator)) {
        return {
          ...category(tally),
          why: `paths with "${separator.trim()}"`,
          ...formed("path", separator, tally),
        };
      }
    }
  }
  // The commas of {"a": 1, "b": 2} separate no things.
  const records = share((text) => text.startsWith("{")) >= 0.5;
  for (const separator of records ? [] : [";", "|", ","]) {
    if (share((text) => text.includes(separator)) < 0.25) continue;
    const tokens = new Set<string>();
    let all = 0;
    for (const k of sample) {
      for (const token of texts[k].split(separator)) {
        const trimmed = token.trim();
        if (trimmed === "") continue;
        tokens.add(trimmed);
        all += counts[k];
      }
    }
    if (tokens.size <= Math.max(60, 0.02 * total) && all / tokens.size >= 10) {
      return {
        ...category(tally),
        why: `lists of ${tokens.size} things`,
        ...formed("list", separator, tally),
      };
    }
  }
  const named = isIdName(name) || isCodeName(name);
  if (distinct >= 0.9 && words < 1.5 && texts.length > 2) {
    // Few rows: names are all different, but a level may also occur once.
    return made("id", distinct === 1 ? "every value is different" : "nearly every value is different");
  }
  // Telephone numbers: several groups of digits and no words.
  if (distinct >= 0.5 && share((text) => /\d/.test(text) && !/\p{L}{2}/u.test(text)) >= 0.9) {
    return made("id", "groups of digits, mostly different");
  }
  if (isCodeName(name) && texts.length < 0.5 * total) return category(tally);
  if (named && codes >= 0.9 && texts.length >= 10) return made("id", "codes, by the name of the column");
  if (distinct >= 0.5 && codes >= 0.9) return made("id", "codes, mostly different");
  if ((words >= 2.5 && (distinct > 0.2 || texts.length > 200)) || distinct > 0.5) {
    const average = words >= 2 ? `about ${Math.round(words)} words each` : "mostly different words";
    return made("text", average);
  }
  return category(tally);
}

function formed(form: string, separator: string, tally: Tally): { readonly reading: ColumnReading } {
  return { reading: { ...category(tally).reading, form, separator } };
}

/** Levels; those that differ only in case are joined under the most frequent spelling. */
export function category(tally: Tally): TextKind {
  const { texts, counts } = tally;
  const best = new Map<string, { text: string; count: number }>();
  const merged: string[] = [];
  for (let k = 0; k < texts.length; k++) {
    const text = texts[k];
    const key = text.length < 2 ? text : text.toLowerCase();
    const known = best.get(key);
    if (known === undefined) {
      best.set(key, { text, count: counts[k] });
      continue;
    }
    const wins = counts[k] > known.count || (counts[k] === known.count && text < known.text);
    merged.push(wins ? `"${known.text}" and "${text}"` : `"${text}" and "${known.text}"`);
    if (wins) best.set(key, { text, count: counts[k] });
  }
  const levels = [...best.values()].map(({ text }) => text).sort((a, b) => (a < b ? -1 : 1));
  const spelled = yesNoSpellings(levels);
  if (spelled !== undefined) {
    const count = (level: string): number =>
      best.get(level.length < 2 ? level : level.toLowerCase())?.count ?? 0;
    // Both levels are called by one pair, words rather than digits: yes and no, not TRUE and no.
    const digits = (pair: readonly [string, string]): number => Number(/^\d/.test(pair[0]));
    const both = [...spelled.pairs].sort(
      (a, b) =>
        digits(a) - digits(b) ||
        count(b[0]) + count(b[1]) - count(a[0]) - count(a[1]) ||
        (a[0] < b[0] ? -1 : 1),
    )[0];
    const spellings = Object.fromEntries(
      [spelled.no, spelled.yes].flatMap((all, place) =>
        all.map((level) => [normalLevel(level), place] as const),
      ),
    );
    return {
      kind: "category",
      why: `${both[1]} or ${both[0]}, spelled in ${levels.length} ways`,
      reading: { levels: both, form: "yes-no", spellings },
    };
  }
  const pair = yesNo(levels);
  const why = pair === undefined ? `${levels.length} levels` : `${pair[1]} or ${pair[0]}`;
  return {
    kind: "category",
    why,
    reading: { levels: pair ?? levels, ...(pair !== undefined && { form: "yes-no" }) },
    ...(merged.length > 0 && { merged }),
  };
}

function wordCount(text: string): number {
  let words = 0;
  let inside = false;
  for (let p = 0; p < text.length; p++) {
    const space = text.charCodeAt(p) <= 32;
    if (!space && !inside) words++;
    inside = !space;
  }
  return words + (text.match(UNSPACED)?.length ?? 0) / 2;
}

/** Letters of scripts that are written without spaces: about two make a word. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/gu;

/** Paths share their first parts; "N/A" and "km/h" do not form a tree. */
function isTree(texts: readonly string[], separator: string): boolean {
  if (texts.filter((text) => /\p{L}/u.test(text)).length < texts.length / 2) return false; // 1/2, 120/80
  const firsts = new Set(texts.map((text) => text.split(separator)[0]));
  return texts.length >= 4 && firsts.size <= 0.7 * texts.length;
}
