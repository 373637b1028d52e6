import type { RawColumn, RawTable } from "../data/columns/cells/rawColumn.ts";
import type { EngineBatch, EngineColumn } from "./engine.ts";

/** The cells of an answer as a file would have them: numbers, and texts whose kinds are not known yet. */
export function engineCells({ names, rows, columns }: EngineBatch, source: string): RawTable {
  return { source, rows, columns: columns.map((column, j) => rawColumn(names[j], column)), notes: [] };
}

function rawColumn(name: string, column: EngineColumn): RawColumn {
  // The batch gives its numbers back, so they are kept as a copy; what is infinite is no number.
  if (column instanceof Float64Array) {
    return { name, numbers: column.map((value) => (Number.isFinite(value) ? value : Number.NaN)) };
  }
  const places = new Map<string, number>();
  const codes = Int32Array.from(column, (cell) => {
    const text = cell?.trim() ?? "";
    if (text === "") return -1;
    const place = places.get(text) ?? places.size;
    places.set(text, place);
    return place;
  });
  return { name, texts: [...places.keys()], codes };
}
