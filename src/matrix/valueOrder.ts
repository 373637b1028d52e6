import { KindredError } from "../core/index.ts";
import { extended } from "../core/internal.ts";
import { largestSize, matrix, takeRows, type Matrix } from "./matrix.ts";
import { isSparse, takeSparseRows, type Sparse } from "./sparse.ts";

/**
 * The rows in the order of their values: by the first column, ties by the next; equal rows keep their input
 * order. Computations in this order are the same, to the last bit, for every order of the input. The order
 * stays when columns are shifted, or stretched by a positive factor. Rows must be finite.
 *
 * A column is sorted by two digits of its values on the scale from its least value to its largest; rows that these leave
 * equal are sorted again, on their own scale, and by the next column where this one is the same. Few rows are compared.
 */
export function valueOrder(X: Matrix | Sparse): Int32Array {
  const n = X.rows;
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  if (isOrdered(X)) return order;
  const compare = (i: number, j: number): number => compareRows(X, i, j) || i - j;
  if (isSparse(X)) return order.sort(compare);
  const values = new Float64Array(n);
  const [keys, otherKeys, otherRows] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
  // Runs of rows that are equal in the columns before the given one.
  const runs = [[0, n, 0]];
  for (let run = runs.pop(); run !== undefined; run = runs.pop()) {
    const [start, end, f] = run;
    const m = end - start;
    if (f === X.cols) continue;
    const rows = order.subarray(start, end);
    const [least, most] = readColumn(X, f, rows, values);
    const scale = (2 ** (2 * DIGIT) - 1) / (most - least);
    if (least === most) runs.push([start, end, f + 1]);
    else if (m <= FEW || !(scale > 0 && scale < Infinity)) rows.sort(compare);
    else {
      scaleKeys(m, values, least, scale, keys);
      sortByDigit(m, 0, keys, rows, otherKeys, otherRows);
      sortByDigit(m, DIGIT, otherKeys, otherRows, keys, rows);
      for (const [first, last] of equalKeys(m, keys)) {
        if (last - first > 2) runs.push([start + first, start + last, f]);
        else if (compare(rows[first], rows[first + 1]) > 0)
          [rows[first], rows[first + 1]] = [rows[first + 1], rows[first]];
      }
    }
  }
  return order;
}

const ascents = new WeakMap<Float64Array, Int32Array>();

/**
 * The rows that have a value, which is not NaN, in ascending order; equal values keep their input order. It is kept with
 * the values, since the features of a column and the words about its clusters both need it, and looked through when it is
 * asked for again: a program may have written into its array.
 */
export function ascending(values: Float64Array): Int32Array {
  let rows = ascents.get(values);
  if (rows === undefined || !ascends(values, rows)) ascents.set(values, (rows = ascent(values)));
  return rows;
}

function ascends(values: Float64Array, rows: Int32Array): boolean {
  let missing = 0;
  for (let i = 0; i < values.length; i++) if (Number.isNaN(values[i])) missing++;
  for (let p = 1; p < rows.length; p++) {
    const [i, j] = [rows[p - 1], rows[p]];
    if (!(values[i] < values[j] || (values[i] === values[j] && i < j))) return false;
  }
  return missing + rows.length === values.length;
}

function ascent(values: Float64Array): Int32Array {
  const present = new Int32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) if (!Number.isNaN(values[i])) present[count++] = i;
  const column = matrix(values.length, 1, values);
  if (count === values.length) return valueOrder(column);
  const rows = present.slice(0, count);
  return valueOrder(takeRows(column, rows)).map((p) => rows[p]);
}

/** Up to this many rows, comparisons are faster than digits. */
const FEW = 256;
/** Bits of a digit. */
const DIGIT = 11;

// Long loops have functions of their own, which JavaScript engines optimise soon and for good.

