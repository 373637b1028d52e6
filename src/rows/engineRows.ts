import { inputError, note, requireRows } from "../core/internal.ts";
import type { ReadColumnsOptions, ScaleKind, Scaling } from "../data/index.ts";
import { typeTable } from "../data/internal.ts";
import {
  answer,
  checkedTable,
  classColumnsOnEngine,
  engineBatches,
  engineCells,
  engineMoments,
  levelCountsOnEngine,
  namedOnEngine,
  sampleOnEngine,
  scaledTable,
  transformedTable,
  writeLabels,
  type CheckedTable,
  type Engine,
  type EngineTable,
  type Route,
} from "../engine/index.ts";
import { joinedBatches, checkedLabels } from "../engine/internal.ts";
import { requireColumns } from "../model/internal.ts";
import { columnScaling, type ColumnStatistics } from "../scale/index.ts";
import { placeOnEngine } from "./placeOnEngine.ts";
import {
  metricColumns,
  metricNote,
  numberSpace,
  summedCuts,
  type Measure,
  type MeasuredRows,
  type SummedRows,
} from "./rowSource.ts";

/**
 * The rows of a table on an engine, which sums and counts if that is faster than sending the rows.
 *
 * @param reading how the cells of a sample become columns
 * @param plain whether all features are numbers of the table
 */
export function engineRows(
  opened: EngineTable,
  reading: ReadColumnsOptions = {},
  plain: boolean = true,
): SummedRows {
  const { engine, source } = opened;
  let statistics: Promise<CheckedTable> | undefined;
  // A pass over the table that refuses or leaves out rows without a number; once is enough.
  const checked = (): Promise<CheckedTable> => (statistics ??= checkedTable(opened));
  const work = (route: Route, there: string): string =>
    `${engine.name}, ${route === "push-down" ? there : "rows streamed"}`;
  let drawn: { readonly from: string; readonly rows: number; readonly all: boolean } | undefined;

  const rows: SummedRows = {
    kind: "engine",
    source,
    plain,
    engine: { name: engine.name, threads: engine.threads },

    async moments({ classwise }) {
      const { route, ...moments } = await engineMoments(opened, { classwise });
      return { ...moments, engine: work(route, "sums pushed down") };
    },

    async classColumns() {
      const { table } = await checked();
      const { statistics } = await classColumnsOnEngine(table);
      return { statistics, notes: table.notes, engine: work("push-down", "sums pushed down") };
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
        engine: work(route, "levels counted there"),
      };
    },

    async check({ target, replace = false }) {
      if (target !== undefined) await checkedLabels(opened, target, { replace });
    },

    async sample(size, seed, named) {
      const { from, drawn: random, rows: all } = await sampleOnEngine(opened, { rows: size, seed });
      drawn = { from, rows: all, all: all <= random.rows };
      const missed = named && !drawn.all ? await namedOnEngine(opened, named, random) : [];
      const cells = engineCells(joinedBatches([random, ...missed]), source);
      return { table: typeTable(cells, { vector: "none", ...reading }), rows: all };
    },

    async write(model, { target, replace = false, onProgress }) {
      const known = drawn && {
        check: !drawn.all,
        sample: drawn.from,
        onRows: (done: number) =>
          void onProgress?.({ fraction: Math.min(0.99, done / drawn!.rows), label: "labels" }),
      };
      const { way, ...placed } = await placeOnEngine(opened, model, {
        ...(target !== undefined && { to: target }),
        replace,
        ...known,
      });
      const there = way === "sql" ? [note("placed-there", `every row was labelled by ${engine.name}`)] : [];
      return { ...placed, notes: [...there, ...placed.notes] };
    },

    async passes(by): Promise<MeasuredRows> {
      const { table, statistics } = await checked();
      requireRows(source, statistics.rows);
      const measured = "metric" in by ? underMetric(table, by) : scaled(table, statistics, by.scale);
      return {
        ...numberSpace(measured.scaling, by),
        notes: measured.notes,
        async fit(method, options) {
          const { labelling, route, ...fit } = await method.onEngine(measured.table, options);
          return {
            ...fit,
            notes: [`${fit.passes} passes over the table`, ...table.notes],
            engine: work(route, "sums pushed down"),
            threads: await threadsOf(engine),
            write: async ({ target, replace = false }) =>
              target && Array.from(await writeLabels(measured.table, labelling, target, { replace })),
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

interface MeasuredTable extends Pick<MeasuredRows, "notes"> {
  readonly table: EngineTable;
  readonly scaling: Scaling;
}

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
