import type { Note } from "../core/index.ts";
import { have, inputError, note } from "../core/internal.ts";
import type { Column, Table } from "../data/index.ts";
import { missingIn, requireTable } from "../data/internal.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { requireMatrix } from "../matrix/internal.ts";
import { encodePart, type Cells } from "./encode/encodePart.ts";
import type { FeaturePart, FeatureRecord } from "./featureRecord.ts";
import { fillRows } from "./fillModel.ts";

export interface AppliedFeatures {
  /** Rows x features. */
  readonly X: Matrix;
  /** The table rows behind the rows of X; absent: all of them. Only with missing "drop". */
  readonly rows?: Int32Array;
  readonly notes: readonly Note[];
}

/**
 * The features of the rows of any table that has the record's columns. Nothing is estimated from these rows:
 * gaps are filled from the training rows, unknown levels become zeros and are counted, missing columns count
 * as missing cells and are named, and extra columns are ignored.
 */
export function applyFeatures(record: FeatureRecord, table: Table): AppliedFeatures {
  requireTable(table, "applyFeatures");
  const byName = new Map(table.columns.map((column) => [column.name, column] as const));
  const notes: Note[] = [];
  const asked = columnsOf(record);
  const absent = asked.filter((name) => !byName.has(name));
  if (absent.length === asked.length && asked.length > 0) {
    throw inputError(
      `${table.source}: none of the columns ${absent.slice(0, 5).join(", ")} exists; the model was made from others`,
    );
  }
  for (const name of absent) {
    notes.push(
      note("column-absent", `column "${name}" does not exist; all its cells are missing`, { column: name }),
    );
  }
  const unknown = new Map<string, Map<string, number>>();
  const cells: Cells = {
    rows: table.rows,
    column: (name) => byName.get(name),
    unknown: (column, level, count) => {
      const own = unknown.get(column) ?? new Map<string, number>();
      unknown.set(column, own.set(level, count));
    },
  };
  const gaps = missingCells(record, table, byName);
  let rows: Int32Array | undefined;
  if (record.missing !== "fill" && gaps.count > 0) {
    if (record.missing === "refuse") {
      throw inputError(
        `${table.source}: row ${gaps.row}, column "${gaps.column}" is missing (${gaps.count === 1 ? "1 cell is" : `${gaps.count} cells are`}); ` +
          `fill or drop missing cells, or leave the column out`,
      );
    }
    rows = gaps.complete();
    const dropped = table.rows - rows.length;
    notes.push(
      note(
        "dropped",
        `${dropped} of ${table.rows} rows ${have(dropped)} missing cells and ${dropped === 1 ? "is" : "are"} left out`,
        {
          option: "missing",
        },
      ),
    );
  }
  const chosen = rows ?? Int32Array.from({ length: table.rows }, (_, i) => i);
  const X = featureMatrix(record, cells, chosen);
  for (const [column, levels] of unknown) {
    let count = 0;
    for (const times of levels.values()) count += times;
    const names = [...levels.keys()].slice(0, 3).map((level) => `"${level}"`);
    notes.push(
      note(
        "unknown-level",
        `column "${column}": ${count} ${count === 1 ? "cell has a level" : "cells have levels"} that the training ` +
          `rows did not have (${names.join(", ")}${levels.size > 3 ? ", ..." : ""}); all its indicators are 0 there`,
        { column, cells: count },
      ),
    );
  }
  if (rows === undefined && gaps.count > 0) {
    notes.push(
      note(
        "filled",
        `${gaps.count} missing ${gaps.count === 1 ? "cell was" : "cells were"} filled from other rows ` +
          `(${gaps.columns.slice(0, 5).join(", ")}${gaps.columns.length > 5 ? ", ..." : ""})`,
        { option: "missing" },
      ),
    );
  }
  return rows === undefined ? { X, notes } : { X, rows, notes };
}

/** Rows x features of the chosen rows, complete. */
function featureMatrix(record: FeatureRecord, cells: Cells, rows: ArrayLike<number>): Matrix {
  return completed(record, unfilledMatrix(record.parts, cells, rows));
}

/** Weighted features without gaps, in place: filled from the training rows, then scaled to length 1 if the record says so. */
export function completed({ parts, fill, scale }: FeatureRecord, X: Matrix): Matrix {
  const { cols, data } = X;
  const filled = categoryFeatures(parts);
  if (fill !== undefined) {
    // Categories help to fill, but are not filled this way.
    const own: number[] = [];
    for (let i = 0; i < X.rows; i++)
      for (let f = 0; f < cols; f++)
        if (filled[f] && Number.isNaN(data[i * cols + f])) own.push(i * cols + f);
    fillRows(fill, X);
    for (const p of own) data[p] = fill.mean[p % cols];
  }
  for (let p = 0; p < data.length; p++) if (Number.isNaN(data[p])) data[p] = 0;
  return scale === "unit" ? unitRows(X) : X;
}

