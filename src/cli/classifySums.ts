import type { OnProgress } from "../core/progress.ts";
import { engineTable } from "../engine/index.ts";
import { classifierFileText } from "./classifierFile.ts";
import type { ClassifyMethod, OwnOptions, SummedFit } from "./classifyMethods.ts";
import { learnedOutcome, predictionOutcome, type ClassifyOutcome } from "./classifyReport.ts";
import type { ClassifyOptions } from "./commands/classify.ts";
import { engineSource, engineTableOptions, withEngine } from "./engineInput.ts";
import { scaledFor } from "./metricFile.ts";
import { readNewRows } from "./newRows.ts";
import type { OutputFile } from "./outputFile.ts";
import { streamOptions } from "./streamInput.ts";
import { passesText, withStream } from "./streamSource.ts";

export interface Learning {
  readonly model: OutputFile | undefined;
  readonly onProgress: OnProgress;
}

/** Learns from files that are read in batches. */
export async function fromStream(
  source: string,
  options: ClassifyOptions,
  method: ClassifyMethod,
  own: OwnOptions,
  learning: Learning,
): Promise<ClassifyOutcome> {
  const start = performance.now();
  const fit = await withStream(source, streamOptions(source, options), async (stream) => {
    const found = await method.stream!(stream, own, learning.onProgress);
    return { ...found, notes: [...stream.notes(passesText(found.passes)), ...found.notes] };
  });
  return fromSums({ ...fit, source, start }, options, method, learning);
}

/** Learns from a table that an engine has. */
export async function fromEngine(
  options: ClassifyOptions,
  method: ClassifyMethod,
  own: OwnOptions,
  learning: Learning,
): Promise<ClassifyOutcome> {
  const start = performance.now();
  const fit = await withEngine(options, async (engine) => {
    const opened = await engineTable(engine, engineSource(options), engineTableOptions(options));
    const found = await method.onEngine!(opened, own);
    const { source, notes } = opened.table;
    return { ...found, source, notes: [...notes, ...found.notes], engine: `${engine.name}, ${found.how}` };
  });
  return fromSums({ ...fit, start }, options, method, learning);
}

/** The rows that were learned from were never in memory at once; those of --test are. */
async function fromSums(
  fit: SummedFit & { readonly source: string; readonly engine?: string; readonly start: number },
  options: ClassifyOptions,
  method: ClassifyMethod,
  { model, onProgress }: Learning,
): Promise<ClassifyOutcome> {
  const { fitted, scaling, rows, notes, source, engine, start } = fit;
  const label = options.label!;
  await model?.write([classifierFileText(label, scaling, fitted.classifier)]);
  const learned = {
    method: method.name,
    scaling: scaling.kind,
    seconds: (performance.now() - start) / 1000,
    ...(engine !== undefined && { engine }),
    training: { source, rows, features: scaling.columns.length, notes },
    fitted,
  };
  if (options.test === undefined) return learnedOutcome(learned);
  const fresh = await readNewRows(options.test, label, options, onProgress);
  const Y = scaledFor(fresh, { path: source, scaling }, "classifier");
  return predictionOutcome({ ...learned, fresh, Y, names: [] });
}
