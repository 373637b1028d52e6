import type { Command } from "commander";
import { inputError, optionError } from "../../core/internal.ts";
import { samplePairs, type Pair } from "../../data/index.ts";
import type { Prepared } from "../../run/index.ts";
import { metrics, type MetricMethod, type MetricNeed, type SideInformation } from "../../method/index.ts";
import { learnMetric, requireSums, type LearnedMetric } from "../../rows/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { metricFileText } from "../options/metricFile.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, methodOf, methodOption, streamFlag } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { placeOf, scaleOfSums, sourcesOf, withRows, type ReadRows } from "../options/rows.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  type TableOptions,
} from "../options/tableInput.ts";
import { decisions } from "../output/clusterText.ts";
import { metricReport, metricSummary } from "../output/metricReport.ts";
import { outputFile } from "../output/outputFile.ts";
import { readPairs, readTriplets, rowNames } from "../options/pairFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface MetricOptions extends TableOptions, EngineOptions {
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly triplets?: string;
  readonly chunklets?: string;
  readonly pairs?: number;
  readonly seed?: number;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "mlca";

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, metrics, DEFAULT);
  const { options: rules } = await method.open();
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
    .addOption(methodOption("how to learn (kindred metrics says when to use which)", metrics, DEFAULT))
    .option(
      "--must-link <file>",
      "pairs of rows that belong together: a header and two columns of row numbers",
    )
    .option("--cannot-link <file>", "pairs of rows that do not belong together")
    .option(
      "--triplets <file>",
      "rows, each with a nearer and a farther one: a header and three columns of row numbers",
    )
    .option("--chunklets <column>", "column of groups of similar rows; empty or -1 means no group")
    .option(
      "--pairs <n>",
      "with --label: draw this many pairs of each kind from the classes",
      integerAtLeast(1),
    )
    .addOption(seedOption());
  columnOptions(command, "learned");
  featureOptions(command, { weights: false });
  fileOptions(command);
  engineOptions(command);
  command
    .addOption(streamFlag(metrics))
    .option("--model <file>", "write the metric as JSON, for: kindred apply, kindred cluster --metric")
    .option("--json", "print one JSON object");
  addMethodFlags(command, method, rules);
  command.action((given: readonly string[], options: MetricOptions) =>
    learn(sourcesOf(given, options), options, method, ownOptions(rules, options)),
  );
}

async function learn(
  sources: readonly string[],
  options: MetricOptions,
  method: MetricMethod,
  own: object,
): Promise<void> {
  const place = placeOf(sources, options);
  requireSums(method, place, metrics);
  // A stream has no row numbers: pairs are all those that the classes imply.
  checkUsage(options, method.name, place !== "table" && method.needs === "pairs" ? "labels" : method.needs);
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const progress = progressLine();
  const { onProgress } = progress;
  const reading = { ...options, label: options.chunklets ?? options.label, told: true };
  let learned: LearnedMetric;
  let prepared: Prepared | undefined;
  try {
    learned = await withRows(sources, reading, onProgress, async (rows) => {
      const { seed } = options;
      if (rows.kind !== "table") {
        return learnMetric(rows, method, { scale: scaleOfSums(options), seed, onProgress, own });
      }
      ({ prepared } = rows);
      const side = await sideInformation(rows, options, method.needs);
      return learnMetric(rows, method, { side, seed, onProgress, own });
    });
  } finally {
    progress.done();
  }
  await modelFile?.write([metricFileText(learned)]);
  if (options.json === true) return writeOut([`${JSON.stringify(metricSummary(learned))}\n`]);
  await writeOut([...decisions(prepared), metricReport(learned)]);
  if (modelFile !== undefined) tell(`wrote ${modelFile.path}`);
}

function checkUsage(options: MetricOptions, name: string, needs: MetricNeed): void {
  const { label, chunklets, mustLink, cannotLink, pairs, triplets } = options;
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
    triplets:
      triplets === undefined ? "--triplets, a file of rows with a nearer and a farther one" : undefined,
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
    "--cannot-link": cannotLink !== undefined && ["labels", "chunklets", "triplets"].includes(needs),
    "--triplets": triplets !== undefined && needs !== "triplets",
    "--chunklets": chunklets !== undefined && !needs.startsWith("chunklets"),
    "--pairs": pairs !== undefined && (needs !== "pairs" || files),
  };
  for (const [option, given] of Object.entries(unused)) {
    if (given) throw optionError(`${option}: ${name} does not use it here; it learns from ${needs}`);
  }
}

async function sideInformation(
  { label, prepared }: ReadRows,
  options: MetricOptions,
  needs: MetricNeed,
): Promise<SideInformation> {
  const labels = label?.values;
  if (needs === "labels") return { labels };
  if (needs === "chunklets") return { chunklets: labels };
  const names = rowNames(prepared.table, options.id);
  const kept = prepared.rows && new Map(Array.from(prepared.rows, (row, i) => [row, i] as const));
  const read = async (file: string | undefined): Promise<Pair[]> => {
    if (file === undefined) return [];
    const pairs = await readPairs(file, names);
    if (kept === undefined) return pairs;
    // Rows dropped for missing cells also drop their pairs.
    return pairs.flatMap(([i, j]) =>
      kept.has(i) && kept.has(j) ? [[kept.get(i)!, kept.get(j)!] as Pair] : [],
    );
  };
  if (needs === "triplets") {
    const all = await readTriplets(options.triplets!, names);
    if (kept === undefined) return { triplets: all };
    return {
      triplets: all
        .filter((rows) => rows.every((row) => kept.has(row)))
        .map(([i, j, l]) => [kept.get(i)!, kept.get(j)!, kept.get(l)!] as const),
    };
  }
  if (needs !== "pairs") {
    return { chunklets: labels, pairs: { mustLink: [], cannotLink: await read(options.cannotLink) } };
  }
  if (options.pairs !== undefined) {
    const { pairs, seed } = options;
    return { pairs: samplePairs(labels!, { mustLink: pairs, cannotLink: pairs, seed }) };
  }
  const pairs = { mustLink: await read(options.mustLink), cannotLink: await read(options.cannotLink) };
  if (pairs.mustLink.length + pairs.cannotLink.length === 0) throw inputError("the files hold no pairs");
  return { pairs };
}
