import type { Note } from "../../core/index.ts";
import {
  absentColumn,
  have,
  inputError,
  note,
  option,
  optionError,
  plural,
  requireRows,
} from "../../core/internal.ts";
import { type Command, Option } from "commander";
import { copiedRows, copiedTable, type Table } from "../../data/index.ts";
import { hintCount, NAMES_ROWS } from "../../data/internal.ts";
import { appendedColumns, refuseDropped } from "../output/append.ts";
import { csvOptions, writeCsv } from "../output/csvOutput.ts";
import { clusterRun, methodNamed, methods, readHints, type Prepared, type Run } from "../../run/index.ts";
import {
  againstClasses,
  ALIASES,
  fittedRows,
  idsNote,
  sampleNote,
  unknownClasses,
} from "../../run/internal.ts";
import { engine, isSparse, setThreads, threads, useEngine, type EngineName } from "../../matrix/index.ts";
import { flagOf, type ClusteringMethod, type OpenMethod } from "../../method/index.ts";
import { textsOf } from "../../model/index.ts";
import { oneOfNames } from "../options/methodOption.ts";
import { integerAtLeast, nameList } from "../options/arguments.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { readMetricFile } from "../options/metricFile.ts";
import { placeOf, sourcesOf } from "../options/rows.ts";
import { refuseTooManyRows } from "../tooManyRows.ts";
import { methodFlags, ownOptions } from "../options/methodFlags.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  prepareInput,
  readInput,
  type Input,
  type TableOptions,
} from "../options/tableInput.ts";
import {
  clusterText,
  decisions,
  representativeText,
  spaceText,
  type Circumstances,
} from "../output/clusterText.ts";
import { clusterJson } from "../output/clusterJson.ts";
import { noteLine } from "../output/noteLine.ts";
import { outputFile, requireDifferent } from "../output/outputFile.ts";
import { readPairFiles, rowNames } from "../options/pairFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { readSeeds } from "../options/seedFile.ts";
import { tell, writeOut } from "../output/stdout.ts";

export interface ClusterFlags extends TableOptions, EngineOptions {
  readonly method: string;
  readonly clusters?: number;
  readonly seed?: number;
  readonly metric?: string;
  readonly hints?: string;
  readonly known?: string;
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly labels?: string;
  readonly names?: readonly string[];
  readonly show?: readonly string[];
  readonly json?: boolean;
  readonly out?: string;
  readonly append?: boolean;
  readonly model?: string;
  readonly report?: string;
  readonly writeTable?: string;
  readonly replace?: boolean;
  readonly sample?: number;
}

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const name = methodGiven(args);
  const method = methods.find((known) => known.name === (ALIASES[name] ?? name));
  const open = await method?.open();
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
    .option(
      "-k, --clusters <n>",
      "number of clusters (default: found by the method, if it can)",
      integerAtLeast(1),
    )
    .addOption(
      oneOfNames(new Option("-m, --method <name>", "how to cluster"), [
        ...methods.map((known) => known.name),
        ...Object.keys(ALIASES),
      ]).default(name, DEFAULTS),
    )
    .optionsGroup("What you know:")
    .option(
      "--hints <file>",
      "hints about some rows: lines of a,b,same or a,b,different or row,label (rows by number or id)",
    )
    .option(
      "--known <column>",
      "column with the known groups of some rows, empty for the others; the method learns from it",
    )
    .option("--must-link <file>", "pairs of rows that belong together: two columns of row numbers or ids")
    .option("--cannot-link <file>", "pairs of rows that do not belong together")
    .option("--labels <file>", "known labels of some rows: one per row (empty or -1: unknown), or row,label")
    .option("--metric <file>", "cluster under a metric from: kindred metric --model")
    .optionsGroup("Options:")
    .option("--seed <n>", "seed of every random choice (default: 0)", integerAtLeast(0));
  columnOptions(command, "scored");
  featureOptions(command);
  fileOptions(command);
  engineOptions(command, { names: KERNELS, use: `${KERNELS.join(", ")}: arithmetic of this process; ` });
  command
    .optionsGroup("Larger tables:")
    .option("--stream", "read in batches, for data larger than memory")
    .option(
      "--sample <rows>",
      "fit this many rows and place all others (default: as many as the method can take; with --engine or --stream 20000, fewer for slow methods)",
      integerAtLeast(2),
    )
    .optionsGroup("Output:")
    .option("--names <names>", "names of the clusters, in their order (default: suggested)", nameList)
    .option(
      "--show <columns>",
      "print these columns of typical and borderline rows of each cluster",
      nameList,
    )
    .option("--json", "print one JSON object")
    .option(
      "--out <file>",
      "write the cluster of each row as CSV; - is standard output. With --engine duckdb: a file .parquet or .csv, or a folder/",
    )
    .option("--append", "with --out: the original rows, with cluster and name appended")
    .option("--write-table <name>", "with --engine: write the rows with their labels as a table")
    .option("--replace", "with --write-table: replace a table of that name")
    .option("--model <file>", "write the fitted model as JSON; kindred apply places new rows by it")
    .option("--report <file>", "write a page (HTML, one file) with pictures of the result")
    .optionsGroup("Options:")
    .option("--threads <n>", "at most this many threads", integerAtLeast(1));
  for (const flag of open === undefined ? [] : methodFlags(open.options)) {
    command.addOption(flag.helpGroup(`Options of ${name}:`));
  }
  command.addHelpText("after", methodsHelp());
  command.action((sources: string[], options: ClusterFlags) => {
    const chosen = methodNamed(options.method);
    return start(sources, { ...options, method: chosen.name }, chosen, open!, args);
  });
}

