import { inputError, plural } from "../core/internal.ts";

/** Numbers with their shape: an `ndarray` of scijs or stdlib (strides count numbers), a tensor, or the bare parts. */
export interface ShapedNumbers {
  /** All numbers; tensors of TensorFlow.js have `dataSync` instead. */
  readonly data?: unknown;
  /** [rows, columns]; tensors of ONNX Runtime call it `dims`. */
  readonly shape?: ArrayLike<number>;
  readonly dims?: ArrayLike<number>;
  /** How far apart neighbours in a column and in a row are; without it, the numbers are row by row. */
  readonly stride?: ArrayLike<number>;
  readonly strides?: ArrayLike<number>;
  readonly offset?: number;
  dataSync?(): ArrayLike<number>;
}

/** The required part of a table of apache-arrow, flechette or another library with these names. */
export interface ArrowTable {
  readonly numRows: number;
  readonly numCols: number;
  getChildAt(column: number): unknown;
}

/** The required part of a table of Arquero; its filter and order count. */
export interface ArqueroTable {
  numRows(): number;
  columnNames(): string[];
  getter(name: string): (row: number) => unknown;
}

/** Rows in the memory of a program, whatever library made them: a grid of values, or objects. */
export type MemoryRows = Grid | { readonly rows: readonly object[] };

export interface Grid {
  readonly rows: number;
  readonly cols: number;
  at(row: number, column: number): unknown;
  /** Of a table; a column of an Arrow table may have no name. Absent: rows of numbers. */
  readonly names?: readonly (string | undefined)[];
  /** All numbers row by row, if they are held so. */
  readonly data?: Float64Array;
}

/**
 * The one reader of rows in memory: arrays and other iterables of rows, numbers with a shape, tensors, views with strides,
 * tables of Arrow and Arquero, and columns by name. Undefined: it is none of them.
 *
 * @param who the function that was given the rows, for errors
 */
export function memoryRows(given: unknown, who: string): MemoryRows | undefined {
  if (Array.isArray(given)) return fromRows(given, who);
  if (typeof given !== "object" || given === null || isList(given)) return undefined;
  if ("rows" in given && "cols" in given && "data" in given) {
    return fromShape({ data: given.data, shape: [given.rows, given.cols] as number[] }, who);
  }
  if (("data" in given || "dataSync" in given) && ("shape" in given || "dims" in given)) {
    return fromShape(given as ShapedNumbers, who);
  }
  if ("getChildAt" in given && "numRows" in given) return fromArrow(given as ArrowTable, who);
  if ("getter" in given && "columnNames" in given) return fromArquero(given as ArqueroTable);
  if (Symbol.iterator in given) return fromRows(Array.from(given as Iterable<unknown>), who);
  return fromColumns(given as Readonly<Record<string, unknown>>, who);
}

function fromRows(list: readonly unknown[], who: string): MemoryRows {
  if (list.length === 0) return { rows: 0, cols: 0, at: () => undefined };
  const arrays = isList(list[0]);
  const cols = arrays ? (list[0] as ArrayLike<unknown>).length : 0;
  // `forEach` would pass over the holes of an array.
  for (const [i, row] of list.entries()) {
    if (typeof row !== "object" || row === null || isList(row) !== arrays) {
      const other = i === 0 ? "" : `, but row 0 is ${arrays ? "an array" : "an object"}`;
      throw inputError(
        `${who}: row ${i} is ${describeValue(row)}${other}; ` +
          "a row is an array of numbers, as in [[1, 2], [3, 4]], or an object with a value for each column",
      );
    }
    if (isList(row) && row.length !== cols) {
      throw inputError(`${who}: row ${i} has ${plural(row.length, "value")}, but row 0 has ${cols}`);
    }
  }
  if (!arrays) return { rows: list as readonly object[] };
  return { rows: list.length, cols, at: (i, f) => (list[i] as ArrayLike<unknown>)[f] };
}

