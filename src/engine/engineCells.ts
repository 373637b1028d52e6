import type { RawColumn } from "../data/index.ts";
import type { RawTable } from "../data/internal.ts";
import type { EngineBatch, EngineColumn } from "./engine.ts";

/** The cells of an answer as in a file: numbers, and texts of unknown kind. */
export function engineCells({ names, rows, columns }: EngineBatch, source: string): RawTable {
  return { source, rows, columns: columns.map((column, j) => rawColumn(names[j], column)), notes: [] };
}

function rawColumn(name: string, column: EngineColumn): RawColumn {
  // The batch releases its numbers, so they are copied; an infinite value counts as missing.
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