const DEFAULTS = "auto; with hints the method that learns from them";
const KERNELS: readonly EngineName[] = ["simd", "relaxed", "plain"];

/** Options that carry hints about rows. */
const TOLD = ["hints", "known", "labels", "mustLink", "cannotLink"] as const;

/** Rows are in memory, in a stream or on an engine. */
async function start(
  given: readonly string[],
  options: ClusterFlags,
  method: ClusteringMethod,
  open: OpenMethod,
  args: readonly string[],
): Promise<void> {
  checkUsage(options, method);
  const sources = sourcesOf(given, options);
  const sampled = open.elsewhere === undefined || options.sample !== undefined;
  const place = placeOf(sources, { ...options, sampled });
  const elsewhere = async (kind: "engine" | "stream"): Promise<void> => {
    if (sampled) {
      const { clusterBySample } = await import("../clusterBySample.ts");
      return clusterBySample(sources, options, method, open, kind);
    }
    if (kind === "stream") {
      const { clusterMixedStream, isMixedStream } = await import("../mixedStream.ts");
      if (await isMixedStream(sources[0], options)) return clusterMixedStream(sources[0], options, method);
    }
    const { clusterElsewhere } = await import("../clusterElsewhere.ts");
    return clusterElsewhere(sources, options, method, kind);
  };
  if (place === "engine") return elsewhere(place);
  if (options.writeTable !== undefined || options.replace !== undefined) {
    const name = options.writeTable === undefined ? "replace" : "writeTable";
    throw optionError(`${option(name)} is for ${flagOf("engine")} duckdb or spark`);
  }
  if (options.engine !== undefined) useEngine(options.engine as EngineName, "--engine");
  if (options.threads !== undefined) setThreads(options.threads);
  if (place !== "table") return elsewhere(place);
  requireTold(options, method);
  return cluster(sources, options, open, args);
}

/** Before the table is read: what is known of some rows, if the method needs it. */
function requireTold(options: ClusterFlags, { name, needs }: ClusteringMethod): void {
  const { hints, mustLink, cannotLink, labels, known } = options;
  if (hints !== undefined) return;
  if (needs.pairs === "required" && mustLink === undefined && cannotLink === undefined) {
    throw optionError(`${name} needs pairs: ${option("mustLink")}, ${option("cannotLink")} or both`);
  }
  if (needs.labels === "required" && labels === undefined && known === undefined) {
    throw optionError(
      `${name} needs ${option("labels")}, the known labels of some rows, or ${option("known")}, their column`,
    );
  }
}

