/**
 * `kindred cluster` with a method that needs all rows at once, for rows that do not fit into memory: the
 * method is fitted on a sample, and the model places every row.
 */
import { random, type Note, type OnProgress } from "../core/index.ts";
import { note, option, optionError, requireRows } from "../core/internal.ts";
import { columnRecord, type NumberTable, type Table } from "../data/index.ts";
import { numberTable, typeLike, typeTable } from "../data/internal.ts";
import { requireLabelTarget } from "../engine/internal.ts";
import { clusterRun } from "../run/index.ts";
import { sampleNote, sampleSize } from "../run/internal.ts";
import {
  engine as kernels,
  isSparse,
  matrix,
  setThreads,
  threads,
  type Matrix,
  type Sparse,
} from "../matrix/index.ts";
import type { ClusteringMethod, OpenMethod } from "../method/index.ts";
import { quickPlacing } from "../method/internal.ts";
import { clusteringOf, textsOf, type Clustering } from "../model/index.ts";
import { labelling, usedColumns } from "../model/internal.ts";
import {
  openCellStream,
  passesText,
  placeOnEngine,
  readingNotes,
  rowChecks,
  withStream,
  type SummedRows,
} from "../rows/index.ts";
import type { RowBatch } from "../scale/index.ts";
import { knownLabels, type ClusterFlags } from "./commands/cluster.ts";
import { engineSource, withEngine } from "./options/engineInput.ts";
import { engineTarget, type Target } from "./options/engineTarget.ts";
import { readMetricFile } from "./options/metricFile.ts";
import { ownOptions } from "./options/methodFlags.ts";
import { passInput } from "./options/passInput.ts";
import { requireReopenable, streamOptions } from "./options/streamInput.ts";
import { prepareInput, readingOf } from "./options/tableInput.ts";
import { clusterJson } from "./output/clusterJson.ts";
import { clusterText, decisions, spaceText } from "./output/clusterText.ts";
import { ENGINE_APPENDS } from "./clusterElsewhere.ts";
import { refuseDropped } from "./output/append.ts";
import { labelRows, type LabelledBatch } from "./output/labelRows.ts";
import { outputFile, requireDifferent } from "./output/outputFile.ts";
import { progressLine } from "./output/progressLine.ts";
import { tell, writeOut } from "./output/stdout.ts";

