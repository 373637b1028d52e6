/**
 * The one way from a request to a report, for rows in memory, in a stream or on an engine: a method fits all of them
 * or a sample of them, or it learns by passes over them.
 */
import type { Note, OnProgress } from "../core/index.ts";
import { have, note, option, optionError, requireRows, sourceFiles } from "../core/internal.ts";
import type { Table, WrittenRows } from "../data/index.ts";
import type { Engine } from "../engine/index.ts";
import { engine as arithmetic, setThreads, threads, useEngine, type EngineName } from "../matrix/index.ts";
import { requireMatrix } from "../metric/index.ts";
import type { Clustering } from "../model/index.ts";
import { spareNames } from "../model/internal.ts";
import {
  asNotes,
  type Destination,
  type LabelledBatch,
  type Measure,
  type PassedRows,
} from "../rows/index.ts";
import { clusterRun, type Run } from "./cluster.ts";
import { againstClasses, unknownClasses } from "./compare/againstClasses.ts";
import { knowledgeOf, namedRows, rowNames, type RowKnowledge } from "./known/knowledge.ts";
import { plainScaling, readMetricFile, type MetricFile } from "./input/modelFile.ts";
import { scaleOfSums, withEngineRows, withStream } from "./input/openRows.ts";
import { ownOptions, planOf, refuseDropped, type Plan } from "./plan.ts";
import { requireColumn, prepareInput } from "./input/prepare.ts";
import { readingOf, readInput, type Input } from "./input/readTable.ts";
import {
  classesOf,
  clusteringOfPasses,
  clusteringOfSample,
  quickClustering,
  spaceText,
  type Report,
} from "./report.ts";
import type { Request } from "./request.ts";
import { sampleNote, sampleSize } from "./fit/fit.ts";

/** What takes part in a run while it goes on. */
export interface Sinks {
  readonly onProgress?: OnProgress;
  /** What one may want to know before a long fit. */
  readonly onNote?: (note: Note) => void;
  /** The model, as soon as it can place rows; and again with the numbers of all rows. */
  readonly onModel?: (model: Clustering) => Promise<void>;
  /** Takes the cluster of every row, in the order of the rows; an engine writes its labels itself. */
  readonly onLabels?: (rows: LabelledRows) => Promise<void>;
  /** An engine was opened; the function that is returned is called when it closes. */
  readonly onEngine?: (engine: Engine) => () => void;
}

/** The rows of a request with their clusters. */
export interface LabelledRows {
  readonly source: string;
  /** The names of the clusters. */
  readonly names: readonly string[];
  readonly batches: AsyncIterable<LabelledBatch>;
  /** The rows as they are written in their files; absent for rows without a file. */
  readonly written?: () => AsyncIterable<WrittenRows>;
  /** Rows in memory. */
  readonly table?: Table;
}

/** A request that is under way. */
interface Job extends Plan, Sinks {
  readonly onProgress: OnProgress;
  readonly begun: number;
  /** A metric that was learned before. */
  readonly by?: MetricFile;
}

/**
 * Answers a request.
 *
 *     const report = await run({ rows: ["customers.csv"], method: "kmeans", clusters: 3 });
 *     console.log(report.clustering.sizes);
 */
export async function run(request: Request, sinks: Sinks = {}): Promise<Report> {
  return runPlan(await planOf(request), sinks);
}

/** The same for a request that was understood (`planOf`): only now something is read. */
export async function runPlan(plan: Plan, sinks: Sinks = {}): Promise<Report> {
  const { request } = plan;
  if (request.arithmetic !== undefined) useEngine(request.arithmetic as EngineName, "--arithmetic");
  if (request.threads !== undefined) setThreads(request.threads);
  const by = request.metric === undefined ? {} : { by: readMetricFile(request.metric) };
  const { onProgress = () => {} } = sinks;
  const job: Job = { ...sinks, ...plan, ...by, onProgress, begun: performance.now() };
  const passed = (rows: PassedRows): Promise<Report> => {
    if (plan.passes === undefined) return bySample(rows, job);
    if (plan.place !== "engine" || rows.plain) return byPasses(rows, job);
    // The sums of an engine are of plain numbers.
    return bySample(rows, { ...job, own: ownOptions(plan.open.options, request) });
  };
  if (plan.place === "engine") {
    return withEngineRows(request, plan.passes === undefined ? true : "some", job, passed);
  }
  if (plan.place === "stream") return withStream(plan.sources[0], request, job.onProgress, passed);
  return inMemory(job);
}

