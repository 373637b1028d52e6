import { codedTexts, textCodes, type RawColumn } from "../cells/rawColumn.ts";
import { columnRecord, type Column, type ColumnRecord, type Table } from "./column.ts";
import { typeLike } from "./typeLike.ts";

/**
 * Reads a table by `records` instead of its own cells: a file of one hour may lack levels, or hold only one,
 * and must still be read like the training table of a model.
 */
export function conform(table: Table, records: readonly ColumnRecord[]): Table {
  const wanted = new Map(records.map((record) => [record.name, record] as const));
  const alike = table.columns.every((column) => {
    const record = wanted.get(column.name);
    return record === undefined || JSON.stringify(record) === JSON.stringify(columnRecord(column));
  });
  if (alike && records.every(({ name }) => table.columns.some((column) => column.name === name)))
    return table;
  const { source, rows } = table;
  const like = typeLike({ source, rows, columns: rawColumns(table, wanted), notes: [] }, records);
  return { ...like, notes: [...table.notes, ...like.notes] };
}

/** The cells; instead of vectors their numbers, if records name these ("v 1", "v 2", ...), as of an engine's sums. */
function rawColumns({ columns, rows }: Table, wanted: ReadonlyMap<string, unknown>): RawColumn[] {
  return columns.flatMap((column) => {
    const { name, vectors } = column;
    if (vectors === undefined || wanted.has(name)) return [rawColumn(column, rows)];
    const { data, cols } = vectors;
    const numbers = Array.from({ length: cols }, (_, f) => ({
      name: `${name} ${f + 1}`,
      numbers: (): Float64Array => Float64Array.from({ length: rows }, (__, i) => data[i * cols + f]),
    })).filter((number) => wanted.has(number.name) && !columns.some((other) => other.name === number.name));
    if (numbers.length === 0) return [rawColumn(column, rows)];
    return numbers.map((number) => ({ name: number.name, numbers: number.numbers() }));
  });
}

/** The cells of a column before their kind was decided, with those that its own kind counts as missing. */
function rawColumn(column: Column, rows: number): RawColumn {
  const raw = readCellsOf(column);
  const { marks } = column;
  if (marks === undefined || raw.vectors !== undefined) return raw;
  const { texts, codeOf } = textCodes(raw.texts);
  const codes = raw.codes?.slice() ?? new Int32Array(rows).fill(-1);
  marks.rows.forEach((row, k) => (codes[row] = codeOf(marks.texts[k])));
  return { ...raw, texts, codes };
}

function readCellsOf({ name, kind, cells, levels, codes, values, vectors }: Column): RawColumn {
  if (vectors !== undefined && cells === undefined)
    return { name, vectors: vectors.data, dimensions: vectors.cols };
  if (cells !== undefined) return { name, ...codedTexts(cells) };
  if (codes !== undefined && levels !== undefined) return { name, texts: levels, codes };
  if (values === undefined) return { name };
  return { name, numbers: values, ...(kind === "date" && { declared: "date" as const }) };
}
