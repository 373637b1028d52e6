import type { Note } from "../../core/index.ts";
import { option } from "../../core/internal.ts";
import { AS_ASKED } from "../columns/column.ts";
import { amountParts, amountValue } from "./amount.ts";
import { applyReading, missingTest, type Unread } from "../columns/applyReading.ts";
import { quoted } from "../cells/memoryLimit.ts";
import { columnNote, marksNote, read, shortened, type Facts, type Typed } from "./columnFacts.ts";
import { isSoftMissingWord } from "./missingWords.ts";
import { orderOf } from "./scales.ts";
import { category, textKind, type Tally, type TextKind } from "./textKind.ts";

/** The column as text: numbers are formatted. */
function tallyAll(facts: Facts, soft: boolean): Tally {
  const { raw, context } = facts;
  const { texts, counts, total } = facts.tally;
  if (facts.numbers === 0 && !soft && raw.repeats !== true) return facts.tally;
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
  if (soft && raw.texts !== undefined && raw.codes !== undefined) {
    const known = new Map<number, number>();
    raw.texts.forEach((text, code) => {
      if (isSoftMissingWord(text) && !context.na.includes(text)) known.set(code, 0);
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
    const soft = tallyAll(facts, true);
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
  found ??= textKind(raw.name, tallyAll(facts, false), context.rows);
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

/** Words such as "None" beside levels count as missing: this is said, because they may be levels. */
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
      const shown = [...applied.unknown.keys()].slice(0, 5).map((level) => `"${shortened(level)}"`);
      const message = `${shown.join(", ")} ${applied.unknown.size === 1 ? "is" : "are"} not among the levels named by ${option("as")} and count as missing`;
      notes.push(columnNote("unknown-level", raw.name, message));
    }
    return { column: applied.column, notes, unread: applied.unread };
  }
  const tally = tallyAll(facts, true);
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