export async function clusterBySample(
  sources: readonly string[],
  options: ClusterFlags,
  method: ClusteringMethod,
  open: OpenMethod,
  kind: SummedRows["kind"],
): Promise<void> {
  refuse(sources, options, method, kind);
  const { out, seed = 0 } = options;
  const target = kind === "engine" ? engineTarget(options) : undefined;
  requireDifferent({ "--out": out, "--model": options.model });
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const labelsFile =
    kind === "engine" || out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const by = options.metric === undefined ? undefined : readMetricFile(options.metric);
  if (options.threads !== undefined) setThreads(options.threads);
  const size = sampleSize(method, options.sample);
  const progress = progressLine();
  const begun = performance.now();
  try {
    const asked = { size, seed, onProgress: progress.onProgress };
    const work = async ({ table, rows, place, engine, threads: own }: Sampled): Promise<void> => {
      requireRows(table.source, table.rows);
      const known = knownLabels(table, options.known);
      // In a stream, ignored columns are not read.
      const left = options.ignore ?? [];
      const ignore = [
        ...(kind === "stream"
          ? left.filter((name) => table.columns.some((column) => column.name === name))
          : left),
        ...(options.known === undefined ? [] : [options.known]),
      ];
      const prepared = prepareInput({ table }, { ...options, ignore, told: known !== undefined }, by);
      const fitting = performance.now();
      const { clustering, fitted } = await clusterRun(prepared, {
        ...ownOptions(open.options, options),
        method: options.method,
        ...(options.clusters !== undefined && { clusters: options.clusters }),
        seed,
        ...(known !== undefined && { labels: known }),
        ...(options.names !== undefined && { names: options.names }),
        // All that were drawn.
        sample: table.rows,
        onProgress: progress.onProgress,
      });
      const found = quickly(clustering, prepared.X, fitted.labels, rows);
      const fitEnd = performance.now();
      // Written even if the labels fail.
      await modelFile?.write([`${JSON.stringify(ofAllRows(found, found.sizes, rows, []))}\n`]);
      progress.onProgress({ fraction: 0.99, label: "labels" });
      const { sizes, notes } = await place(found, progress.done);
      progress.done();
      const whole = ofAllRows(found, sizes ?? found.sizes, rows, [
        ...sampleNotes(found, table.rows, rows, sizes === undefined),
        ...notes,
        ...(options.label === undefined
          ? []
          : [
              note(
                "label",
                `"${options.label}" was set aside; kindred score compares the labels written with it`,
              ),
            ]),
      ]);
      await modelFile?.write([`${JSON.stringify(whole)}\n`]);
      const about = {
        source: table.source,
        rows,
        features: prepared.names.length,
        scaling: spaceText(whole.space),
        label: null,
        scores: null,
        seconds: (fitEnd - fitting) / 1000,
        readSeconds: (fitting - begun) / 1000,
        engine: engine ?? kernels().name,
        threads: own === undefined ? threads() : own,
        notes: [],
      };
      if (options.json === true) {
        return writeOut([`${JSON.stringify(clusterJson(whole, about, prepared.columns))}\n`]);
      }
      const report = [...decisions(prepared), clusterText(whole, about, fitted.facts)].join("");
      if (out === "-") tell(report.trimEnd());
      else await writeOut([report]);
      for (const written of [labelsFile?.path, target?.told, modelFile?.path]) {
        if (written !== undefined) tell(`wrote ${written}`);
      }
    };
    if (kind === "engine") await withEngineSample(options, target, asked, work);
    else if (await (await import("./mixedStream.ts")).isMixedStream(sources[0], options))
      await withMixedSample(sources[0], options, asked, labelsFile, work);
    else await withStreamSample(sources[0], options, asked, labelsFile, work);
  } finally {
    progress.done();
  }
}

/** The clustering with a rule that places so many rows in good time. */
function quickly(found: Clustering, X: Matrix | Sparse, labels: Int32Array, rows: number): Clustering {
  if (isSparse(X)) return found;
  const { rule, told } = quickPlacing(found.placing, X, labels, rows);
  const notes = told === undefined ? found.notes : [...found.notes, note("placed-by-points", told)];
  return clusteringOf({ ...found, placing: rule, notes }, found.labels);
}

/** Options that name or show single rows: the rows of the sample are not known in advance. */
function refuse(
  sources: readonly string[],
  options: ClusterFlags,
  { name, needs }: ClusteringMethod,
  kind: SummedRows["kind"],
): void {
  const alternative = "fit a sample as a file, and place the other rows with kindred apply";
  for (const given of ["hints", "mustLink", "cannotLink", "labels"] as const) {
    if (options[given] === undefined) continue;
    throw optionError(
      `${option(given)}: ${name} is fitted on a sample, which may lack these rows; ${alternative}`,
    );
  }
  if (needs.pairs === "required") throw optionError(`${name} needs pairs of rows; ${alternative}`);
  if (needs.labels === "required" && options.known === undefined) {
    throw optionError(`${name} needs ${option("known")}, the column with the known groups of some rows`);
  }
  if (options.append === true) {
    if (kind === "engine") throw optionError(ENGINE_APPENDS);
    refuseDropped(options.missing, "of a stream");
  }
  for (const given of ["report", "show"] as const) {
    if (options[given] === undefined) continue;
    throw optionError(`${option(given)}: it shows the rows, which are not all in memory; ${alternative}`);
  }
  if (kind === "stream")
    requireReopenable(sources[0], `${name} reads it twice: for the sample and for the labels`);
}

interface Sampled {
  /** The rows that were drawn. */
  readonly table: Table;
  /** Of the whole. */
  readonly rows: number;
  readonly engine?: string;
  readonly threads?: number | null;
  /** Labels every row; `sizes` are absent if rows were not counted. */
  place(
    model: Clustering,
    beforeOutput: () => void,
  ): Promise<{ readonly sizes?: readonly number[]; readonly notes: readonly Note[] }>;
}

