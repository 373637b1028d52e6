import { type Command, Option } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { scale, type Scaled, type ScaleKind, type NumberTable } from "../../data/index.ts";
import { writeCsv } from "../csvOutput.ts";
import {
  engine,
  isSparse,
  setThreads,
  threads,
  toDense,
  useEngine,
  type EngineName,
  type Matrix,
  type Sparse,
} from "../../matrix/index.ts";
import { allScores } from "../../score/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { clusterModel } from "../modelFile.ts";
import { clusterPageOf } from "../clusterPageOf.ts";
import { clusterReport, type ClusterResult, type Scores } from "../clusterReport.ts";
import { engineOptions, isOnEngine, OPTIONAL_DATA, type EngineOptions } from "../engineInput.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { readMetricFile, underMetric, type MetricFile } from "../metricFile.ts";
import { ALIASES, defaultMethod, methods, type Clustering, type MethodFile } from "../methods.ts";
import { outputFile, requireDifferent } from "../outputFile.ts";
import { readPairFiles } from "../pairFile.ts";
import { progressLine } from "../progressLine.ts";
import { readSeeds } from "../seedFile.ts";
import { tell, writeOut } from "../stdout.ts";
import { isStreamed } from "../streamInput.ts";

export interface ClusterOptions extends InputOptions, EngineOptions {
  readonly method: string;
  readonly clusters?: number;
  readonly seed?: number;
  /** Absent: z-score, or what --metric was learned with. */
  readonly scale?: ScaleKind;
  readonly metric?: string;
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly labels?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly model?: string;
  readonly report?: string;
  readonly writeTable?: string;
  readonly replace?: boolean;
}

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const name = ownName(methodNamed(args));
  const method = methods.find((known) => known.name === name);
  const file = method === undefined ? undefined : await method.load();
  command
    .argument(
      OPTIONAL_DATA,
      "a file (CSV, TSV, JSON, NDJSON, Parquet, Arrow, LIBSVM; gzip or not), several " +
        '("data/*.parquet", streamed), - or the name of a data set',
    )
    .option("-k, --clusters <n>", "number of clusters", integerAtLeast(1))
    .addOption(
      new Option("-m, --method <name>", "how to cluster")
        .choices([...methods.map((known) => known.name), ...Object.keys(ALIASES)])
        .default(name, "auto; with pairs cop-kmeans, with --labels seeded-kmeans"),
    )
    .addOption(
      new Option(
        "--scale <kind>",
        "put the columns on a common scale (default: zscore, or that of --metric)",
      ).choices(["zscore", "minmax", "none"]),
    )
    .option("--metric <file>", "cluster under a metric learned by: kindred metric --model")
    .option("--must-link <file>", "pairs of rows that belong together: two columns of row numbers or ids")
    .option("--cannot-link <file>", "pairs of rows that do not")
    .option("--labels <file>", "known labels of some rows: one per row (empty or -1: unknown), or row,label")
    .option("--seed <n>", "of every random choice (default: 0)", integerAtLeast(0));
  inputOptions(command, "scored");
  engineOptions(command, { names: KERNELS, use: `${KERNELS.join(", ")}: what computes; ` });
  command
    .option("--stream", "read in batches, for data larger than memory (kmeans, gmm, cc)")
    .option("--json", "print one JSON object")
    .option(
      "--out <file>",
      "write one label per row as CSV; - is standard output. With --engine duckdb: a file .parquet or .csv, or a folder/",
    )
    .option("--write-table <name>", "with --engine: write the rows with their labels as a table")
    .option("--replace", "with --write-table: also where there is one of that name")
    .option("--model <file>", "write the fitted model as JSON")
    .option("--report <file>", "write a page (HTML, one file) with pictures of the result")
    .option("--threads <n>", "at most this many threads", integerAtLeast(1));
  for (const option of file?.options() ?? []) command.addOption(option.helpGroup(`Options of ${name}:`));
  command.addHelpText("after", methodsHelp());
  command.action((source: string | undefined, options: ClusterOptions) =>
    start(source, { ...options, method: ownName(options.method) }, file!, args),
  );
}

const ownName = (method: string): string => ALIASES[method] ?? method;

const KERNELS: readonly EngineName[] = ["simd", "relaxed", "openblas", "plain"];