/** Weighted features with NaN for missing cells. */
export function unfilledMatrix(parts: readonly FeaturePart[], cells: Cells, rows: ArrayLike<number>): Matrix {
  const cols = parts.reduce((sum, part) => sum + part.names.length, 0);
  const X = matrix(rows.length, cols);
  let first = 0;
  for (const part of parts) {
    const block = encodePart(part, cells, rows);
    const width = part.names.length;
    const factor = Math.sqrt(part.weight);
    for (let r = 0; r < rows.length; r++)
      for (let f = 0; f < width; f++) X.data[r * cols + first + f] = factor * block[r * width + f];
    first += width;
  }
  return X;
}

/** Which features are indicators. */
function categoryFeatures(parts: readonly FeaturePart[]): boolean[] {
  return parts.flatMap((part) => part.names.map(() => part.encoding.form === "levels"));
}

/** Every column that some part uses. */
export function columnsOf({ parts }: Pick<FeatureRecord, "parts">): string[] {
  const names = parts.flatMap(({ column, encoding, adjust = [] }) => {
    const { since = column } = encoding.form === "number" ? encoding : {};
    return [...adjust.map((other) => other.column), since, column];
  });
  return [...new Set(names)];
}

function missingCells(
  record: FeatureRecord,
  table: Table,
  byName: ReadonlyMap<string, Column>,
): { count: number; row: number; column: string; columns: string[]; complete: () => Int32Array } {
  const names = columnsOf({ parts: record.parts.filter((part) => part.encoding.form !== "mark") });
  const incomplete = new Uint8Array(table.rows);
  const columns: string[] = [];
  let count = 0;
  let row = table.rows;
  let column = "";
  for (const name of names) {
    const test = missingIn(byName.get(name));
    let own = 0;
    for (let i = 0; i < table.rows; i++) {
      if (!test(i)) continue;
      own++;
      incomplete[i] = 1;
      if (i < row) {
        row = i;
        column = name;
      }
    }
    if (own > 0) columns.push(name);
    count += own;
  }
  const complete = (): Int32Array =>
    Int32Array.from({ length: table.rows }, (_, i) => i).filter((i) => incomplete[i] === 0);
  return { count, row, column, columns, complete };
}

/** Minimum number of columns, and minimum share of zeros, for comparing rows of counts by angle. */
const LEAST_COLUMNS = 50;
const ZEROS = 0.8;

/**
 * Whether rows look like word counts: many columns, no negative number, almost all zeros. A z-score gives a
 * word that occurs once the largest weight; the angle between rows depends on shared words.
 */
export function byAngle(X: Matrix): boolean {
  requireMatrix(X, "byAngle");
  const { rows, cols, data } = X;
  if (cols < LEAST_COLUMNS) return false;
  let zeros = 0;
  for (let p = 0; p < data.length; p++) {
    if (data[p] < 0) return false;
    if (data[p] === 0) zeros++;
  }
  return zeros > ZEROS * rows * cols;
}

/** ln((n + 1) / m): the weight of a column that is not 0 in m of n rows. */
export function rarity(n: number, m: number): number {
  return Math.log((n + 1) / Math.max(m, 1));
}

/** Rows of counts as directions: of length 1, log(1 + x) times the rarity of the column. */
export function countRows(X: Matrix): Matrix {
  requireMatrix(X, "countRows");
  const { rows, cols, data } = X;
  const present = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) if (data[p] !== 0) present[p % cols]++;
  const weights = present.map((m) => rarity(rows, m));
  const Y = matrix(rows, cols);
  for (let p = 0; p < data.length; p++) {
    if (data[p] !== 0) Y.data[p] = Math.log1p(data[p]) * weights[p % cols];
  }
  return unitRows(Y);
}

/** Rows of length 1; a zero row stays zero. */
function unitRows({ rows, cols, data }: Matrix): Matrix {
  const Y = matrix(rows, cols);
  for (let i = 0; i < rows; i++) {
    // Divided by the largest first, because squares may overflow.
    let most = 0;
    for (let f = 0; f < cols; f++) most = Math.max(most, Math.abs(data[i * cols + f]));
    if (most === 0) continue;
    let sum = 0;
    for (let f = 0; f < cols; f++) sum += (data[i * cols + f] / most) ** 2;
    const norm = Math.sqrt(sum);
    for (let f = 0; f < cols; f++) Y.data[i * cols + f] = data[i * cols + f] / most / norm;
  }
  return Y;
}
