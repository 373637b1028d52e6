import { cellText, type Column } from "kindred/data";
import {
  CLUSTER_KEY,
  type Browsed,
  type BrowseQuestion,
  type Brush,
  type ColumnSummary,
  type TableData,
} from "../protocol.ts";

const BINS = 24;
/** Levels that are counted separately. */
const LEVELS = 8;
/** Rows up to which texts are sorted with numbers in natural order. */
const COLLATED = 20_000;

/** The contents of each column: a histogram, or the count of each level. */
export function summarize({ columns, rows }: TableData): ColumnSummary[] {
  return columns.map((column) => summaryOf(column, rows));
}

function summaryOf(column: Column, rows: number): ColumnSummary {
  const { name, values, codes, levels, missing, kind } = column;
  if (codes !== undefined && levels !== undefined) {
    const counts = new Uint32Array(levels.length);
    for (let i = 0; i < rows; i++) if (codes[i] >= 0) counts[codes[i]]++;
    const order = [...counts.keys()].sort((a, b) => counts[b] - counts[a] || a - b).slice(0, LEVELS);
    return {
      name,
      kind: "levels",
      missing,
      levels: order.map((code) => ({ code, level: levels[code], count: counts[code] })),
      all: levels.length,
    };
  }
  if (values !== undefined && kind !== "constant" && kind !== "empty") {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < rows; i++) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
    if (low < high) {
      const whole = values.every((value) => Number.isNaN(value) || Number.isInteger(value));
      const bins = whole ? Math.min(BINS, high - low + 1) : BINS;
      const summary = { name, kind: "numbers", missing, low, high, bins } as const;
      return { ...summary, counts: histogram(values, summary, undefined) };
    }
  }
  return { name, kind: "other", missing };
}

type Binned = Pick<Extract<ColumnSummary, { kind: "numbers" }>, "low" | "high" | "bins">;

function histogram(
  values: Float64Array,
  { low, high, bins }: Binned,
  inside: Uint8Array | undefined,
): Uint32Array {
  const counts = new Uint32Array(bins);
  const unit = bins / (high - low);
  for (let i = 0; i < values.length; i++) {
    if (inside !== undefined && inside[i] === 0) continue;
    const bin = Math.floor((values[i] - low) * unit);
    if (bin >= 0) counts[bin < bins ? bin : bins - 1]++;
  }
  return counts;
}

let known:
  | { readonly table: TableData; readonly summary: ColumnSummary[]; orders: Map<string, Int32Array> }
  | undefined;

/** The rows left by brushes, a search and a cluster, in an order, and the contents of their columns. */
export function browse(table: TableData, asked: BrowseQuestion): Browsed {
  if (known?.table !== table) known = { table, summary: summarize(table), orders: new Map() };
  const { brushes, text, order, labels, only } = asked;
  const n = table.rows;
  const brushed = Object.keys(brushes).length > 0;
  const inside = brushed ? brushedRows(table, brushes) : undefined;
  const wanted = text.trim().toLowerCase();
  const has = wanted === "" ? undefined : searching(table, wanted);
  const from = order === undefined ? undefined : orderedRows(known, order.column, labels);
  const listed = new Int32Array(n);
  let count = 0;
  for (let p = 0; p < n; p++) {
    const row = from === undefined ? p : from[order!.down ? n - 1 - p : p];
    if (inside !== undefined && inside[row] === 0) continue;
    if (only !== undefined && labels?.[row] !== only) continue;
    if (has !== undefined && !has(row)) continue;
    listed[count++] = row;
  }
  const counts = brushed
    ? known.summary.map((summary, c) => insideCounts(table.columns[c], summary, inside))
    : undefined;
  return {
    rows: listed.slice(0, count),
    ...(inside !== undefined && { inside }),
    ...(counts !== undefined && { counts }),
  };
}

