import type { Note } from "../../core/index.ts";
import { note, option, plural } from "../../core/internal.ts";
import { AS_ASKED } from "../columns/column.ts";
import { amountParts, amountValue } from "./amount.ts";
import { applyReading, missingTest, type Unread } from "../columns/applyReading.ts";
import { quoted } from "../cells/memoryLimit.ts";
import type { RawColumn } from "../cells/rawColumn.ts";
import { factsOf, read, shortened, type Facts, type Typed, type TypingContext } from "./columnFacts.ts";
import { isSoftMissingWord } from "./missingWords.ts";
import { orderOf } from "./scales.ts";
import { category, textKind, type Tally, type TextKind } from "./textKind.ts";

/** The column as text: numbers are formatted. */
function tallyAll(raw: RawColumn, facts: Facts, soft: boolean, context: TypingContext): Tally {
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

export function words(raw: RawColumn, context: TypingContext, facts: Facts): Typed {
  // "none" is a level if a scale contains it.
  if (facts.tally.texts.length <= 30) {
    const soft = tallyAll(raw, facts, true, context);
    if (soft.texts.length > facts.tally.texts.length) {
      const order = orderOf(soft.texts);
      if (order !== undefined) {
        return read(raw, context, "ordered", order.why, { ...facts.base, levels: order.levels });
      }
    }
  }
  let found: TextKind | undefined;
  if (raw.repeats === true && facts.numbers === 0) {
    const part = tallyPart(facts.tally);
    found = textKind(raw.name, part, (context.rows * part.total) / facts.total);
    if (found.kind !== "id" && found.kind !== "text") found = undefined; // levels must be complete
  }
  found ??= textKind(raw.name, tallyAll(raw, facts, false, context), context.rows);
  const notes: Note[] = [];
  if (found.merged !== undefined) {
    const shown = found.merged.slice(0, 3).join(", ") + (found.merged.length > 3 ? ", …" : "");
    const message = `column "${raw.name}": levels that differ only in capitals are one: ${shown}`;
    notes.push(note("merged-levels", message, { column: raw.name }));
  }
  const { unanswered } = found;
  if (unanswered !== undefined) {
    const shown = unanswered.map((text) => `"${shortened(text)}"`).join(", ");
    const message =
      `column "${raw.name}": ${shown} beside a scale ${unanswered.length === 1 ? "counts" : "count"} as missing; ` +
      `${option("as")} ${quoted(raw.name)}=category keeps every word as a level`;
    notes.push(note("missing-marks", message, { column: raw.name, option: "as", values: unanswered }));
  }
  const marks = [...(facts.base.missingMarks ?? []), ...(unanswered ?? [])];
  const reading = { ...facts.base, ...found.reading, ...(marks.length > 0 && { missingMarks: marks }) };
  const typed = read(raw, context, found.kind, found.why, reading, notes);
  if (typed.column.levels !== undefined) notes.push(...softNotes(raw, context, typed.column.levels));
  const numbers = facts.numbers / facts.total;
  // Codes with leading zeros are no words, and 1 and 0 beside yes and no are no numbers.
  const isWord = (text: string): boolean => !/^\d+$/.test(text);
  const mixed = found.reading.form !== "yes-no" && facts.tally.texts.some(isWord);
  if (mixed && numbers >= 0.2 && numbers < 1 && (found.kind === "category" || found.kind === "text")) {
    const name = quoted(raw.name);
    const message =
      `column "${raw.name}": ${Math.round(numbers * 100)} % of the cells are numbers, the others words; ` +
      `${option("as")} ${name}=number counts the words as missing`;
    notes.push(note("mixed-column", message, { column: raw.name, option: "as" }));
    if (context.strict) return { ...typed, notes, unread: firstText(raw, facts, context) };
  }
  return { ...typed, notes };
}

/** Words such as "None" beside levels count as missing: this is said, because they may be levels. */
function softNotes(
  { name, texts, codes }: RawColumn,
  { na }: TypingContext,
  levels: readonly string[],
): Note[] {
  const words = texts!.filter(
    (text) => isSoftMissingWord(text) && !na.includes(text) && !levels.includes(text),
  );
  if (words.length === 0) return [];
  const isWord = texts!.map((text) => words.includes(text));
  const rows = codes!.reduce((sum, code) => sum + Number(code >= 0 && isWord[code]), 0);
  const shown = words.map((word) => `"${word}"`).join(", ");
  const message =
    `column "${name}": ${shown} ${words.length === 1 ? "counts" : "count"} as missing (${plural(rows, "row")}); ` +
    `${option("as")} ${quoted(name)}=category keeps every word as a level`;
  return [note("missing-marks", message, { column: name, option: "as", cells: rows, values: words })];
}

function firstText(raw: RawColumn, facts: Facts, context: TypingContext): Unread {
  const isMissing = missingTest(facts.base);
  for (let i = 0; i < context.rows; i++) {
    const code = raw.codes?.[i] ?? -1;
    if (code >= 0 && !isMissing(raw.texts![code]))
      return { count: facts.tally.total, row: i + 1, text: raw.texts![code] };
  }
  return { count: 0, row: 0, text: "" };
}

export function levelsAsked(
  raw: RawColumn,
  context: TypingContext,
  kind: "category" | "ordered",
  rest: string,
): Typed {
  const facts = factsOf(raw, context);
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
      const message = `column "${raw.name}": ${shown.join(", ")} ${applied.unknown.size === 1 ? "is" : "are"} not among the levels named by ${option("as")} and count as missing`;
      notes.push(note("unknown-level", message, { column: raw.name, option: "as" }));
    }
    return { column: applied.column, notes, unread: applied.unread };
  }
  const tally = tallyAll(raw, facts, true, context);
  if (kind === "category")
    return read(raw, context, kind, why, { ...facts.base, ...category(tally).reading });
  const order = orderOf(tally.texts)?.levels ?? byNumber(tally.texts);
  return read(raw, context, kind, why, { ...facts.base, levels: order });
}

/** By the number that a level begins with, then by the alphabet. */
function byNumber(texts: readonly string[]): string[] {
  const number = (text: string): number => {
    const parts = amountParts(text);
    return parts === undefined ? Infinity : (amountValue(parts, ".") ?? Infinity);
  };
  return [...texts].sort((a, b) => number(a) - number(b) || (a < b ? -1 : 1));
}