interface Asked {
  readonly size: number;
  readonly seed: number;
  readonly onProgress: OnProgress;
}

async function withEngineSample(
  options: ClusterFlags,
  target: Target | undefined,
  { size, seed, onProgress }: Asked,
  work: (sampled: Sampled) => Promise<void>,
): Promise<void> {
  const { engineCells, openEngineCells, sampleOnEngine } = await import("../engine/index.ts");
  await withEngine(options, async (engine) => {
    const { table } = await openEngineCells(engine, engineSource(options), options.id);
    const writing = { replace: options.replace === true };
    if (target !== undefined) await requireLabelTarget(table, target.to, writing);
    onProgress({ fraction: 0, label: "sample" });
    const { from, drawn, rows } = await sampleOnEngine(table, { rows: size, seed });
    const raw = engineCells(drawn, table.source);
    await work({
      table: typeTable(raw, {
        ...readingOf(options),
        ...(options.vector === undefined && { vector: "none" }),
      }),
      rows,
      engine: engine.name,
      threads: engine.threads ?? null,
      async place(model) {
        const { way, ...placed } = await placeOnEngine(table, model, {
          ...(target !== undefined && { to: target.to }),
          ...writing,
          check: rows > drawn.rows,
          sample: from,
          onRows: (done) => void onProgress({ fraction: Math.min(0.99, done / rows), label: "labels" }),
        });
        const told = way === "sql" ? [note("placed-there", `every row was labelled by ${engine.name}`)] : [];
        return { ...placed, notes: [...told, ...placed.notes] };
      },
    });
  });
}

async function withStreamSample(
  source: string,
  options: ClusterFlags,
  { size, seed, onProgress }: Asked,
  file: { write(lines: AsyncIterable<string>): Promise<void> } | undefined,
  work: (sampled: Sampled) => Promise<void>,
): Promise<void> {
  await withStream(source, streamOptions(source, passInput(options)), async (stream) => {
    const { table, rows } = await reservoir(stream.batches(onProgress), source, size, seed);
    await work({
      table,
      rows,
      async place(model, beforeOutput) {
        const label = labelling(model);
        async function* labelled(): AsyncGenerator<LabelledBatch> {
          for await (const batch of stream.batches(file === undefined ? undefined : onProgress)) {
            const { labels } = label(numberTable({ ...batch, notes: [] }));
            yield { labels, ids: batch.ids };
            batch.release?.();
          }
        }
        return {
          sizes: await writeLabelled(labelled(), model, { source, options, file, beforeOutput }),
          notes: stream.notes(passesText(2)).map((message) => note("reading", message)),
        };
      },
    });
  });
}

/** Writes the labels of all rows as they arrive, and counts the rows of each cluster. */
async function writeLabelled(
  batches: AsyncIterable<LabelledBatch>,
  { clusters, names }: Clustering,
  to: {
    readonly source: string;
    readonly options: ClusterFlags;
    readonly file: { write(lines: AsyncIterable<string>): Promise<void> } | undefined;
    readonly beforeOutput: () => void;
  },
): Promise<number[]> {
  const { source, options } = to;
  const sizes = new Float64Array(clusters);
  const copy = options.append === true ? { source, options, names } : undefined;
  const lines = labelRows(batches, sizes, copy);
  if (to.file !== undefined) await to.file.write(lines);
  else if (options.out === "-") {
    to.beforeOutput();
    await writeOut(lines);
  } else for await (const _ of lines);
  return Array.from(sizes);
}

/**
 * The same for files with columns of any kind: the sample decides the kinds, and all rows are checked as
 * they are labelled.
 */
