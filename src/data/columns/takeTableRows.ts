import { takeRows } from "../../matrix/index.ts";
import { missingIn, type Column, type Table } from "./column.ts";

/** Some rows of a table, in the order given; columns keep their kinds and levels. */
export function takeTableRows(table: Table, rows: ArrayLike<number>): Table {
  const { files: _, ...rest } = table; // of all rows
  return {
    ...rest,
    rows: rows.length,
    columns: table.columns.map((column) => takeColumnRows(column, rows)),
  };
}

function takeColumnRows(column: Column, rows: ArrayLike<number>): Column {
  const { values, codes, vectors, cells } = column;
  const own = {
    ...(values !== undefined && { values: Float64Array.from(rows, (i) => values[i]) }),
    ...(codes !== undefined && { codes: Int32Array.from(rows, (i) => codes[i]) }),
    ...(vectors !== undefined && { vectors: takeRows(vectors, rows) }),
    ...(cells !== undefined && { cells: Array.from(rows, (i) => cells[i]) }),
  };
  const isMissing = missingIn(column);
  let missing = 0;
  for (let r = 0; r < rows.length; r++) if (isMissing(rows[r])) missing++;
  const { marks, ...rest } = column;
  return { ...rest, ...own, missing, ...(marks && { marks: takenMarks(marks, rows) }) };
}

function takenMarks(
  { rows: marked, texts }: NonNullable<Column["marks"]>,
  rows: ArrayLike<number>,
): NonNullable<Column["marks"]> {
  const textOf = new Map(marked.map((row, k) => [row, texts[k]]));
  const kept = Array.from(rows, (row, r) => ({ r, text: textOf.get(row) })).filter(
    ({ text }) => text !== undefined,
  );
  return { rows: kept.map(({ r }) => r), texts: kept.map(({ text }) => text!) };
}
