import type { Pair } from "../data/constraints.ts";
import type { Edges } from "../graph/edges.ts";
import { takeRows, type Matrix } from "../matrix/matrix.ts";
import { placesIn, valueOrder } from "../matrix/valueOrder.ts";

/** What options say about single rows. */
export interface RowOptions {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  readonly graph?: Edges;
}

/**
 * A method on the rows in the order of their values (valueOrder.ts): ties, sums and random starts do not depend on the
 * order in which the rows came.
 *
 * @param perRow options that have one entry for each row
 * @param back the result for the rows as they came; `order` has the row at each place of the result
 */
export function inValueOrder<O extends RowOptions, R>(
  X: Matrix,
  options: O,
  perRow: readonly (keyof O)[],
  run: (X: Matrix, options: O) => R,
  back: (result: R, order: Int32Array) => R,
): R {
  if (!X.data.every(Number.isFinite)) return run(X, options);
  const order = valueOrder(X);
  if (order.every((row, place) => row === place)) return run(X, options);
  const moved = optionsInOrder(options, perRow, order);
  if (moved === undefined) return run(X, options);
  try {
    return back(run(takeRows(X, order), moved), order);
  } catch (error) {
    // What is wrong with a pair or a label is said with the number that the row came with.
    run(X, options);
    throw error;
  }
}

/** Undefined where they do not fit the rows, which the method says itself. */
function optionsInOrder<O extends RowOptions>(
  options: O,
  perRow: readonly (keyof O)[],
  order: Int32Array,
): O | undefined {
  const places = placesIn(order);
  const moved = { ...options } as Record<PropertyKey, unknown>;
  for (const name of perRow) {
    const values = options[name] as ArrayLike<unknown> | undefined;
    if (values === undefined) continue;
    if (typeof values !== "object" || values === null || values.length !== order.length) return undefined;
    moved[name] = Array.from(order, (row) => values[row]);
  }
  for (const name of ["mustLink", "cannotLink"] as const) {
    const pairs: unknown = options[name];
    if (pairs === undefined) continue;
    if (!Array.isArray(pairs) || !pairs.every((pair) => isPair(pair, order.length))) return undefined;
    // In an order of their own, since that in which they came follows the rows in most files.
    moved[name] = pairs
      .map(([i, j]): Pair => [Math.min(places[i], places[j]), Math.max(places[i], places[j])])
      .sort(([a, b], [c, d]) => a - c || b - d);
  }
  if (options.graph !== undefined) {
    const { nodes, from, to } = options.graph ?? {};
    if (nodes !== order.length || !isRows(from, nodes) || !isRows(to, nodes)) return undefined;
    moved.graph = { ...options.graph, from: from.map((i) => places[i]), to: to.map((i) => places[i]) };
  }
  return moved as O;
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
