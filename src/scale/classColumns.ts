import type { ClassColumns } from "../classify/index.ts";
import { inputError } from "../core/internal.ts";
import { takeRows } from "../matrix/index.ts";
import { encodeLabels, type Label } from "../score/index.ts";
import { columnsOf, mergeColumns, type Columns, type ColumnStatistics } from "./columnStatistics.ts";
import type { BatchOptions, BatchSource } from "./rowBatches.ts";
import { rowsByLabel } from "./rowsByLabel.ts";
import { requireSameColumns, summedBatches, type Accumulator } from "./summedBatches.ts";

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

export type ClassColumnsAccumulator = Accumulator<ClassColumnStatistics>;

/** Collects the sums of every column by class, batch after batch. */
export function classColumnsAccumulator(names: readonly string[]): ClassColumnsAccumulator {
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

/** The statistics of the rows of both; associative and commutative up to rounding. */
export function mergeClassColumnStatistics(
  a: ClassColumnStatistics,
  b: ClassColumnStatistics,
): ClassColumnStatistics {
  requireSameColumns(a, b);
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
