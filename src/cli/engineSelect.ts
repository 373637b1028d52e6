import { levelCountsOnEngine, engineBatches, engineTable, type EngineTable } from "../engine/index.ts";
import type { Selected } from "./commands/select.ts";
import {
  countingText,
  engineSource,
  engineTableOptions,
  openEngine,
  withEngine,
  type EngineOptions,
} from "./engineInput.ts";
import type { InputOptions } from "./input.ts";
import { requireFeatures, type SelectMethod } from "./selectMethods.ts";
import { levelCuts, reducedRows } from "./streamedSelect.ts";

/** Selects from the counts of a table on an engine; the time includes them. */
export function engineSelect(
  options: EngineOptions & InputOptions,
  method: SelectMethod,
  run: { readonly features?: number; readonly own: Readonly<Record<string, unknown>> },
): Promise<Selected> {
  const { cuts, own } = levelCuts(run.own, "on an engine");
  const start = performance.now();
  return withEngine(options, async (engine) => {
    const opened = await engineTable(engine, engineSource(options), engineTableOptions(options));
    const { table, statistics } = opened;
    requireFeatures(run.features, table.source, statistics.names.length);
    const { counts, route } = await levelCountsOnEngine(table, { ...cuts, columns: statistics });
    const result = await method.fromCounts!(counts, { features: run.features, ...own });
    return {
      result,
      source: table.source,
      rows: counts.rows + counts.unlabelled,
      names: statistics.names,
      label: { name: options.label!, classes: counts.classes.length },
      notes: table.notes,
      engine: `${engine.name}, ${countingText(route)}`,
      seconds: (performance.now() - start) / 1000,
      reduced: () => reducedTable(options, table, result.features),
    };
  });
}

/** The engine was closed after the selection, which is all that most are interested in. */
async function* reducedTable(
  options: EngineOptions,
  table: EngineTable,
  features: readonly number[],
): AsyncGenerator<string> {
  const engine = await openEngine(options);
  try {
    const own = { ...table, engine, features: features.map((f) => table.features[f]) };
    yield* reducedRows(
      engineBatches(own),
      features.map((_, rank) => rank),
    );
  } finally {
    await engine.close();
  }
}
