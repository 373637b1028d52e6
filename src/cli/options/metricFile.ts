import { readFileSync } from "node:fs";
import { fileError, inputError, KindredError } from "../../core/errors.ts";
import type { NumberTable, Scaling } from "../../data/index.ts";
import type { Matrix } from "../../matrix/index.ts";
import type { Mahalanobis } from "../../metric/index.ts";
import { loadMetricModel, storeMetricModel, type MetricModel } from "../../model/metricModel.ts";
import { scaledRows } from "../../model/storedScaling.ts";
import { version } from "../manifest.ts";

/** A learned metric with the scaling that goes before it, as `kindred metric --model` writes it. */
export interface MetricFile extends MetricModel {
  readonly path: string;
}

export function metricFileText(scaling: Scaling, metric: Mahalanobis): string {
  return `${JSON.stringify({ kindred: version(), ...storeMetricModel({ scaling, metric }) })}\n`;
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

/** The JSON that a command has written with --model. */
export function readModelJson(path: string): { kind?: unknown } {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw fileError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, error);
  }
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (error) {
    throw inputError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

/** The rows in the scaled units that the metric, or what `learned` names, was learned in. */
export function scaledFor(
  table: NumberTable,
  { path, scaling }: Pick<MetricFile, "path" | "scaling">,
  learned: string = "metric",
): Matrix {
  return scaledRows(table, scaling, { what: learned, source: path });
}
