import { inputError, optionError, progressGate, rule } from "../core/internal.ts";
import { matrix, nearestRows, type Matrix, type NearestRows } from "../matrix/index.ts";
import { describeValue, largestSize, requireMatrix, requireModerate } from "../matrix/internal.ts";
import { approximateNeighbors } from "./approximate/approximateNeighbors.ts";
import { searchTreeOf, withSearchTree, type KdTree } from "./kdTree.ts";

/** The k nearest other rows of every row: row i's neighbours are entries i k to (i + 1) k, nearest first. */
export interface Neighbors {
  readonly count: number;
  readonly indices: Int32Array;
  /** Squared Euclidean distances; by angle those of rows of length 1, 2 - 2 cos. */
  readonly distances: Float64Array;
  /** Estimated share of the returned neighbours that are the nearest; absent: all are. */
  readonly recall?: number;
}

const RULES = {
  /** "angle": between rows as directions from the origin. Default "euclidean". */
  distance: rule.oneOf(["euclidean", "angle"], "euclidean"),
  /**
   * "exact": certainly the nearest ones. "approximate": nearly all of them, if that is faster by a sample of
   * rows; else exact. Default "auto": exact if that takes a few seconds; otherwise as "approximate".
   */
  search: rule.oneOf(["auto", "exact", "approximate"], "auto"),
  /**
   * The sufficient share of true neighbours, estimated from a sample; default 0.95. An approximate search that
   * finds fewer is repeated with more work, and in the end replaced by an exact one.
   */
  recall: rule.real({ min: 0, max: 1, default: 0.95 }),
  /** Seed of the approximate search; default 0. */
  seed: rule.seed,
  /** A stopped approximate search returns what it has after one short pass, with its quality in `recall`. */
  onProgress: rule.progress,
};

export type NeighborOptions = rule.OptionsOf<typeof RULES>;

/** Numbers of rows, and of multiplications for all pairs, above which the search is approximate. */
const MANY_ROWS = 10_000;
const MANY_PRODUCTS = 1e11;

/**
 * k-nearest-neighbour search by squared Euclidean distance, in memory proportional to n (d + k). An exact
 * search orders equal distances by row number, so the answer does not depend on the search; a row is never
 * its own neighbour, but a duplicate of it is one at distance 0.
 */
export function nearestNeighbors(input: Matrix, k: number, options?: NeighborOptions): Neighbors {
  const { distance, search, recall, seed, onProgress } = rule.resolveOptions(
    "nearestNeighbors",
    options,
    RULES,
  );
  requireMatrix(input, "nearestNeighbors");
  const X = distance === "angle" ? directions(input) : input;
  if (!Number.isInteger(k) || k < 1 || k > X.rows - 1) {
    throw optionError(
      `nearestNeighbors: k must be an integer from 1 to ${X.rows - 1} (one less than the number of rows), got ${describeValue(k)}`,
    );
  }
  const { rows: n, cols: d } = X;
  const many = n >= MANY_ROWS && n * n * d >= MANY_PRODUCTS;
  const close = search === "approximate" || (search === "auto" && many);
  const compared = (): Neighbors => {
    if (!close) return { count: k, ...nearestRows(X, k) };
    const largest = requireModerate(X);
    const gate = progressGate(onProgress);
    const found = approximateNeighbors(X, k, { seed, enough: recall, largest }, (fraction) =>
      gate({ fraction, label: "neighbours" }),
    );
    return { count: k, ...(found ?? nearestRows(X, k)) };
  };
  if (d > TREE_DIMENSIONS || n < LEAST_ROWS || search === "approximate") return compared();
  requireModerate(X);
  const nearest = withSearchTree(X, (tree) => (tree.measured(k) > TREE_SHARE ? undefined : tree.nearest(k)));
  return nearest === undefined ? compared() : { count: k, ...nearest };
}

/** Beyond this number of columns a tree is not tried. */
const TREE_DIMENSIONS = 24;
const LEAST_ROWS = 1000;
/**
 * Share of the rows that a search in the tree may measure and still be faster than blocks of all rows; by
 * timings.
 */
const TREE_SHARE = 0.06;

/** Rows of length 1, by their largest values: so no square leaves the number range. */
export function directions(
  { rows, cols, data }: Matrix,
  zero: (row: number) => string = (i) => `nearestNeighbors: row ${i} is zero and has no angle`,
): Matrix {
  const unit = matrix(rows, cols);
  for (let i = 0; i < rows; i++) {
    const row = data.subarray(i * cols, (i + 1) * cols);
    let largest = 0;
    for (const value of row) largest = Math.max(largest, Math.abs(value));
    if (!(largest > 0)) throw inputError(zero(i), { row: i });
    let sum = 0;
    for (const value of row) sum += (value / largest) ** 2;
    const length = Math.sqrt(sum);
    for (let f = 0; f < cols; f++) unit.data[i * cols + f] = row[f] / largest / length;
  }
  return unit;
}

/** The note about approximate neighbours. */
export function approximateNote({ recall }: Neighbors): string[] {
  if (recall === undefined) return [];
  return [
    `neighbours were searched approximately: about ${(100 * recall).toFixed(1)} % of them are the nearest`,
  ];
}

/**
 * Share of the rows that a search in the tree may measure and still be faster than blocks of all rows, which spend more on
 * long lists: by timings of 40 sets of 4 to 22 columns, about 0.05 for 5 neighbours and 0.14 for 40.
 */
function mostShare(k: number): number {
  return Math.min(0.15, 0.04 + 0.0025 * k);
}

/**
 * The k nearest rows of X for every query, by squared Euclidean distance and then by row number: bitwise
 * equal to `nearestRows` with `queries`, by a k-d tree if that measures fewer rows.
 */
export function nearestAmong(X: Matrix, k: number, queries: Matrix): NearestRows {
  requireMatrix(X, "nearestAmong");
  requireMatrix(queries, "nearestAmong");
  return searchIn(X)(k, queries);
}

/** `nearestAmong` for several blocks of queries: the tree is built once, so the rows must not change. */
export function searchIn(X: Matrix): (k: number, queries: Matrix) => NearestRows {
  let tree: KdTree | undefined;
  let isSuited: boolean | undefined;
  const shares = new Map<number, number>();
  return (k, queries) => {
    isSuited ??= X.cols > 0 && X.cols <= TREE_DIMENSIONS && X.rows >= LEAST_ROWS && isModerate(X);
    const tried =
      isSuited &&
      X.cols === queries.cols &&
      // A tree has to be built first.
      (tree !== undefined || queries.rows >= X.rows / 20) &&
      k < X.rows &&
      (shares.get(k) ?? 0) <= mostShare(k) &&
      isModerate(queries);
    if (!tried) return nearestRows(X, k, { queries });
    tree ??= searchTreeOf(X);
    const found = withSearchTree(
      X,
      (built) => {
        const share = shares.get(k) ?? built.measured(k);
        shares.set(k, share);
        return share > mostShare(k) ? undefined : built.among(queries, k);
      },
      tree,
    );
    return found ?? nearestRows(X, k, { queries });
  };
}

/** Whether squares of the values stay inside the number range; otherwise `nearestRows` scales or refuses them. */
function isModerate({ data }: Matrix): boolean {
  const largest = largestSize(data);
  return largest < LARGE && largest > 1 / LARGE;
}

const LARGE = 1e120;
