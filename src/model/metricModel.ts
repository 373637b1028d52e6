import { inputError } from "../core/errors.ts";
import type { Scaling } from "../data/index.ts";
import { loadMahalanobis, type Mahalanobis, type MahalanobisData } from "../metric/index.ts";
import { restoreScaling } from "./storedScaling.ts";

/** A learned metric with the scaling that goes before it. */
export interface MetricModel {
  readonly scaling: Scaling;
  readonly metric: Mahalanobis;
}

/** As it is written to a file. */
export interface MetricModelData {
  readonly kind: "metric";
  readonly scaling: Scaling;
  readonly metric: MahalanobisData;
}

export function storeMetricModel({ scaling, metric }: MetricModel): MetricModelData {
  return { kind: "metric", scaling, metric: metric.model() };
}

/** Reads back what `storeMetricModel` gave; refuses what is none, or damaged. */
export function loadMetricModel(json: unknown): MetricModel {
  const { kind, scaling, metric } = (json ?? {}) as Partial<MetricModelData>;
  if (kind !== "metric" || scaling === undefined || metric === undefined) {
    throw inputError('this is not a learned metric; "kindred metric --model" writes one');
  }
  const model = { scaling: restoreScaling(scaling), metric: loadMahalanobis(metric) };
  requireWidth(model.scaling, model.metric.factor.cols, "metric");
  return model;
}

/** Refuses a scaling that gives other columns than what comes after it takes. */
export function requireWidth({ kept }: Scaling, columns: number, what: string): void {
  if (kept.length === columns) return;
  throw inputError(
    `the scaling keeps ${kept.length} columns, but the ${what} takes ${columns}: the file is damaged`,
  );
}
