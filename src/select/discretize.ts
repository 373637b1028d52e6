import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { inputError, option, optionError, rule } from "../core/internal.ts";
import { columnSpreads, type Spread } from "../data/internal.ts";
import type { Discrete } from "./discrete.ts";

/**
 * - `sigma`: three levels, below mean - sd, between, above mean + sd (Sui 2018, section 6.4; the sd with divisor n);
 * - `width`: `bins` intervals of equal width from the smallest to the largest value;
 * - `frequency`: up to `bins` intervals with about the same number of rows; equal values stay together;
 * - `given`: the values are already levels.
 */
export type DiscretizationKind = "sigma" | "width" | "frequency" | "given";

const RULES = {
  kind: rule.oneOf(["sigma", "width", "frequency", "given"], "sigma"),
  /** Of `width` and `frequency`. */
  bins: rule.integer({ min: 2, max: 256 }),
  /** Column names, for messages; default c0, c1, ... */
  names: rule.given<readonly string[]>("an array of names", Array.isArray),
};

export type DiscretizeOptions = rule.OptionsOf<typeof RULES>;

/** Plain data that can be stored as JSON and applied to new rows. */
export interface Discretization {
  readonly kind: DiscretizationKind;
  readonly columns: readonly string[];
  /**
   * Per column, ascending: the cuts, x being in level #{cuts <= x} (of `sigma` the upper cut belongs to the middle);
   * of `given` the values of levels 0, 1, ...
   */
  readonly cuts: readonly (readonly number[])[];
}

/** Levels of new rows. */
export interface Discretized extends Discrete {
  /** Cells of `given` columns with a new value; they get the nearest level. */
  readonly unseen: number;
}

/** Finds the cuts of every column of the (training) rows. */
export function discretize(input: MatrixLike, options: DiscretizeOptions = {}): Discretization {
  const X = asMatrix(input, "discretize");
  const { kind, bins, names } = rule.resolveOptions("discretize", options, RULES);
  requireBinned(kind, bins);
  const columns = names ?? Array.from({ length: X.cols }, (_, j) => `c${j}`);
  if (columns.length !== X.cols) {
    throw optionError(`discretize: ${columns.length} names for ${X.cols} columns`);
  }
  if (X.rows === 0) throw inputError("discretize: there are no rows");
  requireNumbers(X, columns);
  if (kind === "frequency") return { kind, columns, cuts: frequencyCuts(X, bins ?? DEFAULT_BINS) };
  if (kind === "given") return { kind, columns, cuts: givenValues(X, columns) };
  return discretizationOf(columnSpreads(X, columns), columns, kind, bins);
}

/** The cuts from the spread of every column, for rows anywhere. */
export function discretizationOf(
  spreads: readonly Spread[],
  columns: readonly string[],
  kind: "sigma" | "width",
  bins?: number,
): Discretization {
  requireBinned(kind, bins);
  const cuts = kind === "sigma" ? sigmaCuts : (spread: Spread) => widthCuts(spread, bins ?? DEFAULT_BINS);
  return { kind, columns, cuts: spreads.map(cuts) };
}

/** The number of levels of every column, occupied or not. */
export function levelsOf({ kind, cuts }: Discretization): Int32Array {
  return Int32Array.from(cuts, (own) => own.length + (kind === "given" ? 0 : 1));
}

/** The level of every cell under existing cuts. */
export function applyDiscretization(discretization: Discretization, X: Matrix): Discretized {
  const { kind, columns, cuts } = discretization;
  const { rows, cols } = X;
  if (cols !== columns.length) {
    throw inputError(`the discretization was made for ${columns.length} columns, the rows have ${cols}`);
  }
  requireNumbers(X, columns);
  const codes = new Uint16Array(rows * cols);
  const own = cuts.map((values) => Float64Array.from(values));
  let unseen = 0;
  // A few columns at a time: whole rows would scatter the writes, whole columns the reads.
  for (let start = 0; start < cols; start += COLUMNS_AT_ONCE) {
    const end = Math.min(cols, start + COLUMNS_AT_ONCE);
    for (let i = 0; i < rows; i++) {
      for (let f = start; f < end; f++) {
        const x = X.data[i * cols + f];
        let level: number;
        if (kind === "sigma") level = x < own[f][0] ? 0 : x > own[f][1] ? 2 : 1;
        else if (kind !== "given") level = cutsUpTo(own[f], x);
        else {
          level = levelOfValue(own[f], x);
          if (own[f][level] !== x) unseen++;
        }
        codes[f * rows + i] = level;
      }
    }
  }
  return { rows, cols, codes, levels: levelsOf(discretization), unseen };
}

const DEFAULT_BINS = 5;
const COLUMNS_AT_ONCE = 16;

