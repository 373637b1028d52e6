import { matrix } from "../matrix/matrix.ts";
import type { RowBatch } from "../scale/index.ts";
import type { EngineColumn } from "./engine.ts";
import type { EngineTable } from "./engineTable.ts";

/** Rows of one batch: about a megabyte of 16 columns, as of `rowBatches`. */
const BATCH = 8192;

/**
 * The rows of a table on an engine, for what has to see them here. A source of `rowBatches` and of everything that takes
 * one:
 *
 *     await momentStatistics(() => engineBatches(table))
 */
export async function* engineBatches(table: EngineTable): AsyncGenerator<RowBatch, void, undefined> {
  const { engine, from, features, label, id, source } = table;
  const { dialect } = engine;
  const text = [label, id].flatMap((name) =>
    name === undefined ? [] : [`cast(${dialect.name(name)} as ${dialect.textType})`],
  );
  const d = features.length;
  const names = features.map(({ name }) => name);
  const expressions = [...features.map(({ sql }) => sql), ...text].map((sql, j) => `${sql} as c${j}`);
  let first = 0;
  let rows = new Float64Array(BATCH * d);
  let filled = 0;
  let texts: string[][] = text.map(() => []);
  const take = (): RowBatch => {
    const values = (at: number): readonly string[] => texts[at];
    const batch = {
      names,
      X: matrix(filled, d, rows.subarray(0, filled * d)),
      ...(label !== undefined && { label: { name: label, values: values(0) } }),
      ...(id !== undefined && { ids: { name: id, values: values(label === undefined ? 0 : 1) } }),
      source,
      first,
    };
    first += filled;
    rows = new Float64Array(BATCH * d);
    filled = 0;
    texts = text.map(() => []);
    return batch;
  };
  for await (const chunk of engine.query(`select ${expressions.join(", ")} from ${from}`)) {
    for (let from = 0; from < chunk.rows;) {
      const to = Math.min(chunk.rows, from + BATCH - filled);
      for (let f = 0; f < d; f++) fillColumn(rows, filled * d + f, d, chunk.columns[f], from, to);
      texts.forEach((values, k) => {
        for (let i = from; i < to; i++) values.push(String(chunk.columns[d + k][i] ?? ""));
      });
      filled += to - from;
      from = to;
      if (filled === BATCH) yield take();
    }
  }
  if (filled > 0) yield take();
}

function fillColumn(
  rows: Float64Array,
  start: number,
  stride: number,
  column: EngineColumn,
  from: number,
  to: number,
): void {
  for (let i = from, p = start; i < to; i++, p += stride) rows[p] = column[i] as number;
}
