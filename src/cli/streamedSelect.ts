import { optionError } from "../core/errors.ts";
import type { OnProgress } from "../core/progress.ts";
import { writeCsv } from "./csvOutput.ts";
import { takeColumns } from "../matrix/index.ts";
import {
  levelCounts,
  levelScheme,
  type BatchOptions,
  type LevelSchemeOptions,
  type RowBatch,
} from "../scale/index.ts";
import type { Selected } from "./commands/select.ts";
import { requireFeatures, type SelectMethod } from "./selectMethods.ts";
import { halfOf, requireReopenable } from "./streamInput.ts";
import { openStream, passesText, withStream } from "./streamSource.ts";

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
  return withStream(source, reading, async (stream) => {
    const pass = (half: 0 | 1) => () => stream.batches(halfOf(run.onProgress, half));
    const scheme = await levelScheme(pass(0), cuts);
    const names = scheme.discretization.columns;
    requireFeatures(run.features, source, names.length);
    const counts = await levelCounts(pass(1), scheme);
    const result = await method.fromCounts!(counts, { features: run.features, ...own });
    return {
      result,
      source,
      rows: counts.rows + counts.unlabelled,
      names,
      label: { name: reading.label!, classes: scheme.classes.length },
      notes: stream.notes(passesText(2)),
      seconds: (performance.now() - start) / 1000,
      reduced: () => reducedFiles(source, reading, result.features),
    };
  });
}

/** The stream was closed after the selection, which is all that most are interested in. */
async function* reducedFiles(
  source: string,
  reading: BatchOptions,
  features: readonly number[],
): AsyncGenerator<string> {
  const stream = await openStream(source, reading);
  try {
    yield* reducedRows(stream.batches(), features);
  } finally {
    await stream.close();
  }
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
  batches: AsyncIterable<RowBatch>,
  features: readonly number[],
): AsyncGenerator<string> {
  let header = true;
  for await (const { X, names, ids, label } of batches) {
    yield* writeCsv(
      { ids, names: features.map((f) => names[f]), X: takeColumns(X, features), label },
      { header },
    );
    header = false;
  }
}
