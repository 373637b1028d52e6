import type { ClassColumns } from "../classify/index.ts";
import { inputError } from "../core/internal.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import { columnSpreads, scalingFromSpreads, spreadOf, type Spread } from "../data/internal.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { encodeLabels, type Label, type Labeling } from "../score/index.ts";
import { type BatchOptions, type BatchSource, summedBatches, type Accumulator } from "./rowBatches.ts";

/**
 * Range, mean and sum of squares about the mean of every column: the input of a scaling, at the cost of
 * reading. Merged as in Chan, Golub and LeVeque (1983): with D = m_b - m_a, M = M_a + M_b + D^2 n_a n_b / n.
 */
export interface ColumnStatistics extends Columns {
  readonly names: readonly string[];
}

/** The numbers of `ColumnStatistics`. */
export interface Columns {
  readonly rows: number;
  readonly min: readonly number[];
  readonly max: readonly number[];
  readonly mean: readonly number[];
  /** Sum of (x - mean)^2. */
  readonly squares: readonly number[];
}

/** One pass over a source of any size. */
export async function columnStatistics(
  source: BatchSource,
  options: BatchOptions = {},
): Promise<ColumnStatistics> {
  return summedBatches("columnStatistics", source, options, (names) => {
    const { add, result } = classColumnsAccumulator(names);
    return { add: (X) => add(X), result: () => allColumns(result()) };
  });
}

export function mergeColumns(a: Columns, b: Columns): Columns {
  const rows = a.rows + b.rows;
  const share = b.rows / rows;
  const apart = a.mean.map((mean, f) => b.mean[f] - mean);
  return {
    rows,
    min: a.min.map((value, f) => Math.min(value, b.min[f])),
    max: a.max.map((value, f) => Math.max(value, b.max[f])),
    mean: a.mean.map((mean, f) => mean + share * apart[f]),
    squares: a.squares.map((square, f) => square + b.squares[f] + apart[f] * apart[f] * a.rows * share),
  };
}

/** The scaling of `scale` from statistics instead of rows; constant columns are left out. */
export function columnScaling(
  statistics: ColumnStatistics,
  kind: ScaleKind = "zscore",
): { scaling: Scaling; notes: readonly string[] } {
  return scalingFromSpreads(spreadsOf(statistics), kind, statistics.names);
}

export function spreadsOf({ rows, min, max, mean, squares }: Columns): Spread[] {
  return min.map((least, f) => spreadOf(least, max[f], mean[f], Math.sqrt(squares[f] / rows)));
}

/** For the rows of one batch. */
export function columnsOf(X: Matrix, names: readonly string[]): Columns {
  const spreads = columnSpreads(X, names);
  return {
    rows: X.rows,
    min: spreads.map(({ min }) => min),
    max: spreads.map(({ max }) => max),
    mean: spreads.map(({ mean }) => mean),
    squares: spreads.map(({ deviation }) => deviation * deviation * X.rows),
  };
}

/**
 * Range, mean and sum of squares of every column, label by label: 4 d numbers for each class. Gaussian naive
 * Bayes follows from them, and the cuts of a discretization over the rows whose class is known. Plain data.
 *
 * Rows labelled -1 are a group of their own, and so are rows without a label (null): whether -1 is a class is
 * decided when all labels are known (`encodeLabels`).
 */
export interface ClassColumnStatistics {
  readonly names: readonly string[];
  /** Ordered by the text of the label. */
  readonly groups: readonly ClassColumns[];
}

/** One pass over a source of any size; without `label` no row has a class. */
export async function classColumnStatistics(
  source: BatchSource,
  options: BatchOptions = {},
): Promise<ClassColumnStatistics> {
  return summedBatches("classColumnStatistics", source, options, classColumnsAccumulator);
}

/** Collects the sums of every column by class, batch after batch. */
export function classColumnsAccumulator(names: readonly string[]): Accumulator<ClassColumnStatistics> {
  let groups: ReadonlyMap<string, ClassColumns> = new Map();
  return {
    add(X, labels) {
      if (X.cols !== names.length) {
        throw inputError(`a batch has ${X.cols} columns, but ${names.length} were expected`);
      }
      const parts = rowsByLabel(labels, X.rows).map(({ label, rows }) => ({
        label,
        ...columnsOf(rows.length === X.rows ? X : takeRows(X, rows), names),
      }));
      groups = joined(groups, parts);
    },
    result: () => ({ names, groups: ordered(groups) }),
  };
}

