import { inputError } from "../core/errors.ts";
import { loadMahalanobis, type Mahalanobis, type MahalanobisData } from "../metric/mahalanobis.ts";
import { restoreTableSpace } from "./storedSpace.ts";
import type { TableSpace } from "./space.ts";

/** A learned metric with what makes numbers of the rows before it. */
export interface MetricModel extends TableSpace {
  readonly metric: Mahalanobis;
}

/** As it is written to a file. */
export interface MetricModelData extends TableSpace {
  readonly kind: "metric";
  readonly metric: MahalanobisData;
}

export function storeMetricModel({ columns, space, metric }: MetricModel): MetricModelData {
  return { kind: "metric", columns, space, metric: metric.model() };
}

/** Reads back what `storeMetricModel` gave; refuses what is none, or damaged. */
export function loadMetricModel(json: unknown): MetricModel {
  const { kind, metric } = (json ?? {}) as Partial<MetricModelData>;
  if (kind !== "metric" || metric === undefined) {
    throw inputError('this is not a learned metric; "kindred metric --model" writes one');
  }
  const loaded = loadMahalanobis(metric);
  return { ...restoreTableSpace(json as object, loaded.factor.cols, "metric"), metric: loaded };
}
