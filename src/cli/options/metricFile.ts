import { inputError, KindredError, option, optionError } from "../../core/errors.ts";
import type { Scaling } from "../../data/index.ts";
import { scalingOf } from "../../model/index.ts";
import { loadMetricModel, storeMetricModel, type MetricModel } from "../../model/metricModel.ts";
import { version } from "../manifest.ts";
import { wholeText } from "./wholeText.ts";

/** A learned metric with what goes before it, as `kindred metric --model` writes it. */
export interface MetricFile extends MetricModel {
  readonly path: string;
}

export function metricFileText(model: MetricModel): string {
  return `${JSON.stringify({ kindred: version(), ...storeMetricModel(model) })}\n`;
}

export function readMetricFile(path: string): MetricFile {
  return metricFile(path, readModelJson(path));
}

export function metricFile(path: string, parsed: object): MetricFile {
  return { path, ...named(path, () => loadMetricModel(parsed)) };
}

/** What is wrong with a model says which file it is from. */
export function named<T>(path: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    throw error.within(`${path}: `, { file: path });
  }
}

/** Bytes of a model, which is read at once. */
const LONGEST = 5e8;

/** The JSON that a command has written with --model. */
export function readModelJson(path: string): { kind?: unknown } {
  const text = wholeText(path, LONGEST, "model");
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (error) {
    throw inputError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

/** What a metric does to columns of plain numbers before it, for rows that are never in memory at once. */
export function plainScaling({ path, space }: MetricFile): Scaling {
  const scaling = scalingOf(space);
  if (scaling !== undefined) return scaling;
  throw optionError(
    `${option("metric")} ${path}: it was learned on columns of several kinds, and a stream or an engine has plain numbers; ` +
      `read the rows at once, or learn the metric with --strict`,
  );
}
