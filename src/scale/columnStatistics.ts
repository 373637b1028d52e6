import { inputError } from "../core/errors.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import { scalingFromSpreads } from "../data/scaling.ts";
import { columnSpreads, spreadOf } from "../data/spread.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { rowBatches, type BatchOptions, type BatchSource } from "./rowBatches.ts";

/**
 * Extent, mean and sum of squares about the mean of every column: what a scaling needs, at the cost of reading. Merged
 * as of Chan, Golub and LeVeque (1983): with D = m_b - m_a, M = M_a + M_b + D^2 n_a n_b / n.
 */
export interface ColumnStatistics {
  readonly names: readonly string[];
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
  let statistics: ColumnStatistics | undefined;
  for await (const { X, names } of rowBatches(source, options)) {
    const part = columnsOf(X, names);
    statistics = statistics === undefined ? part : mergeColumnStatistics(statistics, part);
  }
  if (statistics === undefined) throw inputError("columnStatistics: the source has no batches");
  return statistics;
}

/** The statistics of the rows of both; plain data, so JSON keeps them as they are. */
export function mergeColumnStatistics(a: ColumnStatistics, b: ColumnStatistics): ColumnStatistics {
  if (a.names.join("\n") !== b.names.join("\n")) {
    throw inputError(
      `statistics of the columns ${a.names.join(", ")} cannot be merged with those of ${b.names.join(", ")}`,
    );
  }
  const rows = a.rows + b.rows;
  const share = b.rows / rows;
  const apart = a.mean.map((mean, f) => b.mean[f] - mean);
  return {
    names: a.names,
    rows,
    min: a.min.map((value, f) => Math.min(value, b.min[f])),
    max: a.max.map((value, f) => Math.max(value, b.max[f])),
    mean: a.mean.map((mean, f) => mean + share * apart[f]),
    squares: a.squares.map((square, f) => square + b.squares[f] + apart[f] * apart[f] * a.rows * share),
  };
}

/** The scaling that `scale` finds from the rows themselves; constant columns are left out. */
export function columnScaling(
  { names, rows, min, max, mean, squares }: ColumnStatistics,
  kind: ScaleKind = "zscore",
): { scaling: Scaling; notes: readonly string[] } {
  const spreads = names.map((_, f) => spreadOf(min[f], max[f], mean[f], Math.sqrt(squares[f] / rows)));
  return scalingFromSpreads(spreads, kind, names);
}

function columnsOf(X: Matrix, names: readonly string[]): ColumnStatistics {
  const spreads = columnSpreads(X, names);
  return {
    names,
    rows: X.rows,
    min: spreads.map(({ min }) => min),
    max: spreads.map(({ max }) => max),
    mean: spreads.map(({ mean }) => mean),
    squares: spreads.map(({ deviation }) => deviation * deviation * X.rows),
  };
}
