import { discreteNaiveBayesFromCounts, gaussianNaiveBayesFromColumns } from "../classify/index.ts";
import type { OnProgress } from "../core/progress.ts";
import {
  allColumns,
  classColumnsAccumulator,
  classColumnStatistics,
  columnScaling,
  levelCounts,
  levelScheme,
  scaledBatches,
  type ClassColumnsAccumulator,
  type ClassColumnStatistics,
  type ColumnStatistics,
  type RowBatch,
} from "../scale/index.ts";
import type { LevelCounts } from "../select/index.ts";
import type { Fitted, StreamedFit, SummedFit } from "./classifyMethods.ts";
import { halfOf, requireReopenable } from "./streamInput.ts";
import type { StreamSource } from "./streamSource.ts";

/** Gaussian naive Bayes in one pass over rows that are never in memory at once. */
export async function streamedGaussian(stream: StreamSource, onProgress: OnProgress): Promise<StreamedFit> {
  const statistics = await classColumnStatistics(() => stream.batches(onProgress));
  return { ...gaussianFit(statistics), passes: 1 };
}

/** Gaussian naive Bayes without the constant columns. */
export function gaussianFit(statistics: ClassColumnStatistics): SummedFit {
  const all = allColumns(statistics);
  const { scaling, notes } = columnScaling(all, "none");
  const classifier = gaussianNaiveBayesFromColumns({
    names: scaling.kept.map((f) => scaling.columns[f]),
    groups: statistics.groups.map(({ label, ...columns }) => ({
      label,
      ...keptColumns(columns, scaling.kept),
    })),
  });
  return { fitted: { classifier, facts: "Gaussian" }, scaling, rows: all.rows, notes };
}

export function keptColumns(
  { rows, min, max, mean, squares }: Omit<ColumnStatistics, "names">,
  kept: readonly number[],
): Omit<ColumnStatistics, "names"> {
  const own = (values: readonly number[]): number[] => kept.map((f) => values[f]);
  return { rows, min: own(min), max: own(max), mean: own(mean), squares: own(squares) };
}

/** Discrete naive Bayes in two passes: one for the values of the columns, one to count them. */
export async function streamedDiscrete(stream: StreamSource, onProgress: OnProgress): Promise<StreamedFit> {
  requireReopenable(stream.source, "discrete naive Bayes reads it twice, for the values and for the counts");
  let columns: ClassColumnsAccumulator | undefined;
  const watched = async function* (): AsyncGenerator<RowBatch> {
    for await (const batch of stream.batches(halfOf(onProgress, 0))) {
      columns ??= classColumnsAccumulator(batch.names);
      columns.add(batch.X);
      yield batch;
    }
  };
  const { discretization, classes } = await levelScheme(watched, { discretize: "given" });
  const all = allColumns(columns!.result());
  const { scaling, notes } = columnScaling(all, "none");
  const scheme = {
    discretization: {
      ...discretization,
      columns: scaling.kept.map((f) => discretization.columns[f]),
      cuts: scaling.kept.map((f) => discretization.cuts[f]),
    },
    classes,
  };
  const counts = await levelCounts(
    () => scaledBatches(() => stream.batches(halfOf(onProgress, 1)), scaling),
    scheme,
    { pairs: false },
  );
  return { fitted: discreteFit(counts), scaling, rows: all.rows, passes: 2, notes };
}

export function discreteFit(counts: LevelCounts): Fitted {
  return { classifier: discreteNaiveBayesFromCounts(counts), facts: "discrete, Laplace smoothing" };
}
