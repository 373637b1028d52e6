import type { Command } from "commander";
import { inputError, optionError } from "../../core/internal.ts";
import { samplePairs, type Pair } from "../../data/index.ts";
import {
  metricNamed,
  metrics,
  type MetricMethod,
  type MetricNeed,
  type SideInformation,
} from "../../method/index.ts";
import { storeMetricModel } from "../../model/index.ts";
import { learnMetric, requireSums } from "../../rows/index.ts";
import type { Prepared, RowsRequest } from "../../run/index.ts";
import {
  ownOptions,
  placeOf,
  readPairs,
  readTriplets,
  rowNames,
  scaleOfSums,
  sourcesOf,
  withRows,
  type ReadRows,
} from "../../run/internal.ts";
import { addMethodFlags, chosenMethod, methodOption, streamFlag } from "../options/methodOption.ts";
import {
  addEngineWords,
  addTableWords,
  DATA_HELP,
  integerAtLeast,
  OPTIONAL_DATA,
  seedOption,
} from "../options/words.ts";
import { decisions } from "../output/clusterText.ts";
import { metricReport, metricSummary } from "../output/metricReport.ts";
import { modelText } from "../output/modelText.ts";
import { openOutputs } from "../output/outputs.ts";
import { endingBySignal, withProgress } from "../output/progressLine.ts";

type MetricFlags = RowsRequest & {
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly triplets?: string;
  readonly chunklets?: string;
  readonly pairs?: number;
};

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const named = methodOption("how to learn (kindred metrics says when to use which)", metrics);
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
    .addOption(named)
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
  addTableWords(command, { label: "learned", without: ["weights"] });
  addEngineWords(command);
  command
    .addOption(streamFlag(metrics))
    .option("--model <file>", "write the metric as JSON, for: kindred apply, kindred cluster --metric")
    .option("--json", "print one JSON object");
  const method = metricNamed(chosenMethod(command, args, named, () => "mlca"))!;
  const { options: rules } = await method.open();
  addMethodFlags(command, method, rules);
  command.action((given: readonly string[], flags: MetricFlags) =>
    learn(command, given, flags, method, ownOptions(rules, flags)),
  );
}

async function learn(
  command: Command,
  given: readonly string[],
  flags: MetricFlags,
  method: MetricMethod,
  own: object,
): Promise<void> {
  const sources = sourcesOf(given, flags);
  const place = placeOf(sources, flags);
  requireSums(method, place, metrics);
  // A table of an engine has no row numbers: pairs are all those that the classes imply.
  checkUsage(flags, method.name, place !== "memory" && method.needs === "pairs" ? "labels" : method.needs);
  const outputs = await openOutputs(command, ["model"]);
  const request = { ...flags, label: flags.chunklets ?? flags.label, target: true };
  const { seed } = flags;
  let prepared: Prepared | undefined;
  const learned = await withProgress((onProgress) =>
    withRows(sources, request, { onProgress, onEngine: endingBySignal }, async (rows) => {
      if (rows.kind !== "table") {
        return learnMetric(rows, method, { scale: scaleOfSums(flags), seed, onProgress, own });
      }
      ({ prepared } = rows);
      const side = await sideInformation(rows, flags, method.needs);
      return learnMetric(rows, method, { side, seed, onProgress, own });
    }),
  );
  await outputs.write("model", modelText(storeMetricModel(learned)));
  await outputs.answer({
    json: () => metricSummary(learned),
    text: () => [...decisions(prepared), metricReport(learned)].join(""),
  });
}

function checkUsage(options: MetricFlags, name: string, needs: MetricNeed): void {
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
  options: MetricFlags,
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
