/**
 * Files with columns of any kind, read in batches: a sample of the rows decides the kinds and the conversion
 * of the columns, then every row is checked before any computation, and differences from the sample are
 * reported.
 */
import { random, type Note, type OnProgress } from "../core/index.ts";
import { inputError, note, optionError, sourceFiles } from "../core/internal.ts";
import { columnRecord, type ReadColumnsOptions, type Table } from "../data/index.ts";
import {
  appendTables,
  cellBatches,
  memoryLimit,
  rawParts,
  takeRawRows,
  typeLike,
  typeTable,
  type RawTable,
} from "../data/internal.ts";
import { applyFeatures, learnFeatures, type FeatureOptions, type TableFeatures } from "../features/index.ts";
import { textsOf, type TableSpace } from "../model/index.ts";
import { labelling, usedColumns } from "../model/internal.ts";
import type { RowBatch } from "../scale/index.ts";
import { rowChecks } from "./rowChecks.ts";
import {
  asNotes,
  writeCounted,
  type LabelledBatch,
  type NamedRows,
  type PassedRows,
  type RowSample,
} from "./rowSource.ts";
import { passNotes, streamRows, type StreamSource } from "./streamRows.ts";

export interface FeatureStreamOptions {
  /** How files are read and columns are interpreted. */
  readonly reading?: ReadColumnsOptions;
  /** What columns become. */
  readonly features?: FeatureOptions;
  readonly label?: string;
  readonly id?: string;
  /** Number of deciding rows; default 20,000. */
  readonly sample?: number;
  readonly onProgress?: OnProgress;
}

/** A stream of feature rows, and the decisions. */
export interface FeatureStream extends StreamSource, TableSpace {
  /** The sample, with the kinds of its columns. */
  readonly table: Table;
  readonly learned: TableFeatures;
  readonly rows: number;
  /** Differences of all rows from the sample. */
  readonly checked: readonly Note[];
}

const SAMPLE = 20_000;
const BATCH = 20_000;

/** Files with columns of any kind, in batches of cells of unknown kind. */
async function openCells(source: string, { reading = {}, onProgress }: FeatureStreamOptions) {
  if (source === "-") {
    throw optionError(
      "standard input can be read only once, and a stream of any columns is read several times",
    );
  }
  const files = await sourceFiles(source);
  const batches = (told?: OnProgress): AsyncGenerator<RawTable, void, undefined> =>
    rawBatches(files, reading, told);
  return {
    batches,
    /** Random rows with the kinds of their columns, and the total number. */
    async sample(size: number, seed: number, named?: NamedRows): Promise<RowSample> {
      const { raw, rows } = await sampled(batches(onProgress), size, seed, named);
      return { table: { ...typeTable(raw, { ...reading, vector: reading.vector ?? "none" }), source }, rows };
    },
  };
}

/** The rows of such files: clustered by a sample, or as features by passes over them. */
export async function cellRows(source: string, options: FeatureStreamOptions = {}): Promise<PassedRows> {
  const { id } = options;
  const cells = await openCells(source, options);
  let drawn: RowSample | undefined;
  return {
    kind: "stream",
    source,
    plain: false,

    sample: async (...call) => (drawn = await cells.sample(...call)),

    async passes() {
      const stream = await openFeatureStream(source, options);
      const measured = await streamRows(stream).passes({ scale: "none" });
      const { learned, columns, space } = stream;
      const decidedBy = `columns were decided by ${stream.table.rows} of ${stream.rows} rows, and checked on all of them`;
      return {
        ...measured,
        columns,
        space,
        decided: { table: stream.table, learned },
        notes: [note("sampled", decidedBy), ...stream.checked, ...learned.notes, ...measured.notes],
      };
    },

    async write(model, to) {
      const used = usedColumns(model.space);
      const known = drawn === undefined ? model.columns : drawn.table.columns.map(columnRecord);
      const needed = known.filter(({ name }) => used.has(name) || name === id);
      const checks = rowChecks(needed);
      const label = labelling(model);
      let rows = 0;
      async function* labelled(): AsyncGenerator<LabelledBatch> {
        for await (const batch of cells.batches(to.onProgress)) {
          const like = typeLike(batch, needed);
          checks.add(like);
          rows += like.rows;
          const ids = like.columns.find(({ name }) => name === id);
          yield { labels: label(like).labels, ids: ids && { name: ids.name, values: textsOf(ids) } };
        }
      }
      const sizes = await writeCounted(labelled(), model.clusters, to);
      const deciding = drawn?.table.rows ?? rows;
      const decidedBy = `the columns were decided by ${deciding} of ${rows} rows, and checked on all of them`;
      return {
        sizes,
        notes: [
          ...asNotes(passNotes(2)),
          ...(deciding < rows ? [note("checked", decidedBy)] : []),
          ...checks.notes(rows),
        ],
      };
    },
  };
}