/** All rows are in memory, and are known to the report. */
async function inMemory(given: Job): Promise<Report> {
  const { sources, by, onProgress } = given;
  const copied = given.request.append === true;
  const read: Input =
    given.table === undefined
      ? await readInput(sources, given.request, onProgress, by, copied)
      : { table: given.table };
  const [input, job] = given.request.embed === undefined ? [read, given] : await withMeaning(read, given);
  const { request } = job;
  const { table, written } = input;
  if (copied && input.numbers !== undefined) refuseDropped(request.missing, "as plain numbers are read");
  const { run, ...about } = await fit(input, job);
  const { labels, names } = run.clustering;
  async function* batches(): AsyncGenerator<LabelledBatch> {
    yield { labels, ids: rowNames(table, request.id).ids };
  }
  await job.onLabels?.({ source: table.source, names, batches: batches(), written, table });
  await job.onModel?.(run.clustering);
  const { label } = request;
  const classes = label === undefined ? undefined : classesOf(run.prepared.table, label);
  return {
    ...about,
    rows: table.rows,
    run,
    ...(classes !== undefined && { classes }),
    scores: classes === undefined ? null : againstClasses(labels, classes),
    notes: classes === undefined ? about.notes : [...about.notes, ...unknownNotes(classes)],
  };
}

/** The texts with their vectors, which are used where the texts were asked for. */
async function withMeaning(input: Input, job: Job): Promise<[Input, Job]> {
  const { request, onProgress } = job;
  if (input.numbers !== undefined) throw optionError(`${option("embed")}: these rows are plain numbers`);
  const { embedTexts, meaningOf } = await import("./embed/embedTexts.ts");
  const table = await embedTexts(input.table, { ...request, onProgress });
  const isEmbedded = (name: string): boolean => table.columns.some((one) => one.name === meaningOf(name));
  const use = request.use?.map((name) => (isEmbedded(name) ? meaningOf(name) : name));
  return [
    { ...input, table },
    { ...job, request: { ...request, ...(use && { use }) } },
  ];
}

/** The method fits a sample of the rows, and the model places all of them. */
async function bySample(rows: PassedRows, job: Job): Promise<Report> {
  const { request, method, target, onProgress } = job;
  await rows.check?.(destination(job));
  onProgress({ fraction: 0, label: "sample" });
  const size = sampleSize(method, request.sample);
  const { table, rows: all } = await rows.sample(size, request.seed ?? 0, await namedRows(request, size));
  const sampled = table.rows < all;
  const { run, ...about } = await fit({ table }, job);
  const model = quickClustering(run, all);
  // Written even if the labels fail.
  await job.onModel?.(clusteringOfSample(model, all));
  onProgress({ fraction: 0.99, label: "labels" });
  const { sizes, notes } = await rows.write(model, destination(job, rows.source, model.names));
  const uncounted = sampled && sizes === undefined && model.clusters > 0;
  const clustering = clusteringOfSample(model, all, sizes, [
    ...(sampled ? [sampleNote({ name: model.method }, table.rows, all)] : []),
    ...(uncounted ? [note("sample-sizes", "the sizes of the clusters are those of the sample")] : []),
    ...notes,
    ...setAside(request.label),
  ]);
  await job.onModel?.(clustering);
  return {
    ...about,
    clustering,
    rows: all,
    label: null,
    seconds: (performance.now() - job.begun) / 1000 - about.readSeconds,
    ...(rows.engine && { engine: rows.engine.name, threads: rows.engine.threads ?? null }),
    written: target?.name,
  };
}

