import { codedTexts } from "../data/internal.ts";
import { inputError, option } from "../core/internal.ts";
import { matrix, takeRows } from "../matrix/index.ts";
import type { RowBatch } from "../scale/index.ts";
import { ROW } from "./dialect.ts";
import type { EngineBatch, EngineColumn } from "./engine.ts";
import type { EngineTable } from "./engineTable.ts";
import type { RawColumn } from "../data/index.ts";
import type { RawTable } from "../data/internal.ts";

/**
 * The rows of a table on an engine, for methods that need them locally. A source of `rowBatches` and of all
 * functions that take one:
 *
 *     await momentStatistics(() => engineBatches(table))
 *
 * In a table that was opened without checking its cells, a row with a missing number is an error or left out,
 * as requested on opening.
 */
export function engineBatches(table: EngineTable): AsyncGenerator<RowBatch, void, undefined> {
  return rowsOfTable(table, { dropped: 0 });
}

/** The same; `count` receives the number of rows left out. */
export async function* rowsOfTable(
  table: EngineTable,
  count: { dropped: number },
): AsyncGenerator<RowBatch, void, undefined> {
  const { engine, from, features, label, id, source } = table;
  const names = features.map(({ name }) => name);
  const texts = [table.labelText, table.idText].flatMap((sql) => (sql === undefined ? [] : [sql]));
  const numbers = features.map(({ sql }) => sql);
  const expressions = engine.dialect.rowAtOnce
    ? [`${engine.dialect.array(numbers)} as ${ROW}`]
    : numbers.map((sql, j) => `${sql} as c${j}`);
  const selected = [...expressions, ...texts.map((sql, k) => `${sql} as t${k}`)].join(", ");
  let read = 0;
  let first = 0;
  for await (const chunk of engine.query(`select ${selected} from ${from}`)) {
    const { rows, columns } = chunk;
    if (rows === 0) continue;
    const X = matrix(rows, features.length, rowMajor(chunk, features.length));
    const text = columns.slice(columns.length - texts.length) as (readonly (string | null)[])[];
    const written = text.map((column) =>
      column.includes(null) ? column.map((value) => value ?? "") : (column as readonly string[]),
    );
    const lacking = table.missing === undefined ? [] : rowsLacking(X.data, rows);
    if (lacking.length > 0 && table.missing === "refuse") {
      throw lackingNumber(table, X.data, lacking[0], read);
    }
    const batch = {
      names,
      X,
      ...(label !== undefined && { label: { name: label, values: written[0] } }),
      ...(id !== undefined && { ids: { name: id, values: written[written.length - 1] } }),
      source,
      first,
      ...(chunk.release && { release: chunk.release }),
    };
    const kept = lacking.length === 0 ? batch : without(batch, lacking);
    read += rows;
    first += kept.X.rows;
    count.dropped += lacking.length;
    if (kept.X.rows > 0) yield kept;
  }
}

function rowMajor({ columns, rows }: EngineBatch, d: number): Float64Array {
  const numbers = columns as readonly Float64Array[];
  if (numbers[0].length === rows * d) return numbers[0];
  const values = new Float64Array(rows * d);
  for (let f = 0; f < d; f++) {
    const column = numbers[f];
    for (let i = 0, p = f; i < rows; i++, p += d) values[p] = column[i];
  }
  return values;
}

/** The rows with a value that is not finite. */
function rowsLacking(values: Float64Array, rows: number): number[] {
  // A sum is finite only if all of its terms are; several sums, because each addition waits for the one
  // before.
  let [r0, r1, r2, r3] = [0, 0, 0, 0];
  const even = values.length & ~3;
  for (let p = 0; p < even; p += 4) {
    r0 += values[p];
    r1 += values[p + 1];
    r2 += values[p + 2];
    r3 += values[p + 3];
  }
  for (let p = even; p < values.length; p++) r0 += values[p];
  if (Number.isFinite(r0 + r1 + r2 + r3)) return [];
  const d = values.length / rows;
  return Array.from({ length: rows }, (_, i) => i).filter(
    (i) => !values.subarray(i * d, (i + 1) * d).every(Number.isFinite),
  );
}

function lackingNumber(
  { source, features }: EngineTable,
  values: Float64Array,
  row: number,
  read: number,
): Error {
  const d = features.length;
  const f = values.subarray(row * d, (row + 1) * d).findIndex((value) => !Number.isFinite(value));
  return inputError(
    `${source}: row ${read + row + 1}, column "${features[f].name}" has no finite number; ` +
      `leave such rows out (${option("missing")} drop) or fill them in a query`,
    { column: features[f].name },
  );
}

/** The rows of a batch except those listed. */
function without(batch: RowBatch, lacking: readonly number[]): RowBatch {
  const left = new Set(lacking);
  const kept = Array.from({ length: batch.X.rows }, (_, i) => i).filter((i) => !left.has(i));
  const { label, ids } = batch;
  const taken = (values: readonly string[]): string[] => kept.map((i) => values[i]);
  return {
    ...batch,
    X: takeRows(batch.X, kept),
    ...(label && { label: { ...label, values: taken(label.values) } }),
    ...(ids && { ids: { ...ids, values: taken(ids.values) } }),
  };
}

/** The cells of an answer as in a file: numbers, and texts of unknown kind. */
export function engineCells({ names, rows, columns }: EngineBatch, source: string): RawTable {
  return { source, rows, columns: columns.map((column, j) => rawColumn(names[j], column)), notes: [] };
}

function rawColumn(name: string, column: EngineColumn): RawColumn {
  // The batch releases its numbers, so they are copied; an infinite value counts as missing.
  if (column instanceof Float64Array) {
    return { name, numbers: column.map((value) => (Number.isFinite(value) ? value : Number.NaN)) };
  }
  return { name, ...codedTexts(column.map((cell) => cell?.trim() ?? "")) };
}
