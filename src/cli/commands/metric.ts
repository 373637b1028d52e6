import { type Command, Option } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { samplePairs, scale, type ScaleKind, type NumberTable } from "../../data/index.ts";
import { engine, isSparse, toDense } from "../../matrix/index.ts";
import type { Mahalanobis } from "../../metric/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { columns } from "../columns.ts";
import { engineOptions, isOnEngine, OPTIONAL_DATA, type EngineOptions } from "../engineInput.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { metricFileText } from "../metricFile.ts";
import {
  metricMethod,
  metricMethods,
  requireStreamable,
  type MetricMethod,
  type SideInformation,
} from "../metricMethods.ts";
import { outputFile } from "../outputFile.ts";
import { readPairs } from "../pairFile.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";
import { isStreamed, streamOptions } from "../streamInput.ts";
import type { LearnedMetric } from "../streamedMetric.ts";

interface MetricOptions extends InputOptions, EngineOptions {
  readonly method: string;
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly chunklets?: string;
  readonly pairs?: number;
  readonly seed?: number;
  readonly scale: ScaleKind;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "mlca";

export function define(command: Command, args: readonly string[]): void {
  const at = args.findIndex((arg) => arg === "--method" || arg === "-m");
  const attached = args.find((arg) => arg.startsWith("--method="))?.slice("--method=".length);
  const method = metricMethod((at >= 0 ? args[at + 1] : attached) ?? DEFAULT);
  command
    .argument(OPTIONAL_DATA, 'a file, several ("data/*.parquet", streamed), - or the name of a data set')
    .addOption(
      new Option("-m, --method <name>", 'how to learn ("kindred metrics" says when to take which)')
        .choices(metricMethods.map(({ name }) => name))
        .default(DEFAULT),
    )
    .option(
      "--must-link <file>",
      "pairs of rows that belong together: a header and two columns of row numbers",
    )
    .option("--cannot-link <file>", "pairs of rows that do not")
    .option("--chunklets <column>", "column of groups known to be alike; empty or -1 is in none")
    .option(
      "--pairs <n>",
      "with --label: draw this many pairs of either kind from the classes",
      integerAtLeast(1),
    )
    .option("--seed <n>", "of every random choice (default: 0)", integerAtLeast(0))
    .addOption(
      new Option("--scale <kind>", "put the columns on a common scale")
        .choices(["zscore", "minmax", "none"])
        .default("zscore"),
    );
  inputOptions(command, "learned");
  engineOptions(command);
  command
    .option("--stream", "read in batches, for data larger than memory (mlca, lda, rca, kissme)")
    .option("--model <file>", "write the metric as JSON, for: kindred apply, kindred cluster --metric")
    .option("--json", "print one JSON object");
  for (const option of method.options) command.addOption(option.helpGroup(`Options of ${method.name}:`));
  command.action((source: string | undefined, options: MetricOptions) => learn(source, options, method));
}

async function learn(
  source: string | undefined,
  options: MetricOptions,
  method: MetricMethod,
): Promise<void> {
  const onEngine = isOnEngine(source, options);
  const streamed = onEngine || isStreamed(source!, options.stream);
  if (streamed) requireStreamable(method, onEngine ? "on an engine" : "from a stream");
  // Of a stream there are no row numbers: pairs are all those that the classes imply.
  checkUsage(options, streamed && method.needs === "pairs" ? { ...method, needs: "labels" } : method);
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const learned = onEngine
    ? await fromEngine(options, method)
    : streamed
      ? await fromStream(source!, options, method)
      : await fromTable(source!, options, method);
  const { metric, scaling } = learned;
  await modelFile?.write([metricFileText(scaling, metric)]);
  if (options.json === true) {
    return writeOut([`${JSON.stringify(summary(learned))}\n`]);
  }
  await writeOut([report(learned, options.scale)]);
  if (modelFile !== undefined) tell(`wrote ${modelFile.path}`);
}

async function fromEngine(options: MetricOptions, method: MetricMethod): Promise<LearnedMetric> {
  const { engineMetric } = await import("../engineMetric.ts");
  return engineMetric({ ...options, label: options.chunklets ?? options.label }, method, {
    scale: options.scale,
    own: ownOptions(options, method),
  });
}

async function fromStream(
  source: string,
  options: MetricOptions,
  method: MetricMethod,
): Promise<LearnedMetric> {
  const reading = streamOptions(source, { ...options, label: options.chunklets ?? options.label });
  const progress = progressLine();
  try {
    const { streamedMetric } = await import("../streamedMetric.ts");
    return await streamedMetric(source, reading, method, {
      scale: options.scale,
      own: ownOptions(options, method),
      onProgress: progress.onProgress,
    });
  } finally {
    progress.done();
  }
}

async function fromTable(
  source: string,
  options: MetricOptions,
  method: MetricMethod,
): Promise<LearnedMetric> {
  const progress = progressLine();
  const table = await readInput(
    source,
    { ...options, label: options.chunklets ?? options.label },
    progress.onProgress,
  );
  const scaled = scale(isSparse(table.X) ? toDense(table.X) : table.X, options.scale, {
    names: table.names,
    batch: table.batch?.values,
  });
  const side = await sideInformation(table, options, method);
  const start = performance.now();
  let metric: Mahalanobis;
  try {
    metric = await method.learn(scaled.X, side, {
      ...ownOptions(options, method),
      names: scaled.names,
      ...(method.iterative === true && { onProgress: progress.onProgress }),
      ...(method.seeded === true && { seed: options.seed }),
    });
  } finally {
    progress.done();
  }
  return {
    metric,
    scaling: scaled.scaling,
    names: scaled.names,
    source: table.source,
    rows: table.X.rows,
    notes: [...table.notes, ...scaled.notes],
    seconds: (performance.now() - start) / 1000,
  };
}

function checkUsage(options: MetricOptions, { name, needs, seeded }: MetricMethod): void {
  const { label, chunklets, mustLink, cannotLink, pairs, seed } = options;
  if (label !== undefined && chunklets !== undefined) {
    throw optionError("--label and --chunklets: give one of them");
  }
  const files = mustLink !== undefined || cannotLink !== undefined;
  const problem = {
    labels: label === undefined ? "--label, the column of known classes" : undefined,
    pairs:
      files || (label !== undefined && pairs !== undefined)
        ? undefined
        : "--must-link and --cannot-link files, or --label with --pairs to draw pairs from classes",
    chunklets:
      (chunklets ?? label) === undefined ? "--chunklets (or --label: classes are chunklets)" : undefined,
    "chunklets and cannot-links":
      (chunklets ?? label) === undefined || cannotLink === undefined
        ? "--chunklets (or --label) and --cannot-link"
        : undefined,
  }[needs];
  if (problem !== undefined) throw optionError(`${name} needs ${problem}`);
  const unused = {
    "--must-link": mustLink !== undefined && needs !== "pairs",
    "--cannot-link": cannotLink !== undefined && (needs === "labels" || needs === "chunklets"),
    "--chunklets": chunklets !== undefined && !needs.startsWith("chunklets"),
    "--pairs": pairs !== undefined && (needs !== "pairs" || files),
    "--seed": seed !== undefined && pairs === undefined && seeded !== true,
  };
  for (const [option, given] of Object.entries(unused)) {
    if (given) throw optionError(`${option}: ${name} does not use it here; it learns from ${needs}`);
  }
}

async function sideInformation(
  table: NumberTable,
  options: MetricOptions,
  { needs }: MetricMethod,
): Promise<SideInformation> {
  const labels = table.label?.values;
  if (needs === "labels") return { labels };
  if (needs === "chunklets") return { chunklets: labels };
  const read = async (file: string | undefined) =>
    file === undefined ? [] : readPairs(file, { ...table, rows: table.X.rows });
  if (needs !== "pairs")
    return { chunklets: labels, pairs: { mustLink: [], cannotLink: await read(options.cannotLink) } };
  if (options.pairs !== undefined) {
    const { pairs, seed } = options;
    return { pairs: samplePairs(labels!, { mustLink: pairs, cannotLink: pairs, seed }) };
  }
  const pairs = { mustLink: await read(options.mustLink), cannotLink: await read(options.cannotLink) };
  if (pairs.mustLink.length + pairs.cannotLink.length === 0) throw inputError("the files hold no pairs");
  return { pairs };
}

function ownOptions(options: MetricOptions, method: MetricMethod): Record<string, unknown> {
  const given = options as unknown as Record<string, unknown>;
  return Object.fromEntries(
    method.options.map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
}

function summary({ metric, names, notes, seconds, engine: tables }: LearnedMetric): object {
  const { method, rank, condition, converged, iterations, objective, certificate, threshold, warnings } =
    metric;
  return {
    method,
    rank,
    condition,
    relevance: Object.fromEntries(names.map((name, f) => [name, metric.relevance[f]])),
    converged,
    iterations,
    objective: objective ?? null,
    certificate,
    threshold: threshold ?? null,
    warnings,
    notes,
    seconds,
    engine: tables ?? engine().name,
  };
}

function report(learned: LearnedMetric, scaling: string): string {
  const { metric, names } = learned;
  const facts = [
    ["data", `${learned.source}, ${learned.rows} rows x ${names.length} features, scaling ${scaling}`],
    ["metric", `${metric.method}, rank ${metric.rank}, condition ${Number(metric.condition.toPrecision(3))}`],
    [
      "result",
      `${metric.converged ? "converged" : "NOT converged"} after ${metric.iterations} iteration${metric.iterations === 1 ? "" : "s"}` +
        `${metric.objective === undefined ? "" : `, objective ${Number(metric.objective.toPrecision(8))}`}`,
    ],
    ["proof", `${metric.certificate.kind}: ${metric.certificate.residual.toExponential(1)}`],
    ...(metric.threshold === undefined
      ? []
      : [["same", `distance at most ${Number(metric.threshold.toPrecision(4))}`]]),
    [
      "time",
      `${(1000 * learned.seconds).toFixed(1)} ms${learned.engine === undefined ? `, engine ${engine().name}` : ""}`,
    ],
    ...(learned.engine === undefined ? [] : [["engine", learned.engine]]),
    ...learned.notes.map((note) => ["note", note]),
    ...metric.warnings.map((warning) => ["warning", warning]),
  ];
  const order = names.map((_, f) => f).toSorted((a, b) => metric.relevance[b] - metric.relevance[a]);
  const shown = order.slice(0, 20);
  const bars = shown.map((f) => [
    names[f],
    `${(100 * metric.relevance[f]).toFixed(1)} %`,
    "#".repeat(Math.round(40 * metric.relevance[f])),
  ]);
  const lines = [...columns(facts, "   "), "", ...columns([["feature", "relevance", ""], ...bars])];
  if (order.length > shown.length)
    lines.push(`and ${order.length - shown.length} more features (--json has all)`);
  return `${lines.join("\n")}\n`;
}