/** The statistics of the rows of both, which have the same columns. */
export function mergeClassColumnStatistics(
  a: ClassColumnStatistics,
  b: ClassColumnStatistics,
): ClassColumnStatistics {
  const before = new Map(a.groups.map((group) => [keyOf(group), group]));
  return { names: a.names, groups: ordered(joined(before, b.groups)) };
}

/** The columns over all rows, of known class or not. */
export function allColumns({ names, groups }: ClassColumnStatistics): ColumnStatistics {
  return { names, ...merged("allColumns", groups) };
}

/** The classes, their rows, and the columns over all labelled rows; over all rows if none has a label. */
export function knownColumns({ groups }: ClassColumnStatistics): {
  readonly classes: readonly Label[];
  readonly known: readonly ClassColumns[];
  readonly columns: Columns;
} {
  const { codes, classes } = encodeLabels(groups.map(({ label }) => label));
  const known = classes.length === 0 ? groups : groups.filter((_, g) => codes[g] >= 0);
  return { classes, known, columns: merged("knownColumns", known) };
}

function merged(method: string, groups: readonly ClassColumns[]): Columns {
  if (groups.length === 0) throw inputError(`${method}: the statistics are of no rows`);
  const columns = groups.map(({ rows, min, max, mean, squares }): Columns => ({
    rows,
    min,
    max,
    mean,
    squares,
  }));
  return columns.reduce(mergeColumns);
}

function joined(
  before: ReadonlyMap<string, ClassColumns>,
  parts: readonly ClassColumns[],
): ReadonlyMap<string, ClassColumns> {
  const all = new Map(before);
  for (const part of parts) {
    const own = all.get(keyOf(part));
    all.set(keyOf(part), own === undefined ? part : { label: own.label, ...mergeColumns(own, part) });
  }
  return all;
}

function keyOf({ label }: ClassColumns): string {
  return label === null ? "" : String(label);
}

function ordered(groups: ReadonlyMap<string, ClassColumns>): ClassColumns[] {
  return [...groups.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** The rows of one label; null if it is missing. */
interface LabelRows {
  readonly label: Label | null;
  readonly rows: number[];
}

/**
 * The rows of a batch by their label, as text: a number and its text are the same label, as in
 * `encodeLabels`. Without labels all rows are those of null.
 */
export function rowsByLabel(labels: Labeling | undefined, count: number): LabelRows[] {
  if (labels !== undefined && labels.length !== count) {
    throw inputError(`there are ${labels.length} labels for ${count} rows`);
  }
  const groups = new Map<string, LabelRows>();
  // One look-up a row: the label as it is written.
  const written = new Map<Labeling[number], LabelRows>();
  for (let i = 0; i < count; i++) {
    const label = labels === undefined ? null : labels[i];
    let group = written.get(label);
    if (group === undefined) {
      if (typeof label === "number" && !Number.isFinite(label)) {
        throw inputError(
          `the label of row ${i} (counted from 0) is ${label}; use -1, null or "" for unknown`,
        );
      }
      const text = String(label ?? "");
      group = groups.get(text) ?? { label: label === "" ? null : (label ?? null), rows: [] };
      groups.set(text, group);
      written.set(label, group);
    }
    group.rows.push(i);
  }
  return [...groups.values()];
}

/**
 * Rows of known class, rows labelled -1 and all others. They are counted separately: whether -1 is a class
 * (the classes are -1 and 1) or "unknown" is decided when all labels are known.
 */
export type Counted = "known" | "minusOne" | "unlabelled";
export const COUNTED: readonly Counted[] = ["known", "minusOne", "unlabelled"];

export function kindOf(label: Label | null): Counted {
  if (label === null || label === "") return "unlabelled";
  return String(label) === "-1" ? "minusOne" : "known";
}

/** The only class of unlabelled rows. */
export const UNLABELLED = "rows";
