import { inputError } from "../../core/internal.ts";
import { amountParts, amountValue, unitRead } from "../kinds/amount.ts";
import { textCodes, type RawColumn } from "../cells/rawColumn.ts";
import { missingIn, type Column, type ColumnReading, type ColumnRecord } from "./column.ts";
import { compactDay, dayNumber, findClock, findDate, findDuration } from "../kinds/dates.ts";
import { isMissingWord, isSoftMissingWord, normalLevel, yesNoMeaning } from "../kinds/scales.ts";

/** Cells of a column that its reading does not cover. */
export interface Unread {
  count: number;
  /** Row, from 1, and text of the first. */
  row: number;
  text: string;
}

export interface Applied {
  readonly column: Column;
  /** Cells that are not values of the kind; they are missing. */
  readonly unread: Unread;
  /** Levels unknown to the reading, with their counts; these cells are missing. */
  readonly unknown: ReadonlyMap<string, number>;
}

/** Turns raw cells into values by the rules of a record: the same for its own file and for another. */
export function applyReading(
  record: ColumnRecord,
  raw: RawColumn,
  rows: number,
  why = "",
  keepUnknown = false,
): Applied {
  const { name, kind, reading } = record;
  const unread: Unread = { count: 0, row: 0, text: "" };
  const unknown = new Map<string, number>();
  const cells: Cells = { raw, rows, reading, unread };
  const made = (values: Partial<Column>, missing: number): Applied => {
    const column: Column = { name, kind, why, reading, missing, ...values };
    const marks = missing === 0 ? undefined : marksOf(column, raw, rows);
    return { column: marks === undefined ? column : { ...column, marks }, unread, unknown };
  };
  switch (kind) {
    case "number": {
      const values = numberValues(cells);
      return made({ values, ...writtenCells(cells, values) }, countNaN(values));
    }
    case "date": {
      const values = dateValues(cells);
      return made({ values, ...writtenCells(cells, values) }, countNaN(values));
    }
    case "ordered":
    case "category": {
      const { codes, missing } = levelCodes(cells, unknown, keepUnknown);
      const known = reading.levels ?? [];
      const levels = keepUnknown && unknown.size > 0 ? [...known, ...unknown.keys()] : known;
      if (kind === "category") return made({ levels, codes }, missing);
      const values = new Float64Array(rows);
      for (let i = 0; i < rows; i++)
        values[i] = codes[i] < 0 || codes[i] >= known.length ? Number.NaN : codes[i];
      return made({ levels, codes, values }, missing);
    }
    case "vector": {
      const { data, missing } = vectorValues(cells);
      return made({ vectors: { rows, cols: reading.dimensions!, data } }, missing);
    }
    case "id":
    case "text": {
      if (kind === "id" && raw.codes === undefined && raw.numbers !== undefined) {
        return made({ values: raw.numbers }, countNaN(raw.numbers));
      }
      const texts = textCells(cells);
      const missing = texts.reduce((count, text) => count + Number(text === ""), 0);
      return made({ cells: texts }, missing);
    }
    case "constant":
    case "empty": {
      // The cells are kept: a single row is constant in every column, and a model reads it like its own rows.
      const { codes, missing } = levelCodes(cells, unknown);
      return made(reading.levels === undefined ? {} : { levels: reading.levels, codes }, missing);
    }
  }
}

/** The written cells of rows whose value is missing. */
function marksOf(
  column: Column,
  { codes: written, texts, numbers }: RawColumn,
  rows: number,
): Column["marks"] {
  const found: { rows: number[]; texts: string[] } = { rows: [], texts: [] };
  const isMissing = missingIn(column);
  for (let i = 0; i < rows; i++) {
    if (!isMissing(i)) continue;
    const text =
      written !== undefined && written[i] >= 0
        ? texts![written[i]]
        : numbers !== undefined && numbers[i] === numbers[i]
          ? String(numbers[i])
          : undefined;
    if (text === undefined) continue;
    found.rows.push(i);
    found.texts.push(text);
  }
  return found.rows.length === 0 ? undefined : found;
}

/** Whether a text marks a missing value in this column. */
export function missingTest(reading: ColumnReading): (text: string) => boolean {
  const own = new Set(reading.missingMarks?.map((mark) => mark.toLowerCase()));
  const levels = new Set(reading.levels?.map(normalLevel));
  return (text) => {
    if (own.size > 0 && own.has(text.toLowerCase())) return true;
    return (
      (isMissingWord(text) || isSoftMissingWord(text)) && !(levels.size > 0 && levels.has(normalLevel(text)))
    );
  };
}

