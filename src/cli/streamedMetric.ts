import type { OnProgress } from "../core/progress.ts";
import type { ScaleKind, Scaling } from "../data/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import {
  allMoments,
  classwiseAccumulator,
  knownGroups,
  labelledMoments,
  momentAccumulator,
  scaledMoments,
  statisticsScaling,
  type BatchOptions,
  type ClasswiseAccumulator,
  type ClasswiseMoments,
  type MomentAccumulator,
  type MomentStatistics,
} from "../scale/index.ts";
import type { MetricMethod } from "./metricMethods.ts";
import { withStream } from "./streamSource.ts";

/** A metric with what the report says about the data. */
export interface LearnedMetric {
  readonly metric: Mahalanobis;
  readonly scaling: Scaling;
  readonly names: readonly string[];
  readonly source: string;
  readonly rows: number;
  readonly notes: readonly string[];
  readonly seconds: number;
  /** Which engine has the rows, and how the sums were found; absent where they are files. */
  readonly engine?: string;
}

/** Learns a metric in one pass over rows that are never in memory at once, reading included in the time. */
export async function streamedMetric(
  source: string,
  reading: BatchOptions,
  method: MetricMethod,
  { scale, own, onProgress }: { scale: ScaleKind; own: Record<string, unknown>; onProgress: OnProgress },
): Promise<LearnedMetric> {
  const start = performance.now();
  let moments: MomentAccumulator | undefined;
  let classwise: ClasswiseAccumulator | undefined;
  let batches = 0;
  const notes = await withStream(source, reading, async (stream) => {
    for await (const { X, label, names, release } of stream.batches(onProgress)) {
      batches++;
      moments ??= momentAccumulator(names);
      moments.add(X, label!.values);
      if (method.stream!.groups === true) {
        classwise ??= classwiseAccumulator(names);
        classwise.add(X, label!.values);
      }
      release?.();
    }
    return stream.notes(`${batches} batch${batches === 1 ? "" : "es"}`);
  });
  const learned = await metricFromMoments(
    { statistics: moments!.result(), classwise: classwise?.result() },
    method,
    { scale, own },
  );
  return {
    ...learned,
    source,
    notes: [...notes, ...learned.notes],
    seconds: (performance.now() - start) / 1000,
  };
}

/** The metric of the rows whose moments these are, scaled. */
export async function metricFromMoments(
  { statistics, classwise }: { statistics: MomentStatistics; classwise?: ClasswiseMoments },
  method: MetricMethod,
  { scale, own }: { scale: ScaleKind; own: Record<string, unknown> },
): Promise<Pick<LearnedMetric, "metric" | "scaling" | "names" | "rows" | "notes">> {
  const { scaling, notes } = statisticsScaling(statistics, scale);
  const names = scaling.kept.map((j) => scaling.columns[j]);
  const metric = await method.stream!.learn(
    {
      classes: scaledMoments(labelledMoments(statistics), scaling),
      chunklets: scaledMoments(statistics.known, scaling),
      all: scaledMoments(allMoments(statistics), scaling),
      ...(classwise && { groups: knownGroups(classwise).map((group) => scaledMoments(group, scaling)) }),
    },
    { ...own, names },
  );
  return { metric, scaling, names, rows: statistics.rows, notes };
}