/** Reads a column of some rows; returns its least and its largest value. */
function readColumn({ cols: d, data }: Matrix, f: number, rows: Int32Array, values: Float64Array): number[] {
  let least = Infinity;
  let most = -Infinity;
  for (let p = 0; p < rows.length; p++) {
    const value = data[rows[p] * d + f];
    values[p] = value;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

/** Values become integers; no rounding exchanges the order of two. */
function scaleKeys(m: number, values: Float64Array, least: number, scale: number, keys: Int32Array): void {
  for (let p = 0; p < m; p++) keys[p] = (values[p] - least) * scale;
}

/** Where sorted keys are equal: from where, to before where. */
function equalKeys(m: number, keys: Int32Array): number[][] {
  const runs = [];
  for (let first = 0, p = 1; p <= m; p++) {
    if (p < m && keys[p] === keys[first]) continue;
    if (p - first > 1) runs.push([first, p]);
    first = p;
  }
  return runs;
}

/** Sorts m keys and their rows by the digit from the bit `shift` on, those of equal digits in their order. */
function sortByDigit(
  m: number,
  shift: number,
  keys: Int32Array,
  rows: Int32Array,
  toKeys: Int32Array,
  toRows: Int32Array,
): void {
  const places = new Int32Array(2 ** DIGIT + 1);
  for (let p = 0; p < m; p++) places[((keys[p] >> shift) & (2 ** DIGIT - 1)) + 1]++;
  for (let v = 1; v < places.length; v++) places[v] += places[v - 1];
  for (let p = 0; p < m; p++) {
    const q = places[(keys[p] >> shift) & (2 ** DIGIT - 1)]++;
    toKeys[q] = keys[p];
    toRows[q] = rows[p];
  }
}

/** Results for rows in `order`, one entry each, in the original order. */
export function inGivenOrder(values: Int32Array, order: Int32Array): Int32Array {
  const placed = new Int32Array(values.length);
  for (let p = 0; p < order.length; p++) placed[order[p]] = values[p];
  return placed;
}

/** The same for the rows of a matrix. */
export function rowsInGivenOrder(values: Matrix, order: Int32Array): Matrix {
  return takeRows(values, placesIn(order));
}

/** The position of each row in `order`. */
export function placesIn(order: Int32Array): Int32Array {
  const places = new Int32Array(order.length);
  for (let p = 0; p < order.length; p++) places[order[p]] = p;
  return places;
}

export function equalRows(X: Matrix | Sparse, i: number, j: number): boolean {
  return compareRows(X, i, j) === 0;
}

function compareRows(X: Matrix | Sparse, i: number, j: number): number {
  if (isSparse(X)) return compareSparseRows(X, i, j);
  const { cols: d, data } = X;
  for (let f = 0; f < d; f++) {
    const [a, b] = [data[i * d + f], data[j * d + f]];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** Missing entries are 0; the columns of a row are used as stored, ascending in all files. */
function compareSparseRows({ offsets, indices, values }: Sparse, i: number, j: number): number {
  let [p, q] = [offsets[i], offsets[j]];
  const [pEnd, qEnd] = [offsets[i + 1], offsets[j + 1]];
  while (p < pEnd || q < qEnd) {
    const column = Math.min(p < pEnd ? indices[p] : Infinity, q < qEnd ? indices[q] : Infinity);
    const a = p < pEnd && indices[p] === column ? values[p++] : 0;
    const b = q < qEnd && indices[q] === column ? values[q++] : 0;
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

function isOrdered(X: Matrix | Sparse): boolean {
  for (let i = 1; i < X.rows; i++) if (compareRows(X, i - 1, i) > 0) return false;
  return true;
}

/**
 * Rows of a matrix in another order. `data` is made when it is first read: whoever copies rows anyway
 * reads those of `given` in `order` instead.
 */
export interface ReorderedRows extends Matrix {
  readonly given: Matrix;
  readonly order: Int32Array;
}

export function reorderedRows(given: Matrix, order: Int32Array): ReorderedRows {
  let made: Float64Array | undefined;
  return {
    rows: order.length,
    cols: given.cols,
    given,
    order,
    get data() {
      return (made ??= takeRows(given, order).data);
    },
  };
}

export function isReordered(X: object): X is ReorderedRows {
  return "given" in X && "order" in X;
}

/** Two rows by their numbers. */
type Pair = readonly [number, number];

/** What options say about two rows. */
type Link = readonly [kind: string, i: number, j: number];

/** The part of the options that concerns pairs of rows; these follow the rows. */
interface RowOptions {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** Edges between rows, or the name of a kind. */
  readonly graph?:
    | {
        readonly nodes: number;
        readonly from: Int32Array;
        readonly to: Int32Array;
        readonly weights: Float64Array;
      }
    | string;
}

/**
 * Runs a method on the rows in the order of their values: ties, sums and random starts then
 * do not depend on the order of the input.
 *
 * @param perRow options that have one entry for each row
 * @param back the result for the rows as they came; `order` has the row at each place of the result
 * @param take the rows of a matrix in an order, for a method that refuses cells that are not finite itself
 */
export function inValueOrder<M extends Matrix | Sparse, O extends object, R>(
  X: M,
  options: O,
  perRow: readonly (keyof O)[],
  run: (X: M, options: O) => R,
  back: (result: R, order: Int32Array) => R,
  take?: (X: Matrix, order: Int32Array) => Matrix,
): R {
  const cells = isSparse(X) ? X.values : take === undefined ? X.data : undefined;
  if (cells !== undefined && Number.isNaN(largestSize(cells))) return run(X, options);
  const order = equalRowsApart(X, valueOrder(X), options, perRow);
  if (order.every((row, place) => row === place)) return run(X, options);
  const moved = optionsInOrder(options, perRow, order);
  if (moved === undefined) return run(X, options);
  try {
    const rows = isSparse(X) ? takeSparseRows(X, order) : (take ?? takeRows)(X, order);
    return back(run(rows as M, moved), order);
  } catch (error) {
    // The same error for the rows as they came, whose numbers its message may use.
    if (error instanceof KindredError) run(X, options);
    throw error;
  }
}

/**
 * The result of a method in the original order of rows: `names` are the fields with one entry for each row.
 */
export function asGiven<R extends { readonly labels: Int32Array }>(
  ...names: readonly (keyof R)[]
): (result: R, order: Int32Array) => R {
  return (result, order) => {
    const parts = ["labels" as keyof R, ...names].map((name) => {
      const part = result[name] as Int32Array | Matrix;
      return [
        name,
        part instanceof Int32Array ? inGivenOrder(part, order) : rowsInGivenOrder(part, order),
      ] as const;
    });
    return extended(result, Object.fromEntries(parts)) as unknown as R;
  };
}

/** Number of rounds in which the options about equal rows, then about their partners, decide their order. */
const ROUNDS = 3;

/**
 * Rows of equal values are ordered by the options about them. Returns `order` if all rows differ, or if the
 * options concern no single rows.
 */
function equalRowsApart<O extends object>(
  X: Matrix | Sparse,
  order: Int32Array,
  options: O,
  perRow: readonly (keyof O)[],
): Int32Array {
  if (typeof options !== "object" || options === null) return order;
  const said = perRow.map((name) => options[name] as ArrayLike<unknown> | null | undefined);
  const links = linksOf(options, X.rows);
  if (links.length === 0 && said.every((values) => values === undefined)) return order;
  let rank = new Int32Array(X.rows);
  for (let p = 1, r = 0; p < order.length; p++) {
    if (!equalRows(X, order[p - 1], order[p])) r = p;
    rank[order[p]] = r;
  }
  if (order.every((row, p) => rank[row] === p)) return order;
  let current = order;
  for (let round = 0; round < ROUNDS; round++) {
    const partners = new Map<number, string[]>();
    const add = (i: number, said: string): void => {
      if (partners.get(i)?.push(said) === undefined) partners.set(i, [said]);
    };
    for (const [kind, i, j] of links) {
      add(i, `${kind} ${rank[j]}`);
      add(j, `${kind} ${rank[i]}`);
    }
    const key = (i: number): string =>
      JSON.stringify([...said.map((values) => String(values?.[i])), ...(partners.get(i) ?? []).sort()]);
    const keys = Array.from({ length: X.rows }, (_, i) => key(i));
    const before = (i: number, j: number): number =>
      rank[i] - rank[j] || (keys[i] < keys[j] ? -1 : keys[i] > keys[j] ? 1 : 0);
    current = current.toSorted((i, j) => before(i, j) || i - j);
    const next = new Int32Array(X.rows);
    for (let p = 1, r = 0; p < current.length; p++) {
      if (before(current[p - 1], current[p]) !== 0) r = p;
      next[current[p]] = r;
    }
    if (next.every((r, i) => r === rank[i])) break;
    rank = next;
  }
  return current;
}

/** Undefined if they do not fit the rows, which the method itself reports. */
function optionsInOrder<O extends object>(
  options: O,
  perRow: readonly (keyof O)[],
  order: Int32Array,
): O | undefined {
  if (typeof options !== "object" || options === null) return undefined;
  const moved = { ...options } as Record<PropertyKey, unknown>;
  for (const name of perRow) {
    const values = options[name] as ArrayLike<unknown> | undefined;
    if (values === undefined) continue;
    if (typeof values !== "object" || values === null || values.length !== order.length) return undefined;
    moved[name] = Array.from(order, (row) => values[row]);
  }
  const linked = linksInOrder(options, order);
  return linked && (Object.assign(moved, linked) as O);
}

/** Pairs and edges between existing rows; the method itself reports the others. */
function linksOf({ mustLink, cannotLink, graph }: RowOptions, rows: number): Link[] {
  const pairs = (kind: string, list: unknown): Link[] =>
    (Array.isArray(list) ? list : []).flatMap((pair) =>
      isPair(pair, rows) ? [[kind, pair[0], pair[1]]] : [],
    );
  const edges =
    typeof graph === "object" && isRows(graph?.from, rows) && isRows(graph.to, rows) ? graph : undefined;
  return [
    ...pairs("must", mustLink),
    ...pairs("cannot", cannotLink),
    ...Array.from(edges?.from ?? [], (i, e): Link => [`edge ${edges!.weights?.[e]}`, i, edges!.to[e]]),
  ];
}

/** Undefined if they do not fit the rows, which the method itself reports. */
function linksInOrder(options: RowOptions, order: Int32Array): object | undefined {
  let found: Int32Array | undefined;
  const place = (i: number): number => (found ??= placesIn(order))[i];
  const moved: Record<string, unknown> = {};
  for (const name of ["mustLink", "cannotLink"] as const) {
    const pairs: unknown = options[name];
    if (pairs === undefined) continue;
    if (!Array.isArray(pairs) || !pairs.every((pair) => isPair(pair, order.length))) return undefined;
    moved[name] = pairs.map(([i, j]): Pair => [place(i), place(j)]);
  }
  const { graph } = options;
  if (typeof graph === "object") {
    const { nodes, from, to } = graph ?? {};
    if (nodes !== order.length || !isRows(from, nodes) || !isRows(to, nodes)) return undefined;
    moved.graph = { ...graph, from: from.map(place), to: to.map(place) };
  }
  return moved;
}

function isPair(pair: unknown, rows: number): pair is Pair {
  return Array.isArray(pair) && pair.length === 2 && isRows(pair, rows);
}

function isRows(values: unknown, rows: number): boolean {
  const list = values as ArrayLike<unknown> | undefined;
  return Array.prototype.every.call(
    list ?? [Number.NaN],
    (i: unknown) => Number.isInteger(i) && (i as number) >= 0 && (i as number) < rows,
  );
}
