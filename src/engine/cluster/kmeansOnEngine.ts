import {
  extended,
  option,
  optionError,
  progressGate,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import { groupedSumsAccumulator, kmeansByPassesOptions, type KmeansByPasses } from "../../scale/index.ts";
import { checkPassOptions, kmeansByPasses, passProgress } from "../../scale/internal.ts";
import { compiledInParts } from "../withSetting.ts";
import { drawingOnEngine } from "./drawingOnEngine.ts";
import { countOf } from "../engine.ts";
import { engineBatches } from "../engineBatches.ts";
import type { EngineTable } from "../engineTable.ts";
import { groupedSumsOnEngine } from "./groupedSumsOnEngine.ts";
import { comparedList } from "./nearestOfList.ts";
import { kmeansRoute, routeRule, type Route } from "../route.ts";

const RULES = {
  ...kmeansByPassesOptions,
  /** Where the sums of a step are computed; default: the faster place, see docs/reference/engine-cost.md. */
  route: routeRule,
};

export type KmeansOnEngineOptions = OptionsOf<typeof RULES>;

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
  const own = resolveOptions(NAME, options, RULES);
  const d = table.features.length;
  checkPassOptions(NAME, own);
  const { initialCenters } = own;
  if (initialCenters !== undefined && initialCenters.cols !== d) {
    throw optionError(
      `${NAME}: ${option("initialCenters")} has ${initialCenters.cols} columns, but the data has ${d}`,
    );
  }
  const K = own.clusters ?? initialCenters!.rows;
  const route = own.route ?? kmeansRoute(table.engine, K, d);
  const gate = progressGate(own.onProgress);
  const { pass, report, count } = passProgress(gate, USUAL_PASSES);
  const listed = route === "push-down" && comparedList(table, K) !== undefined;
  const rows = listed ? await countOf(table) : 0;
  const steps = (): Promise<KmeansByPasses> =>
    kmeansByPasses(
      {
        name: NAME,
        gate,
        drawing: drawingOnEngine(table, own.seed, pass),
        async sumsAbout(centers, shift) {
          if (!pass()) return undefined;
          if (route === "push-down") return groupedSumsOnEngine(table, centers, shift, rows);
          const accumulator = groupedSumsAccumulator(centers, shift);
          for await (const { X } of engineBatches(table)) {
            accumulator.add(X);
            if (!report()) return undefined;
          }
          return accumulator.result();
        },
      },
      own,
    );
  // The code for lists is short; whole stages of it are faster.
  const run = await (listed ? steps() : compiledInParts(table.engine, steps));
  return extended(run, { names: table.features.map(({ name }) => name), passes: count(), route });
}

const NAME = "kmeansOnEngine";
const USUAL_PASSES = 20;
