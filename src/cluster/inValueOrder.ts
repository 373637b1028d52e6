import type { Pair } from "../data/index.ts";
import type { Edges } from "../graph/index.ts";
import type { Matrix, Sparse } from "../matrix/index.ts";
import { placesIn } from "../matrix/internal.ts";
import { runInOrder, type Link } from "./runInOrder.ts";

/** The part of the options that concerns pairs of rows. */
interface RowOptions {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
  /** Between rows, or the name of a kind. */
  readonly graph?: Edges | string;
}

/** As `runInOrder`, for a method whose options may have pairs of rows or a graph, which follow the rows. */
export function inValueOrder<M extends Matrix | Sparse, O extends object, R>(
  X: M,
  options: O,
  perRow: readonly (keyof O)[],
  run: (X: M, options: O) => R,
  back: (result: R, order: Int32Array) => R,
): R {
  return runInOrder(X, options, perRow, run, back, undefined, { of: linksOf, moved: linksInOrder });
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
