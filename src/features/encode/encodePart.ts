import type { Column, Table } from "../../data/index.ts";
import { matrix, storeMatrix } from "../../matrix/index.ts";
import type { Candidate } from "./candidates.ts";
import { daysBetween, levelsOf, numbersOf, textOf } from "../../data/internal.ts";
import { encodeCyclic, encodeNumbers, numbersFor } from "./numberEncoding.ts";
import type { Encoding, FeaturePart, NumberEncoding } from "../featureRecord.ts";
import { encodeLevels } from "./levelsEncoding.ts";
import { encodeWords } from "./encodeWords.ts";
import { encodeVectors } from "./vectorEncoding.ts";

/** The columns of a table by name, and its number of rows. */
export interface Cells {
  readonly rows: number;
  readonly column: (name: string) => Column | undefined;
  /** Receives levels that the record does not know. */
  readonly unknown?: (column: string, level: string, count: number) => void;
}

export function cellsOf(table: Table): Cells {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  return { rows: table.rows, column: (name) => byName.get(name) };
}

/** The data needed to compute the features of a part. */
export type Encoded = Pick<FeaturePart, "column" | "encoding" | "adjust">;

/** Rows x features of one part before its weight; NaN where cells are missing. */
export function encodePart(part: Encoded, cells: Cells, rows: ArrayLike<number>): Float64Array {
  const block = encode(part.encoding, part.column, cells, rows);
  for (const { column, levels, means } of part.adjust ?? []) {
    const { cols: width, data } = means;
    const places = new Map(levels.map((level, k) => [level, k]));
    const given = levelsOf(cells.column(column), cells.rows);
    const place = given.levels.map((level) => places.get(level) ?? -1);
    for (let r = 0; r < rows.length; r++) {
      const code = given.codes[rows[r]];
      const k = code < 0 ? -1 : place[code];
      if (k < 0) continue;
      for (let f = 0; f < width; f++) block[r * width + f] -= data[k * width + f];
    }
  }
  return block;
}

/** Subtracts the mean of each level of the named columns from numbers, dates, texts and vectors. */
export function adjustedFor(
  candidate: Candidate,
  names: readonly string[],
  cells: Cells,
  sample: Int32Array,
): Candidate {
  if (candidate.encoding.form === "levels" || candidate.encoding.form === "mark") return candidate;
  let out = candidate;
  for (const column of names) {
    const block = encodePart(out, cells, sample);
    const width = candidate.names.length;
    const { levels, codes } = levelsOf(cells.column(column), cells.rows);
    const means = matrix(levels.length, width);
    const counts = new Float64Array(levels.length);
    for (let r = 0; r < sample.length; r++) {
      const code = codes[sample[r]];
      if (code < 0 || Number.isNaN(block[r * width])) continue;
      counts[code]++;
      for (let f = 0; f < width; f++) means.data[code * width + f] += block[r * width + f];
    }
    // The mean of a level with few rows is not reliable enough.
    for (let p = 0; p < means.data.length; p++) {
      const count = counts[Math.floor(p / width)];
      means.data[p] = count < 5 ? 0 : means.data[p] / count;
    }
    out = { ...out, adjust: [...(out.adjust ?? []), { column, levels, means: storeMatrix(means) }] };
  }
  return out;
}

function encode(encoding: Encoding, name: string, cells: Cells, rows: ArrayLike<number>): Float64Array {
  const column = cells.column(name);
  const unknown = (level: string, count: number): void => cells.unknown?.(name, level, count);
  switch (encoding.form) {
    case "number":
      return encodeNumbers(encoding, rawNumbers(encoding, name, cells, rows));
    case "levels":
      return encodeLevels(encoding, column, rows, cells.rows, unknown);
    case "cyclic":
      return encodeCyclic(encoding, taken(numbersOf(column, cells.rows), rows));
    case "vector":
      return encodeVectors(encoding, column?.vectors, rows);
    case "words":
      return encodeWords(encoding, textOf(column), rows);
    case "mark": {
      const { share, spread } = encoding;
      return taken(numbersOf(column, cells.rows), rows).map((x) => (Number(x === 0) - share) / spread);
    }
  }
}

/** The numbers of the chosen rows; the days since another date. */
function rawNumbers(
  encoding: NumberEncoding,
  name: string,
  cells: Cells,
  rows: ArrayLike<number>,
): Float64Array {
  const unknown = (level: string, count: number): void => cells.unknown?.(name, level, count);
  if (encoding.since !== undefined) {
    return taken(daysBetween(cells.column(encoding.since), cells.column(name), cells.rows), rows);
  }
  const values = taken(numbersFor(encoding, cells.column(name), cells.rows, unknown), rows);
  return encoding.amount === true ? values.map((value) => (value === 0 ? Number.NaN : value)) : values;
}

function taken(values: Float64Array, rows: ArrayLike<number>): Float64Array {
  const out = new Float64Array(rows.length);
  for (let r = 0; r < rows.length; r++) out[r] = values[rows[r]];
  return out;
}
