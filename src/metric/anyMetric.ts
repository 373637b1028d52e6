import { inputError } from "../core/internal.ts";
import { loadMahalanobis, type Mahalanobis, type MahalanobisData } from "./mahalanobis.ts";
import { loadDistBoost, type DistBoost, type DistBoostData } from "./pairs/distBoost.ts";
import { loadKernelMetric, type KernelMetric, type KernelMetricData } from "./pairs/pcca.ts";

/**
 * The result of a metric learning method: a matrix over the columns, or another form. All have `transform`
 * and `distance`.
 */
export type AnyMetric = Mahalanobis | KernelMetric | DistBoost;

/** The form in a file. */
export type AnyMetricData = MahalanobisData | KernelMetricData | DistBoostData;

/** Reads the output of `model()` of a learned metric. */
export function loadAnyMetric(data: AnyMetricData): AnyMetric {
  if (data?.kind === "kernel-metric") return loadKernelMetric(data);
  if (data?.kind === "dist-boost") return loadDistBoost(data);
  return loadMahalanobis(data);
}

/** Whether a metric is one matrix, and so takes `matrix`, `transform` and SQL. */
export function isMahalanobis(metric: AnyMetric): metric is Mahalanobis {
  return typeof metric === "object" && metric !== null && "factor" in metric;
}

/** The columns of a row. */
export function metricWidth(metric: AnyMetric): number {
  if (isMahalanobis(metric)) return metric.factor.cols;
  return metric.method === "dist-boost" ? metric.columns : metric.rows.cols;
}

/** The metric if it is a matrix; otherwise an error, which names `what`. */
export function requireMatrix(metric: AnyMetric, what: string): Mahalanobis {
  if (isMahalanobis(metric)) return metric;
  throw inputError(
    `${what} needs a metric that is a matrix over the columns, and ${metric.method} is not one`,
  );
}
