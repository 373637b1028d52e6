import { isWrittenAlike } from "../binary/wholeNumbers.ts";
import type { CellOptions, RawColumn } from "../cells/rawColumn.ts";

/** A column that is filled with values of JSON, a spreadsheet, Parquet or Arrow, row by row. */
export interface ValueStore {
  add(row: number, value: unknown): void;
  /**
   * Many numbers at once, from `row` on: the array now belongs to the store. Those that are not finite are missing,
   * except in a table of numbers, which refuses them.
   */
  addNumbers(row: number, values: Float64Array): void;
  addVector(row: number, values: ArrayLike<number>): void;
  /** Allocates vectors for this many rows, as far as known; more may follow. */
  expect(rows: number): void;
  /** Bytes taken. */
  readonly bytes: number;
  finish(rows: number): RawColumn;
}

/** The share of the vectors that must have the usual length; otherwise the column holds lists. */
const SAME_LENGTH = 0.95;

/** @param options whether cells are kept as they are written */
export function valueStore(
  name: string,
  options: Pick<CellOptions, "asWritten" | "numbers">,
  declared?: "date",
): ValueStore {
  const isOfNumbers = options.numbers !== undefined;
  const asWritten = options.asWritten !== undefined || isOfNumbers;
  let numbers: Float64Array | undefined;
  let codes: Int32Array | undefined;
  let chunks: Float64Array[] = []; // of vectors, `chunkRows` each, so that nothing is copied as they grow
  let chunkRows = 0;
  let vectorRows = 0; // that are written; beyond, chunks hold zeros
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
    if (codes === undefined || row >= codes.length) codes = grown(codes, row, -1, Int32Array);
    codes[row] = code;
  };

  const number = (row: number, value: number): void => {
    if (numbers === undefined || row >= numbers.length)
      numbers = grown(numbers, row, Number.NaN, Float64Array);
    numbers[row] = value;
  };

  const vector = (row: number, values: ArrayLike<number>): void => {
    if (values.length === 0) return;
    if (dimensions === 0 && values.length > 1) {
      dimensions = values.length;
      chunkRows = Math.max(1, Math.floor(CHUNK / dimensions));
    }
    if (values.length !== dimensions) {
      listCount++;
      text(row, JSON.stringify(Array.from(values)));
      return;
    }
    const k = Math.floor(row / chunkRows);
    while (chunks.length <= k) chunks.push(new Float64Array(chunkRows * dimensions));
    noVectorsUpTo(row);
    const at = (row - k * chunkRows) * dimensions;
    chunks[k].set(values, at);
    if (chunks[k][at] - chunks[k][at] === 0) vectorCount++;
    if (row === vectorRows) vectorRows++;
  };

  const noVectorsUpTo = (row: number): void => {
    while (vectorRows < row && chunks.length > 0) {
      const k = Math.floor(vectorRows / chunkRows);
      if (k >= chunks.length) return;
      const to = Math.min(row, (k + 1) * chunkRows);
      chunks[k].fill(
        Number.NaN,
        (vectorRows - k * chunkRows) * dimensions,
        (to - k * chunkRows) * dimensions,
      );
      vectorRows = to;
    }
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
        numbers = grown(numbers, row + values.length - 1, Number.NaN, Float64Array);
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
    expect(rows) {
      if (chunks.length !== 1 || rows <= chunkRows) return;
      const larger = new Float64Array(rows * dimensions);
      larger.set(chunks[0].subarray(0, vectorRows * dimensions));
      chunks = [larger];
      chunkRows = rows;
    },
    get bytes() {
      const held = (numbers?.byteLength ?? 0) + (codes?.byteLength ?? 0);
      return held + vectorRows * dimensions * 8 + characters * 2 + texts.length * 60;
    },
    finish(rows) {
      noVectorsUpTo(rows);
      let vectors = chunks.length === 0 ? undefined : joined(chunks, rows * dimensions);
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

/** Numbers in a chunk of vectors. */
const CHUNK = 1 << 20;

/** The chunks in sequence, cut or padded to `length`; each is released after copying. */
function joined(chunks: Float64Array[], length: number): Float64Array {
  // A single chunk with little unused memory is not copied.
  if (chunks.length === 1 && chunks[0].length >= length && chunks[0].length <= 1.1 * length)
    return chunks[0].subarray(0, length);
  const all = new Float64Array(length);
  let at = 0;
  for (;;) {
    const chunk = chunks.shift();
    if (chunk === undefined || at >= length) break;
    all.set(chunk.length > length - at ? chunk.subarray(0, length - at) : chunk, at);
    at += chunk.length;
  }
  return at < length ? all.fill(Number.NaN, at) : all;
}

type Numbers = Float64Array | Int32Array;

/** A longer copy with room for `index`. */
function grown<T extends Numbers>(
  values: T | undefined,
  index: number,
  fill: number,
  Type: new (length: number) => T,
): T {
  const larger = new Type(Math.max(1 << 10, index + 1, (values?.length ?? 0) * 2));
  if (values !== undefined) larger.set(values);
  larger.fill(fill, values?.length ?? 0);
  return larger;
}

function sized<T extends Numbers>(values: T, length: number, fill: number): T {
  if (values.length >= length) return (values.length === length ? values : values.slice(0, length)) as T;
  const longer = new (values.constructor as new (length: number) => T)(length);
  longer.set(values);
  longer.fill(fill, values.length);
  return longer;
}