async function cluster(
  sources: readonly string[],
  options: ClusterFlags,
  open: OpenMethod,
  args: readonly string[],
): Promise<void> {
  requireDifferent({ "--out": options.out, "--model": options.model, "--report": options.report });
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const pageFile = options.report === undefined ? undefined : outputFile(options.report, "--report");

  const progress = progressLine();
  const begun = performance.now();
  let run: Run & { readonly pairs?: object };
  let fitting: number;
  let written: Input["written"];
  try {
    await refuseTooManyRows(sources, options.method);
    const by = options.metric === undefined ? undefined : readMetricFile(options.metric);
    const copied = options.append === true;
    const input = await readInput(sources, options, progress.onProgress, by, copied);
    const { table } = input;
    if (copied && input.numbers !== undefined) refuseDropped(options.missing, "as plain numbers are read");
    ({ written } = input);
    requireRows(table.source, table.rows);
    for (const name of options.show ?? []) requireColumn(table, "show", name);
    const rows = rowNames(table, options.id);
    const { mustLink, cannotLink } = options;
    const pairs =
      mustLink === undefined && cannotLink === undefined
        ? {}
        : await readPairFiles({ mustLink, cannotLink }, rows);
    const labels =
      options.labels === undefined
        ? knownLabels(table, options.known)
        : await readSeeds(options.labels, rows);
    const hints =
      options.hints === undefined ? undefined : await readHints(options.hints, table, { id: options.id });
    if (hints !== undefined && hintCount(hints) === 0) {
      throw inputError(`${options.hints} holds no hints; lines are a,b,same or a,b,different or row,label`);
    }
    const aside = options.known === undefined ? [] : [options.known];
    const ignore = [...(options.ignore ?? []), ...aside];
    const told = TOLD.some((name) => options[name] !== undefined);
    const prepared = prepareInput(input, { ...options, ignore, told }, by);
    fitting = performance.now();
    tellSample(prepared, options, open);
    const found = await clusterRun(prepared, {
      ...ownOptions(open.options, options),
      method: options.method,
      ...pairs,
      ...Object.fromEntries(
        Object.entries({
          clusters: options.clusters,
          seed: options.seed,
          hints,
          labels,
          names: options.names,
          sample: options.sample,
        }).filter(([, value]) => value !== undefined),
      ),
      onProgress: progress.onProgress,
    });
    run = { ...found, pairs };
  } finally {
    progress.done();
  }
  const end = performance.now();

  const { clustering, prepared, fitted } = run;
  const { table } = prepared;
  const classes = classesOf(table, options.label);
  const unknown = classes === undefined ? 0 : unknownClasses(classes);
  const minus = options.known === undefined ? 0 : minusOnes(table, options.known);
  const meant = options.hints === undefined || options.id !== undefined ? undefined : idsNote(table);
  const notes: Note[] = [
    ...(meant === undefined ? [] : [meant]),
    ...(minus === 0
      ? []
      : [
          note("unknown-label", `-1 in "${options.known}" (${plural(minus, "row")}) counts as unknown`, {
            option: "known",
            column: options.known,
          }),
        ]),
    ...(unknown === 0
      ? []
      : [
          note(
            "unknown-class",
            `${unknown} of ${table.rows} rows ${have(unknown)} no known class and ${unknown === 1 ? "is" : "are"} left out of the scores`,
            {
              option: "label",
            },
          ),
        ]),
  ];
  const about: Circumstances = {
    source: table.source,
    rows: table.rows,
    features: prepared.names.length,
    scaling: spaceText(clustering.space),
    label: options.label ?? null,
    scores: classes === undefined ? null : againstClasses(clustering.labels, classes),
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - begun) / 1000,
    engine: engine().name,
    threads: threads(),
    notes,
  };
  await labelsFile?.write(labelLines(run, options, written));
  await modelFile?.write([`${JSON.stringify(clustering)}\n`]);
  if (pageFile !== undefined) {
    const { clusterPageOf } = await import("../output/clusterPageOf.ts");
    await pageFile.write([clusterPageOf({ run, about, classes, sources, options, args })]);
  }
  if (options.json === true)
    return writeOut([`${JSON.stringify(clusterJson(clustering, about, prepared.columns))}\n`]);
  const report = [
    ...decisions(prepared),
    clusterText(clustering, about, fitted.facts, classes),
    ...(options.show === undefined ? [] : [representativeText(clustering, table, options.show)]),
  ];
  if (options.out === "-") {
    tell(report.join("").trimEnd());
    return writeOut(labelLines(run, options, written));
  }
  await writeOut(report);
  for (const file of [labelsFile, modelFile, pageFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** Before the fit, so that nobody waits for an unwanted result. */
function tellSample({ X }: Prepared, { method, sample }: ClusterFlags, open: OpenMethod): void {
  if (isSparse(X) || Object.hasOwn(open.options, "sample")) return;
  const size = fittedRows(methodNamed(method), X.rows, sample);
  if (size < X.rows) tell(`note: ${noteLine(sampleNote({ name: method }, size, X.rows))}`);
}

/** `--method NAME` or `--method=NAME`, found before the rest of the line is parsed. */
function methodGiven(args: readonly string[]): string {
  const has = (flag: string): boolean => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const learns = TOLD.map(flagOf).some(has);
  const fallback = learns ? "hints" : "auto";
  for (const [i, arg] of args.entries()) {
    if (arg === "--method" || arg === "-m") return args[i + 1] ?? fallback;
    if (arg.startsWith("--method=")) return arg.slice("--method=".length);
  }
  return fallback;
}

function methodsHelp(): string {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const lines = methods.map(({ name, sentence }) => `  ${name.padEnd(width)}  ${sentence}`);
  return `\nMethods (their options: kindred cluster --method NAME --help):\n${lines.join("\n")}`;
}

/** Before any data is read. */
function checkUsage(options: ClusterFlags, { name, needs }: ClusteringMethod): void {
  const { clusters, json, out } = options;
  if (options.metric !== undefined && options.scale !== undefined) {
    throw optionError(`${option("scale")}: the metric has its own scaling, which is applied to the rows`);
  }
  for (const role of ["label", "id", "known"] as const) {
    if (options[role] === undefined || options.ignore?.includes(options[role]) !== true) continue;
    throw optionError(
      `the column "${options[role]}" is named by both ${option(role)} and ${option("ignore")}`,
    );
  }
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${name} needs ${option("clusters")}, the number of clusters`);
  }
  for (const file of ["hints", "mustLink", "cannotLink"] as const) {
    if (options[file] === undefined || needs.pairs !== undefined) continue;
    const able = methods.filter((method) => method.needs.pairs !== undefined).map((method) => method.name);
    throw optionError(`${option(file)}: ${name} takes no pairs; ${able.join(", ")} do`);
  }
  for (const given of ["labels", "known"] as const) {
    if (options[given] === undefined || needs.labels !== undefined) continue;
    throw optionError(`${option(given)}: ${name} takes no known labels; hints and seeded-kmeans do`);
  }
  if (options.append === true && out === undefined) {
    throw optionError(`${option("append")} is for ${option("out")}`);
  }
  if (json === true && out === "-") {
    throw optionError(
      `${option("json")} and ${option("out")} - both write to standard output; give one of them a file`,
    );
  }
}

function requireColumn(table: Table, asked: string, name: string): void {
  if (table.columns.some((column) => column.name === name)) return;
  const names = table.columns.map((column) => column.name);
  throw absentColumn(asked, name, table.source, names);
}

/** One per row, "" where it is not known. */
export function knownLabels(table: Table, known: string | undefined): string[] | undefined {
  if (known === undefined) return undefined;
  requireColumn(table, "known", known);
  const labels = textsOf(table.columns.find(({ name }) => name === known)!);
  if (labels.every((label) => label.trim() === "" || label === "-1")) {
    throw inputError(
      `${option("known")}: the column "${known}" of ${table.source} names no group in any row`,
    );
  }
  return labels;
}

function minusOnes(table: Table, known: string): number {
  return textsOf(table.columns.find(({ name }) => name === known)!).filter((label) => label === "-1").length;
}

/** The known classes are used here, after the clustering, and nowhere else. */
function classesOf(table: Table, label: string | undefined): readonly string[] | undefined {
  const column = label === undefined ? undefined : table.columns.find(({ name }) => name === label);
  return column === undefined ? undefined : textsOf(column);
}

/**
 * One label per row, with the ids if there are any; --append adds all columns and the name of the cluster.
 */
function labelLines(
  { clustering, prepared: { table } }: Run,
  { id, append }: ClusterFlags,
  written: Input["written"],
): Iterable<string> | AsyncIterable<string> {
  const { labels, names } = clustering;
  if (append === true) {
    const found = appendedColumns(labels, names);
    return written === undefined
      ? copiedTable(table, found, undefined, csvOptions())
      : copiedRows(table.source, written(), [found], undefined, csvOptions());
  }
  const column = table.columns.find(({ name, why }) => (id === undefined ? why === NAMES_ROWS : name === id));
  const ids = column === undefined ? undefined : { name: column.name, values: textsOf(column) };
  return writeCsv({ ids, columns: [{ name: "cluster", values: labels }] });
}
