import { optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import { writeCsv } from "../data/index.ts";
import { takeColumns } from "../matrix/index.ts";
import {
  levelCounts,
  levelScheme,
  rowBatches,
  type BatchOptions,
  type BatchSource,
  type LevelSchemeOptions,
} from "../scale/index.ts";
import type { Selected } from "./commands/select.ts";
import { requireFeatures, type SelectMethod } from "./selectMethods.ts";
import { halfOf, requireReopenable } from "./streamInput.ts";

/** Selects in two passes, one for the cuts and one for the counts; a third writes the reduced table if it is asked for. */
export async function streamedSelect(
  source: string,
  reading: BatchOptions,
  method: SelectMethod,
  run: {
    readonly features?: number;
    readonly own: Readonly<Record<string, unknown>>;
    readonly onProgress: OnProgress;
  },
): Promise<Selected> {
  requireReopenable(source, "select reads it twice, for the cuts and for the counts");
  const { cuts, own } = levelCuts(run.own, "from a stream");
  const start = performance.now();
  const scheme = await levelScheme(source, {
    ...reading,
    ...cuts,
    onProgress: halfOf(run.onProgress, 0),
  });
  const names = scheme.discretization.columns;
  requireFeatures(run.features, source, names.length);
  const counts = await levelCounts(source, scheme, { ...reading, onProgress: halfOf(run.onProgress, 1) });
  const result = await method.fromCounts!(counts, { features: run.features, ...own });
  return {
    result,
    source,
    rows: counts.rows + counts.unlabelled,
    names,
    label: { name: reading.label!, classes: scheme.classes.length },
    notes: ["streamed in 2 passes; the time includes reading"],
    seconds: (performance.now() - start) / 1000,
    reduced: () => reducedRows(source, reading, result.features),
  };
}

/** How values become levels, apart from the other options of a method. */
export function levelCuts(
  options: Readonly<Record<string, unknown>>,
  where: "from a stream" | "on an engine",
): {
  readonly cuts: Pick<LevelSchemeOptions, "discretize" | "bins">;
  readonly own: Readonly<Record<string, unknown>>;
} {
  const { discretize, bins, ...own } = options;
  if (discretize === "frequency") {
    throw optionError(
      `--discretize frequency: quantiles need all rows at once; ${where} take sigma, width or given`,
    );
  }
  return {
    cuts: { discretize: discretize as LevelSchemeOptions["discretize"], bins: bins as number | undefined },
    own,
  };
}

/** The table with the selected features only, as CSV. */
export async function* reducedRows(
  source: BatchSource,
  reading: BatchOptions,
  features: readonly number[],
): AsyncGenerator<string> {
  let header = true;
  for await (const { X, names, ids, label } of rowBatches(source, reading)) {
    yield* writeCsv(
      { ids, names: features.map((f) => names[f]), X: takeColumns(X, features), label },
      { header },
    );
    header = false;
  }
}
