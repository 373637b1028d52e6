import { inputError, plural } from "../core/internal.ts";
import { matrix, type Matrix } from "./matrix.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/** Rows of numbers, in any form that a function on numbers takes. */
export type MatrixLike =
  | Matrix
  /** One array for each row: [[1, 2], [3, 4]]. */
  | readonly ArrayLike<number>[]
  /** All numbers, row by row, with their shape [rows, columns]. */
  | ShapedNumbers
  /** One object for each row; the columns are the properties that are numbers, in the order of the first object. */
  | readonly Readonly<Record<string, unknown>>[]
  | ArrowTable;

export interface ShapedNumbers {
  readonly data: ArrayLike<number>;
  readonly shape: readonly number[];
}

/** The required part of a table of apache-arrow, flechette or another library with these names. */
export interface ArrowTable {
  readonly numRows: number;
  readonly numCols: number;
  getChildAt(column: number): unknown;
}

/** `X` as a matrix; a matrix is not copied. `who` begins the error messages. */
export function asMatrix(X: MatrixLike, who: string): Matrix {
  // JavaScript callers may pass anything.
  const given: unknown = X;
  if (Array.isArray(given)) return fromList(given, who);
  if (typeof given !== "object" || given === null) throw refused(who, given);
  if ("offsets" in given && "values" in given) {
    throw inputError(`${who}: these rows are sparse, but dense rows are needed; use toDense`);
  }
  if ("rows" in given && "cols" in given && "data" in given) return fromParts(given as Matrix, who);
  if ("data" in given && "shape" in given) return fromShape(given as ShapedNumbers, who);
  if ("numRows" in given && "getChildAt" in given) return fromArrow(given as ArrowTable, who);
  throw refused(who, given);
}

/** The same for functions that also take sparse rows. */
export function asRows(X: MatrixLike | Sparse, who: string): Matrix | Sparse {
  const given: unknown = X;
  const sparse =
    typeof given === "object" && given !== null && "offsets" in given && isSparse(given as Sparse);
  return sparse ? (given as Sparse) : asMatrix(X as MatrixLike, who);
}

function fromParts(given: Matrix, who: string): Matrix {
  const { rows, cols, data } = given;
  if (data instanceof Float64Array && data.length === rows * cols) return given;
  return fromShape({ data, shape: [rows, cols] }, who);
}

function fromShape({ data, shape }: ShapedNumbers, who: string): Matrix {
  const [rows, cols] = shape;
  if (shape.length !== 2 || !isCount(rows) || !isCount(cols)) {
    throw inputError(`${who}: the shape must be [rows, columns], got ${JSON.stringify(Array.from(shape))}`);
  }
  if (!isList(data) || data.length !== rows * cols) {
    const got = isList(data) ? `${data.length} values` : describe(data);
    throw inputError(`${who}: ${rows} x ${cols} rows need ${rows * cols} values, got ${got}`);
  }
  if (data instanceof Float64Array) return matrix(rows, cols, data);
  const made = matrix(rows, cols);
  for (let p = 0; p < made.data.length; p++) {
    made.data[p] = numberAt(data[p], who, Math.floor(p / cols), p % cols);
  }
  return made;
}

function fromList(list: readonly unknown[], who: string): Matrix {
  const [first] = list;
  if (list.length === 0) return matrix(0, 0);
  if (isList(first)) return fromArrays(list, first.length, who);
  if (typeof first === "object" && first !== null) return fromObjects(list, first, who);
  throw inputError(
    `${who}: row 0 is ${describe(first)}; a row is an array of numbers, as in [[1, 2], [3, 4]], or an object`,
  );
}

function fromArrays(list: readonly unknown[], cols: number, who: string): Matrix {
  const made = matrix(list.length, cols);
  list.forEach((row, i) => {
    if (!isList(row)) throw inputError(`${who}: row ${i} is ${describe(row)}, but row 0 is an array`);
    if (row.length !== cols) {
      throw inputError(`${who}: row ${i} has ${plural(row.length, "value")}, but row 0 has ${cols}`);
    }
    for (let f = 0; f < cols; f++) made.data[i * cols + f] = numberAt(row[f], who, i, f);
  });
  return made;
}

function fromObjects(list: readonly unknown[], first: object, who: string): Matrix {
  const entries = Object.entries(first);
  const names = entries.filter(([, value]) => isNumber(value)).map(([name]) => name);
  const others = entries.filter(([, value]) => !isNumber(value)).map(([name]) => name);
  if (names.length === 0) {
    throw inputError(
      `${who}: no property of row 0 is a number (it has ${Object.keys(first).join(", ") || "none"})`,
    );
  }
  const made = matrix(list.length, names.length);
  list.forEach((row, i) => {
    if (typeof row !== "object" || row === null || isList(row)) {
      throw inputError(`${who}: row ${i} is ${describe(row)}, but row 0 is an object`);
    }
    const values = row as Readonly<Record<string, unknown>>;
    names.forEach((name, f) => {
      made.data[i * names.length + f] = numberAt(values[name], who, i, name);
    });
    const late = others.find((name) => isNumber(values[name]));
    if (late !== undefined) {
      const before = describe((first as Readonly<Record<string, unknown>>)[late]);
      throw inputError(`${who}: "${late}" is a number in row ${i}, but ${before} in row 0`);
    }
  });
  return made;
}

/** A column of apache-arrow has `get`, one of flechette `at`; both return null for a missing value. */
interface ArrowColumn {
  readonly type?: unknown;
  readonly name?: string;
  get?(row: number): unknown;
  at?(row: number): unknown;
}

function fromArrow(table: ArrowTable, who: string): Matrix {
  const { numRows: rows, numCols: cols } = table;
  const names = columnNames(table);
  const made = matrix(rows, cols);
  for (let f = 0; f < cols; f++) {
    const column = table.getChildAt(f) as ArrowColumn | null;
    const name = names[f] ?? f;
    if (column === null || (typeof column.get !== "function" && typeof column.at !== "function")) {
      throw inputError(`${who}: column ${nameOf(name)} of the Arrow table cannot be read`);
    }
    const value = (i: number): unknown => (column.get === undefined ? column.at!(i) : column.get(i));
    for (let i = 0; i < rows; i++) made.data[i * cols + f] = numberAt(value(i), who, i, name);
  }
  return made;
}

function columnNames(table: object): readonly (string | undefined)[] {
  const { names, schema } = table as {
    readonly names?: readonly string[];
    readonly schema?: { readonly fields?: readonly { readonly name: string }[] };
  };
  return names ?? schema?.fields?.map(({ name }) => name) ?? [];
}

function numberAt(value: unknown, who: string, row: number, column: number | string): number {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "bigint" && Number.isSafeInteger(Number(value))) return Number(value);
  throw inputError(
    `${who}: row ${row}, column ${nameOf(column)} is ${describe(value)}, not a finite number; ` +
      "remove such rows or fill them in first",
  );
}

function nameOf(column: number | string): string {
  return typeof column === "number" ? `${column} (counted from 0)` : JSON.stringify(column);
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0;
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}

function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  if (typeof value === "function") return "a function";
  if (isList(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return String(value);
}

function refused(who: string, value: unknown): Error {
  const got = value === undefined ? "nothing" : isList(value) ? "numbers without a shape" : describe(value);
  return inputError(
    `${who}: the rows must be a matrix, an array of rows, { data, shape: [rows, columns] } or an Arrow table; got ${got}`,
  );
}
