import { inputError } from "../core/internal.ts";
import type { Label } from "../score/index.ts";
import type { LevelTables } from "./discrete.ts";
import { levelsOf, type Discretization } from "./discretize.ts";

/** The agreement before counting, so that separate counts can be added: cuts and classes. Plain data. */
export interface LevelScheme {
  readonly discretization: Discretization;
  /** In the order of `encodeLabels`; none if rows are counted without a class. */
  readonly classes: readonly Label[];
}

/**
 * How often each level of each feature occurs, together with each class and with each level of each other
 * feature. With L_f levels of feature f = 0 .. d - 1, K classes and n rows these counts are all that
 * selections, dependence trees and naive Bayes need, and they are sums of integers: exact in any order.
 * Arrays are laid out by
 *
 *     margins      n(f = a)           f by f, a by a                              sum_f L_f numbers
 *     classTables  n(f = a, class c)  f by f, a by a, c by c                      K sum_f L_f
 *     pairTables   n(u = a, v = b)    u by u, v = u + 1 .. d - 1, a by a, b by b  sum_{u < v} L_u L_v
 */
export interface LevelCounts extends LevelScheme {
  /** n, the rows counted: those of known class, or all if there are no classes. */
  readonly rows: number;
  /** Rows left out because their class is unknown. */
  readonly unlabelled: number;
  /** Rows of each class. */
  readonly classCounts: Float64Array;
  readonly margins: Float64Array;
  readonly classTables: Float64Array;
  /** Absent if they were not requested: naive Bayes does not need them. */
  readonly pairTables?: Float64Array;
  toJSON(): LevelCountsData;
}

/** The numbers of `LevelCounts`, for JSON and for counts from another program. */
export interface LevelCountsData extends LevelScheme {
  readonly kind: "level counts";
  readonly rows: number;
  readonly unlabelled: number;
  readonly classCounts: ArrayLike<number>;
  readonly margins: ArrayLike<number>;
  readonly classTables: ArrayLike<number>;
  readonly pairTables?: ArrayLike<number>;
}

/** Positions in the arrays. */
export interface LevelLayout {
  readonly levels: Int32Array;
  /** The levels of the features before f; at d their sum. */
  readonly before: Float64Array;
  /** The start of the pairs of feature u; at d the number of all cells. */
  readonly starts: Float64Array;
  /** The start of the table of u and v, u < v. */
  pairAt(u: number, v: number): number;
}

export function levelLayout(discretization: Discretization): LevelLayout {
  const levels = levelsOf(discretization);
  const d = levels.length;
  const before = new Float64Array(d + 1);
  for (let f = 0; f < d; f++) before[f + 1] = before[f] + levels[f];
  const starts = new Float64Array(d + 1);
  for (let u = 0; u < d; u++) starts[u + 1] = starts[u] + levels[u] * (before[d] - before[u + 1]);
  return { levels, before, starts, pairAt: (u, v) => starts[u] + levels[u] * (before[v] - before[u + 1]) };
}

/** The classes with rows: parts of a table may lack some. */
export function occupiedClasses({ classes, classCounts }: LevelCounts): {
  readonly classes: readonly Label[];
  readonly sizes: Float64Array;
  /** Their positions among all classes. */
  readonly places: Int32Array;
} {
  const places = Int32Array.from(classes.keys()).filter((c) => classCounts[c] > 0);
  return {
    classes: Array.from(places, (c) => classes[c]),
    sizes: Float64Array.from(places, (c) => classCounts[c]),
    places,
  };
}

/** The features and, after them, the class, if there is one. */
export function tablesOfCounts(counts: LevelCounts): LevelTables {
  const { levels, before, pairAt } = levelLayout(counts.discretization);
  const { margins, classTables, pairTables } = counts;
  const d = levels.length;
  const K = counts.classes.length;
  const { sizes, places } = occupiedClasses(counts);
  const withClass = (f: number): Float64Array => {
    const table = new Float64Array(levels[f] * sizes.length);
    for (let p = 0; p < table.length; p++) {
      const level = Math.floor(p / sizes.length);
      table[p] = classTables[(before[f] + level) * K + places[p % sizes.length]];
    }
    return table;
  };
  const pair = (u: number, v: number): Float64Array => {
    if (pairTables === undefined) throw inputError("the counts of pairs were not made (pairs: false)");
    return pairTables.subarray(pairAt(u, v), pairAt(u, v) + levels[u] * levels[v]);
  };
  return {
    rows: counts.rows,
    levels: K === 0 ? levels : Int32Array.of(...levels, sizes.length),
    margin: (v) => (v === d ? sizes : margins.subarray(before[v], before[v + 1])),
    joint(u, v) {
      const [low, high] = [Math.min(u, v), Math.max(u, v)];
      const table = high === d ? withClass(low) : pair(low, high);
      return u < v ? table : transposed(table, table.length / (u === d ? sizes.length : levels[u]));
    },
  };
}

function transposed(table: Float64Array, rows: number): Float64Array {
  const cols = table.length / rows;
  return table.map((_, p) => table[(p % rows) * cols + Math.floor(p / rows)]);
}