function requireNumbers({ data, cols }: Matrix, names: readonly string[]): void {
  for (let p = 0; p < data.length; p++) {
    if (Number.isFinite(data[p])) continue;
    throw inputError(
      `row ${Math.floor(p / cols)} (counted from 0), column "${names[p % cols]}" is ${data[p]}; ` +
        `remove or impute such cells first`,
    );
  }
}

function requireBinned(kind: DiscretizationKind, bins: number | undefined): void {
  if (bins === undefined || kind === "width" || kind === "frequency") return;
  throw optionError(
    `discretize: ${option("bins")} is for the kinds "width" and "frequency"; the kind is "${kind}"`,
  );
}

/**
 * A constant column has both cuts at its value, so rounding of the mean cannot split it. It may also not move
 * rows of a balanced 0/1 column, which lies on both cuts: cuts within rounding of the smallest or largest
 * value are set to that value.
 */
function sigmaCuts({ constant, min, max, mean, deviation }: Spread): number[] {
  if (constant) return [min, max];
  const rounding = ROUNDING * (max / 2 - min / 2 + 1e-3 * Math.max(Math.abs(min), Math.abs(max)));
  const settled = (cut: number): number =>
    Math.abs(cut - min) <= rounding ? min : Math.abs(cut - max) <= rounding ? max : cut;
  return [settled(mean - deviation), settled(mean + deviation)];
}

/**
 * Possible error of sums relative to the range of the column; relative to its magnitude a thousandth of
 * that.
 */
const ROUNDING = 1e-12;

function widthCuts({ constant, min, max }: Spread, bins: number): number[] {
  if (constant) return [];
  const step = max / bins - min / bins;
  return Array.from({ length: bins - 1 }, (_, b) => min + (b + 1) * step);
}

function frequencyCuts(X: Matrix, bins: number): number[][] {
  return eachColumn(X, (sorted) => {
    const n = sorted.length;
    const cuts: number[] = [];
    for (let b = 1; b < bins; b++) {
      const at = Math.round((b * n) / bins);
      const cut = between(sorted[Math.max(0, at - 1)], sorted[Math.min(n - 1, at)]);
      if (cut > sorted[0] && (cuts.length === 0 || cut > cuts[cuts.length - 1])) cuts.push(cut);
    }
    return cuts;
  });
}

/** Halfway, or the upper of two equal or neighbouring doubles: the lower one must stay below the cut. */
function between(low: number, high: number): number {
  const middle = low / 2 + high / 2;
  return middle > low ? middle : high;
}

function givenValues(X: Matrix, names: readonly string[]): number[][] {
  return eachColumn(X, (sorted, f) => {
    const values = distinctValues(sorted);
    checkGiven(values, X.rows, names[f]);
    return values;
  });
}

function eachColumn(X: Matrix, cutsOf: (sorted: Float64Array, f: number) => number[]): number[][] {
  const column = new Float64Array(X.rows);
  return Array.from({ length: X.cols }, (_, f) => {
    for (let i = 0; i < X.rows; i++) column[i] = X.data[i * X.cols + f];
    return cutsOf(column.sort(), f);
  });
}

function cutsUpTo(cuts: Float64Array, x: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Columns whose values are already levels. A continuous column would have nearly as many levels as rows,
 * which makes it look informative about everything; so columns with too many values are refused: more than
 * ten that are not all integers, or integers that repeat fewer than four times on average.
 */
export function checkGiven(values: readonly number[], rows: number, name: string): void {
  const whole = values.every(Number.isInteger);
  const limit = whole ? Math.min(MOST_GIVEN, Math.max(FEW, Math.floor(rows / 4))) : FEW;
  if (values.length <= limit) return;
  throw inputError(
    `column "${name}" has ${values.length > MOST_GIVEN ? `more than ${MOST_GIVEN}` : values.length} different values ` +
      `in ${rows} rows: it looks continuous, not discrete; ` +
      `discretize it ("sigma", "width" or "frequency" instead of "given")`,
  );
}

const FEW = 10;
/** Maximum number of levels. */
export const MOST_GIVEN = 256;

/** Of ascending values. */
function distinctValues(sorted: ArrayLike<number>): number[] {
  const values: number[] = [];
  for (let i = 0; i < sorted.length; i++) if (i === 0 || sorted[i] !== sorted[i - 1]) values.push(sorted[i]);
  return values;
}

/** The position of the ascending value nearest to x; the lower one in a tie. */
function levelOfValue(values: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x) low = middle + 1;
    else high = middle;
  }
  if (low === values.length) return low - 1;
  return low > 0 && x - values[low - 1] <= values[low] - x ? low - 1 : low;
}
