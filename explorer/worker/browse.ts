import { cellText, type Column } from "kindred/data";
import {
  CLUSTER_KEY,
  NEAR_KEY,
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
export function summarize(table: TableData): readonly ColumnSummary[] {
  return knownOf(table).columns.map(({ summary }) => summary);
}

/** A column as it is counted: the place of each row among the counts, of which the last is not shown. */
interface Counted {
  readonly summary: ColumnSummary;
  readonly places: Uint8Array;
  readonly counts: Uint32Array;
}

/** What is known of the table looked at: its columns, orders, and the rows that the last filters left. */
interface Known {
  readonly table: TableData;
  readonly columns: readonly Counted[];
  readonly orders: Map<string, Int32Array>;
  inside: Uint8Array;
}

let known: Known | undefined;

function knownOf(table: TableData): Known {
  if (known?.table === table) return known;
  const columns = table.columns.map((column) => countedOf(column, table.rows));
  known = { table, columns, orders: new Map(), inside: new Uint8Array(table.rows).fill(1) };
  return known;
}

function countedOf(column: Column, rows: number): Counted {
  const { name, values, codes, levels, missing, kind } = column;
  if (codes !== undefined && levels !== undefined) {
    const all = new Uint32Array(levels.length);
    for (let i = 0; i < rows; i++) if (codes[i] >= 0) all[codes[i]]++;
    const order = [...all.keys()].sort((a, b) => all[b] - all[a] || a - b).slice(0, LEVELS);
    const place = new Uint8Array(levels.length).fill(order.length);
    for (const [at, code] of order.entries()) place[code] = at;
    const frequent = order.map((code) => ({ code, level: levels[code], count: all[code] }));
    const summary = { name, kind: "levels", missing, levels: frequent, all: levels.length } as const;
    return counted(summary, order.length, rows, (i) => (codes[i] < 0 ? order.length : place[codes[i]]));
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
      const unit = bins / (high - low);
      const found = counted({ name, kind: "other", missing }, bins, rows, (i) => {
        const bin = Math.floor((values[i] - low) * unit);
        return bin >= 0 ? Math.min(bin, bins - 1) : bins;
      });
      const counts = found.counts.slice(0, -1);
      return { ...found, summary: { name, kind: "numbers", missing, low, high, bins, counts } };
    }
  }
  return counted({ name, kind: "other", missing }, 0, rows, () => 0);
}

function counted(
  summary: ColumnSummary,
  length: number,
  rows: number,
  place: (i: number) => number,
): Counted {
  const [places, counts] = [new Uint8Array(rows), new Uint32Array(length + 1)];
  for (let i = 0; i < rows; i++) counts[(places[i] = place(i))]++;
  return { summary, places, counts };
}

/** The rows left by brushes, a search and a cluster, in an order, and the contents of their columns. */
export function browse(table: TableData, asked: BrowseQuestion): Browsed {
  const state = knownOf(table);
  const { brushes, text, order, labels, only, distances } = asked;
  const n = table.rows;
  const brushed = Object.keys(brushes).length > 0;
  const inside = brushed ? brushedRows(table, brushes) : undefined;
  const wanted = text.trim().toLowerCase();
  const has = wanted === "" ? undefined : searching(table, wanted);
  const from =
    order === undefined
      ? undefined
      : orderedRows(state, order.column, order.column === NEAR_KEY ? distances : labels);
  const listed = new Int32Array(n);
  let count = 0;
  for (let p = 0; p < n; p++) {
    const row = from === undefined ? p : from[order!.down ? n - 1 - p : p];
    if (inside !== undefined && inside[row] === 0) continue;
    if (only !== undefined && labels?.[row] !== only) continue;
    if (has !== undefined && !has(row)) continue;
    listed[count++] = row;
  }
  const left = listed.slice(0, count);
  return {
    rows: left,
    ...(inside !== undefined && { inside }),
    ...(count < n && { counts: countsOf(state, left) }),
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

/** The counts of the rows that are left: only rows that came or went are counted. */
function countsOf(state: Known, left: Int32Array): (Uint32Array | undefined)[] {
  const inside = new Uint8Array(state.table.rows);
  for (const row of left) inside[row] = 1;
  const [came, went] = [changes(inside, state.inside), changes(state.inside, inside)];
  state.inside = inside;
  return state.columns.map(({ summary, places, counts }) => {
    if (summary.kind === "other") return undefined;
    for (const row of came) counts[places[row]]++;
    for (const row of went) counts[places[row]]--;
    return counts.slice(0, -1);
  });
}

/** The rows in the first set and not in the second. */
function changes(these: Uint8Array, those: Uint8Array): Int32Array {
  const rows = new Int32Array(these.length);
  let count = 0;
  for (let i = 0; i < these.length; i++) {
    rows[count] = i;
    count += these[i] & ~those[i];
  }
  return rows.subarray(0, count);
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
  { table, orders }: Known,
  name: string,
  numbers: ArrayLike<number> | undefined,
): Int32Array {
  if ((name === CLUSTER_KEY || name === NEAR_KEY) && numbers !== undefined)
    return byNumbers(table.rows, numbers);
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
