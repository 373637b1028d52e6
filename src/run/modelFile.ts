import { KindredError } from "../core/index.ts";
import { inputError, option, optionError } from "../core/internal.ts";
import type { Scaling } from "../data/index.ts";
import { loadMetricModel, scalingOf, type MetricModel } from "../model/index.ts";
import { wholeText } from "./wholeText.ts";

/** A learned metric with its preprocessing, as written by `kindred metric --model`. */
export interface MetricFile extends MetricModel {
  readonly path: string;
}

export function readMetricFile(path: string): MetricFile {
  return metricFile(path, readModelJson(path));
}

export function metricFile(path: string, parsed: object): MetricFile {
  return { path, ...inFile(path, () => loadMetricModel(parsed)) };
}

/** Errors about a model name its file. */
export function inFile<T>(path: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    throw error.within(`${path}: `, { file: path });
  }
}

/** Maximum length of a model, which is read at once. */
const LONGEST = 5e8;

/** The JSON written by a command with --model. */
export function readModelJson(path: string): { kind?: unknown } {
  const text = wholeText(path, LONGEST, "model");
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (error) {
    throw inputError(`${path} is no model, because it is not valid JSON: ${(error as Error).message}`);
  }
}

/** The preprocessing of a metric for columns of plain numbers, for rows that do not fit into memory. */
export function plainScaling({ path, space }: MetricFile): Scaling {
  const scaling = scalingOf(space);
  if (scaling !== undefined) return scaling;
  throw optionError(
    `${option("metric")} ${path}: it was learned on columns of several kinds, and a stream or an engine has plain numbers; ` +
      `read the rows at once, or learn the metric with --strict`,
  );
}
