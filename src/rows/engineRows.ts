import {
  checkedTable,
  classColumnsOnEngine,
  engineBatches,
  engineMoments,
  levelCountsOnEngine,
  scaledTable,
  type CheckedTable,
  type EngineTable,
  type Route,
} from "../engine/index.ts";
import { columnScaling, type ColumnStatistics } from "../scale/index.ts";
import { summedCuts, type SummedRows } from "./rowSource.ts";

/** The rows of a table on an engine, which sums and counts where that is faster than to send the rows. */
export function engineRows(opened: EngineTable): SummedRows {
  const { engine, source } = opened;
  let found: Promise<CheckedTable> | undefined;
  // A pass over the table that refuses or leaves out rows without a number; once is enough.
  const checked = (): Promise<CheckedTable> => (found ??= checkedTable(opened));
  const told = (route: Route, there: string): string =>
    `${engine.name}, ${route === "push-down" ? there : "rows streamed"}`;

  const rows: SummedRows = {
    kind: "engine",
    source,

    async moments({ classwise }) {
      const { route, ...moments } = await engineMoments(opened, { classwise });
      return { ...moments, engine: told(route, "sums pushed down") };
    },

    async classColumns() {
      const { table } = await checked();
      const { statistics } = await classColumnsOnEngine(table);
      return { statistics, notes: table.notes, engine: told("push-down", "sums pushed down") };
    },

    async levels(options) {
      const cuts = summedCuts(rows, options);
      const { varying = false, pairs = true, onColumns } = options;
      const { table, statistics } = await checked();
      onColumns?.(statistics.names);
      const varied = varying ? columnScaling(statistics, "none") : undefined;
      const kept = varied === undefined ? table : scaledTable(table, varied.scaling);
      const columns = varied === undefined ? statistics : keptColumns(statistics, varied.scaling.kept);
      const { counts, route } = await levelCountsOnEngine(kept, { ...cuts, pairs, columns });
      return {
        counts,
        names: statistics.names,
        ...(varied && { scaling: varied.scaling }),
        notes: [...table.notes, ...(varied?.notes ?? [])],
        engine: told(route, "levels counted there"),
      };
    },

    async *batches(features) {
      const { table } = await checked();
      yield* engineBatches(
        features === undefined ? table : { ...table, features: features.map((f) => table.features[f]) },
      );
    },
  };
  return rows;
}

/** Of these columns alone. */
export function keptColumns<
  T extends Omit<ColumnStatistics, "names"> & { readonly names?: readonly string[] },
>(statistics: T, kept: readonly number[]): T {
  const own = <V>(values: readonly V[]): V[] => kept.map((f) => values[f]);
  const { names, min, max, mean, squares } = statistics;
  return {
    ...statistics,
    ...(names !== undefined && { names: own(names) }),
    min: own(min),
    max: own(max),
    mean: own(mean),
    squares: own(squares),
  };
}
