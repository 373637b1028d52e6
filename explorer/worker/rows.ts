import type { Hints } from "kindred/data";
import { prepare, prepareNumbers, type Prepared } from "kindred/front";
import { isSparse, toDense, type Matrix } from "kindred/matrix";
import type { Look, MethodChoice, RowsQuestion } from "../protocol.ts";
import { metricSpace, type MetricSpace } from "./metricSpace.ts";
import { inSharedMemory } from "./openTable.ts";

/** The rows of a table as numbers, and their plain view. */
export interface NumberRows {
  readonly prepared: Prepared;
  /** What is drawn: sparse rows are written out. */
  readonly X: Matrix;
  readonly plain: MetricSpace;
  /** For the page. */
  readonly values: Float32Array;
}

let last: { readonly key: string; readonly rows: NumberRows } | undefined;

/** The numbers of the rows, by the rules of `kindred cluster`; the last ones are kept. */
export function numberRows(asked: RowsQuestion): NumberRows {
  const key = rowsKey(asked);
  if (last?.key === key) return last.rows;
  const { table } = asked;
  if (table.rows < 2) throw new Error(`${table.source} has ${table.rows} row; clustering needs at least two`);
  const prepared = preparedRows(asked);
  const X = isSparse(prepared.X) ? toDense(prepared.X) : prepared.X;
  const plain = metricSpace(X, prepared.names);
  const rows = { prepared, X, plain, values: inSharedMemory(Float32Array.from(X.data)) };
  last = { key, rows };
  return rows;
}

/** What the numbers of the rows depend on. */
export function rowsKey({ table, off, scale, weights, seed }: RowsQuestion): string {
  return JSON.stringify([table.key, off, scale, weights, seed]);
}

function preparedRows({ table, off, scale, weights, seed }: RowsQuestion): Prepared {
  const { source, rows, columns, label, numbers } = table;
  if (numbers !== undefined) {
    const kind = scale === "minmax" || scale === "none" ? scale : "zscore";
    return prepareNumbers(numbers, { scale: kind });
  }
  const ignore = off.filter((name) => columns.some((column) => column.name === name));
  return prepare(
    { source, rows, columns, notes: [] },
    {
      ...(label !== undefined && { label }),
      ...(ignore.length > 0 && { ignore }),
      ...(scale !== "auto" && { scale }),
      ...(weights !== "auto" && { weights }),
      seed,
    },
  );
}

/** The rows before they are clustered. */
export function look(asked: RowsQuestion): Look {
  const { plain, prepared } = numberRows(asked);
  return {
    view: plain.view,
    columns: prepared.columns,
    notes: prepared.notes.map(({ message }) => message),
  };
}

/** The hints of the page as the library has them. */
export function hintsOf({ same, different }: Pick<MethodChoice, "same" | "different">): Hints {
  return {
    pairs: [
      ...same.map(([a, b]) => ({ a, b, same: true })),
      ...different.map(([a, b]) => ({ a, b, same: false })),
    ],
    groups: [],
    labels: [],
    not: [],
  };
}
