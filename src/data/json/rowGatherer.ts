import type { Note } from "../../core/index.ts";
import { inputError } from "../../core/internal.ts";
import { uniqueNames, type CellOptions, type RawTable, type RawColumn } from "../cells/rawColumn.ts";
import { refuseMoreRows } from "../files/budget.ts";
import { isWrittenAlike } from "../binary/wholeNumbers.ts";

interface RowGatherer {
  readonly rows: number;
  /** @param line of the file */
  add(row: unknown, place: string, line?: number): void;
  /** A whole column instead: then all columns come so, and have `rows` values. */
  addColumn(name: string, rows: number, at: (row: number) => unknown): void;
  finish(): RawTable;
}

/**
 * Rows that name their columns; a field that appears later is empty in the rows before.
 *
 * @param expected the number of rows, where it is known
 */
export function rowGatherer(source: string, options: CellOptions, expected?: number): RowGatherer {
  const stores = new Map<string, ValueStore>();
  let rows = 0;
  let arrays: boolean | undefined;
  let width = 0;
  const lines: number[] = [];
  const put = (name: string, value: unknown): void => {
    // An object in a cell becomes separate columns: address.city
    if (isRecord(value)) {
      for (const [key, inner] of Object.entries(value)) put(`${name}.${key}`, inner);
      return;
    }
    let store = stores.get(name);
    if (store === undefined) {
      if (stores.size >= MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
      stores.set(name, (store = valueStore(name, options, undefined, expected)));
    }
    store.add(rows, value);
  };
  return {
    get rows() {
      return rows;
    },
    add(row, place, line) {
      if (line !== undefined) lines.push(line);
      if (typeof row !== "object" || row === null) {
        throw inputError(`${source} ${place}: expected an object or an array`);
      }
      const isArray = Array.isArray(row);
      arrays ??= isArray;
      if (isArray !== arrays) throw inputError(`${source} ${place}: objects and arrays are mixed`);
      if (isArray) {
        if (rows === 0) width = row.length;
        if (width > MOST_COLUMNS) throw inputError(`${source} has more than ${MOST_COLUMNS} columns`);
        if (row.length !== width) {
          throw inputError(`${source} ${place}: expected ${width} values, found ${row.length}`);
        }
        for (let j = 0; j < row.length; j++) put(`c${j}`, row[j]);
      } else {
        for (const name in row) put(name, (row as Record<string, unknown>)[name]);
      }
      rows++;
      // A field that appears late has room for all rows before it: many such fields outgrow the rows.
      if (rows % GUARDED === 0) guard(source, stores, options, place);
    },
    addColumn(name, count, at) {
      arrays = false;
      for (rows = 0; rows < count; rows++) put(name, at(rows));
      guard(source, stores, options, `row ${rows}`);
    },
    finish() {
      if (rows === 0) throw inputError(`${source} has no rows of data`);
      const notes: Note[] = [];
      const headings = [...stores.keys()];
      const names = uniqueNames(headings, notes, source);
      const columns = [...stores.values()].map((store, j) => ({ ...store.finish(rows), name: names[j] }));
      return {
        source,
        rows,
        columns,
        notes,
        headings,
        open: arrays === false,
        ...(lines.length > 0 && { lineOf: (row: number) => lines[row] }),
      };
    },
  };
}

/** Fields by name; a date, an array or a map is one value. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const made: unknown = Object.getPrototypeOf(value);
  return made === Object.prototype || made === null;
}

const MOST_COLUMNS = 100_000;
/** Rows after which the memory of the columns is added up. */
const GUARDED = 1024;

/** Stores double as they grow: the current memory may soon be needed twice. */
export function guard(
  source: string,
  stores: ReadonlyMap<string, ValueStore>,
  options: CellOptions,
  place: string,
): void {
  let held = 0;
  let most = 0;
  let largest: string | undefined;
  for (const [name, { bytes }] of stores) {
    held += bytes;
    if (bytes > most) {
      most = bytes;
      largest = name;
    }
  }
  refuseMoreRows(source, place, held * 2, options, largest);
}

/** A column that is filled with values of JSON, a spreadsheet, Parquet or Arrow, row by row. */
export interface ValueStore {
  add(row: number, value: unknown): void;
  /**
   * Many numbers at once, from `row` on: the array now belongs to the store. Those that are not finite are missing,
   * except in a table of numbers, which refuses them.
   */
  addNumbers(row: number, values: Float64Array): void;
  addVector(row: number, values: ArrayLike<number>): void;
  /** Bytes taken. */
  readonly bytes: number;
  finish(rows: number): RawColumn;
}

/** The share of the vectors that must have the usual length; otherwise the column holds lists. */
const SAME_LENGTH = 0.95;

/**
 * @param options whether cells are kept as they are written
 * @param expected the number of rows, as far as known; more may follow
 */
export function valueStore(
  name: string,
  options: Pick<CellOptions, "asWritten" | "numbers" | "memory">,
  declared?: "date",
  expected: number = 0,
): ValueStore {
  const isOfNumbers = options.numbers !== undefined;
  const asWritten = options.asWritten !== undefined || isOfNumbers;
  let numbers: Float64Array | undefined;
  let codes: Int32Array | undefined;
  let vectors: Float64Array | undefined;
  let dimensions = 0;
  let vectorCount = 0;
  let listCount = 0;
  let booleans = false;
  const dated: number[] = []; // the rows of dates, whose numbers are days
  let plain = false; // whether there are other numbers
  let characters = 0;
  const known = new Map<string, number>();
  const texts: string[] = [];

  const text = (row: number, value: string): void => {
    const trimmed = asWritten ? value : value.trim();
    if (trimmed === "") return;
    let code = known.get(trimmed);
    if (code === undefined) {
      code = texts.length;
      texts.push(trimmed);
      known.set(trimmed, code);
      characters += trimmed.length;
    }
    if (codes === undefined || row >= codes.length) codes = grown(codes, row + 1, expected, -1, Int32Array);
    codes[row] = code;
  };

  const number = (row: number, value: number): void => {
    if (numbers === undefined || row >= numbers.length)
      numbers = grown(numbers, row + 1, expected, Number.NaN, Float64Array);
    numbers[row] = value;
  };

  const vector = (row: number, values: ArrayLike<number>): void => {
    if (values.length === 0) return;
    if (dimensions === 0 && values.length > 1) dimensions = values.length;
    if (values.length !== dimensions) {
      listCount++;
      text(row, JSON.stringify(Array.from(values)));
      return;
    }
    const at = row * dimensions;
    if (vectors === undefined || at + dimensions > vectors.length) {
      const room = expected * dimensions * 8 <= options.memory ? expected * dimensions : 0;
      vectors = grown(vectors, at + dimensions, room, Number.NaN, Float64Array);
    }
    vectors.set(values, at);
    if (vectors[at] - vectors[at] === 0) vectorCount++;
  };

  const list = (row: number, values: readonly unknown[]): void => {
    if (asWritten && !(values.length > 0 && values.every((value) => typeof value === "number"))) {
      text(row, jsonText(values));
      return;
    }
    if (values.some(Array.isArray)) {
      list(row, values.flat(8));
      return;
    }
    if (values.length > 0 && values.every((value) => typeof value === "number" || value === null)) {
      if (values.every((value) => typeof value === "number")) vector(row, values as number[]);
      return; // a vector with a hole is missing
    }
    text(
      row,
      values.map((value) => (typeof value === "object" ? jsonText(value) : String(value))).join("; "),
    );
  };

  return {
    add(row, value) {
      switch (typeof value) {
        case "number":
          if (value - value === 0) {
            plain = true;
            number(row, value);
          } else if (asWritten) text(row, String(value));
          return;
        case "string":
          text(row, value);
          return;
        case "bigint":
          if (isWrittenAlike(value)) {
            plain = true;
            number(row, Number(value));
          } else text(row, String(value));
          return;
        case "boolean":
          booleans = true;
          text(row, value ? "true" : "false");
          return;
        case "object":
          if (value === null) return;
          if (Array.isArray(value)) list(row, value);
          else if (value instanceof BigInt64Array || value instanceof BigUint64Array) {
            // As in an array: integers beyond the numbers keep their digits as texts.
            const whole = Array.from(value as BigInt64Array);
            list(row, whole.every(isWrittenAlike) ? whole.map(Number) : whole.map(String));
          } else if (ArrayBuffer.isView(value)) vector(row, Float64Array.from(value as Float64Array));
          else if (value instanceof Date) {
            if (Number.isNaN(value.getTime())) return;
            dated.push(row);
            number(row, value.getTime() / DAY);
          } else text(row, jsonText(value));
      }
    },
    addNumbers(row, values) {
      if (row === 0 && numbers === undefined) numbers = values;
      else if (numbers === undefined || row + values.length > numbers.length) {
        numbers = grown(numbers, row + values.length, expected, Number.NaN, Float64Array);
      }
      if (numbers !== values) numbers.set(values, row);
      if (isOfNumbers) return;
      for (let i = 0; i < values.length; i++) {
        if (values[i] - values[i] === 0 || Number.isNaN(values[i])) continue;
        numbers[row + i] = Number.NaN;
        if (asWritten) text(row + i, String(values[i]));
      }
    },
    addVector: vector,
    get bytes() {
      const held = [numbers, codes, vectors].reduce((sum, values) => sum + (values?.byteLength ?? 0), 0);
      return held + characters * 2 + texts.length * 60;
    },
    finish(rows) {
      if (vectors !== undefined) vectors = sized(vectors, rows * dimensions, Number.NaN);
      if (vectors !== undefined && vectorCount < SAME_LENGTH * (vectorCount + listCount)) {
        // Lists of any length, written as text.
        for (let row = 0; row < rows; row++) {
          const values = vectors.subarray(row * dimensions, (row + 1) * dimensions);
          if (values.length > 0 && !Number.isNaN(values[0])) text(row, JSON.stringify(Array.from(values)));
        }
        vectors = undefined;
      }
      const dates = dated.length > 0 && !plain && texts.length === 0;
      if (!dates) {
        // Among other values a date is a text like them.
        for (const row of dated) {
          text(row, new Date(Math.round(numbers![row] * DAY)).toISOString().replace(/T00:00:00\.000Z$/, ""));
          numbers![row] = Number.NaN;
        }
      }
      return {
        name,
        ...(numbers !== undefined && { numbers: sized(numbers, rows, Number.NaN) }),
        ...(codes !== undefined && { texts, codes: sized(codes, rows, -1) }),
        ...(vectors !== undefined && { vectors, dimensions }),
        ...(declared !== undefined || dates
          ? { declared: "date" as const }
          : booleans && { declared: "boolean" as const }),
      };
    },
  };
}

/** Milliseconds. */
const DAY = 86_400_000;

/** Integers with more digits than a number holds are kept as text. */
function jsonText(value: unknown): string {
  const written = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "bigint") return part;
    return isWrittenAlike(part) ? Number(part) : String(part);
  });
  return written ?? "";
}

type Numbers = Float64Array | Int32Array;

/** A longer copy for `length` values, or for as many as are expected. */
function grown<T extends Numbers>(
  values: T | undefined,
  length: number,
  expected: number,
  fill: number,
  Type: new (length: number) => T,
): T {
  const known = values?.length ?? 0;
  const larger = new Type(Math.max(length, expected > known ? expected : Math.max(1 << 10, 2 * known)));
  if (values !== undefined) larger.set(values);
  larger.fill(fill, known);
  return larger;
}

/** The first `length` values; copied only if much unused memory would be kept. */
function sized<T extends Numbers>(values: T, length: number, fill: number): T {
  if (values.length >= length) {
    return (values.length <= 1.1 * length ? values.subarray(0, length) : values.slice(0, length)) as T;
  }
  return grown(values, length, 0, fill, values.constructor as new (length: number) => T).subarray(
    0,
    length,
  ) as T;
}
