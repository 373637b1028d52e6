import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { KindredError, option, optionError } from "../../core/errors.ts";
import { cellText, type NumberTable, type Table } from "../../data/index.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { asTable } from "../../front/asTable.ts";
import { row } from "../../matrix/index.ts";
import { loadModel, modelSql, type Clustering, type SqlDialect } from "../../model/index.ts";
import { readInput as readNumberInput } from "../options/input.ts";
import { type MetricFile, metricFile, readModelJson, scaledFor } from "../options/metricFile.ts";
import {
  columnOptions,
  DATA_HELP,
  fileOptions,
  readInput,
  type TableOptions,
} from "../options/tableInput.ts";
import { outputFile } from "../output/outputFile.ts";
import { readPairs } from "../options/pairFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface ApplyFlags extends TableOptions {
  readonly distances?: string;
  readonly sql?: SqlDialect;
  readonly table?: string;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .argument("<model>", "what kindred metric --model, or kindred cluster --model, wrote")
    .argument("[data...]", DATA_HELP)
    .option(
      "--distances <pairs>",
      "write the distance of these pairs of rows instead of the transformed rows",
    )
    .addOption(
      new Option("--sql <dialect>", "print the query that labels rows in a database instead").choices([
        "duckdb",
        "spark",
        "postgres",
      ]),
    )
    .option("--table <name>", "with --sql: the table of the query (default: rows)")
    .option("--out <file>", "write to a file instead of standard output");
  columnOptions(command);
  fileOptions(command);
  command.addHelpText(
    "after",
    "\nA clustering appends cluster, distance (to the own cluster) and second (the next cluster) to the rows.",
  );
  command.action(apply);
}

async function apply(model: string, given: readonly string[], options: ApplyFlags): Promise<void> {
  const file = options.out === undefined ? undefined : outputFile(options.out, "--out");
  const parsed = readModelJson(model);
  const clustering = parsed.kind === "clustering" ? loaded(model, parsed) : undefined;
  const lines =
    options.sql === undefined
      ? await applied(model, parsed, clustering, given, options)
      : [queryOf(model, clustering, given, options)];
  if (file === undefined) return writeOut(lines);
  await file.write(lines);
  tell(`wrote ${file.path}`);
}

/** What is wrong with a model names its file. */
function loaded(path: string, parsed: object): Clustering {
  try {
    return loadModel(parsed);
  } catch (error) {
    throw error instanceof KindredError ? error.within(`${path}: `, { file: path }) : error;
  }
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
  return modelSql(clustering, sql!, table);
}

async function applied(
  model: string,
  parsed: { kind?: unknown },
  clustering: Clustering | undefined,
  given: readonly string[],
  options: ApplyFlags,
): Promise<Iterable<string>> {
  if (options.table !== undefined) throw optionError(`${option("table")} is for ${option("sql")}`);
  const sources = given.length > 0 ? given : process.stdin.isTTY ? [] : ["-"];
  if (sources.length === 0)
    throw optionError("give the rows to apply the model to: a file, or - for standard input");
  const progress = progressLine();
  try {
    if (clustering !== undefined) {
      if (options.distances !== undefined) {
        throw optionError(
          `${option("distances")}: a clustering gives the cluster of each row; only a metric gives distances`,
        );
      }
      // Columns stay as they are in the file; the model says how it takes them.
      const named = sources.length === 1 && sources[0] !== "-" && !existsSync(sources[0]);
      const reading = named ? options : { ...options, vector: options.vector ?? "none" };
      const { table, numbers } = await readInput(sources, reading, progress.onProgress);
      return placed(clustering, numbers === undefined ? table : asTable(numbers, "apply"));
    }
    if (options.distances === "-" && sources[0] === "-") {
      throw optionError("standard input can be the data or the pairs, not both");
    }
    const { missing: _, scale: __, format: ___, ...reading } = options;
    const numbers = await readNumberInput(sources[0], reading, progress.onProgress);
    return await measured(metricFile(model, parsed), numbers, options);
  } finally {
    progress.done();
  }
}

/** The rows as they were, with their cluster, the distance to it and the next cluster. */
function placed(clustering: Clustering, table: Table): Iterable<string> {
  const { labels, distances, next, notes } = clustering.assign(table);
  for (const { message } of notes) tell(`note: ${message}`);
  const taken = new Set(table.columns.map(({ name }) => name));
  const name = (wanted: string): string => (taken.has(wanted) ? `${wanted}_found` : wanted);
  return writeCsv({
    columns: [
      ...table.columns.map((column) => ({
        name: column.name,
        values: Array.from({ length: table.rows }, (_, i) => cellText(column, i)),
      })),
      { name: name("cluster"), values: labels },
      {
        name: name("distance"),
        values: Array.from(distances, (value) => (Number.isFinite(value) ? value : "")),
      },
      { name: name("second"), values: Array.from(next, (label) => (label < 0 ? "" : label)) },
    ],
  });
}

/** The rows under the metric, or the distances of pairs of them. */
async function measured(
  file: MetricFile,
  table: NumberTable,
  options: ApplyFlags,
): Promise<Iterable<string>> {
  const scaled = scaledFor(table, file);
  const { metric } = file;
  if (options.distances === undefined) {
    const X = metric.transform(scaled);
    const names = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
    return writeCsv({ ids: table.ids, names, X, label: table.label });
  }
  const pairs = await readPairs(options.distances, { ...table, rows: table.X.rows });
  const distances = pairs.map(([i, j]) => metric.distance(row(scaled, i), row(scaled, j)));
  const name = (i: number): string => table.ids?.values[i] ?? String(i);
  return writeCsv({
    columns: [
      { name: "a", values: pairs.map(([i]) => name(i)) },
      { name: "b", values: pairs.map(([, j]) => name(j)) },
      { name: "distance", values: distances },
      ...(metric.threshold === undefined
        ? []
        : [{ name: "same", values: distances.map((value) => Number(value <= metric.threshold!)) }]),
    ],
  });
}
