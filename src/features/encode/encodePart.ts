import type { Column, Table } from "../../data/index.ts";
import { daysBetween, levelsOf, missingTest, textOf, vectorsOf, zeroTest } from "../columnCells.ts";
import { encodeCyclic } from "./cyclicEncoding.ts";
import type { Encoding, FeaturePart, NumberEncoding } from "../featureRecord.ts";
import { encodeLevels } from "./levelsEncoding.ts";
import { encodeNumbers, numbersFor } from "./numberEncoding.ts";
import { encodeText } from "./textEncoding.ts";
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

function encode(encoding: Encoding, name: string, cells: Cells, rows: ArrayLike<number>): Float64Array {
  const column = cells.column(name);
  const unknown = (level: string, count: number): void => cells.unknown?.(name, level, count);
  switch (encoding.form) {
    case "number":
      return encodeNumbers(encoding, rawNumbers(encoding, name, cells, rows));
    case "copies": {
      const blocks = encoding.members.map((member) =>
        encodeNumbers(member.encoding, rawNumbers(member.encoding, member.column, cells, rows)),
      );
      const out = new Float64Array(rows.length);
      for (let r = 0; r < rows.length; r++) {
        let sum = 0;
        let count = 0;
        encoding.members.forEach(({ sign }, k) => {
          if (Number.isNaN(blocks[k][r])) return;
          sum += sign * blocks[k][r];
          count++;
        });
        out[r] = count === 0 ? Number.NaN : (sum / count - encoding.center) / encoding.spread;
      }
      return out;
    }
    case "levels":
      return encodeLevels(encoding, column, rows, cells.rows, unknown);
    case "cyclic":
      return encodeCyclic(encoding, taken(numbersFor(NO_LEVELS, column, cells.rows), rows));
    case "vector":
      return encodeVectors(encoding, vectorsOf(column), rows);
    case "text":
      return encodeText(encoding, textOf(column), rows);
    case "mark": {
      const tests = encoding.of.map((of) =>
        encoding.where === "zero" ? zeroTest(cells.column(of), cells.rows) : missingTest(cells.column(of)),
      );
      return Float64Array.from(
        { length: rows.length },
        (_, r) =>
          ((2 * tests.filter((test) => test(rows[r])).length > tests.length ? 1 : 0) - encoding.share) /
          encoding.spread,
      );
    }
  }
}

/** The numbers of the chosen rows, minus the mean of their battery; the days since another date. */
export function rawNumbers(
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
  if (encoding.amount === true) return values.map((value) => (value === 0 ? Number.NaN : value));
  if (encoding.lessMeanOf === undefined) return values;
  const means = meansOf(encoding.lessMeanOf, cells, rows);
  return values.map((value, r) => value - means[r]);
}

/** The mean of the present columns over each row. */
function meansOf(names: readonly string[], cells: Cells, rows: ArrayLike<number>): Float64Array {
  const key = names.join("\u0000");
  const known = MEANS.get(cells)?.get(key);
  if (known !== undefined && known.length === rows.length) return known;
  const sums = new Float64Array(rows.length);
  const counts = new Float64Array(rows.length);
  for (const name of names) {
    const values = taken(numbersFor(NO_LEVELS, cells.column(name), cells.rows), rows);
    for (let r = 0; r < rows.length; r++) {
      if (Number.isNaN(values[r])) continue;
      sums[r] += values[r];
      counts[r]++;
    }
  }
  const means = sums.map((sum, r) => sum / counts[r]);
  const own = MEANS.get(cells) ?? new Map<string, Float64Array>();
  MEANS.set(cells, own.set(key, means));
  return means;
}

/** Every column of a battery needs the same means. */
const MEANS = new WeakMap<Cells, Map<string, Float64Array>>();
const NO_LEVELS: NumberEncoding = { form: "number", transform: "none", center: 0, spread: 1 };

function taken(values: Float64Array, rows: ArrayLike<number>): Float64Array {
  const out = new Float64Array(rows.length);
  for (let r = 0; r < rows.length; r++) out[r] = values[rows[r]];
  return out;
}
