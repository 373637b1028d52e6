import type { Command } from "commander";
import { inputError, optionError, plural } from "../../core/internal.ts";
import { type Pair, samplePairs, type Triplet } from "../../data/index.ts";
import { type MetricMethod, type MetricNeed, metrics, type SideInformation } from "../../method/index.ts";
import { storeMetricModel } from "../../model/index.ts";
import { type LearnedMetric, learnMetric, requireSums } from "../../rows/index.ts";
import type { Prepared, RowsRequest } from "../../run/index.ts";
import {
  keptLists,
  ownOptions,
  placeOf,
  readPairs,
  type ReadRows,
  readTriplets,
  rowNames,
  scaleOfSums,
  sourcesOf,
  spaceText,
  withRows,
} from "../../run/internal.ts";
import { integerAtLeast, methodCommand } from "../options/words.ts";
import { decisions } from "../output/columnText.ts";
import { modelText } from "../manifest.ts";
import { openOutputs } from "../output/outputs.ts";
import { columns, endingBySignal, factLines, withProgress } from "../output/terminal.ts";
import { engine } from "../../matrix/index.ts";
import { type AnyMetric, isMahalanobis } from "../../metric/index.ts";

type MetricFlags = RowsRequest & {
  readonly mustLink?: string;
  readonly cannotLink?: string;
  readonly triplets?: string;
  readonly chunklets?: string;
  readonly pairs?: number;
};

export async function define(command: Command, args: readonly string[]): Promise<void> {
  const { method, opened } = await methodCommand(command, args, {
    methods: metrics,
    says: "how to learn (kindred metrics says when to use which)",
    usual: "mlca",
    table: { label: "learned", without: ["weights"] },
    own: () =>
      command
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
        ),
    writes: () =>
      command
        .option("--model <file>", "write the metric as JSON, for: kindred apply, kindred cluster --metric")
        .option("--json", "print one JSON object"),
    listed: false,
  });
  command.action((given: readonly string[], flags: MetricFlags) =>
    learn(command, given, flags, method, ownOptions(opened.options, flags)),
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
  // Rows dropped for missing cells also drop their pairs.
  const kept = <L extends Pair | Triplet>(lists: readonly L[]): readonly L[] =>
    prepared.rows === undefined ? lists : keptLists(lists, prepared.rows);
  const read = async (file: string | undefined): Promise<readonly Pair[]> =>
    file === undefined ? [] : kept(await readPairs(file, names));
  if (needs === "triplets") return { triplets: kept(await readTriplets(options.triplets!, names)) };
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

/** The output of `kindred metric --json`. */
function metricSummary({ metric, relevance, notes, seconds, engine: tables }: LearnedMetric): object {
  const { method, warnings } = metric;
  return {
    method,
    ...(isMahalanobis(metric) && { rank: metric.rank, condition: metric.condition }),
    relevance: Object.fromEntries(relevance.map(({ column, share }) => [column, share])),
    ...("strengths" in metric
      ? { learners: metric.strengths.length, pairError: metric.pairError }
      : {
          converged: metric.converged,
          iterations: metric.iterations,
          objective: metric.objective ?? null,
          certificate: metric.certificate,
          threshold: metric.threshold ?? null,
        }),
    warnings,
    notes,
    seconds,
    engine: tables ?? engine().name,
  };
}

/** The same for people. */
function metricReport(learned: LearnedMetric): string {
  const { metric, names, space, relevance } = learned;
  const here = learned.engine === undefined ? `, engine ${engine().name}` : "";
  const facts = [
    [
      "data",
      `${learned.source}, ${learned.rows} rows x ${names.length} features, scaling ${spaceText(space)}`,
    ],
    ...factsOf(metric),
    ["time", `${(1000 * learned.seconds).toFixed(1)} ms${here}`],
    ...(learned.engine === undefined ? [] : [["engine", learned.engine]]),
  ];
  const shown = relevance.slice(0, 20);
  const bars = shown.map(({ column, share }) => [
    column,
    `${(100 * share).toFixed(1)} %`,
    "#".repeat(Math.round(40 * share)),
  ]);
  const lines = factLines(facts, learned.notes, metric.warnings);
  if (bars.length > 0) lines.push("", ...columns([["column", "relevance", ""], ...bars]));
  if (relevance.length > shown.length)
    lines.push(`and ${relevance.length - shown.length} more columns (--json has all)`);
  return `${lines.join("\n")}\n`;
}

/** The kind of the metric, and its fit. */
function factsOf(metric: AnyMetric): string[][] {
  if ("strengths" in metric) {
    const { method, strengths, components, pairError } = metric;
    return [
      ["metric", `${method}, ${strengths.length} mixtures of ${components} components`],
      ["result", `${(100 * pairError).toFixed(1)} % of the pairs on the wrong side`],
      ["same", "distance at most 0.5"],
    ];
  }
  const { method, converged, iterations, objective, certificate, threshold } = metric;
  const kind = isMahalanobis(metric)
    ? `rank ${metric.rank}, condition ${Number(metric.condition.toPrecision(3))}`
    : `${metric.kernel.kind} kernel of ${metric.rows.rows} rows, ${metric.coefficients.rows} dimensions`;
  return [
    ["metric", `${method}, ${kind}`],
    [
      "result",
      `${converged ? "converged" : "NOT converged"} after ${plural(iterations, "iteration")}` +
        `${objective === undefined ? "" : `, objective ${Number(objective.toPrecision(8))}`}`,
    ],
    ["proof", `${certificate.kind}: ${certificate.residual.toExponential(1)}`],
    ...(threshold === undefined ? [] : [["same", `distance at most ${Number(threshold.toPrecision(4))}`]]),
  ];
}
