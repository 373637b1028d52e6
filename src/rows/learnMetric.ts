import { sharesByColumn } from "../features/internal.ts";
import type { OnProgress } from "../core/index.ts";
import type { ScaleKind } from "../data/index.ts";
import type { ColumnRelevance } from "../features/index.ts";
import { metrics, type MetricMethod, type SideInformation } from "../method/index.ts";
import { isMahalanobis, type AnyMetric } from "../metric/index.ts";
import type { TableSpace } from "../model/index.ts";
import {
  allMoments,
  knownGroups,
  labelledMoments,
  scaledMoments,
  statisticsScaling,
} from "../scale/index.ts";
import { asNotes, requireSums, type Outcome, type RowSource } from "./rowSource.ts";

export interface LearnMetricOptions {
  /** For rows that are not in memory; default "zscore". Rows in memory are already scaled. */
  readonly scale?: ScaleKind;
  /** For rows in memory; for others it is the column of classes. */
  readonly side?: SideInformation;
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: object;
}

/** A metric with its preprocessing. */
export interface LearnedMetric extends Outcome, TableSpace {
  readonly metric: AnyMetric;
  /** For the numbers that it was learned on. */
  readonly names: readonly string[];
  /**
   * The weight of each column of the table under the metric, largest share first; shares add to 1; none if
   * it is not a matrix.
   */
  readonly relevance: readonly ColumnRelevance[];
  readonly source: string;
  readonly rows: number;
  /** Time of learning; with reading if the rows are not in memory. */
  readonly seconds: number;
}

/** Learns a metric from rows in memory, or from the sums over other rows. */
export async function learnMetric(
  rows: RowSource,
  method: MetricMethod,
  { scale = "zscore", side = {}, seed, onProgress, own }: LearnMetricOptions = {},
): Promise<LearnedMetric> {
  requireSums(method, rows.kind, metrics);
  const { learn, fromMoments } = await method.open();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (rows.kind === "table") {
    const { X, names, sources, columns, space, source, notes } = rows;
    const metric = learn(X, side, { ...own, names, seed, onProgress });
    return {
      metric,
      columns,
      space,
      names,
      relevance: isMahalanobis(metric) ? sharesByColumn(sources, metric.relevance) : [],
      source,
      rows: X.rows,
      notes,
      seconds: seconds(),
    };
  }
  const { statistics, classwise, notes, engine } = await rows.moments({
    classwise: method.sums === "class moments",
  });
  const { scaling, notes: more } = statisticsScaling(statistics, scale);
  const names = scaling.kept.map((j) => scaling.columns[j]);
  const metric = fromMoments!(
    {
      classes: scaledMoments(labelledMoments(statistics), scaling),
      chunklets: scaledMoments(statistics.known, scaling),
      all: scaledMoments(allMoments(statistics), scaling),
      ...(classwise && { groups: knownGroups(classwise).map((group) => scaledMoments(group, scaling)) }),
    },
    { ...own, names },
  );
  return {
    metric,
    columns: [],
    space: { kind: "scaling", scaling },
    names,
    relevance: isMahalanobis(metric) ? sharesByColumn(names, metric.relevance) : [],
    source: rows.source,
    rows: statistics.rows,
    notes: asNotes([...notes, ...more]),
    ...(engine !== undefined && { engine }),
    seconds: seconds(),
  };
}
