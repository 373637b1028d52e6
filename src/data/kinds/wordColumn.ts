import type { Note } from "../../core/index.ts";
import { option, clipped } from "../../core/internal.ts";
import { AS_ASKED, type ColumnKind, type ColumnReading } from "../columns/column.ts";
import { amountParts, amountValue } from "./amount.ts";
import { applyReading, missingTest, type Unread } from "../columns/applyReading.ts";
import { quoted } from "../files/budget.ts";
import { columnNote, marksNote, read, type Facts, type Typed } from "./columnFacts.ts";
import {
  isNoneWord,
  isNonAnswer,
  isSoftMissingWord,
  orderOf,
  normalLevel,
  yesNo,
  yesNoSpellings,
} from "./scales.ts";
import { isCodeName, isIdName } from "./numberColumn.ts";

/** The column as text: numbers are formatted, and words that may be missing values count if they are levels here. */
function tallyAll(facts: Facts, isLevel?: (text: string) => boolean): Tally {
  const { raw, context } = facts;
  const { texts, counts, total } = facts.tally;
  if (facts.numbers === 0 && isLevel === undefined && raw.repeats !== true) return facts.tally;
  const all = new Map<string, number>();
  for (let k = 0; k < texts.length; k++) {
    const known = raw.repeats === true ? (all.get(texts[k]) ?? 0) : 0;
    all.set(texts[k], known + counts[k]);
  }
  let sum = total;
  if (raw.numbers !== undefined && facts.numbers > 0) {
    const seen = new Map<number, number>();
    for (const value of raw.numbers) if (value === value) seen.set(value, (seen.get(value) ?? 0) + 1);
    for (const [value, count] of seen) {
      const text = String(value);
      all.set(text, (all.get(text) ?? 0) + count);
      sum += count;
    }
  }
  if (isLevel !== undefined && raw.texts !== undefined && raw.codes !== undefined) {
    const known = new Map<number, number>();
    raw.texts.forEach((text, code) => {
      if (isLevel(text) && !context.na.includes(text)) known.set(code, 0);
    });
    if (known.size > 0) {
      for (const code of raw.codes) if (known.has(code)) known.set(code, known.get(code)! + 1);
      for (const [code, count] of known) {
        all.set(raw.texts[code], count);
        sum += count;
      }
    }
  }
  return { texts: [...all.keys()], counts: [...all.values()], total: sum };
}

/**
 * The texts whose hash is a multiple of 16: all copies of a text or none, so the share of different ones is
 * that of the column.
 */
function tallyPart({ texts, counts }: Tally): Tally {
  const part = new Map<string, number>();
  let total = 0;
  for (let k = 0; k < texts.length; k++) {
    const text = texts[k];
    let hash = text.length;
    for (let p = 0; p < text.length; p++) hash = Math.imul(hash ^ text.charCodeAt(p), 0x01000193);
    hash ^= hash >>> 15;
    hash = Math.imul(hash, 0x2c1b3c6d);
    if (((hash ^ (hash >>> 13)) & 15) !== 0) continue;
    part.set(text, (part.get(text) ?? 0) + counts[k]);
    total += counts[k];
  }
  return { texts: [...part.keys()], counts: [...part.values()], total };
}

