import type { Note } from "../../core/index.ts";
import { note, option, plural, clipped } from "../../core/internal.ts";
import { applyReading, type Applied, type Unread } from "../columns/applyReading.ts";
import { quoted } from "../files/budget.ts";
import type { RawColumn } from "../cells/rawColumn.ts";
import type { Column, ColumnKind, ColumnReading } from "../columns/column.ts";
import { isMissingWord, isSoftMissingWord } from "./scales.ts";
import type { Tally } from "./wordColumn.ts";

/** The context for deciding the kind of a column. */
export interface TypingContext {
  readonly rows: number;
  readonly source: string;
  /** The requested decimal mark. */
  readonly decimal?: "." | ",";
  /** The decimal mark of the file's other columns. */
  readonly tableDecimal?: "." | ",";
  /** The order of day and month in the file's other columns. */
  readonly tableOrder?: "dmy" | "mdy";
  readonly na: readonly string[];
  /** Words such as "none", in lower case, that stand for missing numbers or dates elsewhere in the file. */
  readonly fileMarks?: ReadonlySet<string>;
  readonly strict: boolean;
}

export interface Typed {
  readonly column: Column;
  readonly notes: readonly Note[];
  /** Cells that are not values of the column's kind. */
  readonly unread: Unread;
  /** The evidence of the column about the marks and the order in the file. */
  readonly shows?: { readonly decimal?: "." | ","; readonly order?: "dmy" | "mdy" };
  /** It was read by the file's mark or order, because it has no evidence of its own. */
  readonly open?: "decimal" | "order";
}

/** The share of the cells that must fit a kind. */
export const MOST = 0.9;
/** A few different words may occur among numbers, as marks, in up to half of the cells. */
export const HALF = 0.5;
/** Number of distinct texts for a guess; every row is checked afterwards. */
const SAMPLE = 1000;

/** A column before its kind is known. */
export interface Facts {
  readonly raw: RawColumn;
  readonly context: TypingContext;
  /** The texts that are not marks of missing values. */
  readonly tally: Tally;
  readonly numbers: number;
  /** Cells with a value. */
  readonly total: number;
  /** Marks named by the caller, which apply to every reading. */
  readonly base: ColumnReading;
  /** Indices in the tally that a guess uses. */
  readonly sample: readonly number[];
  /** Rows behind the sample. */
  readonly weight: number;
}

export function factsOf(raw: RawColumn, context: TypingContext): Facts {
  const { rows, na } = context;
  const base: ColumnReading = na.length > 0 ? { missingMarks: na } : {};
  const marks = new Set(na.map((mark) => mark.toLowerCase()));
  let texts: readonly string[] = [];
  let counts: ArrayLike<number> = [];
  let total = 0;
  if (raw.codes !== undefined && raw.texts !== undefined) {
    const all = new Uint32Array(raw.texts.length);
    for (let i = 0; i < rows; i++) if (raw.codes[i] >= 0) all[raw.codes[i]]++;
    const isMark = (text: string): boolean =>
      isMissingWord(text) || isSoftMissingWord(text) || (marks.size > 0 && marks.has(text.toLowerCase()));
    if (raw.maybeMissing !== undefined && marks.size === 0) {
      for (const code of raw.maybeMissing) if (isMark(raw.texts[code])) all[code] = 0;
    } else {
      for (let code = 0; code < all.length; code++)
        if (all[code] > 0 && isMark(raw.texts[code])) all[code] = 0;
    }
    let left = 0;
    for (let code = 0; code < all.length; code++) {
      if (all[code] === 0) left++;
      total += all[code];
    }
    if (left === 0) {
      texts = raw.texts;
      counts = all;
    } else {
      texts = raw.texts.filter((_, code) => all[code] > 0);
      counts = all.filter((count) => count > 0);
    }
  }
  let numbers = 0;
  if (raw.numbers !== undefined)
    for (let i = 0; i < rows; i++) if (raw.numbers[i] === raw.numbers[i]) numbers++;
  const step = Math.max(1, Math.floor(texts.length / SAMPLE));
  const sample: number[] = [];
  let weight = 0;
  for (let k = 0; k < texts.length; k += step) {
    sample.push(k);
    weight += counts[k];
  }
  const tally = { texts, counts, total };
  return { raw, context, tally, numbers, total: total + numbers, base, sample, weight };
}

/** The share of the cells that pass, estimated from the sample; `numbers` says whether plain numbers pass. */
export function shareOf(facts: Facts, test: (text: string) => boolean, numbers: boolean): number {
  let passed = 0;
  for (const k of facts.sample) if (test(facts.tally.texts[k])) passed += facts.tally.counts[k];
  const texts = facts.weight === 0 ? 0 : (passed / facts.weight) * facts.tally.total;
  return (texts + (numbers ? facts.numbers : 0)) / facts.total;
}

export function read(
  { raw, context }: Pick<Facts, "raw" | "context">,
  kind: ColumnKind,
  why: string,
  reading: ColumnReading,
  notes: Note[] = [],
): Typed {
  const applied = applyReading({ name: raw.name, kind, reading }, raw, context.rows, why);
  notes.push(...unreadNotes(applied, context));
  return { column: applied.column, notes, unread: applied.unread };
}

export function unreadNotes({ column, unread }: Applied, { strict }: TypingContext): Note[] {
  if (unread.count === 0 || strict) return [];
  const name = quoted(column.name);
  const other = column.kind === "vector" ? "text" : "category";
  const message = `${unreadText(column, unread)}; ${option("as")} ${name}=${other} reads it in another way`;
  return [note(`not-${column.kind}`, message, { column: column.name, row: unread.row, cells: unread.count })];
}

/** A note about a column, which its message names first. */
export function columnNote(
  code: string,
  column: string,
  message: string,
  about: Pick<Note, "cells" | "values"> = {},
): Note {
  return note(code, `column "${column}": ${message}`, { column, ...about });
}

/** That words count as missing, and how they would be levels. */
export function marksNote(column: string, words: readonly string[], cells?: number, where = ""): Note {
  const shown = words.map((word) => `"${clipped(word, 40)}"`).join(", ");
  const rows = cells === undefined ? "" : ` (${plural(cells, "row")})`;
  const message = `${shown}${where} ${words.length === 1 ? "counts" : "count"} as missing${rows}; ${option("as")} ${quoted(column)}=category keeps every word as a level`;
  return columnNote("missing-marks", column, message, {
    ...(cells !== undefined && { cells }),
    values: words,
  });
}

export function unreadText(
  { name, kind }: Pick<Column, "name" | "kind">,
  { count, row, text }: Unread,
): string {
  const [cells, missing] = count === 1 ? ["1 cell is", "counts"] : [`${count} cells are`, "count"];
  return (
    `column "${name}": ${cells} not read as ${kind} and ${missing} as missing ` +
    `(first: row ${row}, "${clipped(text, 40)}")`
  );
}
