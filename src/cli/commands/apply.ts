import { type Command, Option } from "commander";
import type { OnProgress } from "../../core/index.ts";
import {
  absentColumn,
  inputError,
  option,
  optionError,
  pathExists,
  sourceFiles,
} from "../../core/internal.ts";
import {
  copiedRows,
  copiedTable,
  writeCsv,
  type AppendedColumn,
  type ColumnRecord,
  type Table,
  type WriteOptions,
} from "../../data/index.ts";
import { BY_MEANING, numberTable, readToCopy } from "../../data/internal.ts";
import { row } from "../../matrix/index.ts";
import {
  loadClassifierModel,
  loadModel,
  modelSql,
  tableReference,
  placingIn,
  type ClassifierModel,
  type Clustering,
  type SqlDialect,
  type TableSpace,
} from "../../model/index.ts";
import { recordsOf } from "../../model/internal.ts";
import type { EmbedRequest, RowsRequest, TableRequest } from "../../run/index.ts";
import {
  embedWords,
  engineTarget,
  inFile,
  isSparseFile,
  metricFile,
  newRows,
  OF_MODELS,
  OF_READING,
  placeOf,
  readingOf,
  readInput,
  readClustering,
  readModelJson,
  readPairs,
  refuse,
  withEngineRows,
  type MetricFile,
} from "../../run/internal.ts";
import { addEngineWords, addTableWords, addWords, DATA_HELP, safeOption } from "../options/words.ts";
import { predicted } from "../output/classifyReport.ts";
import {
  columns,
  tellNotes,
  endingBySignal,
  progressLine,
  withProgress,
  tell,
  writeOut,
} from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

type ApplyFlags = RowsRequest &
  EmbedRequest & {
    readonly distances?: string;
    readonly sql?: SqlDialect;
    readonly out?: string;
    readonly writeTable?: string;
    readonly replace?: boolean;
  };

export function define(command: Command): void {
  command
    .argument("<model>", "a file from kindred cluster, classify or metric with --model")
    .argument("[data...]", DATA_HELP)
    .option(
      "--distances <pairs>",
      "write the distance of these pairs of rows instead of the transformed rows",
    )
    .addOption(
      new Option(
        "--sql <dialect>",
        "print a query that labels the rows of --table (default: rows) in a database",
      ).choices(["duckdb", "spark", "postgres"]),
    )
    .option("--out <file>", "write to a file instead of standard output")
    .addOption(safeOption())
    .option("--write-table <name>", "with --engine: write the rows with their clusters as a table")
    .option("--replace", "with --write-table: replace a table of that name");
  addTableWords(command, { without: ["weights", "scale", "text", "adjust", "batch"] });
  addWords(command, "Texts by meaning:", embedWords);
  addEngineWords(command);
  command.addHelpText(
    "after",
    "\nA clustering appends cluster, distance (to the own cluster) and second (the next cluster) to the rows, a classifier\nthe class and its probability.",
  );
  command.action((model: string, given: readonly string[], flags: ApplyFlags) =>
    apply(command, model, given, flags),
  );
}

async function apply(
  command: Command,
  model: string,
  given: readonly string[],
  flags: ApplyFlags,
): Promise<void> {
  const { engine, sql, missing: _, ...words } = flags;
  // A query is printed for a table without a connection to it.
  const table = engine === undefined && sql !== undefined ? undefined : flags.table;
  if (placeOf(engine === undefined ? ["-"] : given, { ...words, engine, table }) === "engine") {
    return applyOnEngine(command, model, flags);
  }
  refuse(flags, ["writeTable", "replace"], (name) => `${name} is for ${option("engine")}`);
  const outputs = await openOutputs(command, ["out"], { data: "out" });
  const parsed = readModelJson(model);
  const clustering = parsed.kind === "clustering" ? inFile(model, () => loadModel(parsed)) : undefined;
  const lines =
    sql === undefined
      ? await applied(model, parsed, clustering, given, flags, outputs.csv)
      : [queryOf(model, clustering, given, flags)];
  await outputs.write("out", lines);
  if (flags.out !== undefined && flags.out !== "-") tell(`wrote ${flags.out}`);
}

/**
 * The rows of a table on an engine are labelled there, or streamed in batches if no SQL gives their cluster.
 */
