import type { OnProgress } from "../core/index.ts";
import { inputError, note, optionError, requireRows } from "../core/internal.ts";
import type { Scaling } from "../data/index.ts";
import { numberTable } from "../data/internal.ts";
import { takeColumns } from "../matrix/index.ts";
import { scaledRows } from "../model/index.ts";
import { labelling } from "../model/internal.ts";
import {
  allColumns,
  classColumnsAccumulator,
  classColumnStatistics,
  columnScaling,
  columnStatistics,
  levelCounts,
  levelScheme,
  scaledBatches,
  type RowBatch,
} from "../scale/index.ts";
import { momentsOfBatches, sampleRows } from "../scale/internal.ts";
import {
  asNotes,
  metricColumns,
  metricNote,
  numberSpace,
  summedCuts,
  writeCounted,
  type LabelledBatch,
  type LevelOptions,
  type Levels,
  type Measure,
  type MeasuredRows,
  type Moments,
  type SummedRows,
} from "./rowSource.ts";

/** Files that are read in batches, repeatedly, and in the same order each time. */
export interface StreamSource {
  /** The user's names. */
  readonly source: string;
  batches(onProgress?: OnProgress): AsyncGenerator<RowBatch, void, undefined>;
}

/** The rows of files that are read in batches, once for moments and columns, twice for levels. */
export function streamRows(stream: StreamSource, onProgress?: OnProgress): SummedRows {
  const { source } = stream;

  const rows: SummedRows = {
    kind: "stream",
    source,
    plain: true,

    async moments({ classwise }): Promise<Moments> {
      async function* labelled(): AsyncGenerator<RowBatch> {
        for await (const batch of stream.batches(onProgress)) {
          if (batch.label === undefined)
            throw inputError(`${source}: moments of classes need a column of classes`);
          yield batch;
        }
      }
      const found = await momentsOfBatches(labelled(), classwise);
      if (found === undefined) throw inputError(`${source} has no rows`);
      const { batches, ...moments } = found;
      return { ...moments, notes: readNotes(batches, "batch") };
    },

    async classColumns() {
      const statistics = await classColumnStatistics(() => stream.batches(onProgress));
      return { statistics, notes: passNotes(1) };
    },

    async levels(options: LevelOptions): Promise<Levels> {
      const cuts = summedCuts(rows, options);
      if (source === "-") {
        throw optionError(
          "standard input can be read only once, but levels are counted in a second pass over the rows; give a file",
        );
      }
      const pass = (half: 0 | 1) => () => stream.batches(halfOf(onProgress, half));
      let columns: ReturnType<typeof classColumnsAccumulator> | undefined;
      const watched = async function* (): AsyncGenerator<RowBatch> {
        for await (const batch of pass(0)()) {
          columns ??= classColumnsAccumulator(batch.names);
          columns.add(batch.X);
          yield batch;
        }
      };
      const { varying = false, pairs = true, onColumns } = options;
      const scheme = await levelScheme(varying ? watched : pass(0), cuts);
      const { discretization, classes } = scheme;
      const names = discretization.columns;
      onColumns?.(names);
      if (!varying) {
        const counts = await levelCounts(pass(1), scheme, { pairs });
        return { counts, names, notes: passNotes(2) };
      }
      const { scaling, notes } = columnScaling(allColumns(columns!.result()), "none");
      const kept = {
        ...discretization,
        columns: scaling.kept.map((f) => names[f]),
        cuts: scaling.kept.map((f) => discretization.cuts[f]),
      };
      const counts = await levelCounts(
        () => scaledBatches(pass(1), scaling),
        { discretization: kept, classes },
        { pairs },
      );
      return { counts, names, scaling, notes: [...passNotes(2), ...notes] };
    },

    async sample(size, seed) {
      const { rows: all, ...drawn } = await sampleRows(stream.batches(onProgress), size, seed);
      return { table: numberTable({ ...drawn, source, notes: [] }), rows: all };
    },

    async write(model, to) {
      const label = labelling(model);
      async function* labelled(): AsyncGenerator<LabelledBatch> {
        for await (const batch of stream.batches(to.onProgress)) {
          const { labels } = label(numberTable({ ...batch, notes: [] }));
          yield { labels, ids: batch.ids };
          batch.release?.();
        }
      }
      const sizes = await writeCounted(labelled(), model.clusters, to);
      return { sizes, notes: asNotes(passNotes(2)) };
    },

    async passes(by): Promise<MeasuredRows> {
      const fitted = (
        scaling: Scaling,
        pass: () => AsyncGenerator<RowBatch, void, undefined>,
      ): Omit<MeasuredRows, "notes"> => ({
        ...numberSpace(scaling, by),
        fit: async (method, options) => {
          const { labels, ...fit } = await method.stream(pass, options);
          return {
            ...fit,
            notes: passNotes(fit.passes),
            write: async (to) =>
              to.rows === undefined ? undefined : writeCounted(labels(), fit.clusters, to),
          };
        },
      });
      if ("metric" in by) {
        return { ...fitted(by.scaling, () => underMetric(stream.batches(), by)), notes: [metricNote(by)] };
      }
      // The scaling needs a separate pass.
      const statistics = await columnStatistics(() => stream.batches(onProgress));
      requireRows(source, statistics.rows);
      const { scaling, notes } = columnScaling(statistics, by.scale);
      return {
        ...fitted(scaling, () => scaledBatches(() => stream.batches(), scaling)),
        notes: notes.map((message) => note("scaling", message)),
      };
    },

    async *batches(features) {
      for await (const batch of stream.batches()) yield features ? taken(batch, features) : batch;
    },
  };
  return rows;
}

/** How often the files were read, for a report. */
export function passNotes(passes: number): string[] {
  return readNotes(passes, "pass");
}

function readNotes(count: number, what: "pass" | "batch"): string[] {
  return [`streamed in ${count} ${what}${count === 1 ? "" : "es"}; the time includes reading`];
}

/** Rows in the space of the metric. */
async function* underMetric(
  batches: AsyncIterable<RowBatch>,
  { scaling, metric, source }: Extract<Measure, { metric: unknown }>,
): AsyncGenerator<RowBatch, void, undefined> {
  for await (const { release, ...batch } of batches) {
    const X = metric.transform(scaledRows({ ...batch, notes: [] }, scaling, { what: "metric", source }));
    release?.();
    yield { ...batch, names: metricColumns(metric), X };
  }
}

function taken(batch: RowBatch, features: readonly number[]): RowBatch {
  return { ...batch, X: takeColumns(batch.X, features), names: features.map((f) => batch.names[f]) };
}

/** The progress of the first (0) or the second (1) of two passes. */
function halfOf(onProgress: OnProgress | undefined, pass: 0 | 1): OnProgress | undefined {
  return onProgress && (({ fraction, label }) => onProgress({ fraction: (pass + fraction) / 2, label }));
}