function fromShape(given: ShapedNumbers, who: string): MemoryRows {
  const data = typeof given.dataSync === "function" ? given.dataSync() : given.data;
  const shape = Array.from(given.shape ?? given.dims ?? []);
  const [rows, cols] = shape;
  if (shape.length !== 2 || !isCount(rows) || !isCount(cols)) {
    throw inputError(`${who}: the shape must be [rows, columns], got ${JSON.stringify(shape)}`);
  }
  const steps = given.stride ?? given.strides;
  const [down, across] = steps === undefined ? [cols, 1] : Array.from(steps);
  const offset = given.offset ?? 0;
  if (![down, across, offset].every(Number.isInteger)) {
    throw inputError(`${who}: strides and offset must be whole numbers, counted in numbers, not in bytes`);
  }
  if (steps === undefined && offset === 0) {
    if (isList(data) && data.length === rows * cols) {
      const at = (i: number, f: number): unknown => data[i * cols + f];
      return { rows, cols, at, ...(data instanceof Float64Array && { data }) };
    }
    const got = isList(data) ? plural(data.length, "value") : describeValue(data);
    throw inputError(`${who}: ${rows} x ${cols} rows need ${rows * cols} values, got ${got}`);
  }
  const corners = [0, (rows - 1) * down].flatMap((p) => [p, p + (cols - 1) * across]);
  const inside = isList(data) && corners.every((p) => offset + p >= 0 && offset + p < data.length);
  if (rows * cols > 0 && !inside) {
    const got = isList(data) ? plural(data.length, "value") : describeValue(data);
    throw inputError(`${who}: ${rows} x ${cols} rows with these strides reach beyond the data (${got})`);
  }
  const values = isList(data) ? data : [];
  return { rows, cols, at: (i, f) => values[offset + i * down + f * across] };
}

/** A column of apache-arrow has `get`, one of flechette `at`; both return null for a missing value. */
interface ArrowColumn {
  get?(row: number): unknown;
  at?(row: number): unknown;
}

function fromArrow(table: ArrowTable, who: string): MemoryRows {
  const { names: given, schema } = table as {
    readonly names?: readonly string[];
    readonly schema?: { readonly fields?: readonly { readonly name: string }[] };
  };
  const names = given ?? schema?.fields?.map(({ name }) => name) ?? [];
  const columns = Array.from({ length: table.numCols }, (_, f) => {
    const column = table.getChildAt(f) as ArrowColumn | null;
    if (typeof column?.get === "function") return (i: number) => column.get!(i);
    if (typeof column?.at === "function") return (i: number) => column.at!(i);
    throw inputError(`${who}: column ${nameOfColumn(names[f] ?? f)} of the Arrow table cannot be read`);
  });
  const all = columns.map((_, f) => names[f]);
  return { rows: table.numRows, cols: all.length, names: all, at: (i, f) => columns[f](i) };
}

function fromArquero(table: ArqueroTable): MemoryRows {
  const names = table.columnNames();
  const columns = names.map((name) => table.getter(name));
  return { rows: table.numRows(), cols: names.length, names, at: (i, f) => columns[f](i) };
}

/** An object of columns of one length: { age: [34, 51], spend: [12.5, 80] }. */
function fromColumns(given: Readonly<Record<string, unknown>>, who: string): MemoryRows | undefined {
  const entries = Object.entries(given);
  if (entries.length === 0 || !entries.every(([, values]) => isList(values))) return undefined;
  const [[first, { length }]] = entries as [string, ArrayLike<unknown>][];
  for (const [name, values] of entries as [string, ArrayLike<unknown>][]) {
    if (values.length === length) continue;
    const [has, other] = [plural(values.length, "value"), plural(length, "value")];
    throw inputError(`${who}: column ${JSON.stringify(name)} has ${has}, but "${first}" has ${other}`);
  }
  const columns = entries.map(([, values]) => values as ArrayLike<unknown>);
  return { rows: length, cols: columns.length, names: Object.keys(given), at: (i, f) => columns[f][i] };
}

export function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The words of errors for a column: its name, or its number. */
export function nameOfColumn(column: number | string): string {
  return typeof column === "number" ? `${column} (counted from 0)` : JSON.stringify(column);
}

/** JavaScript callers may give anything for a list; `what` begins the message. */
export function requireList(value: unknown, what: string): void {
  if (!isList(value)) throw inputError(`${what} must be an array, got ${describeValue(value)}`);
}

/** The same for a number of rows or nodes, which memory is made for. */
export function requireCount(value: unknown, what: string): void {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31) return;
  throw inputError(`${what} must be a whole number below 2^31, got ${describeValue(value)}`);
}

/** The words of errors for a value that is none of a row's. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "function") return "a function";
  if (value instanceof Date) return "a date";
  if (isList(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}