/** Rows are in memory, in a stream or on an engine. */
async function start(
  source: string | undefined,
  options: ClusterOptions,
  method: MethodFile,
  args: readonly string[],
): Promise<void> {
  checkUsage(options, method);
  if (isOnEngine(source, options)) {
    const { clusterOnEngine } = await import("../engineCluster.ts");
    return clusterOnEngine(options, ownOptions(options, method));
  }
  if (options.writeTable !== undefined || options.replace !== undefined) {
    const option = options.writeTable === undefined ? "--replace" : "--write-table";
    throw optionError(`${option} is for --engine duckdb or spark`);
  }
  if (options.engine !== undefined) useEngine(options.engine as EngineName, "--engine");
  if (options.threads !== undefined) setThreads(options.threads);
  if (!isStreamed(source!, options.stream)) return cluster(source!, options, method, args);
  const { clusterStream } = await import("../streamedCluster.ts");
  return clusterStream(source!, options, ownOptions(options, method));
}

async function cluster(
  source: string,
  options: ClusterOptions,
  method: MethodFile,
  args: readonly string[],
): Promise<void> {
  requireDifferent({ "--out": options.out, "--model": options.model, "--report": options.report });
  const labelsFile =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const pageFile = options.report === undefined ? undefined : outputFile(options.report, "--report");

  const progress = progressLine();
  const start = performance.now();
  const table = await readInput(source, options, progress.onProgress);
  const { rows } = table.X;
  if (rows < 2) throw inputError(`${table.source} has ${rows} row; clustering needs at least two`);
  if (options.clusters !== undefined && options.clusters > rows) {
    throw inputError(`--clusters ${options.clusters}: ${table.source} has only ${rows} rows`);
  }
  const { mustLink, cannotLink } = options;
  const pairs = method.accepts.pairs ? await readPairFiles({ mustLink, cannotLink }, table) : undefined;
  const labels = options.labels === undefined ? undefined : await readSeeds(options.labels, table);
  const learned = options.metric === undefined ? undefined : readMetricFile(options.metric);
  const scaled = learned === undefined ? scaledTable(table, options) : measured(table, learned);
  const X = isSparse(scaled.X) && !method.accepts.sparse ? toDense(scaled.X) : scaled.X;

  const fitting = performance.now();
  const seed = method.accepts.seed ? (options.seed ?? 0) : undefined;
  const { clusters } = options;
  let fitted: Clustering;
  try {
    fitted = await method.run(X, {
      clusters,
      seed,
      onProgress: progress.onProgress,
      names: scaled.names,
      own: ownOptions(options, method),
      pairs,
      labels,
    });
  } finally {
    progress.done();
  }
  const end = performance.now();

  const warnings = [...fitted.warnings, ...otherNumber(clusters, fitted), ...suspicions(table)];
  const result: ClusterResult = {
    method: options.method,
    clusters: fitted.sizes.length,
    labels: Array.from(fitted.labels),
    sizes: Array.from(fitted.sizes),
    scores: options.label === undefined ? null : scores(fitted.labels, table, warnings),
    converged: fitted.converged,
    iterations: fitted.iterations ?? null,
    objective: fitted.objective ?? null,
    certificate: fitted.certificate ?? null,
    details: fitted.details?.json ?? null,
    warnings,
    seconds: (end - fitting) / 1000,
    readSeconds: (fitting - start) / 1000,
    seed: seed ?? null,
    scaling: { kind: scaled.scaling.kind, batch: options.batch ?? null, dropped: scaled.dropped },
    data: {
      source: table.source,
      rows,
      features: X.cols,
      label: options.label ?? null,
      notes: [...table.notes, ...scaled.notes],
    },
    engine: engine().name,
    threads: threads(),
  };

  await labelsFile?.write(labelLines(result, table));
  await modelFile?.write([
    `${JSON.stringify(clusterModel(result, fitted, scaled.scaling, learned?.metric))}\n`,
  ]);
  await pageFile?.write([clusterPageOf({ result, fitted, table, scaled, source, options, args })]);
  if (options.json === true) return writeOut([`${JSON.stringify(result)}\n`]);
  const classes = options.label === undefined ? undefined : table.label?.values;
  const report = clusterReport(result, classes, fitted.details?.lines);
  if (options.out === "-") {
    tell(report.trimEnd());
    return writeOut(labelLines(result, table));
  }
  await writeOut([report]);
  for (const file of [labelsFile, modelFile, pageFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** Said here where the method does not: the number of clusters is not the one asked for. */
function otherNumber(asked: number | undefined, { sizes, warnings }: Clustering): string[] {
  const made = sizes.length;
  if (asked === undefined || made === asked) return [];
  if (warnings.some((text) => text.includes(`${asked} clusters`))) return [];
  return [`--clusters asks for ${asked}, the result has ${made}`];
}

function scaledTable(table: NumberTable, options: ClusterOptions): Scaled<Matrix | Sparse> {
  return scale(table.X, options.scale ?? "zscore", { names: table.names, batch: table.batch?.values });
}

/** The rows under a learned metric, in the shape of a scaled table: Euclidean methods cluster by it. */
function measured(
  table: NumberTable,
  file: MetricFile,
): Pick<Scaled<Matrix>, "X" | "names" | "dropped" | "scaling" | "notes"> {
  const X = underMetric(table, file);
  const { method, rank } = file.metric;
  return {
    X,
    names: Array.from({ length: X.cols }, (_, r) => `${method}${r + 1}`),
    dropped: [],
    scaling: file.scaling,
    notes: [`distances by the ${method} metric of ${file.path} (rank ${rank})`],
  };
}

/** `--method NAME` or `--method=NAME`, before the rest of the line can be understood. */
function methodNamed(args: readonly string[]): string {
  const has = (flag: string): boolean => args.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const fallback = defaultMethod({
    labels: has("--labels"),
    pairs: has("--must-link") || has("--cannot-link"),
  });
  for (const [i, arg] of args.entries()) {
    if (arg === "--method" || arg === "-m") return args[i + 1] ?? fallback;
    if (arg.startsWith("--method=")) return arg.slice("--method=".length);
  }
  return fallback;
}

function methodsHelp(): string {
  const width = Math.max(...methods.map(({ name }) => name.length));
  const lines = methods.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `\nMethods (their options: kindred cluster --method NAME --help):\n${lines.join("\n")}`;
}

function checkUsage(options: ClusterOptions, { accepts }: MethodFile): void {
  const { method, clusters, seed, json, out } = options;
  if (options.metric !== undefined && options.scale !== undefined) {
    throw optionError("--scale: the metric has its own scaling, which is applied to the rows");
  }
  if (clusters === undefined && accepts.clusters === "required") {
    throw optionError(`${method} needs --clusters, the number of clusters`);
  }
  if (clusters !== undefined && accepts.clusters === "no") {
    throw optionError(`--clusters: ${method} finds the number of clusters itself`);
  }
  if (seed !== undefined && !accepts.seed) throw optionError(`--seed: ${method} makes no random choice`);
  for (const [flag, file] of [
    ["--must-link", options.mustLink],
    ["--cannot-link", options.cannotLink],
  ]) {
    if (file === undefined || accepts.pairs === true) continue;
    throw optionError(
      `${flag}: ${method} takes no pairs; cop-kmeans, pck-means, mpck-means, lcvqe, bregman-kmeans and the convex methods do`,
    );
  }
  if (options.labels !== undefined && accepts.labels !== true) {
    throw optionError(`--labels: ${method} takes no known labels; seeded-kmeans does`);
  }
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
}

function ownOptions(options: ClusterOptions, method: MethodFile): Record<string, unknown> {
  const given = options as unknown as Record<string, unknown>;
  return Object.fromEntries(
    method.options().map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
}

/** The known classes are looked at here, after the clustering, and nowhere else. */
function scores(labels: Int32Array, table: NumberTable, warnings: string[]): Scores {
  const classes = table.label!.values;
  // "-1" means unknown, except where the classes are the two signs, as in many LIBSVM files.
  const signs = new Set(classes.map(Number));
  const unknown = signs.size === 2 && signs.has(-1) && signs.has(1) ? "class" : "omit";
  const { rand, adjustedRand, nmi, accuracy, purity, omitted } = allScores(labels, classes, { unknown });
  if (omitted > 0) {
    warnings.push(`${omitted} of ${classes.length} rows have no known class and are left out of the scores`);
  }
  return { rand, adjustedRand, nmi, accuracy, purity };
}

/** A column of classes among the features makes a clustering look better than it is. */
function suspicions({ names }: NumberTable): string[] {
  return names
    .filter((name) => /^(?:class|label|target|species)$/i.test(name))
    .map((name) => `the column "${name}" was used as a feature; --label ${name} would set it aside`);
}

function labelLines({ labels }: ClusterResult, { ids }: NumberTable): Generator<string> {
  return writeCsv({ ids, columns: [{ name: "cluster", values: labels }] });
}
