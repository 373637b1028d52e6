import { methodNamed, prepare, prepareNumbers, type Prepared } from "kindred/run";
import { isSparse, toDense, type Matrix } from "kindred/matrix";
import type { Look, RowsQuestion, View } from "../protocol.ts";
import { metricSpace, type MetricSpace } from "./metricSpace.ts";
import { inSharedMemory } from "./openTable.ts";
import { notesOf } from "./failure.ts";

/** The rows of a table as numbers, and their plain view. */
export interface NumberRows {
  readonly prepared: Prepared;
  /** The rows to draw: sparse rows are made dense. */
  readonly X: Matrix;
  readonly plain: MetricSpace;
  /** For the page: one row for each row of the table, with NaN for dropped rows. */
  readonly values: Float32Array;
}

/** The last ones, with and without what the hints ask of the columns. */
const cached = new Map<string, NumberRows>();
const CACHED = 2;

/** The numbers of the rows, by the rules of `kindred cluster`. */
export function numberRows(asked: RowsQuestion): NumberRows {
  const key = rowsKey(asked);
  const known = cached.get(key);
  if (known !== undefined) return known;
  const { table } = asked;
  if (table.rows < 2) throw new Error(`${table.source} has ${table.rows} row; clustering needs at least two`);
  const prepared = preparedRows(asked);
  const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
  const plain = metricSpace(X, prepared.names);
  const values = inSharedMemory(spread(Float32Array.from(X.data), X.cols, prepared));
  const rows = { prepared, X, plain, values };
  const [oldest] = cached.keys();
  if (cached.size === CACHED) cached.delete(oldest);
  cached.set(key, rows);
  return rows;
}

/** The settings that determine the numbers of the rows. */
export function rowsKey(asked: RowsQuestion): string {
  const { table, off, scale, weights, missing, seed } = asked;
  return JSON.stringify([table.key, off, scale, weights, missing, isTold(asked), seed]);
}

/** Whether the method learns column weights from known rows. */
function isTold({ method, told = false }: RowsQuestion): boolean {
  if (method === undefined) return false;
  const { weighs, needs } = methodNamed(method);
  return weighs === true && (told || needs.labels === "required");
}

/** Numbers of the rows that were clustered as numbers of all rows of the table: NaN where a row was dropped. */
export function spread(values: Float32Array, width: number, { rows, table }: Prepared): Float32Array {
  if (rows === undefined) return values;
  const all = new Float32Array(table.rows * width).fill(Number.NaN);
  rows.forEach((row, i) => all.set(values.subarray(i * width, (i + 1) * width), row * width));
  return all;
}

/** The same for positions in the plane. */
export function spreadView({ xy, axes }: View, prepared: Prepared): View {
  return { xy: spread(xy, 2, prepared), axes };
}

function preparedRows(asked: RowsQuestion): Prepared {
  const { table, off, scale, weights, missing, method, seed } = asked;
  const { source, rows, columns, label, numbers } = table;
  if (numbers !== undefined) {
    const kind = scale === "minmax" || scale === "none" ? scale : "zscore";
    return prepareNumbers(numbers, { scale: kind });
  }
  const ignore = off.filter((name) => columns.some((column) => column.name === name));
  return prepare(
    { source, rows, columns, notes: [] },
    {
      method: method ?? "auto",
      ...(label !== undefined && { label }),
      ...(ignore.length > 0 && { ignore }),
      ...(scale !== "auto" && { scale }),
      ...(weights !== "auto" && { weights }),
      ...(missing !== "fill" && { missing }),
      seed,
    },
    isTold(asked),
  );
}

/** The rows before they are clustered. */
export function look(asked: RowsQuestion): Look {
  const { plain, prepared } = numberRows(asked);
  return {
    view: spreadView(plain.view, prepared),
    columns: prepared.columns,
    notes: notesOf(prepared.notes),
  };
}