async function withMixedSample(
  source: string,
  options: ClusterFlags,
  { size, seed, onProgress }: Asked,
  file: { write(lines: AsyncIterable<string>): Promise<void> } | undefined,
  work: (sampled: Sampled) => Promise<void>,
): Promise<void> {
  const reading = readingOf(options);
  const stream = await openCellStream(source, reading);
  const { raw, rows } = await stream.sample(size, seed, onProgress);
  const table = typeTable(raw, { ...reading, vector: reading.vector ?? "none" });
  await work({
    table: { ...table, source },
    rows,
    async place(model, beforeOutput) {
      const used = usedColumns(model.space);
      const needed = table.columns
        .filter(({ name }) => used.has(name) || name === options.id)
        .map(columnRecord);
      const checks = rowChecks(needed);
      const label = labelling(model);
      async function* labelled(): AsyncGenerator<LabelledBatch> {
        for await (const batch of stream.batches(file === undefined ? undefined : onProgress)) {
          const like = typeLike(batch, needed);
          checks.add(like);
          const id = like.columns.find(({ name }) => name === options.id);
          yield { labels: label(like).labels, ids: id && { name: id.name, values: textsOf(id) } };
        }
      }
      const sizes = await writeLabelled(labelled(), model, { source, options, file, beforeOutput });
      const said = `the columns were decided by ${table.rows} of ${rows} rows, and checked on all of them`;
      return {
        sizes,
        notes: [
          ...readingNotes(passesText(2), {}).map((message) => note("reading", message)),
          ...(table.rows < rows ? [note("checked", said)] : []),
          ...checks.notes(rows),
        ],
      };
    },
  });
}

/**
 * A uniform sample of `size` rows in one pass: row i replaces a kept one with probability size / i (Vitter, Random
 * sampling with a reservoir, ACM TOMS 11, 1985, algorithm R).
 */
async function reservoir(
  batches: AsyncIterable<RowBatch>,
  source: string,
  size: number,
  seed: number,
): Promise<{ readonly table: Table; readonly rows: number }> {
  const { uniform } = random(seed);
  const kept: { x: Float64Array; label?: string; id?: string }[] = [];
  let rows = 0;
  let first: RowBatch | undefined;
  for await (const batch of batches) {
    first ??= batch;
    const { X, label, ids } = batch;
    for (let i = 0; i < X.rows; i++, rows++) {
      const place = rows < size ? rows : Math.floor(uniform() * (rows + 1));
      if (place >= size) continue;
      kept[place] = {
        x: X.data.slice(i * X.cols, (i + 1) * X.cols),
        ...(label && { label: label.values[i] }),
        ...(ids && { id: ids.values[i] }),
      };
    }
    batch.release?.();
  }
  const names = first?.names ?? [];
  const X: Matrix = matrix(kept.length, names.length);
  kept.forEach(({ x }, i) => X.data.set(x, i * names.length));
  const numbers: NumberTable = {
    source,
    X,
    names,
    notes: [],
    ...(first?.label && { label: { name: first.label.name, values: kept.map(({ label }) => label!) } }),
    ...(first?.ids && { ids: { name: first.ids.name, values: kept.map(({ id }) => id!) } }),
  };
  return { table: numberTable(numbers), rows };
}

/** The possible loss from a sample. */
function sampleNotes(
  { method, clusters }: Clustering,
  fitted: number,
  rows: number,
  uncounted: boolean,
): Note[] {
  if (fitted >= rows) return [];
  return [
    sampleNote({ name: method }, fitted, rows),
    ...(uncounted && clusters > 0
      ? [note("sample-sizes", "the sizes of the clusters are those of the sample")]
      : []),
  ];
}

/** The clustering of all rows: the number of rows in each cluster, without single rows of the sample. */
function ofAllRows(
  found: Clustering,
  sizes: readonly number[],
  rows: number,
  notes: readonly Note[],
): Clustering {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return clusteringOf(
    {
      ...found,
      sizes: Array.from(sizes),
      notes: [...found.notes, ...notes],
      profiles: found.profiles.map((profile) => ({
        ...profile,
        rows: sizes[profile.cluster],
        share: sizes[profile.cluster] / Math.max(1, total === 0 ? rows : total),
      })),
      representatives: found.sizes.map((_, cluster) => ({ cluster, typical: [], borderline: [] })),
    },
    new Int32Array(0),
  );
}
