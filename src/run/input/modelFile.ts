import { KindredError } from "../../core/index.ts";
import { bytesText, fileError, fileSystem, inputError, option, optionError } from "../../core/internal.ts";
import type { Scaling } from "../../data/index.ts";
import {
  type Clustering,
  loadMetricModel,
  loadModel,
  type MetricModel,
  scalingOf,
} from "../../model/index.ts";
import { reason } from "../../data/internal.ts";

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

/** A clustering as written by `kindred cluster --model`. */
export function readClustering(path: string): Clustering {
  const parsed = readModelJson(path);
  if (parsed.kind === "clustering") return inFile(path, () => loadModel(parsed));
  throw inputError(`${path} is not a clustering; give a file that kindred cluster wrote with --model`, {
    file: path,
  });
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

/**
 * The text of a file that is read at once. Devices and pipes do not say how long they are, so the bytes are counted as they
 * come.
 *
 * @param longest bytes
 * @param what that is never longer: "model"
 */
export function wholeText(path: string, longest: number, what: string): string {
  const parts: Uint8Array[] = [];
  let length = 0;
  const fs = fileSystem();
  if (fs === undefined) throw fileError(`${path} cannot be read here: files are read by their content`);
  try {
    const file = fs.openSync(path, "r");
    try {
      for (;;) {
        const part = new Uint8Array(Math.min(1 << 26, Math.max(1 << 16, length)));
        const count = fs.readSync(file, part, 0, part.length, null);
        if (count === 0) break;
        parts.push(part.subarray(0, count));
        length += count;
        if (length > longest) break;
      }
    } finally {
      fs.closeSync(file);
    }
  } catch (error) {
    throw fileError(`${path} cannot be read (${reason(error)})`, error);
  }
  if (length > longest) throw inputError(`${path} is longer than ${bytesText(longest)}, which no ${what} is`);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