export function words(facts: Facts): Typed {
  const { raw, context } = facts;
  // "none" is a level if a scale contains it.
  if (facts.tally.texts.length <= 30) {
    const soft = tallyAll(facts, isSoftMissingWord);
    if (soft.texts.length > facts.tally.texts.length) {
      const order = orderOf(soft.texts);
      if (order !== undefined) {
        return read(facts, "ordered", order.why, { ...facts.base, levels: order.levels });
      }
    }
  }
  let found: TextKind | undefined;
  if (raw.repeats === true && facts.numbers === 0) {
    const part = tallyPart(facts.tally);
    found = textKind(raw.name, part, (context.rows * part.total) / facts.total);
    if (found.kind !== "id" && found.kind !== "text") found = undefined; // levels must be complete
  }
  found ??= textKind(raw.name, tallyAll(facts), context.rows);
  // Among levels "None" says that there is none of a thing, unless the file writes missing numbers so.
  const isLevel = (text: string): boolean =>
    isNoneWord(text) && context.fileMarks?.has(text.toLowerCase()) !== true;
  if ((found.kind === "category" || found.kind === "constant") && raw.texts?.some(isLevel) === true) {
    const withNone = textKind(raw.name, tallyAll(facts, isLevel), context.rows);
    if (withNone.kind === "category" || withNone.kind === "ordered") found = withNone;
  }
  const notes: Note[] = [];
  if (found.merged !== undefined) {
    const shown = found.merged.slice(0, 3).join(", ") + (found.merged.length > 3 ? ", …" : "");
    const message = `levels that differ only in capitals are one: ${shown}`;
    notes.push(columnNote("merged-levels", raw.name, message));
  }
  const { unanswered } = found;
  if (unanswered !== undefined) notes.push(marksNote(raw.name, unanswered, undefined, " beside a scale"));
  const marks = [...(facts.base.missingMarks ?? []), ...(unanswered ?? [])];
  const reading = { ...facts.base, ...found.reading, ...(marks.length > 0 && { missingMarks: marks }) };
  const typed = read(facts, found.kind, found.why, reading, notes);
  if (typed.column.levels !== undefined) notes.push(...softNotes(facts, typed.column.levels));
  const numbers = facts.numbers / facts.total;
  // Codes with leading zeros are no words, and 1 and 0 beside yes and no are no numbers.
  const isWord = (text: string): boolean => !/^\d+$/.test(text);
  const mixed = found.reading.form !== "yes-no" && facts.tally.texts.some(isWord);
  if (mixed && numbers >= 0.2 && numbers < 1 && (found.kind === "category" || found.kind === "text")) {
    const message =
      `${Math.round(numbers * 100)} % of the cells are numbers, the others words; ` +
      `${option("as")} ${quoted(raw.name)}=number counts the words as missing`;
    notes.push(columnNote("mixed-column", raw.name, message));
    if (context.strict) return { ...typed, notes, unread: firstText(facts) };
  }
  return { ...typed, notes };
}

/** Words such as "unknown" beside levels count as missing: this is said, because they may be levels. */
function softNotes({ raw, context: { na } }: Facts, levels: readonly string[]): Note[] {
  const { name, texts, codes } = raw;
  const words = texts!.filter(
    (text) => isSoftMissingWord(text) && !na.includes(text) && !levels.includes(text),
  );
  if (words.length === 0) return [];
  const isWord = texts!.map((text) => words.includes(text));
  const rows = codes!.reduce((sum, code) => sum + Number(code >= 0 && isWord[code]), 0);
  return [marksNote(name, words, rows)];
}

function firstText(facts: Facts): Unread {
  const { raw, context } = facts;
  const isMissing = missingTest(facts.base);
  for (let i = 0; i < context.rows; i++) {
    const code = raw.codes?.[i] ?? -1;
    if (code >= 0 && !isMissing(raw.texts![code]))
      return { count: facts.tally.total, row: i + 1, text: raw.texts![code] };
  }
  return { count: 0, row: 0, text: "" };
}

export function levelsAsked(facts: Facts, kind: "category" | "ordered", rest: string): Typed {
  const { raw, context } = facts;
  const why = AS_ASKED;
  if (rest !== "") {
    const levels = rest.split("|").map((level) => level.trim());
    const applied = applyReading(
      { name: raw.name, kind, reading: { ...facts.base, levels } },
      raw,
      context.rows,
      why,
    );
    const notes: Note[] = [];
    if (applied.unknown.size > 0) {
      const shown = [...applied.unknown.keys()].slice(0, 5).map((level) => `"${clipped(level, 40)}"`);
      const message = `${shown.join(", ")} ${applied.unknown.size === 1 ? "is" : "are"} not among the levels named by ${option("as")} and count as missing`;
      notes.push(columnNote("unknown-level", raw.name, message));
    }
    return { column: applied.column, notes, unread: applied.unread };
  }
  const tally = tallyAll(facts, isSoftMissingWord);
  if (kind === "category") return read(facts, kind, why, { ...facts.base, ...category(tally).reading });
  const order = orderOf(tally.texts)?.levels ?? byNumber(tally.texts);
  return read(facts, kind, why, { ...facts.base, levels: order });
}

/** By the number that a level begins with, then by the alphabet. */
function byNumber(texts: readonly string[]): string[] {
  const number = (text: string): number => {
    const parts = amountParts(text);
    return parts === undefined ? Infinity : (amountValue(parts, ".") ?? Infinity);
  };
  return [...texts].sort((a, b) => number(a) - number(b) || (a < b ? -1 : 1));
}

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
function textKind(name: string, tally: Tally, rows: number): TextKind {
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