/** The rows of a file as features, batch by batch; the columns are decided by a sample. */
export async function openFeatureStream(
  source: string,
  options: FeatureStreamOptions = {},
): Promise<FeatureStream> {
  const { label, id } = options;
  const { batches: pass, sample } = await openCells(source, options);
  const { table, rows } = await sample(options.sample ?? SAMPLE, options.features?.seed ?? 0);
  const aside = [label, id].filter((name) => name !== undefined);
  const ignore = [...(options.features?.ignore ?? []), ...aside];
  const learned = learnFeatures(table, { ...options.features, ignore });
  const space = { kind: "features" as const, record: learned.record };
  const used = usedColumns(space);
  const records = table.columns.map(columnRecord);
  const needed = records.filter(({ name }) => used.has(name) || aside.includes(name));
  const names = learned.record.parts.flatMap((part) => part.names);
  const checks = rowChecks(needed);
  for await (const raw of pass()) checks.add(typeLike(raw, needed));
  checks.require(rows);
  return {
    source,
    table,
    learned,
    rows,
    checked: checks.notes(rows),
    columns: records,
    space,
    async *batches(told) {
      let first = 0;
      for await (const raw of pass(told)) {
        const like = typeLike(raw, needed);
        const { X, rows: kept } = applyFeatures(learned.record, like);
        const text = (name: string | undefined): RowBatch["ids"] => {
          const column = like.columns.find((known) => known.name === name);
          if (column === undefined) return undefined;
          const values = textsOf(column);
          return {
            name: column.name,
            values: kept === undefined ? values : Array.from(kept, (i) => values[i]),
          };
        };
        const [ids, classes] = [text(id), text(label)];
        yield {
          names,
          X,
          source: raw.source,
          first,
          ...(ids && { ids }),
          ...(classes && { label: classes }),
        };
        first += X.rows;
      }
    },
  };
}

async function* rawBatches(
  files: readonly unknown[],
  reading: ReadColumnsOptions,
  onProgress?: OnProgress,
): AsyncGenerator<RawTable, void, undefined> {
  const ignore = Object.entries(reading.as ?? {}).flatMap(([name, kind]) =>
    kind === "ignore" ? [name] : [],
  );
  const memory = reading.memory ?? memoryLimit();
  for (const file of files) {
    const own = { ...reading, memory, ignore: new Set(ignore), ...(onProgress && { onProgress }) };
    // A group of rows of a Parquet file may be large.
    for await (const raw of cellBatches(file as string, own, BATCH)) yield* rawParts(raw, 2 * BATCH);
  }
}

/**
 * Random rows with equal probability: those with the smallest random numbers are kept (Vitter 1985); the named ones have the
 * smallest of all.
 */
async function sampled(
  batches: AsyncIterable<RawTable>,
  most: number,
  seed: number,
  named?: NamedRows,
): Promise<{ readonly raw: RawTable; readonly rows: number }> {
  const draw = random(seed);
  let kept: { readonly raw: RawTable; readonly keys: Float64Array }[] = [];
  let bar = 1;
  let rows = 0;
  const thin = (): void => {
    const all = Float64Array.from(kept.flatMap(({ keys }) => Array.from(keys))).sort();
    if (all.length <= most) return;
    bar = all[most];
    kept = kept.map(({ raw, keys }) => below(raw, keys, bar)).filter(({ raw }) => raw.rows > 0);
  };
  for await (const raw of batches) {
    const isNamed = named && nameTest(raw, named);
    const keys = Float64Array.from({ length: raw.rows }, (_, i) => {
      const key = draw.uniform();
      return isNamed?.(i) ? key - 1 : key;
    });
    rows += raw.rows;
    const own = below(raw, keys, bar);
    if (own.raw.rows > 0) kept.push(own);
    if (kept.reduce((sum, part) => sum + part.raw.rows, 0) > 2 * most) thin();
  }
  thin();
  if (kept.length === 0) throw inputError("there are no rows");
  const { notes: _, ...raw } = appendTables(kept.map((part) => part.raw));
  return { raw: { ...raw, notes: kept[0].raw.notes }, rows };
}

/** Whether a row has one of these names. */
function nameTest({ columns }: RawTable, { id, names }: NamedRows): (row: number) => boolean {
  const { texts, codes, numbers } = columns.find(({ name }) => name === id) ?? {};
  if (numbers !== undefined) return (i) => names.has(String(numbers[i]));
  const known = (texts ?? []).map((text) => names.has(text));
  return (i) => known[codes?.[i] ?? -1] ?? false;
}

function below(raw: RawTable, keys: Float64Array, bar: number): { raw: RawTable; keys: Float64Array } {
  const rows = Int32Array.from(keys.keys()).filter((i) => keys[i] < bar);
  if (rows.length === raw.rows) return { raw, keys };
  const columns = raw.columns.map((column) => takeRawRows(column, rows));
  return { raw: { ...raw, rows: rows.length, columns }, keys: Float64Array.from(rows, (i) => keys[i]) };
}