/** The cells of a column, how they are read, and those that are not. */
interface Cells {
  readonly raw: RawColumn;
  readonly rows: number;
  readonly reading: ColumnReading;
  readonly unread: Unread;
}

/**
 * The value of each row: that of its text, or its number after `ofNumber`; NaN where it is missing.
 *
 * @param refused the value of a cell that has none
 */
function valuesOf(
  { raw, rows, reading }: Cells,
  ofText: (text: string) => number | undefined,
  ofNumber: ((value: number) => number | undefined) | undefined,
  refused: (row: number, text: string) => number,
): Float64Array {
  const { codes, texts, numbers } = raw;
  const isOwn = numbers !== undefined && codes === undefined && ofNumber === undefined;
  if (isOwn) return numbers.subarray(0, rows);
  const values = numbers === undefined ? new Float64Array(rows).fill(Number.NaN) : numbers.slice(0, rows);
  if (numbers !== undefined && ofNumber !== undefined) {
    for (let i = 0; i < rows; i++) {
      if (values[i] === values[i]) values[i] = ofNumber(values[i]) ?? refused(i, String(values[i]));
    }
  }
  if (codes === undefined || texts === undefined) return values;
  const isMissing = missingTest(reading);
  const bad = new Uint8Array(texts.length);
  const ofCode = Float64Array.from(texts, (text, code) => {
    const value = ofText(text);
    if (value === undefined && !isMissing(text)) bad[code] = 1;
    return value ?? Number.NaN;
  });
  for (let i = 0; i < rows; i++) {
    if (codes[i] < 0) continue;
    values[i] = bad[codes[i]] === 1 ? refused(i, texts[codes[i]]) : ofCode[codes[i]];
  }
  return values;
}

/** The same for numbers: cells that are none are counted, and marks that are numbers are missing. */
function numbersOf(
  cells: Cells,
  ofText: (text: string) => number | undefined,
  ofNumber?: (value: number) => number | undefined,
): Float64Array {
  const values = valuesOf(cells, ofText, ofNumber, (row, text) => {
    count(cells.unread, row, text);
    return Number.NaN;
  });
  const marks = new Set(cells.reading.missingMarks?.map(Number));
  return marks.size === 0 ? values : values.map((value) => (marks.has(value) ? Number.NaN : value));
}

function count(unread: Unread, row: number, text: string): void {
  if (unread.count === 0 || row + 1 < unread.row) {
    unread.row = row + 1;
    unread.text = text;
  }
  unread.count++;
}

function numberValues(cells: Cells): Float64Array {
  const { reading } = cells;
  if (reading.form === "duration") {
    const ofText = (text: string): number | undefined => {
      const clock = findClock(text);
      if (clock === undefined) return findDuration(text);
      return clock.parts === 2 && reading.clock === "m:s" ? clock.seconds / 60 : clock.seconds;
    };
    return numbersOf(cells, ofText);
  }
  const decimal = reading.decimal ?? ".";
  const units = new Map(Object.entries(reading.units ?? {}));
  const offsets = new Map(Object.entries(reading.offsets ?? {}));
  const own = new Set(reading.missingMarks);
  const ofText = (text: string): number | undefined => {
    if (own.has(text)) return undefined;
    const parts = amountParts(text);
    if (parts === undefined) return text === "true" ? 1 : text === "false" ? 0 : undefined;
    const value = amountValue(parts, decimal) ?? amountValue(parts, decimal === "." ? "," : ".");
    if (value === undefined) return undefined;
    const factor = units.get(parts.unit);
    if (factor !== undefined) return value * factor + (offsets.get(parts.unit) ?? 0);
    const found = unitRead(parts.unit, reading.unit ?? "");
    return found && value * found.factor + found.offset;
  };
  // A plain number among "35.6k" is 1000 times smaller in this unit.
  const bare = unitRead("", reading.unit ?? "")?.factor ?? 1;
  return numbersOf(cells, ofText, bare === 1 ? undefined : (value) => value * bare);
}

