import { optionError } from "../../core/errors.ts";
import { note, type Note } from "../../core/notes.ts";
import { amountParts, amountValue, decimalVote, isAmbiguous, isCurrency, unitFactors } from "./amount.ts";
import { applyReading, missingTest, vectorOf, type Applied, type Unread } from "./applyReading.ts";
import { quoted } from "./cells/memoryLimit.ts";
import type { RawColumn } from "./cells/rawColumn.ts";
import type { Column, ColumnKind, ColumnReading } from "./column.ts";
import { findClock, findDate, findDuration, type FoundDate } from "./dates.ts";
import { isMissingWord, isSoftMissingWord } from "./missingWords.ts";
import { numberKind, plainName } from "./numberKind.ts";
import { orderOf } from "./scales.ts";
import { category, textKind, type Tally, type TextKind } from "./textKind.ts";

/** What is known when a column is typed. */
export interface TypingContext {
  readonly rows: number;
  readonly source: string;
  /** The decimal mark that was asked for. */
  readonly decimal?: "." | ",";
  /** The decimal mark of the file's other columns. */
  readonly tableDecimal?: "." | ",";
  /** The order of day and month in the file's other columns. */
  readonly tableOrder?: "dmy" | "mdy";
  readonly na: readonly string[];
  readonly strict: boolean;
}

export interface Typed {
  readonly column: Column;
  readonly notes: readonly Note[];
  /** Cells that are no value of the column's kind. */
  readonly unread: Unread;
  /** What the column itself shows about the marks and the order that the file uses. */
  readonly shows?: { readonly decimal?: "." | ","; readonly order?: "dmy" | "mdy" };
  /** Was read by the file's mark or order for want of evidence of its own. */
  readonly open?: "decimal" | "order";
}

/** The share of the cells that must be of a kind. */
const MOST = 0.9;
const MOST_VECTORS = 0.95;
/** Few words may stand among numbers, as marks, in up to half of the cells. */
const HALF = 0.5;
const FEW_WORDS = 5;
/** Distinct texts that a guess is made from; every row is checked afterwards. */
const SAMPLE = 1000;

/** Decides what a column is and reads its values: a guess by a sample, then a check of every row. */
export function typeColumn(raw: RawColumn, context: TypingContext): Typed {
  const facts = factsOf(raw, context);
  if (raw.vectors !== undefined) return vectorColumn(raw, context, facts);
  if (raw.declared === "date") return declaredDate(raw, context);
  if (facts.total === 0) return plain(raw, context, "empty", "no cell holds a value", facts.base);
  if (facts.tally.total === 0) return numberColumn(raw, context, facts, facts.base, []);
  return (
    textVectors(raw, context, facts) ??
    dates(raw, context, facts) ??
    clocks(raw, context, facts) ??
    durations(raw, context, facts) ??
    amounts(raw, context, facts) ??
    words(raw, context, facts)
  );
}

/** Reads a column as the kind that was asked for: "number", "date:dmy", "ordered:low|mid|high". */
export function typeColumnAs(raw: RawColumn, asked: string, context: TypingContext): Typed {
  const [kind, rest] = split(asked);
  const facts = factsOf(raw, context);
  const why = "as asked";
  switch (kind) {
    case "number": {
      const forced =
        amounts(raw, context, facts, true) ?? numberColumn(raw, context, facts, facts.base, [], true);
      const { column } = forced;
      if (column.kind === "number") return { ...forced, column: { ...column, why } };
      return read(
        raw,
        context,
        "number",
        why,
        column.reading.form === "yes-no" ? facts.base : column.reading,
      );
    }
    case "category":
    case "ordered":
      return levelsAsked(raw, context, kind, rest);
    case "text":
    case "id":
      return read(raw, context, kind, why, facts.base);
    case "vector": {
      const typed =
        raw.vectors === undefined
          ? textVectors(raw, context, facts, true)
          : vectorColumn(raw, context, facts);
      if (typed === undefined) throw optionError(`${context.source}: column "${raw.name}" holds no vectors`);
      return typed;
    }
    case "date": {
      if (raw.declared === "date") return declaredDate(raw, context);
      const order = rest === "" ? undefined : rest;
      if (order !== undefined && !/^(?:dmy|mdy|ymd|epoch-s|epoch-ms|compact)$/.test(order)) {
        throw optionError(
          `--as ${quoted(raw.name)}=date:${order}: the order must be dmy, mdy, ymd, compact, epoch-s or epoch-ms`,
        );
      }
      if (order !== undefined) {
        const reading = { ...facts.base, form: "day", dateOrder: order as ColumnReading["dateOrder"] };
        return read(raw, context, "date", why, reading);
      }
      const found = dates(raw, context, facts, true) ?? clocks(raw, context, facts);
      if (found !== undefined) return found;
      const { reading } = numberKind(
        "timestamp",
        raw.numbers ?? new Float64Array(context.rows),
        facts.base,
        true,
      );
      return read(raw, context, "date", why, reading);
    }
    default:
      throw optionError(
        `--as ${quoted(raw.name)}=${asked}: a column is number, category, ordered:low|mid|high, date, text, id, ` +
          `vector or ignore`,
      );
  }
}

