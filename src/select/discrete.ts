import { inputError } from "../core/internal.ts";
import type { Label } from "../score/index.ts";
import { levelsOf, type Discretization } from "./discretize.ts";

/** Discrete variables over the same rows, each with its levels numbered 0 .. L - 1. */
export interface Discrete {
  readonly rows: number;
  readonly cols: number;
  /** Levels of each variable, occupied or not. */
  readonly levels: Int32Array;
  /** Variable by variable: level of row i in variable f at f * rows + i. */
  readonly codes: Uint16Array;
}

/** Codes are 16 bits wide. */
export const MOST_LEVELS = 65536;

/** The level of every row of variable f, as a view. */
export function variable({ codes, rows }: Discrete, f: number): Uint16Array {
  return codes.subarray(f * rows, (f + 1) * rows);
}

/** Discrete variables as the counts of their levels: the input of entropies, informations and trees. */
export interface LevelTables {
  readonly rows: number;
  /** Levels of each variable, occupied or not. */
  readonly levels: Int32Array;
  /** How often each level of variable v occurs. */
  margin(v: number): ArrayLike<number>;
  /** L_u x L_v, u other than v: how often level a of u and b of v occur together, at a L_v + b. */
  joint(u: number, v: number): ArrayLike<number>;
}

/** Counted again on every request. */
export function tablesOf(variables: Discrete): LevelTables {
  const { rows, levels } = variables;
  return {
    rows,
    levels,
    margin: (v) => marginOf(variables, v),
    joint(u, v) {
      const [a, b] = [variable(variables, u), variable(variables, v)];
      const counts = new Int32Array(levels[u] * levels[v]);
      for (let i = 0; i < rows; i++) counts[a[i] * levels[v] + b[i]]++;
      return counts;
    },
  };
}

export function marginOf(variables: Discrete, v: number): Int32Array {
  const counts = new Int32Array(variables.levels[v]);
  for (const level of variable(variables, v)) counts[level]++;
  return counts;
}

/** The table with one more variable at the end. */
export function withVariable(table: Discrete, codes: ArrayLike<number>, levels: number): Discrete {
  const { rows, cols } = table;
  const all = new Uint16Array(rows * (cols + 1));
  all.set(table.codes);
  all.set(codes, rows * cols);
  return { rows, cols: cols + 1, levels: Int32Array.of(...table.levels, levels), codes: all };
}

/** The pair of two variables as one, with the combinations that occur. */
export function jointVariable(
  u: ArrayLike<number>,
  v: ArrayLike<number>,
  levelsV: number,
): { readonly codes: Uint16Array; readonly levels: number } {
  const codes = new Uint16Array(u.length);
  const known = new Map<number, number>();
  for (let i = 0; i < u.length; i++) {
    const cell = u[i] * levelsV + v[i];
    let code = known.get(cell);
    if (code === undefined) known.set(cell, (code = known.size));
    codes[i] = code;
  }
  if (known.size > MOST_LEVELS) throw tooManyLevels("a pair of variables", known.size);
  return { codes, levels: known.size };
}

/** Numbers any values 0 .. L - 1 in the order in which they first occur. */
export function encodeLevels(
  values: ArrayLike<unknown>,
  name: string,
): { readonly codes: Uint16Array; readonly levels: number } {
  const codes = new Uint16Array(values.length);
  const known = new Map<unknown, number>();
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined || Number.isNaN(value)) {
      throw inputError(`${name}: row ${i} (counted from 0) is ${value}; leave out rows without a value`);
    }
    let code = known.get(value);
    if (code === undefined) {
      code = known.size;
      if (code === MOST_LEVELS) throw tooManyLevels(name, code + 1);
      known.set(value, code);
    }
    codes[i] = code;
  }
  return { codes, levels: known.size };
}

function tooManyLevels(name: string, levels: number): Error {
  return inputError(
    `${name} has ${levels} different values, more than the ${MOST_LEVELS} that can be counted`,
  );
}

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