function brushedRows({ columns, rows }: TableData, brushes: BrowseQuestion["brushes"]): Uint8Array {
  const inside = new Uint8Array(rows).fill(1);
  for (const { name, values, codes } of columns) {
    const brush: Brush | undefined = brushes[name];
    if (brush === undefined) continue;
    if ("levels" in brush && codes !== undefined) {
      const wanted = new Set(brush.levels);
      for (let i = 0; i < rows; i++) if (!wanted.has(codes[i])) inside[i] = 0;
    } else if ("from" in brush && values !== undefined) {
      const { from, to } = brush;
      for (let i = 0; i < rows; i++) if (!(values[i] >= from && values[i] <= to)) inside[i] = 0;
    }
  }
  return inside;
}

function insideCounts(
  { values, codes }: Column,
  summary: ColumnSummary,
  inside: Uint8Array | undefined,
): Uint32Array | undefined {
  if (summary.kind === "numbers") return histogram(values!, summary, inside);
  if (summary.kind !== "levels") return undefined;
  const counts = new Uint32Array(summary.all);
  for (let i = 0; i < codes!.length; i++) if (codes![i] >= 0 && inside?.[i] !== 0) counts[codes![i]]++;
  return Uint32Array.from(summary.levels, ({ code }) => counts[code]);
}

/** Whether a row contains a text in any cell, or has that row number. */
function searching({ columns }: TableData, text: string): (row: number) => boolean {
  const tests = columns.map((column) => holding(column, text)).filter((test) => test !== undefined);
  const own = /^(?:row )?(\d+)$/.exec(text)?.[1];
  return (row) => String(row) === own || tests.some((test) => test(row));
}

/** Fast enough for very many rows. */
function holding(column: Column, text: string): ((row: number) => boolean) | undefined {
  const { cells, levels, codes, values, kind } = column;
  if (cells !== undefined) return (row) => cells[row].toLowerCase().includes(text);
  if (levels !== undefined && codes !== undefined) {
    const found = levels.map((level) => level.toLowerCase().includes(text));
    if (!found.includes(true)) return undefined;
    return (row) => codes[row] >= 0 && found[codes[row]];
  }
  if (values === undefined || !/^[\d.+-]+$/.test(text)) return undefined;
  return kind === "number"
    ? (row) => String(values[row]).startsWith(text)
    : (row) => cellText(column, row).startsWith(text);
}

/** All rows sorted by a column; the last orders are cached. */
function orderedRows(
  { table, orders }: NonNullable<typeof known>,
  name: string,
  labels: ArrayLike<number> | undefined,
): Int32Array {
  if (name === CLUSTER_KEY && labels !== undefined) return byNumbers(table.rows, labels);
  const kept = orders.get(name);
  if (kept !== undefined) return kept;
  const column = table.columns.find((one) => one.name === name);
  const order =
    column === undefined ? Int32Array.from({ length: table.rows }, (_, i) => i) : byColumn(column, table);
  orders.set(name, order);
  return order;
}

function byColumn(column: Column, { rows }: TableData): Int32Array {
  const { values, codes, levels, kind } = column;
  if (values !== undefined) return byNumbers(rows, values);
  if (codes !== undefined && levels !== undefined) {
    const places = kind === "ordered" ? levels.map((_, place) => place) : alphabetic(levels);
    return byNumbers(
      rows,
      Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : places[code])),
    );
  }
  const texts = Array.from({ length: rows }, (_, i) => cellText(column, i));
  const places = alphabetic(texts);
  return byNumbers(rows, places);
}

/** The rank of each text. */
function alphabetic(texts: readonly string[]): Float64Array {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const keys = texts.length <= COLLATED ? texts : texts.map((text) => text.toLowerCase());
  const before =
    texts.length <= COLLATED ? compare : (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const order = [...keys.keys()].sort((a, b) => before(keys[a], keys[b]) || a - b);
  const places = new Float64Array(texts.length);
  order.forEach((at, place) => (places[at] = texts[at] === "" ? Number.NaN : place));
  return places;
}

/** Missing values last. */
function byNumbers(rows: number, values: ArrayLike<number>): Int32Array {
  const key = (i: number): number => (Number.isNaN(values[i]) ? Infinity : values[i]);
  return Int32Array.from({ length: rows }, (_, i) => i).sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    return x < y ? -1 : x > y ? 1 : a - b;
  });
}