function split(asked: string): [string, string] {
  const at = asked.indexOf(":");
  return at < 0 ? [asked, ""] : [asked.slice(0, at), asked.slice(at + 1)];
}

interface Facts {
  /** The texts that are no marks of missing values. */
  readonly tally: Tally;
  readonly numbers: number;
  /** Cells with a value. */
  readonly total: number;
  /** Marks that the caller named; they go into every reading. */
  readonly base: ColumnReading;
  /** Places in the tally that a guess is made from. */
  readonly sample: readonly number[];
  /** Rows behind the sample. */
  readonly weight: number;
}

function factsOf(raw: RawColumn, { rows, na }: TypingContext): Facts {
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
    let left = 0;
    for (let code = 0; code < all.length; code++) {
      if (all[code] > 0 && isMark(raw.texts[code])) all[code] = 0;
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
  return { tally: { texts, counts, total }, numbers, total: total + numbers, base, sample, weight };
}

/** The share of the cells that pass, judged by the sample; `numbers` says whether plain numbers pass. */
function shareOf(facts: Facts, test: (text: string) => boolean, numbers: boolean): number {
  let passed = 0;
  for (const k of facts.sample) if (test(facts.tally.texts[k])) passed += facts.tally.counts[k];
  const texts = facts.weight === 0 ? 0 : (passed / facts.weight) * facts.tally.total;
  return (texts + (numbers ? facts.numbers : 0)) / facts.total;
}

function read(
  raw: RawColumn,
  context: TypingContext,
  kind: ColumnKind,
  why: string,
  reading: ColumnReading,
  notes: Note[] = [],
): Typed {
  const applied = applyReading({ name: raw.name, kind, reading }, raw, context.rows, why);
  notes.push(...unreadNotes(applied, context));
  return { column: applied.column, notes, unread: applied.unread };
}

const plain = read;

function unreadNotes({ column, unread }: Applied, { strict }: TypingContext): Note[] {
  if (unread.count === 0 || strict) return [];
  const name = quoted(column.name);
  const other = column.kind === "vector" ? "text" : "category";
  return [
    note(
      `not-${column.kind}`,
      `column "${column.name}": ${cells(unread.count)} not read as ${column.kind} and count as missing (first: row ` +
        `${unread.row}, "${shortened(unread.text)}"); --as ${name}=${other} reads it in another way`,
      { column: column.name, row: unread.row, option: `--as ${name}=${other}` },
    ),
  ];
}

function cells(count: number): string {
  return count === 1 ? "1 cell is" : `${count} cells are`;
}

export function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 38)}…` : text;
}

function vectorColumn(raw: RawColumn, context: TypingContext, facts: Facts): Typed {
  const reading: ColumnReading = { ...facts.base, dimensions: raw.dimensions! };
  return read(raw, context, "vector", `${raw.dimensions} numbers in each cell`, reading);
}

function declaredDate(raw: RawColumn, context: TypingContext): Typed {
  const days = raw.numbers?.every((value) => value !== value || Math.floor(value) === value) ?? true;
  const reading: ColumnReading = { form: days ? "day" : "timestamp", dateOrder: "ymd" };
  return read(raw, context, "date", "the file says so", reading);
}

/** Two numbers in a cell: "52.51, 13.40", "120/80", "1920 x 1080". */
const PAIR = /^[-+]?\d+(?:\.\d+[,;]?\s*[,;\s]\s*[-+]?\d+\.\d+|(?:\.\d+)?\s*[/x×]\s*\d{2,}(?:\.\d+)?)$/;

function textVectors(
  raw: RawColumn,
  context: TypingContext,
  facts: Facts,
  forced = false,
): Typed | undefined {
  const { texts } = facts.tally;
  const first = texts[0];
  if (first === undefined || facts.numbers > 0) return undefined;
  const bracketed = (text: string): boolean => /^[[({]/.test(text);
  const paired = !forced && !bracketed(first) && texts.length > 30 && PAIR.test(first);
  if (!forced && !paired && !bracketed(first) && first.length < 15) return undefined;
  const lengths = new Map<number, number>();
  let vectors = 0;
  for (const k of facts.sample.slice(0, 200)) {
    const vector = vectorOf(texts[k]);
    const enough = paired
      ? PAIR.test(texts[k])
      : bracketed(texts[k]) || (vector?.length ?? 0) >= (forced ? 2 : 8);
    if (vector === undefined || !enough) continue;
    vectors++;
    lengths.set(vector.length, (lengths.get(vector.length) ?? 0) + 1);
  }
  const looked = Math.min(200, facts.sample.length);
  if (vectors < (forced ? HALF : MOST_VECTORS) * looked) return undefined;
  const [dimensions, most] = [...lengths].sort((a, b) => b[1] - a[1])[0];
  if (dimensions < 2 || most < (forced ? HALF : MOST_VECTORS) * vectors) return undefined;
  return read(raw, context, "vector", `${dimensions} numbers in each cell`, { ...facts.base, dimensions });
}

function dates(raw: RawColumn, context: TypingContext, facts: Facts, forced = false): Typed | undefined {
  const { texts, counts } = facts.tally;
  if (!forced && shareOf(facts, (text) => findDate(text) !== undefined, false) < MOST) return undefined;
  // Which of day and month comes first: one number above 12 tells.
  let dayFirst = 0;
  let monthFirst = 0;
  let open = 0;
  let points = 0;
  let timed = 0;
  let found = 0;
  for (let k = 0; k < texts.length; k++) {
    const date: FoundDate | undefined = findDate(texts[k]);
    if (date === undefined) continue;
    found += counts[k];
    if (date.seconds !== undefined) timed += counts[k];
    if (!date.open) continue;
    open += counts[k];
    if (date.first > 12 && date.second <= 12) dayFirst += counts[k];
    else if (date.second > 12 && date.first <= 12) monthFirst += counts[k];
    if (/^\d{1,2}\./.test(texts[k])) points += counts[k];
  }
  if (!forced && found < MOST * facts.total) return undefined;
  if (found === 0) return undefined;
  const notes: Note[] = [];
  const name = quoted(raw.name);
  let dateOrder: "dmy" | "mdy" | "ymd" = "ymd";
  let shows: Typed["shows"];
  let openOrder = false;
  if (open > 0) {
    if (dayFirst > 0 || monthFirst > 0) {
      dateOrder = monthFirst > dayFirst ? "mdy" : "dmy";
      shows = { order: dateOrder };
      if (Math.min(dayFirst, monthFirst) > 0) {
        const message =
          `column "${raw.name}": ${dayFirst} dates have the day first and ${monthFirst} the month; those that could ` +
          `be either are read ${words2(dateOrder)} first; --as ${name}=date:${dateOrder === "dmy" ? "mdy" : "dmy"} ` +
          `reads them the other way`;
        notes.push(
          note("mixed-dates", message, { column: raw.name, option: `--as ${name}=date:${dateOrder}` }),
        );
      }
    } else {
      openOrder = true;
      const european = points > open / 2 || (context.decimal ?? context.tableDecimal) === ",";
      dateOrder = context.tableOrder ?? (european ? "dmy" : "mdy");
      const message =
        `column "${raw.name}": no date tells whether day or month comes first; read ${words2(dateOrder)} first ` +
        `(--as ${name}=date:${dateOrder === "dmy" ? "mdy" : "dmy"} for the other)`;
      notes.push(
        note("ambiguous-dates", message, { column: raw.name, option: `--as ${name}=date:${dateOrder}` }),
      );
    }
  }
  const form = timed > found / 2 ? "timestamp" : "day";
  const why = `${form === "day" ? "dates" : "dates with times"}${open === 0 || dateOrder === "ymd" ? "" : `, ${words2(dateOrder)} first`}`;
  const typed = read(raw, context, "date", why, { ...facts.base, form, dateOrder }, notes);
  return { ...typed, ...(shows && { shows }), ...(openOrder && { open: "order" as const }) };
}

function words2(order: "dmy" | "mdy" | "ymd"): string {
  return order === "mdy" ? "month" : order === "dmy" ? "day" : "year";
}

const DURATION_NAME =
  /duration|dauer|length|elapsed|runtime|run time|laufzeit|split|lap|pace|durée|duración|took|wait/;
const CLOCK_NAME = /clock|uhr|time of day|start|end|arrival|departure|open|close|hour|heure|hora|beginn/;

/** hh:mm and hh:mm:ss: a time of day if the hours go round the clock, else a length of time. */
function clocks(raw: RawColumn, context: TypingContext, facts: Facts): Typed | undefined {
  const isClock = (text: string): boolean => findClock(text) !== undefined;
  if (shareOf(facts, isClock, false) < MOST) return undefined;
  let most = 0;
  let padded = 0;
  let half = 0;
  let seconds = 0;
  let all = 0;
  const { texts, counts } = facts.tally;
  for (let k = 0; k < texts.length; k++) {
    const found = findClock(texts[k]);
    if (found === undefined) continue;
    all += counts[k];
    most = Math.max(most, found.seconds);
    if (found.padded) padded += counts[k];
    if (found.half) half += counts[k];
    if (found.parts === 3) seconds += counts[k];
  }
  if (all < MOST * facts.total) return undefined;
  const name = plainName(raw.name);
  const withinDay = most < 86_400;
  const round = most >= 12 * 3600 && (padded > 0.9 * all || seconds < 0.1 * all);
  const ofDay =
    half > 0 ||
    (withinDay && !DURATION_NAME.test(name) && (round || (CLOCK_NAME.test(name) && most >= 6 * 3600)));
  if (ofDay) return read(raw, context, "date", "times of day", { ...facts.base, form: "clock" });
  // Two numbers are minutes and seconds, unless hours are written as on a clock.
  const clock =
    seconds > 0.5 * all ? undefined : withinDay && padded > 0.9 * all ? ("h:m" as const) : ("m:s" as const);
  const reading: ColumnReading = { ...facts.base, form: "duration", unit: "s", ...(clock && { clock }) };
  return numberColumn(raw, context, facts, reading, []);
}

function durations(raw: RawColumn, context: TypingContext, facts: Facts): Typed | undefined {
  const isDuration = (text: string): boolean => findDuration(text) !== undefined;
  if (shareOf(facts, isDuration, false) < MOST) return undefined;
  // One unit in all cells is an amount of that unit: "12 m" may as well be metres.
  const units = new Set(facts.sample.map((k) => facts.tally.texts[k].replaceAll(/[\d.,\s]+/g, " ").trim()));
  const several = facts.sample.some((k) => /\d\D+\d+\s*\p{L}/u.test(facts.tally.texts[k]));
  if (!several && (units.size <= 1 || unitFamily(units))) return undefined;
  return numberColumn(raw, context, facts, { ...facts.base, form: "duration", unit: "s" }, []);
}

/** Metres and minutes: "m" beside "km" or "cm" is a length. */
function unitFamily(units: ReadonlySet<string>): boolean {
  return ["km", "cm", "mm"].some((unit) => units.has(unit));
}

function amounts(raw: RawColumn, context: TypingContext, facts: Facts, forced = false): Typed | undefined {
  const { texts, counts } = facts.tally;
  const share = shareOf(facts, (text) => amountParts(text) !== undefined, true);
  if (share < (forced ? 0 : HALF)) return undefined;
  // Codes: leading zeros, or more digits than a number holds.
  const coded = shareOf(facts, (text) => /^0\d+$/.test(text) || /^\d{16,}$/.test(text), false);
  if (!forced && coded > 0.05) return undefined;
  const units = new Map<string, number>();
  const others: number[] = [];
  let points = 0;
  let commas = 0;
  let ambiguous = 0;
  let passed = facts.numbers;
  let bounded = 0;
  const unitOf: string[] = Array.from({ length: texts.length });
  for (let k = 0; k < texts.length; k++) {
    const parts = amountParts(texts[k]);
    if (parts === undefined) {
      others.push(k);
      continue;
    }
    passed += counts[k];
    unitOf[k] = parts.unit;
    units.set(parts.unit, (units.get(parts.unit) ?? 0) + counts[k]);
    if (parts.bounded) bounded += counts[k];
    // A number with an exponent has no thousands marks.
    const scientific = parts.exponent === "" ? undefined : /[.,]/.exec(parts.digits)?.[0];
    const vote = (scientific as "." | "," | undefined) ?? decimalVote(parts.digits);
    if (vote === ".") points += counts[k];
    else if (vote === ",") commas += counts[k];
    else if (isAmbiguous(parts.digits)) ambiguous += counts[k];
  }
  if (facts.numbers > 0) {
    units.set("", (units.get("") ?? 0) + facts.numbers);
    if (raw.numbers!.some((value) => value % 1 !== 0 && value === value)) {
      if (context.tableDecimal === ",") commas += facts.numbers;
      else points += facts.numbers;
    }
  }
  const fewWords =
    others.length <= FEW_WORDS && others.every((k) => !/\d/.test(texts[k]) && texts[k].length <= 30);
  const enough = passed >= MOST * facts.total || (fewWords && passed >= HALF * facts.total);
  if (!forced && !enough) return undefined;
  const family = unitFactors(units);
  if (family === undefined && !forced) return undefined;
  const shown: "." | "," | undefined = commas > points ? "," : points > 0 ? "." : undefined;
  const decimal = context.decimal ?? shown ?? context.tableDecimal ?? ".";
  // Marks that make no sense with this decimal mark show that the cells are no amounts: 192.168.1.1, 3.12.4.
  let senseless = 0;
  for (const k of facts.sample) {
    const parts = amountParts(texts[k]);
    if (parts === undefined) continue;
    if (
      amountValue(parts, decimal) === undefined &&
      amountValue(parts, decimal === "." ? "," : ".") === undefined
    ) {
      senseless += counts[k];
    }
  }
  if (!forced && senseless > (1 - MOST) * facts.weight) return undefined;

  const name = quoted(raw.name);
  const notes: Note[] = [];
  const marks: string[] = [];
  const strictly = context.strict;
  if (others.length > 0 && fewWords && !strictly) {
    // Words that come again and again among many different numbers are marks; a few odd cells are mistakes.
    const repeated = others.filter((k) => counts[k] >= 2 || others.length <= 2);
    if (!forced && passed < MOST * facts.total && !manyNumbers(raw, facts)) return undefined;
    for (const k of repeated) marks.push(texts[k]);
    if (marks.length > 0) {
      let rows = 0;
      for (const k of repeated) rows += counts[k];
      const shownMarks = marks.map((mark) => `"${mark}"`).join(", ");
      const message =
        `column "${raw.name}": ${shownMarks} among numbers ${marks.length === 1 ? "counts" : "count"} as missing ` +
        `(${rows} ${rows === 1 ? "row" : "rows"}); --as ${name}=category keeps every word as a level`;
      notes.push(note("missing-marks", message, { column: raw.name, option: `--as ${name}=category` }));
    }
  }
  if (ambiguous > 0 && shown === undefined && context.decimal === undefined) {
    const example = texts.find((text) => isAmbiguous(amountParts(text)?.digits ?? ""));
    const message =
      `column "${raw.name}": "${example}" could have a decimal or a thousands mark; "${decimal}" is taken as the ` +
      `decimal mark (--decimal ${decimal === "." ? "," : "."} for the other)`;
    notes.push(note("ambiguous-decimal", message, { column: raw.name, option: "--decimal" }));
  }
  if (family?.mixed === true) {
    const all = [...units.keys()].filter((unit) => unit !== "").sort();
    const message = `column "${raw.name}" holds several currencies (${all.join(", ")}), which are not converted`;
    notes.push(note("mixed-units", message, { column: raw.name }));
  }
  if (bounded > 0) {
    const message = `column "${raw.name}": ${bounded} cells such as "<5" are read without the sign`;
    notes.push(note("bounded", message, { column: raw.name }));
  }
  const unit = family?.unit ?? "";
  const form = amountForm(unit, family?.factors !== undefined);
  const reading: ColumnReading = {
    ...facts.base,
    ...(form !== undefined && { form }),
    decimal,
    ...(unit !== "" && { unit }),
    ...(family?.factors !== undefined && { units: family.factors }),
    ...(marks.length > 0 && { missingMarks: [...(facts.base.missingMarks ?? []), ...marks] }),
  };
  const typed = numberColumn(raw, context, facts, reading, notes, forced);
  return {
    ...typed,
    ...(shown !== undefined && { shows: { decimal: shown } }),
    ...(shown === undefined && ambiguous > 0 && { open: "decimal" as const }),
  };
}

function amountForm(unit: string, several: boolean): string | undefined {
  if (unit === "") return several ? "unit" : undefined;
  if (isCurrency(unit)) return "money";
  return unit === "%" || unit === "‰" ? "percentage" : "unit";
}

/** Whether the numbers of a column with words are more than a few codes. */
function manyNumbers(raw: RawColumn, facts: Facts): boolean {
  const seen = new Set<number | string>();
  if (raw.numbers !== undefined) {
    for (const value of raw.numbers) {
      if (value !== value) continue;
      if (value % 1 !== 0) return true;
      seen.add(value);
      if (seen.size > 11) return true;
    }
  }
  for (const text of facts.tally.texts) {
    if (amountParts(text) === undefined) continue;
    seen.add(text);
    if (seen.size > 11) return true;
  }
  return false;
}

/** Reads numbers, then looks at them: they may be ids, levels or dates. */
function numberColumn(
  raw: RawColumn,
  context: TypingContext,
  facts: Facts,
  reading: ColumnReading,
  notes: Note[],
  forced = false,
): Typed {
  const { rows, strict } = context;
  const direct = raw.codes === undefined && raw.numbers !== undefined && reading.missingMarks === undefined;
  const applied = direct ? undefined : applyReading({ name: raw.name, kind: "number", reading }, raw, rows);
  const values = applied?.column.values ?? raw.numbers!;
  const found = numberKind(raw.name, values, reading, strict);
  for (const { value, count } of found.sentinels) {
    const message =
      `column "${raw.name}": ${value} (${count} rows) stands apart from the other numbers and counts as missing; ` +
      `--strict keeps it`;
    notes.push(note("sentinel", message, { column: raw.name, option: "--strict" }));
  }
  const kind = forced ? "number" : found.kind;
  if (applied !== undefined && (kind === "id" || kind === "category") && raw.codes !== undefined) {
    // Levels and ids are the cells as they are written.
    if (reading.form === "money" || reading.form === "unit" || reading.form === "percentage") {
      return read(raw, context, "number", found.why, found.reading, notes);
    }
  }
  if (kind === "number" && applied !== undefined && found.sentinels.length === 0) {
    notes.push(...unreadNotes({ ...applied, column: { ...applied.column, kind } }, context));
    return {
      column: { ...applied.column, why: found.why, reading: found.reading },
      notes,
      unread: applied.unread,
    };
  }
  if (direct && kind === "number" && found.sentinels.length === 0) {
    const column: Column = {
      name: raw.name,
      kind,
      why: found.why,
      reading: found.reading,
      missing: rows - facts.numbers,
      values,
    };
    return { column, notes, unread: { count: 0, row: 0, text: "" } };
  }
  // Numbers that were written as text are levels as numbers: read them from the values.
  const source: RawColumn = applied === undefined ? raw : { name: raw.name, numbers: values };
  const typed = read(source, context, kind, found.why, found.reading, notes);
  if (applied === undefined || applied.unread.count === 0) return typed;
  return {
    ...typed,
    notes: [...typed.notes, ...unreadNotes({ ...applied, column: { ...applied.column, kind } }, context)],
    unread: applied.unread,
  };
}

/** The column as text: numbers are written out. */
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
 * The texts whose hash is a multiple of 16: all copies of a text or none, so that the share of different ones among them
 * is that of the column.
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

function words(raw: RawColumn, context: TypingContext, facts: Facts): Typed {
  // "none" is a level where a scale has it.
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
    const message = `column "${raw.name}": levels that differ by capitals only are one: ${shown}`;
    notes.push(note("merged-levels", message, { column: raw.name }));
  }
  const typed = read(raw, context, found.kind, found.why, { ...facts.base, ...found.reading }, notes);
  const numbers = facts.numbers / facts.total;
  if (numbers >= 0.2 && numbers < 1 && (found.kind === "category" || found.kind === "text")) {
    const name = quoted(raw.name);
    const message =
      `column "${raw.name}": ${Math.round(numbers * 100)} % of the cells are numbers, the others words; ` +
      `--as ${name}=number counts the words as missing`;
    notes.push(note("mixed-column", message, { column: raw.name, option: `--as ${name}=number` }));
    if (context.strict) return { ...typed, notes, unread: firstText(raw, facts, context) };
  }
  return { ...typed, notes };
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

function levelsAsked(
  raw: RawColumn,
  context: TypingContext,
  kind: "category" | "ordered",
  rest: string,
): Typed {
  const facts = factsOf(raw, context);
  const why = "as asked";
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
      const message = `column "${raw.name}": ${shown.join(", ")} ${applied.unknown.size === 1 ? "is" : "are"} not among the levels named by --as and count as missing`;
      notes.push(note("unknown-level", message, { column: raw.name, option: "--as" }));
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
