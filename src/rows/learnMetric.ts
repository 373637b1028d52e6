import type { OnProgress } from "../core/progress.ts";
import { scale as scaleColumns, type ScaleKind, type Scaling } from "../data/index.ts";
import { isSparse, toDense } from "../matrix/index.ts";
import { metrics, type MetricMethod, type SideInformation } from "../method/index.ts";
import type { Mahalanobis } from "../metric/index.ts";
import {
  allMoments,
  knownGroups,
  labelledMoments,
  scaledMoments,
  statisticsScaling,
} from "../scale/index.ts";
import { requireSums, type Found, type RowSource } from "./rowSource.ts";

export interface LearnMetricOptions {
  readonly scale: ScaleKind;
  /** Of rows in memory; of others it is the column of classes. */
  readonly side?: SideInformation;
  readonly seed?: number;
  readonly onProgress?: OnProgress;
  /** The method's own options, by their names. */
  readonly own?: object;
}

/** A metric with the scaling that goes before it. */
export interface LearnedMetric extends Found {
  readonly metric: Mahalanobis;
  readonly scaling: Scaling;
  /** Of the columns that it was learned on. */
  readonly names: readonly string[];
  readonly source: string;
  readonly rows: number;
  /** Of learning; where rows are not in memory, with reading. */
  readonly seconds: number;
}

/** Learns a metric from rows in memory, or from the sums over rows that are elsewhere. */
export async function learnMetric(
  rows: RowSource,
  method: MetricMethod,
  { scale, side = {}, seed, onProgress, own }: LearnMetricOptions,
): Promise<LearnedMetric> {
  requireSums(method, rows.kind, metrics);
  const { learn, fromMoments } = await method.open();
  const start = performance.now();
  const seconds = (): number => (performance.now() - start) / 1000;
  if (rows.kind === "table") {
    const { X, names: columns, batch, source, notes } = rows.table;
    const scaled = scaleColumns(isSparse(X) ? toDense(X) : X, scale, {
      names: columns,
      batch: batch?.values,
    });
    const { names, scaling } = scaled;
    const metric = learn(scaled.X, side, { ...own, names, seed, onProgress });
    return {
      metric,
      scaling,
      names,
      source,
      rows: X.rows,
      notes: [...notes, ...scaled.notes],
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
    scaling,
    names,
    source: rows.source,
    rows: statistics.rows,
    notes: [...notes, ...more],
    ...(engine !== undefined && { engine }),
    seconds: seconds(),
  };
}