async function applyOnEngine(command: Command, path: string, flags: ApplyFlags): Promise<void> {
  refuse(
    flags,
    ["sql", "distances", ...OF_READING.filter((name) => name !== "id")],
    (name) => `${name}: not for a table of an engine, whose columns the model takes unchanged`,
  );
  const target = engineTarget(flags);
  if (target === undefined) {
    throw optionError(`${option("engine")}: give ${option("out")} or ${option("writeTable")} for the labels`);
  }
  await openOutputs(command, [], { target });
  const model = readClustering(path);
  const progress = progressLine();
  const { onProgress } = progress;
  const to = { target: target.to, replace: flags.replace === true, onProgress };
  await withEngineRows(flags, true, { onProgress, onEngine: endingBySignal }, async (rows) => {
    await rows.check!(to);
    onProgress({ fraction: 0, label: "labels" });
    const { sizes = [], notes } = await rows.write(model, to);
    progress.done();
    const there = notes.some(({ code }) => code === "placed-there");
    tellNotes(notes.filter(({ code }) => code !== "placed-there"));
    const { name } = rows.engine!;
    const lines = sizes.map((size, k) => [String(k), String(size), model.names[k]]);
    await writeOut([
      `${there ? `labelled by ${name}` : `labelled here, written by ${name}`}\n\n`,
      ...columns([["cluster", "rows", "name"], ...lines], "  ").map((line) => `${line}\n`),
    ]);
    tell(`wrote ${target.name}`);
  }).finally(progress.done);
}

function queryOf(
  model: string,
  clustering: Clustering | undefined,
  given: readonly string[],
  { sql, table = "rows" }: ApplyFlags,
): string {
  if (clustering === undefined) throw optionError(`${option("sql")}: ${model} is not a clustering`);
  if (given.length > 0) {
    throw optionError(`${option("sql")} prints a query and reads no rows; leave ${given[0]} out`);
  }
  return modelSql(clustering, sql!, tableReference(table, sql!));
}

/** The columns to read: texts in the place of the vectors that are made of them. */
function textsForMeaning(loaded: TableSpace): ColumnRecord[] {
  const isByMeaning = ({ reading }: ColumnRecord): boolean => reading.form === BY_MEANING;
  const texts = loaded.columns.filter((column) => column.kind === "text" && isByMeaning(column));
  return [...recordsOf(loaded).filter((record) => !isByMeaning(record)), ...texts];
}

/** The texts with their vectors, of a model that places texts by them. */
async function withMeaning(
  path: string,
  { columns: known }: Pick<Clustering, "columns">,
  table: Table,
  options: ApplyFlags & { readonly onProgress: OnProgress },
): Promise<Table> {
  const meaning = known.find(({ kind, reading }) => kind === "vector" && reading.form === BY_MEANING);
  if (options.embed !== undefined) {
    if (meaning === undefined)
      throw optionError(`${option("embed")}: ${path} does not place texts by meaning`);
    const { embedTexts } = await import("../../run/embed/embedTexts.ts");
    return embedTexts(table, options);
  }
  if (meaning === undefined) return table;
  throw optionError(
    `${path} places texts by their vectors of ${meaning.reading.unit}; give ${option("embed")} as when it was made`,
  );
}

type Lines = Iterable<string> | AsyncIterable<string>;