function dateValues(cells: Cells): Float64Array {
  const { reading, raw } = cells;
  if (reading.form === "clock") {
    const ofText = (text: string): number | undefined => {
      const found = findClock(text);
      return found === undefined || found.seconds >= 86_400 ? undefined : found.seconds / 86_400;
    };
    return numbersOf(cells, ofText, (value) => (value >= 0 && value < 1 ? value : undefined));
  }
  const order = reading.dateOrder === "mdy" ? "mdy" : "dmy";
  const ofText = (text: string): number | undefined => {
    const found = findDate(text);
    if (found === undefined) return undefined;
    // A day above 12 shows its own order, regardless of the rest of the column.
    return (
      dayNumber(found, order) ?? (found.open ? dayNumber(found, order === "mdy" ? "dmy" : "mdy") : undefined)
    );
  };
  if (raw.declared === "date") return numbersOf(cells, ofText);
  return numbersOf(
    cells,
    ofText,
    DAYS[reading.dateOrder ?? ""] ?? ((value) => compactDay(value) ?? yearOnly(value)),
  );
}

/** Days since 1970-01-01, which has the spreadsheet number 25569. */
const DAYS: Readonly<Record<string, ((value: number) => number) | undefined>> = {
  "epoch-s": (value) => value / 86_400,
  "epoch-ms": (value) => value / 86_400_000,
  serial: (value) => value - 25_569,
};

/** A bare year in a column of dates. */
function yearOnly(value: number): number | undefined {
  return Number.isInteger(value) && value >= 1000 && value <= 2999
    ? dayNumber({ year: value, first: 1, second: 1, open: false }, "dmy")
    : undefined;
}

/** The cells of amounts and dates that were written as text; plain numbers need no text. */
function writtenCells({ raw, reading }: Cells, values: Float64Array): { readonly cells?: readonly string[] } {
  const { codes, texts, numbers } = raw;
  if (codes === undefined || texts === undefined) return {};
  // Plain numbers with a few others: "<0.5" among them is kept as it was written.
  if (reading.form === undefined && !codes.some((code, i) => code >= 0 && values[i] === values[i])) return {};
  const gaps = countNaN(values) > 0;
  if (!gaps && isOnePerRow(codes, texts)) return { cells: texts };
  const written = (value: number, i: number): string =>
    value !== value ? "" : codes[i] >= 0 ? texts[codes[i]] : String(numbers![i]);
  return { cells: Array.from(values, written) };
}

/** Whether every row has its own text, in order: then the distinct texts are the cells. */
function isOnePerRow(codes: Int32Array, texts: readonly string[]): boolean {
  if (codes.length !== texts.length) return false;
  for (let i = 0; i < codes.length; i++) if (codes[i] !== i) return false;
  return true;
}

function levelCodes(
  cells: Cells,
  unknown: Map<string, number>,
  keepUnknown: boolean = false,
): { readonly codes: Int32Array; readonly missing: number } {
  const { reading } = cells;
  const find = levelFinder(reading);
  const isMissing = missingTest(reading);
  const marks = new Set(reading.missingMarks?.map(Number));
  const { codeOf } = textCodes(reading.levels);
  const ofNumber = new Map<number, number | undefined>();
  const values = valuesOf(
    cells,
    (text) => (isMissing(text) ? Number.NaN : find(text)),
    (value) => {
      if (marks.has(value)) return Number.NaN;
      if (!ofNumber.has(value)) ofNumber.set(value, find(String(value)));
      return ofNumber.get(value);
    },
    (_, text) => {
      unknown.set(text, (unknown.get(text) ?? 0) + 1);
      // The code of an unknown level comes after the others.
      return keepUnknown ? codeOf(text) : Number.NaN;
    },
  );
  return { codes: Int32Array.from(values, (code) => (code === code ? code : -1)), missing: countNaN(values) };
}

/** The code of a level, also in another spelling; undefined if it is unknown. */
function levelFinder({
  levels = [],
  spellings = {},
  form,
}: ColumnReading): (text: string) => number | undefined {
  // Yes and no are known in every spelling, also in one that the training rows did not use.
  const bySense =
    form === "yes-no" && levels.length === 2 && levels.every((level, k) => yesNoMeaning(level) === k);
  const exact = new Map(levels.map((level, code) => [level, code]));
  const loose = new Map<string, number>();
  levels.forEach((level, code) => {
    const normal = normalLevel(level);
    if (!loose.has(normal)) loose.set(normal, code);
  });
  for (const [text, code] of Object.entries(spellings)) if (!loose.has(text)) loose.set(text, code);
  return (text) => {
    const code = exact.get(text) ?? loose.get(normalLevel(text));
    if (code !== undefined) return code;
    // "2.50" and "2.5", "01" and "1" are one level if it was a number.
    const value = text.trim() === "" ? Number.NaN : Number(text);
    const number = Number.isNaN(value) ? undefined : exact.get(String(value));
    return number ?? (bySense ? yesNoMeaning(text.trim()) : undefined);
  };
}

