import { inputError } from "../core/internal.ts";
import { loadAnyMetric, metricWidth, type AnyMetric, type AnyMetricData } from "../metric/index.ts";
import { restoreTableSpace } from "./storedSpace.ts";
import type { TableSpace } from "./modelForm.ts";

/** A learned metric with its preprocessing. */
export interface MetricModel extends TableSpace {
  readonly metric: AnyMetric;
}

/** The form in a file. */
export interface MetricModelData extends TableSpace {
  readonly kind: "metric";
  readonly metric: AnyMetricData;
}

/** A learned metric as a model file. */
export function storeMetricModel({ columns, space, metric }: MetricModel): MetricModelData {
  return { kind: "metric", columns, space, metric: metric.model() };
}

/** Reads the output of `storeMetricModel`; refuses anything else and damaged files. */
export function loadMetricModel(json: unknown): MetricModel {
  const { kind, metric } = (json ?? {}) as Partial<MetricModelData>;
  if (kind !== "metric" || metric === undefined) {
    throw inputError('this is not a learned metric; "kindred metric --model" writes one');
  }
  const loaded = loadAnyMetric(metric);
  return { ...restoreTableSpace(json as object, metricWidth(loaded), "metric"), metric: loaded };
}
