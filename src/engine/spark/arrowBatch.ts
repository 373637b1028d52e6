import { tableFromIPC, TimeUnit, Type, type Column, type DataType } from "@uwdata/flechette";
import { ROW } from "../dialect.ts";
import type { EngineBatch, EngineColumn } from "../engine.ts";

/** An Arrow stream as Spark sends it: a schema and a record batch. */
export function readArrowBatch(bytes: Uint8Array): EngineBatch {
  // Copied, because columns need aligned bytes, and a part of a message may begin anywhere.
  const table = tableFromIPC(bytes.slice(), { useBigInt: true });
  const rows = table.numRows;
  return {
    names: table.schema.fields.map(({ name }) => name),
    rows,
    columns: table.schema.fields.map(({ name, type }, j) =>
      (name === ROW && type.typeId === Type.List ? rowsOfLists : columnOf)(table.getChildAt(j), rows),
    ),
  };
}

/** Lists of equally many numbers, one after the other. */
function rowsOfLists(column: Column<unknown>, rows: number): Float64Array {
  const list = (i: number): ArrayLike<unknown> => column.at(i) as ArrayLike<unknown>;
  const d = rows === 0 ? 0 : list(0).length;
  const values = new Float64Array(rows * d);
  for (let i = 0; i < rows; i++) {
    const numbers = list(i);
    for (let f = 0; f < d; f++) values[i * d + f] = numbers[f] === null ? NaN : Number(numbers[f]);
  }
  return values;
}

function columnOf(column: Column<unknown>, rows: number): EngineColumn {
  const { type } = column;
  if (type.typeId === Type.Int || type.typeId === Type.Float || type.typeId === Type.Decimal) {
    return numbers(column, rows);
  }
  const written = writer(type);
  return Array.from({ length: rows }, (_, i) => {
    const value = column.at(i);
    return value === null ? null : written(value);
  });
}

function numbers(column: Column<unknown>, rows: number): Float64Array {
  const values = column.nullCount === 0 ? column.toArray() : undefined;
  if (values instanceof Float64Array) return values;
  const result = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    const value = values === undefined ? column.at(i) : (values as ArrayLike<unknown>)[i];
    result[i] = value === null ? NaN : Number(value);
  }
  return result;
}

function writer(type: DataType): (value: unknown) => string {
  switch (type.typeId) {
    case Type.Date:
      return (value) => timestamp(Number(value)).slice(0, 10);
    case Type.Timestamp:
      return (value) =>
        timestamp(Number(value), type.unit !== TimeUnit.MILLISECOND) + (type.timezone ? "+00" : "");
    case Type.Binary:
    case Type.LargeBinary:
      return (value) =>
        Array.from(value as Uint8Array, (byte) => byte.toString(16).padStart(2, "0")).join("");
    default:
      return text;
  }
}

/** In UTC; with microseconds where there are any. */
function timestamp(milliseconds: number, fine = false): string {
  const whole = Math.floor(milliseconds);
  const iso = new Date(whole).toISOString().replace("T", " ").replace("Z", "");
  const micros = fine ? Math.round((milliseconds - whole) * 1000) : 0;
  const exact = micros === 0 ? iso : iso + String(micros).padStart(3, "0");
  return exact.replace(/\.0*$/, "");
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object") return String(value);
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return Number(part);
    return ArrayBuffer.isView(part) ? Array.from(part as unknown as ArrayLike<number | bigint>) : part;
  });
}
