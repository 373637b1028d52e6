import { double, extended, rule } from "../../core/internal.ts";
import type { GaussianMixtureFit } from "../../cluster/index.ts";
import { gaussianMixtureStream, gaussianMixtureStreamOptions } from "../../scale/index.ts";
import {
  checkMixtureStart,
  mixtureByPasses,
  rowsToDraw,
  stoppedEarly,
  type InUnit,
} from "../../scale/internal.ts";
import { columnSums } from "../columnSums.ts";
import { compiledInParts } from "../engine.ts";

import { engineBatches } from "../engineBatches.ts";
import type { EngineTable } from "../engineTable.ts";
import { routeRule, type Route } from "../route.ts";
import { enginePasses } from "./enginePasses.ts";
import { mixtureSumsOnEngine } from "./mixtureSumsOnEngine.ts";

const RULES = {
  ...gaussianMixtureStreamOptions,
  /** Where the sums of a step are computed; default: on Spark itself, and locally for DuckDB, where this is faster. */
  route: routeRule,
};

export type GaussianMixtureOnEngineOptions = rule.OptionsOf<typeof RULES>;

export interface GaussianMixtureOnEngine extends GaussianMixtureFit {
  readonly rows: number;
  readonly names: readonly string[];
  readonly sizes: Float64Array;
  readonly passes: number;
  readonly route: Route;
}

/**
 * A Gaussian mixture of a table on an engine: EM from the mixture of a sample, with sums from the engine, or
 * with its rows as a stream. From the same mixture the steps equal those of `gaussianMixture`.
 */
export async function gaussianMixtureOnEngine(
  table: EngineTable,
  options: GaussianMixtureOnEngineOptions,
): Promise<GaussianMixtureOnEngine> {
  const { route: asked, ...own } = rule.resolveOptions(NAME, options, RULES);
  const { engine, features } = table;
  const route = asked ?? ROUTE[engine.dialect.engine];
  if (route === "stream") {
    const { route: _, ...given } = options;
    return extended(await gaussianMixtureStream(() => engineBatches(table), given), { route });
  }
  checkMixtureStart(NAME, own);
  const passes = enginePasses(NAME, table, own);
  const columns = await passes.pass(async () => (await columnSums(table, false)).statistics);
  if (columns === undefined) throw stoppedEarly(NAME);
  const { fit, sizes, warnings } = await compiledInParts(engine, async () => {
    const drawn = await passes.sample(rowsToDraw(own, features.length));
    if (drawn === undefined) throw stoppedEarly(NAME);
    return mixtureByPasses(passes, columns, drawn.X, own, (mixture, inUnit) =>
      passes.pass(() => mixtureSumsOnEngine(unitTable(table, inUnit), mixture)),
    );
  });
  const { rows, names } = columns;
  return extended(fit, { rows, names, sizes, passes: passes.count(), warnings, route });
}

const NAME = "gaussianMixtureOnEngine";
/** Rows of DuckDB are cheap to get, and a sum takes it ten times as long as the kernel; see docs/reference/engine-cost.md. */
const ROUTE = { duckdb: "stream", spark: "push-down" } as const;

function unitTable(table: EngineTable, { center, unit }: InUnit): EngineTable {
  const features = table.features.map(({ name, sql }, f) => ({
    name,
    sql: `((${sql} - ${double(center[f])}) / ${double(unit)})`,
  }));
  return { ...table, features };
}
