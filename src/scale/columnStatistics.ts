import type { ScaleKind, Scaling } from "../data/index.ts";
import { columnSpreads, scalingFromSpreads, spreadOf, type Spread } from "../data/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import type { BatchOptions, BatchSource } from "./rowBatches.ts";
import { requireSameColumns, summedBatches } from "./summedBatches.ts";

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
    let columns: Columns | undefined;
    return {
      add(X) {
        const part = columnsOf(X, names);
        columns = columns === undefined ? part : mergeColumns(columns, part);
      },
      result: () => ({ names, ...columns! }),
    };
  });
}

/** The statistics of the rows of both; plain data that JSON preserves. */
export function mergeColumnStatistics(a: ColumnStatistics, b: ColumnStatistics): ColumnStatistics {
  requireSameColumns(a, b);
  return { names: a.names, ...mergeColumns(a, b) };
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