async function applied(
  model: string,
  parsed: { kind?: unknown },
  clustering: Clustering | undefined,
  given: readonly string[],
  options: ApplyFlags,
  csv: WriteOptions,
): Promise<Lines> {
  const asked = given.length > 0 ? given : process.stdin.isTTY ? [] : ["-"];
  // A pattern stands for all files that match.
  const sources = asked.length === 0 ? [] : await sourceFiles<string>(asked);
  if (sources.length === 0)
    throw optionError("give the rows to apply the model to: a file, or - for standard input");
  return withProgress(async (onProgress) => {
    const { kind } = parsed;
    if (kind === "clustering" || kind === "classifier") {
      if (options.distances !== undefined) {
        throw optionError(
          `${option("distances")}: a ${kind} gives the ${kind === "clustering" ? "cluster" : "class"} of each row; only a metric gives distances`,
        );
      }
      const held = `${model} holds how columns are read and how missing cells are filled; leave this option out`;
      refuse(options, OF_MODELS, (name) => `${name}: ${held}`);
      const loaded = clustering ?? inFile(model, () => loadClassifierModel(parsed));
      const place = (table: Table): AppendedColumn[] =>
        clustering === undefined ? classified(loaded as ClassifierModel, table) : placed(clustering, table);
      const { use, ignore } = options;
      const kept = (name: string): boolean =>
        use?.includes(name) !== false && ignore?.includes(name) !== true;
      const isNamed = sources.length === 1 && sources[0] !== "-" && !pathExists(sources[0]);
      if (isNamed || isSparseFile(sources[0], options)) {
        const { table, numbers } = await readInput(sources, options, onProgress);
        const rows = numbers === undefined ? table : numberTable(numbers);
        requireColumns(
          rows.source,
          rows.columns.map(({ name }) => name),
          options,
        );
        const whole = await withMeaning(model, loaded, rows, { ...options, onProgress });
        return copiedTable(rows, place(whole), kept, csv);
      }
      // The model decides how its columns are read; all cells stay as they are written.
      const read = await readToCopy(sources, textsForMeaning(loaded), readingOf(options, onProgress));
      const { written, table } = read;
      requireColumns(table.source, written.names, options);
      // Columns that the model was not learned from are no news where its own table had them, too.
      const known = new Set(loaded.columns.map(({ name }) => name));
      const isNews = written.names.some((name) => !known.has(name));
      const notes = table.notes.filter(({ code }) => code !== "extra-columns" || isNews);
      const whole = await withMeaning(model, loaded, { ...table, notes }, { ...options, onProgress });
      return copiedRows(table.source, [written], [place(whole)], kept, csv);
    }
    if (kind !== "metric") {
      throw inputError(
        `${model} is no model of Kindred; give a file that kindred cluster, classify or metric wrote with --model`,
        { file: model },
      );
    }
    if (options.distances === "-" && sources[0] === "-") {
      throw optionError("standard input can be the data or the pairs, not both");
    }
    return measured(metricFile(model, parsed), sources, options, csv, onProgress);
  });
}

/** Columns that options name must be in the file. */
function requireColumns(source: string, names: readonly string[], options: TableRequest): void {
  const { label, id, use = [], ignore = [] } = options;
  const named = { label: label === undefined ? [] : [label], id: id === undefined ? [] : [id], use, ignore };
  for (const [asked, columns] of Object.entries(named)) {
    const wrong = columns.find((name) => !names.includes(name));
    if (wrong !== undefined) throw absentColumn(asked, wrong, source, names);
  }
}

/** The cluster of each row, the distance to it and the next cluster. */
function placed(clustering: Clustering, table: Table): AppendedColumn[] {
  const { labels, distances, next, notes } = clustering.assign(table);
  tellNotes(notes);
  return [
    { name: "cluster", values: labels },
    { name: "distance", values: Array.from(distances, (value) => (Number.isFinite(value) ? value : "")) },
    { name: "second", values: Array.from(next, (label) => (label < 0 ? "" : label)) },
  ];
}

/** The predicted class, and its probability if the method has one. */
function classified(model: ClassifierModel, table: Table): AppendedColumn[] {
  const { X, rows, notes } = placingIn(model)(table);
  tellNotes(notes);
  const { labels, probabilities } = predicted(model.classifier, X);
  const spread = <T>(values: readonly T[]): (T | "")[] => {
    if (rows === undefined) return [...values];
    const all = Array.from({ length: table.rows }, (): T | "" => "");
    rows.forEach((row, i) => (all[row] = values[i]));
    return all;
  };
  return [
    { name: model.label, values: spread(labels) },
    ...(probabilities === undefined ? [] : [{ name: "probability", values: spread(probabilities) }]),
  ];
}

/** The rows under the metric, or the distances of pairs of them. */
async function measured(
  file: MetricFile,
  sources: readonly string[],
  options: ApplyFlags,
  csv: WriteOptions,
  onProgress: OnProgress,
): Promise<Iterable<string>> {
  const { source, Y, ids, label, notes } = await newRows(sources, file, options.label, options, onProgress);
  tellNotes(notes);
  const { metric } = file;
  if (options.distances === undefined) {
    const X = metric.transform(Y);
    const names = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
    return writeCsv({ ids, names, X, label }, csv);
  }
  const pairs = await readPairs(options.distances, { source, X: Y, ...(ids && { ids }) });
  const distances = pairs.map(([i, j]) => metric.distance(row(Y, i), row(Y, j)));
  const threshold = "threshold" in metric ? metric.threshold : undefined;
  const name = (i: number): string => ids?.values[i] ?? String(i);
  return writeCsv(
    {
      columns: [
        { name: "a", values: pairs.map(([i]) => name(i)) },
        { name: "b", values: pairs.map(([, j]) => name(j)) },
        { name: "distance", values: distances },
        ...(threshold === undefined
          ? []
          : [{ name: "same", values: distances.map((value) => Number(value <= threshold)) }]),
      ],
    },
    csv,
  );
}
