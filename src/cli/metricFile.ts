import { readFileSync } from "node:fs";
import { fileError, inputError, KindredError } from "../core/errors.ts";
import { requireScaling } from "../data/scaling.ts";
import { applyScaling, type Scaling, type NumberTable } from "../data/index.ts";
import { isSparse, takeColumns, toDense, type Matrix } from "../matrix/index.ts";
import { loadMahalanobis, type Mahalanobis, type MahalanobisData } from "../metric/index.ts";
import { version } from "./manifest.ts";

/** A learned metric with the scaling that goes before it, as `kindred metric --model` writes it. */
export interface MetricFile {
  readonly path: string;
  readonly scaling: Scaling;
  readonly metric: Mahalanobis;
}

export function metricFileText(scaling: Scaling, metric: Mahalanobis): string {
  return `${JSON.stringify({ kindred: version(), kind: "metric", scaling, metric })}\n`;
}

export function readMetricFile(path: string): MetricFile {
  return metricFile(path, readModelJson(path));
}

export function metricFile(path: string, parsed: { kind?: unknown }): MetricFile {
  const { kind, scaling, metric } = parsed as { kind?: unknown; scaling?: Scaling; metric?: MahalanobisData };
  if (kind !== "metric" || scaling === undefined || metric === undefined) {
    throw inputError(`${path} is not a learned metric; "kindred metric --model" writes one`);
  }
  return told(path, () => {
    const { kept } = requireScaling(scaling);
    const loaded = loadMahalanobis(metric);
    if (loaded.factor.cols !== kept.length) {
      throw inputError(
        `the metric has ${loaded.factor.cols} columns, and its scaling ${kept.length}: it is damaged`,
      );
    }
    return { path, scaling, metric: loaded };
  });
}

/** What is wrong with a model names its file. */
export function told<T>(path: string, load: () => T): T {
  try {
    return load();
  } catch (error) {
    throw error instanceof KindredError ? error.within(`${path}: `, { file: path }) : error;
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
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch (error) {
    throw inputError(`${path} is not valid JSON: ${(error as Error).message}`);
  }
}

/**
 * The rows of a table under the metric: its columns are found by name, in any order, then scaled as the training rows
 * were, then transformed.
 */
export function underMetric(table: NumberTable, file: MetricFile): Matrix {
  return file.metric.transform(scaledFor(table, file));
}

/** The rows in the scaled units that the metric, or what `learned` names, was learned in. */
export function scaledFor(
  table: NumberTable,
  { path, scaling }: Pick<MetricFile, "path" | "scaling">,
  learned: string = "metric",
): Matrix {
  requireColumns(table, { path, scaling }, learned);
  const dense = isSparse(table.X) ? toDense(table.X) : table.X;
  const ordered = takeColumns(
    dense,
    scaling.columns.map((name) => table.names.indexOf(name)),
  );
  return applyScaling(scaling, ordered, table.batch?.values);
}

/** Refuses a table that lacks a column of what was learned, or has one that it does not know. */
export function requireColumns(
  table: { readonly source: string; readonly names: readonly string[] },
  { path, scaling: { columns } }: Pick<MetricFile, "path" | "scaling">,
  learned: string = "metric",
): void {
  const missing = columns.filter((name) => !table.names.includes(name));
  const extra = table.names.filter((name) => !columns.includes(name));
  if (missing.length > 0 || extra.length > 0) {
    const parts = [
      ...(missing.length > 0 ? [`it lacks ${quoted(missing)}`] : []),
      ...(extra.length > 0
        ? [`the ${learned} does not know ${quoted(extra)} (--ignore leaves columns out)`]
        : []),
    ];
    throw inputError(`${table.source} does not have the columns of ${path}: ${parts.join("; ")}`);
  }
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  return `${shown.join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
}
