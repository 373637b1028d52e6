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
  type RowBatch,
} from "../scale/index.ts";
import type { StreamedFit } from "./classifyMethods.ts";
import { halfOf, requireReopenable } from "./streamInput.ts";
import type { StreamSource } from "./streamSource.ts";

/** Gaussian naive Bayes in one pass over rows that are never in memory at once. */
export async function streamedGaussian(stream: StreamSource, onProgress: OnProgress): Promise<StreamedFit> {
  const statistics = await classColumnStatistics(() => stream.batches(onProgress));
  const all = allColumns(statistics);
  const { scaling, notes } = columnScaling(all, "none");
  const kept = (values: readonly number[]): number[] => scaling.kept.map((f) => values[f]);
  const classifier = gaussianNaiveBayesFromColumns({
    names: scaling.kept.map((f) => scaling.columns[f]),
    groups: statistics.groups.map(({ label, rows, min, max, mean, squares }) => ({
      label,
      rows,
      min: kept(min),
      max: kept(max),
      mean: kept(mean),
      squares: kept(squares),
    })),
  });
  return { fitted: { classifier, facts: "Gaussian" }, scaling, rows: all.rows, passes: 1, notes };
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
  const classifier = discreteNaiveBayesFromCounts(counts);
  const facts = "discrete, Laplace smoothing";
  return { fitted: { classifier, facts }, scaling, rows: all.rows, passes: 2, notes };
}
