import { inputError } from "../core/internal.ts";

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
