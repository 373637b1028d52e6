import type { RawColumn, RawTable } from "./rawColumn.ts";

/** The named rows of a column. */
export function takeRawRows(column: RawColumn, rows: Int32Array): RawColumn {
  const { maybeMissing: _, ...rest } = column;
  const { numbers, codes, texts, vectors, dimensions = 0 } = rest;
  const places = new Map<number, number>();
  const own =
    codes &&
    Int32Array.from(rows, (i) => {
      const code = codes[i];
      if (code < 0) return -1;
      if (!places.has(code)) places.set(code, places.size);
      return places.get(code)!;
    });
  const taken = vectors && new Float64Array(rows.length * dimensions);
  rows.forEach((row, i) =>
    taken?.set(vectors!.subarray(row * dimensions, (row + 1) * dimensions), i * dimensions),
  );
  return {
    ...rest,
    ...(numbers && { numbers: Float64Array.from(rows, (i) => numbers[i]) }),
    ...(own && { codes: own, texts: Array.from(places.keys(), (code) => texts![code]) }),
    ...(taken && { vectors: taken }),
  };
}

/** A table in parts of at most `most` rows; a smaller one is returned unchanged. */
export function* rawParts(raw: RawTable, most: number): Generator<RawTable, void, undefined> {
  if (raw.rows <= most) {
    yield raw;
    return;
  }
  for (let from = 0; from < raw.rows; from += most) {
    const rows = Int32Array.from({ length: Math.min(most, raw.rows - from) }, (_, i) => from + i);
    const columns = raw.columns.map((column) => takeRawRows(column, rows));
    yield { ...raw, rows: rows.length, columns };
  }
}
