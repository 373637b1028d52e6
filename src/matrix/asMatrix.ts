import { inputError, rule } from "../core/internal.ts";
import { matrix, type Matrix } from "./matrix.ts";
import {
  describeValue,
  isList,
  memoryRows,
  nameOfColumn,
  type ArqueroTable,
  type ArrowTable,
  type Grid,
  type ShapedNumbers,
} from "./memoryRows.ts";
import { isSparse, type Sparse } from "./sparse.ts";

/** Rows of numbers, in any form that a function on numbers takes. */
export type MatrixLike =
  | Matrix
  /** One array for each row: [[1, 2], [3, 4]]; any iterable of such rows. */
  | readonly ArrayLike<number>[]
  | Iterable<ArrayLike<number>>
  /** Numbers with their shape [rows, columns], also as a tensor or a view with strides. */
  | ShapedNumbers
  /** One object for each row; the columns are the properties that are numbers or true and false. */
  | Iterable<Readonly<Record<string, unknown>>>
  /** One array for each column: { age: [34, 51], spend: [12.5, 80] }. */
  | Readonly<Record<string, ArrayLike<number>>>
  | ArrowTable
  | ArqueroTable;

/** An option that is a matrix. */
export const matrixRule: rule.OptionalRule<Matrix> = rule.given<Matrix>(
  "a matrix",
  (value) => typeof value === "object" && value !== null && "data" in value,
);

/** `X` as a matrix; a matrix is not copied. `who` begins the error messages. */
export function asMatrix(X: MatrixLike, who: string): Matrix {
  // JavaScript callers may pass anything.
  const given: unknown = X;
  if (typeof given === "object" && given !== null && "offsets" in given && "values" in given) {
    if (isSparse(given as Sparse))
      throw inputError(`${who}: these rows are sparse, but dense rows are needed; use toDense`);
  }
  if (isMatrix(given)) return given;
  const rows = memoryRows(given, who);
  if (rows === undefined) throw refused(who, given);
  if (!("at" in rows)) return fromObjects(rows.rows, who);
  return rows.data === undefined ? filled(rows, who) : matrix(rows.rows, rows.cols, rows.data);
}

/** The same for functions that also take sparse rows. */
export function asRows(X: MatrixLike | Sparse, who: string): Matrix | Sparse {
  const given: unknown = X;
  const sparse =
    typeof given === "object" && given !== null && "offsets" in given && isSparse(given as Sparse);
  return sparse ? (given as Sparse) : asMatrix(X as MatrixLike, who);
}

function isMatrix(given: unknown): given is Matrix {
  if (typeof given !== "object" || given === null || !("rows" in given && "cols" in given)) return false;
  const { rows, cols, data } = given as Matrix;
  return data instanceof Float64Array && data.length === rows * cols;
}

/** A property that is a number in one row must be one in all; texts such as names are no columns. */
function fromObjects(list: readonly object[], who: string): Matrix {
  const names = new Set<string>();
  const others = new Set<string>();
  list.forEach((row, i) => {
    for (const [name, value] of Object.entries(row)) {
      if (isNumber(value)) names.add(name);
      else if (!isQuantity(value)) others.add(name);
      else {
        throw inputError(
          `${who}: "${name}" is ${describeValue(value)} in row ${i}; make it a number, or let cluster read the column`,
        );
      }
    }
  });
  if (names.size === 0) {
    throw inputError(`${who}: no property is a number (there is ${[...others].join(", ") || "none"})`);
  }
  const columns = [...names];
  const at = (i: number, f: number): unknown => (list[i] as Record<string, unknown>)[columns[f]];
  return filled({ rows: list.length, cols: columns.length, at, names: columns }, who);
}

/** A value that a person would count with, although it is not a number: left out, it would be missed. */
function isQuantity(value: unknown): boolean {
  if (value instanceof Date) return true;
  return typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean";
}

function filled({ rows, cols, at, names }: Grid, who: string): Matrix {
  const made = matrix(rows, cols);
  for (let i = 0; i < rows; i++) {
    for (let f = 0; f < cols; f++) {
      const value = at(i, f);
      const number = typeof value === "number" ? value : wholeNumber(value);
      if (!Number.isFinite(number)) {
        throw inputError(
          `${who}: row ${i}, column ${nameOfColumn(names?.[f] ?? f)} is ${describeValue(value)}, not a finite number; ` +
            "remove such rows or fill them in first",
        );
      }
      made.data[i * cols + f] = number;
    }
  }
  return made;
}

/** True and false are 1 and 0; an integer beyond 2^53 would lose digits. */
function wholeNumber(value: unknown): number {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : Number.NaN;
}

function refused(who: string, value: unknown): Error {
  const got =
    value === undefined ? "nothing" : isList(value) ? "numbers without a shape" : describeValue(value);
  return inputError(
    `${who}: the rows must be a matrix, an array of rows, { data, shape: [rows, columns] }, columns by name, ` +
      `or a table of Arrow or Arquero; got ${got}`,
  );
}
