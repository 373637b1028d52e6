import { extended, rule } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { kmeansByPassesOptions, type KmeansByPasses } from "../../scale/index.ts";
import {
  checkPassOptions,
  groupedSumsAccumulator,
  kmeansByPasses,
  requireWidth,
  type GroupedSums,
} from "../../scale/internal.ts";
import { compiledInParts, countOf } from "../engine.ts";
import { enginePasses } from "./enginePasses.ts";
import { engineBatches } from "../engineBatches.ts";
import type { EngineTable } from "../engineTable.ts";
import { groupedSumsOnEngine } from "./groupedSumsOnEngine.ts";
import { comparedList } from "./nearestCenter.ts";
import { kmeansRoute, routeRule, type Route } from "../route.ts";

const RULES = {
  ...kmeansByPassesOptions,
  /** Where the sums of a step are computed; default: the faster place, see docs/reference/engine-cost.md. */
  route: routeRule,
};

export type KmeansOnEngineOptions = rule.OptionsOf<typeof RULES>;

export interface KmeansOnEngine extends KmeansByPasses {
  readonly names: readonly string[];
  /** Number of passes over the table. */
  readonly passes: number;
  readonly route: Route;
}

/**
 * k-means of a table on an engine: the start and the steps of `kmeansStream`, with rows that the engine draws
 * and grouped sums that it computes or, if that is faster, with its rows as a stream. From the same centres
 * the steps equal those of `kmeans`. The labels stay on the engine:
 *
 *     const { table, statistics } = await engineTable(engine, { query: "select * from 'data/*.parquet'" });
 *     const scaled = scaledTable(table, columnScaling(statistics).scaling);
 *     const result = await kmeansOnEngine(scaled, { clusters: 20 });
 *     await writeLabels(scaled, result, { file: "labels.parquet" });
 */
export async function kmeansOnEngine(
  table: EngineTable,
  options: KmeansOnEngineOptions,
): Promise<KmeansOnEngine> {
  const own = rule.resolveOptions(NAME, options, RULES);
  const names = table.features.map(({ name }) => name);
  checkPassOptions(NAME, own);
  requireWidth(NAME, own, names.length);
  const K = own.clusters ?? own.initialCenters!.rows;
  const route = own.route ?? kmeansRoute(table.engine, K, names.length);
  const passes = enginePasses(NAME, table, own);
  const listed = route === "push-down" && comparedList(table, K) !== undefined;
  const rows = listed ? await countOf(table) : 0;
  const sums = async (centers: Matrix, shift: Float64Array): Promise<GroupedSums | undefined> => {
    if (route === "push-down") return groupedSumsOnEngine(table, centers, shift, rows);
    const accumulator = groupedSumsAccumulator(centers, shift);
    for await (const { X } of engineBatches(table)) {
      accumulator.add(X);
      if (!passes.report()) return undefined;
    }
    return accumulator.result();
  };
  const steps = (): Promise<KmeansByPasses> =>
    kmeansByPasses(passes, (centers, shift) => passes.pass(() => sums(centers, shift)), own);
  // The code for lists is short; whole stages of it are faster.
  const run = await (listed ? steps() : compiledInParts(table.engine, steps));
  return extended(run, { names, passes: passes.count(), route });
}

const NAME = "kmeansOnEngine";