/** The method learns by passes over all rows. */
async function byPasses(rows: PassedRows, job: Job): Promise<Report> {
  const { request, method, own, onProgress, target } = job;
  const { clusters, seed = 0 } = request;
  await rows.check?.(destination(job));
  const measured = await rows.passes(rows.plain ? measureOf(job) : { scale: "none" });
  const fitting = performance.now();
  const fit = await measured.fit(job.passes!, { ...own, clusters, seed, onProgress });
  const names = Array.from({ length: fit.clusters }, (_, k) => request.names?.[k] ?? `cluster ${k}`);
  onProgress({ fraction: 0.99, label: "labels" });
  const sizes = await fit.write(destination(job, rows.source, names));
  const { columns, space, decided } = measured;
  const clustering = clusteringOfPasses(fit, sizes ?? Array.from(fit.sizes), {
    method: method.name,
    options: own,
    seed,
    names,
    columns,
    space,
    notes: [
      ...asNotes(fit.notes),
      ...setAside(request.label),
      ...spareNames(request.names, fit.clusters),
      ...measured.notes,
      ...fit.warnings.map((message) => note("method", message)),
    ],
  });
  await job.onModel?.(clustering);
  return {
    clustering,
    source: rows.source,
    rows: fit.rows,
    features: fit.placing.means.cols,
    scaling: spaceText(space),
    label: null,
    scores: null,
    seconds: (performance.now() - fitting) / 1000,
    readSeconds: (fitting - job.begun) / 1000,
    engine: fit.engine ?? arithmetic().name,
    threads: fit.threads === undefined ? threads() : fit.threads,
    facts: fit.facts,
    notes: [],
    written: target?.name,
    ...(decided && { decided: { table: decided.table, columns: decided.learned.columns, aside: [] } }),
  };
}

/** Converts the rows of a table to numbers, and fits them. */
async function fit(
  input: Input,
  { request, method, own, hinted, place, by, begun, onProgress, onNote }: Job,
): Promise<Omit<Report, "rows" | "run"> & { readonly run: Run }> {
  const { table } = input;
  requireRows(table.source, table.rows);
  for (const name of request.show ?? []) requireColumn(table, "show", name);
  const { notes, ...knowledge }: RowKnowledge = hinted ? await knowledgeOf(request, table) : { notes: [] };
  const { known, clusters, seed, names, weight, label = null } = request;
  // In a stream, ignored columns are not read.
  const ignored = (request.ignore ?? []).filter(
    (name) => place !== "stream" || table.columns.some((column) => column.name === name),
  );
  const ignore = known === undefined ? ignored : [...ignored, known];
  const prepared = prepareInput(input, { ...request, ...own, method: method.name, ignore, hinted }, by);
  const fitting = performance.now();
  const sample = place === "memory" ? request.sample : table.rows;
  const about = { method: method.name, clusters, seed, names, weight, sample, onProgress };
  const run = await clusterRun(prepared, { ...own, ...knowledge, ...about }, onNote);
  return {
    run,
    clustering: run.clustering,
    source: table.source,
    features: prepared.names.length,
    scaling: spaceText(run.clustering.space),
    label,
    scores: null,
    seconds: (performance.now() - fitting) / 1000,
    readSeconds: (fitting - begun) / 1000,
    engine: arithmetic().name,
    threads: threads(),
    facts: run.fitted.facts,
    notes,
    decided: prepared,
    pairs: { mustLink: knowledge.mustLink, cannotLink: knowledge.cannotLink },
  };
}

/** Where the labels of rows go that are not in memory. */
function destination(
  { request, target, place, onLabels, onProgress }: Job,
  source: string = "",
  names: readonly string[] = [],
): Destination {
  if (target !== undefined) return { target: target.to, replace: request.replace === true, onProgress };
  if (onLabels === undefined || place === "engine") return { onProgress };
  async function* written(): AsyncGenerator<WrittenRows> {
    const { writtenRows } = await import("../data/columns/writtenRows.ts");
    yield* writtenRows(await sourceFiles(source), undefined, readingOf(request));
  }
  return { onProgress, rows: (batches) => onLabels({ source, names, batches, written }) };
}

/** The scale of the columns of plain numbers, or a learned metric. */
function measureOf({ request, by }: Job): Measure {
  if (by === undefined) return { scale: scaleOfSums(request) };
  const metric = requireMatrix(by.metric, "a stream or an engine");
  return { scaling: plainScaling(by), metric, source: by.path };
}

/** The classes are not read while labels are found. */
function setAside(label: string | undefined): Note[] {
  if (label === undefined) return [];
  return [note("label", `"${label}" was set aside; kindred score compares the labels written with it`)];
}

function unknownNotes(classes: readonly string[]): Note[] {
  const unknown = unknownClasses(classes);
  if (unknown === 0) return [];
  const are = unknown === 1 ? "is" : "are";
  const message = `${unknown} of ${classes.length} rows ${have(unknown)} no known class and ${are} left out of the scores`;
  return [note("unknown-class", message, { option: "label" })];
}
