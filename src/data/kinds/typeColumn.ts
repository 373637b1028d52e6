import { option, optionError } from "../../core/internal.ts";
import { amounts, numberColumn, numberKind } from "./numberColumn.ts";
import { vectorOf } from "../columns/applyReading.ts";
import { quoted } from "../files/budget.ts";
import type { RawColumn } from "../cells/rawColumn.ts";
import { AS_ASKED, type ColumnReading } from "../columns/column.ts";
import { factsOf, HALF, read, type Facts, type Typed, type TypingContext } from "./columnFacts.ts";
import { findDate } from "./dates.ts";
import { clocks, dates, declaredDate, durations } from "./dateColumn.ts";
import { levelsAsked, words } from "./wordColumn.ts";

const MOST_VECTORS = 0.95;

/** Decides the kind of a column and reads its values: a guess from a sample, then a check of every row. */
export function typeColumn(raw: RawColumn, context: TypingContext): Typed {
  const facts = factsOf(raw, context);
  if (raw.vectors !== undefined) return vectorColumn(facts);
  if (raw.declared === "date") return declaredDate(facts);
  if (facts.total === 0) return read(facts, "empty", "no cell holds a value", facts.base);
  if (facts.tally.total === 0) return numberColumn(facts, facts.base, []);
  return (
    textVectors(facts) ?? dates(facts) ?? clocks(facts) ?? durations(facts) ?? amounts(facts) ?? words(facts)
  );
}

/** Reads a column as the requested kind: "number", "date:dmy", "ordered:low|mid|high". */
export function typeColumnAs(raw: RawColumn, asked: string, context: TypingContext): Typed {
  const typed = readAs(raw, asked, context);
  const { column } = typed;
  return {
    ...typed,
    column: { ...column, ...(column.kind === "date" && { why: AS_ASKED }), isAsked: true },
  };
}

function readAs(raw: RawColumn, asked: string, context: TypingContext): Typed {
  const [kind, rest] = split(asked);
  const facts = factsOf(raw, context);
  const why = AS_ASKED;
  if (raw.vectors !== undefined && !["vector", "text", "id"].includes(kind)) {
    throw optionError(
      `${option("as")} ${quoted(raw.name)}=${asked}: the column holds vectors; it is vector, text or ignore`,
    );
  }
  switch (kind) {
    case "number": {
      const forced = amounts(facts, true) ?? numberColumn(facts, facts.base, [], true);
      const { column } = forced;
      if (column.kind === "number") return { ...forced, column: { ...column, why } };
      return read(facts, "number", why, column.reading.form === "yes-no" ? facts.base : column.reading);
    }
    case "category":
    case "ordered":
      return levelsAsked(facts, kind, rest);
    case "text":
    case "id":
      return read(facts, kind, why, facts.base);
    case "vector": {
      const typed = raw.vectors === undefined ? textVectors(facts, true) : vectorColumn(facts);
      if (typed === undefined) throw optionError(`${context.source}: column "${raw.name}" holds no vectors`);
      return typed;
    }
    case "date": {
      if (raw.declared === "date") return declaredDate(facts);
      const order = rest === "" ? undefined : rest;
      if (order !== undefined && !/^(?:dmy|mdy|ymd|epoch-s|epoch-ms|serial|compact)$/.test(order)) {
        throw optionError(
          `${option("as")} ${quoted(raw.name)}=date:${order}: the order must be dmy, mdy, ymd, compact, serial, epoch-s or epoch-ms`,
        );
      }
      if (order !== undefined) {
        const reading = { ...facts.base, form: "day", dateOrder: order as ColumnReading["dateOrder"] };
        return read(facts, "date", why, reading);
      }
      const found = dates(facts, true) ?? clocks(facts);
      if (found !== undefined) return found;
      const { reading } = numberKind(
        "timestamp",
        raw.numbers ?? new Float64Array(context.rows),
        facts.base,
        true,
      );
      return read(facts, "date", why, reading);
    }
    default:
      throw optionError(
        `${option("as")} ${quoted(raw.name)}=${asked}: a column is number, category, ordered:low|mid|high, date, text, id, ` +
          `vector or ignore`,
      );
  }
}

function split(asked: string): [string, string] {
  const at = asked.indexOf(":");
  return at < 0 ? [asked, ""] : [asked.slice(0, at), asked.slice(at + 1)];
}

function vectorColumn(facts: Facts): Typed {
  const { dimensions } = facts.raw;
  const reading: ColumnReading = { ...facts.base, dimensions: dimensions! };
  return read(facts, "vector", `${dimensions} numbers in each cell`, reading);
}

/** Two numbers in a cell: "52.51, 13.40", "120/80", "1920 x 1080"; "05/2019" is a date. */
const PAIR = /^[-+]?\d+(?:\.\d+[,;]?\s*[,;\s]\s*[-+]?\d+\.\d+|(?:\.\d+)?\s*[/x×]\s*\d{2,}(?:\.\d+)?)$/;

function textVectors(facts: Facts, forced = false): Typed | undefined {
  const { texts } = facts.tally;
  const first = texts[0];
  if (first === undefined || facts.numbers > 0) return undefined;
  const bracketed = (text: string): boolean => /^[[({]/.test(text);
  const isPair = (text: string): boolean => PAIR.test(text) && findDate(text) === undefined;
  const paired = !forced && !bracketed(first) && texts.length > 30 && isPair(first);
  if (!forced && !paired && !bracketed(first) && first.length < 15) return undefined;
  const lengths = new Map<number, number>();
  let vectors = 0;
  for (const k of facts.sample.slice(0, 200)) {
    const vector = vectorOf(texts[k]);
    const enough = paired
      ? isPair(texts[k])
      : bracketed(texts[k]) || (vector?.length ?? 0) >= (forced ? 2 : 8);
    if (vector === undefined || !enough) continue;
    vectors++;
    lengths.set(vector.length, (lengths.get(vector.length) ?? 0) + 1);
  }
  const looked = Math.min(200, facts.sample.length);
  if (vectors < (forced ? HALF : MOST_VECTORS) * looked) return undefined;
  const [dimensions, most] = [...lengths].sort((a, b) => b[1] - a[1])[0];
  if (dimensions < 2 || most < (forced ? HALF : MOST_VECTORS) * vectors) return undefined;
  return read(facts, "vector", `${dimensions} numbers in each cell`, { ...facts.base, dimensions });
}