function textCells({ reading, raw, rows }: Cells): string[] {
  const { codes, texts, numbers, vectors, dimensions } = raw;
  const isMissing = missingTest(reading);
  const shown = texts?.slice() ?? [];
  const candidates = reading.missingMarks === undefined ? raw.maybeMissing : undefined;
  for (const code of candidates ?? shown.keys()) if (isMissing(shown[code])) shown[code] = "";
  if (codes !== undefined && isOnePerRow(codes, shown)) return shown;
  const cells: string[] = [];
  cells.length = rows;
  for (let i = 0; i < rows; i++) {
    if (codes !== undefined && codes[i] >= 0) cells[i] = shown[codes[i]];
    else if (numbers !== undefined && numbers[i] === numbers[i]) cells[i] = String(numbers[i]);
    else if (vectors !== undefined && vectors[i * dimensions!] === vectors[i * dimensions!]) {
      cells[i] = `[${vectors.subarray(i * dimensions!, (i + 1) * dimensions!).join(", ")}]`;
    } else cells[i] = "";
  }
  return cells;
}

/** "[0.1, 0.2]", "0.1 0.2", "0.1;0.2", "120/80": the numbers, or undefined. */
export function vectorOf(text: string): Float64Array | undefined {
  const inner = /^[[({]\s*([^[\](){}]*?)\s*[\])}]$/.exec(text)?.[1] ?? text;
  if (inner === "" || !/^[-+\d.,;|\seE]|^nan/i.test(inner)) return undefined;
  const mark = inner.includes(";") ? ";" : inner.includes("|") ? "|" : inner.includes(",") ? "," : " ";
  const parts = mark === " " ? inner.split(/\s*[/x×]\s*|\s+/) : inner.split(mark);
  const values = new Float64Array(parts.length);
  for (let k = 0; k < parts.length; k++) {
    const part = parts[k].trim();
    const value = part === "" ? Number.NaN : Number(part);
    if (value !== value) return undefined;
    values[k] = value;
  }
  return values;
}

function vectorValues({ reading, raw, rows, unread }: Cells): { data: Float64Array; missing: number } {
  const cols = reading.dimensions;
  if (cols === undefined) throw inputError(`column "${raw.name}" holds no vectors`);
  let data: Float64Array;
  if (raw.vectors !== undefined && raw.dimensions === cols) data = raw.vectors;
  else {
    data = new Float64Array(rows * cols).fill(Number.NaN);
    if (raw.vectors !== undefined) {
      for (let i = 0; i < rows; i++) {
        if (raw.vectors[i * raw.dimensions!] === raw.vectors[i * raw.dimensions!]) {
          count(unread, i, `a vector of ${raw.dimensions} numbers`);
        }
      }
    }
  }
  if (raw.codes !== undefined && raw.texts !== undefined) {
    const isMissing = missingTest(reading);
    for (let i = 0; i < rows; i++) {
      const code = raw.codes[i];
      if (code < 0) continue;
      const text = raw.texts[code];
      const vector = vectorOf(text);
      if (vector !== undefined && vector.length === cols) data.set(vector, i * cols);
      else if (!isMissing(raw.texts[code])) {
        count(unread, i, vector === undefined ? raw.texts[code] : `a vector of ${vector.length} numbers`);
      }
    }
  }
  if (raw.numbers !== undefined) {
    for (let i = 0; i < rows; i++)
      if (raw.numbers[i] === raw.numbers[i]) count(unread, i, String(raw.numbers[i]));
  }
  let missing = 0;
  for (let i = 0; i < rows; i++) {
    // A vector with a gap is missing as a whole.
    let sum = 0;
    for (let p = i * cols; p < (i + 1) * cols; p++) sum += data[p];
    if (sum - sum === 0) continue;
    missing++;
    data.fill(Number.NaN, i * cols, (i + 1) * cols);
  }
  return { data, missing };
}

function countNaN(values: Float64Array): number {
  let missing = 0;
  for (let i = 0; i < values.length; i++) if (values[i] !== values[i]) missing++;
  return missing;
}
