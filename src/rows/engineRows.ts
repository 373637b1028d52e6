import { inputError, note, requireRows } from "../core/internal.ts";
import type { ScaleKind } from "../data/index.ts";
import {
  answer,
  checkedTable,
  classColumnsOnEngine,
  engineBatches,
  engineMoments,
  levelCountsOnEngine,
  scaledTable,
  transformedTable,
  writeLabels,
  type CheckedTable,
  type Engine,
  type EngineTable,
  type Route,
} from "../engine/index.ts";
import { requireColumns } from "../model/internal.ts";
import { columnScaling, type ColumnStatistics } from "../scale/index.ts";
import {
  metricColumns,
  metricNote,
  summedCuts,
  type Measure,
  type MeasuredRows,
  type SummedRows,
} from "./rowSource.ts";

/** The rows of a table on an engine, which sums and counts if that is faster than sending the rows. */
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

    async measured(by): Promise<MeasuredRows> {
      const { table, statistics } = await checked();
      requireRows(source, statistics.rows);
      const measured = "metric" in by ? underMetric(table, by) : scaled(table, statistics, by.scale);
      return {
        ...measured,
        async fit(method, options) {
          const { labelling, route, ...fit } = await method.onEngine(measured.table, options);
          return {
            ...fit,
            notes: [`${fit.passes} passes over the table`, ...table.notes],
            engine: told(route, "sums pushed down"),
            threads: await threadsOf(engine),
            write: (target, writing) => writeLabels(measured.table, labelling, target, writing),
          };
        },
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

async function threadsOf(engine: Engine): Promise<number | null> {
  if (engine.dialect.engine !== "duckdb") return null;
  return Number((await answer(engine, "select current_setting('threads')")).columns[0][0]);
}

type MeasuredTable = Omit<MeasuredRows, "fit"> & { readonly table: EngineTable };

function scaled(table: EngineTable, statistics: ColumnStatistics, kind: ScaleKind): MeasuredTable {
  const { scaling, notes } = columnScaling(statistics, kind);
  return {
    table: scaledTable(table, scaling),
    scaling,
    notes: notes.map((message) => note("scaling", message)),
  };
}

/** The features under a learned metric, which knows its columns by name. */
function underMetric(table: EngineTable, by: Extract<Measure, { metric: unknown }>): MeasuredTable {
  const { scaling, metric, source } = by;
  const names = table.features.map(({ name }) => name);
  requireColumns({ source: table.source, names }, scaling, { what: "metric", source });
  if (scaling.groups.length !== 1) {
    throw inputError(
      `${source} was learned with a scaling within each batch, which needs the rows in memory`,
    );
  }
  const features = scaling.columns.map((name) => table.features[names.indexOf(name)]);
  const there = scaledTable({ ...table, features }, scaling);
  return {
    table: transformedTable(there, metric.factor, metricColumns(metric)),
    scaling,
    notes: [metricNote(by)],
  };
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
