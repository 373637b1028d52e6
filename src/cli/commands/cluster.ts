import { type Command, Option } from "commander";
import { MEASURES } from "../../features/index.ts";
import { shellWord } from "../../core/internal.ts";
import {
  copiedRows,
  copiedTable,
  writeCsv,
  type AppendedColumn,
  type WriteOptions,
} from "../../data/index.ts";
import {
  methodNamed,
  methods,
  planOf,
  reportJson,
  runPlan,
  type LabelledRows,
  type Report,
  type Request,
} from "../../run/index.ts";
import {
  ALIASES,
  defaultMethod,
  embedWords,
  knownWords,
  labelWords,
  machineWords,
  sizeWords,
  weightWords,
} from "../../run/internal.ts";
import {
  integerAtLeast,
  nameList,
  seedOption,
  addMethodFlags,
  chosenMethod,
  listMethods,
  methodOption,
  safeOption,
  addEngineWords,
  addTableWords,
  addWords,
  DATA_HELP,
  OPTIONAL_DATA,
} from "../options/words.ts";
import { clusterText, representativeText, type NextCommands } from "../output/clusterText.ts";
import { decisions } from "../output/columnText.ts";
import { endingBySignal, progressLine, tellNotes } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

const DEFAULTS = "auto; with hints the method that learns from them";

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const named = methodOption("how to cluster", [
    ...methods,
    ...Object.keys(ALIASES).map((name) => ({ name })),
  ]);
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
    .option(
      "-k, --clusters <n>",
      "number of clusters (default: found by the method, if it can)",
      integerAtLeast(1),
    )
    .addOption(named)
    .optionsGroup("Distances and graphs instead of columns:")
    .option(
      "--distances <file>",
      "distances between the rows: a square, the condensed form, or a list of all pairs",
    )
    .option(
      "--edges <file>",
      "a weighted graph: lines of two names and a weight; leiden finds its communities",
    )
    .addOption(
      new Option("--measure <name>", "measure the rows of the table by this distance alone").choices(
        MEASURES,
      ),
    )
    .optionsGroup("Options:");
  addWords(command, "What you know:", knownWords);
  command.addOption(seedOption());
  addTableWords(command, { label: "scored" });
  addWords(command, "Columns:", weightWords);
  addWords(command, "Texts by meaning:", embedWords);
  addEngineWords(command);
  addWords(command, "Larger tables:", sizeWords);
  command
    .optionsGroup("Output:")
    .option("--names <names>", "names of the clusters, in their order (default: suggested)", nameList)
    .option(
      "--show <columns>",
      "print these columns of typical and borderline rows of each cluster",
      nameList,
    )
    .option("--verbose", "also print every column, the method, its solver and the engine")
    .option("--json", "print one JSON object");
  addWords(command, "Output:", labelWords);
  command
    .optionsGroup("Output:")
    .addOption(safeOption())
    .option("--model <file>", "write the fitted model as JSON; kindred apply places new rows by it")
    .option("--report <file>", "write a page (HTML, one file) with pictures of the result");
  addWords(command, "Options:", machineWords);
  listMethods(command, methods);
  const method = methodNamed(chosenMethod(command, args, named, defaultMethod, DEFAULTS));
  addMethodFlags(command, method, (await method.open()).options);
  command.action((rows: readonly string[]) => cluster(command, rows, args));
}

async function cluster(command: Command, rows: readonly string[], args: readonly string[]): Promise<void> {
  const {
    json: _,
    model: __,
    quiet: ___,
    verbose,
    spreadsheetSafe: ____,
    ...words
  } = command.opts<Record<string, unknown>>();
  if ((words.distances ?? words.edges ?? words.measure) !== undefined) {
    const { clusterDistances } = await import("./clusterDistances.ts");
    return clusterDistances(command, rows, words);
  }
  const request: Request = { ...words, rows, method: methodNamed(words.method as string).name };
  const plan = await planOf(request);
  const written = plan.place === "engine" ? ["model"] : ["out", "model", "report"];
  const outputs = await openOutputs(command, written, { target: plan.target });
  const progress = progressLine();
  const report = await runPlan(plan, {
    onProgress: progress.onProgress,
    onNote: (note) => tellNotes([note]),
    onModel: (model) => outputs.write("model", [`${JSON.stringify(model)}\n`]),
    ...(words.out !== undefined && {
      async onLabels(labelled: LabelledRows) {
        if (words.out === "-") progress.done();
        await outputs.write("out", labelLines(labelled, words.append === true, outputs.csv));
      },
    }),
    onEngine: endingBySignal,
  }).finally(() => progress.done());
  if (outputs.has("report")) {
    const { clusterPageOf } = await import("../output/clusterPageOf.ts");
    await outputs.write("report", [clusterPageOf(report, request, args)]);
  }
  await outputs.answer(
    { json: () => reportJson(report), text: () => textOf(report, request, args, verbose === true) },
    report.written,
  );
}

function textOf(report: Report, request: Request, args: readonly string[], verbose: boolean): string {
  const { clustering, decided } = report;
  const { show } = request;
  return [
    ...(verbose ? decisions(decided) : []),
    clusterText(report, { verbose, next: nextCommands(report, request, args) }),
    ...(show === undefined || decided === undefined
      ? []
      : [representativeText(clustering, decided.table, show)]),
  ].join("");
}

/** What one may do with the result, for rows that can be read again. */
function nextCommands(
  { clustering, run: fit }: Report,
  { rows, out, with: beside }: Request,
  args: readonly string[],
): NextCommands {
  const sources = rows as readonly string[];
  if (fit === undefined || sources.length === 0 || sources.includes("-")) return [];
  const data = [...sources, ...(beside === undefined ? [] : ["--with", beside])].map(shellWord).join(" ");
  const again = `kindred ${args.map(shellWord).join(" ")}`;
  return [
    ["why each column counts", `kindred columns ${data}`],
    ...(clustering.method === "auto"
      ? [["would other methods agree?", `kindred compare ${data}`] as const]
      : []),
    ...(out === undefined
      ? [["your rows with their cluster", `${again} --out rows.csv --append`] as const]
      : []),
  ];
}

/**
 * One label per row, with the ids if there are any, as the rows arrive; a copy has the original rows, with the cluster
 * and its name.
 */
async function* labelLines(
  { source, names, batches, written, table }: LabelledRows,
  copied: boolean,
  csv: WriteOptions,
): AsyncGenerator<string> {
  const appended = (labels: Int32Array): AppendedColumn[] => [
    { name: "cluster", values: labels },
    { name: "cluster_name", values: Array.from(labels, (label) => names[label] ?? "") },
  ];
  if (copied && written !== undefined) {
    async function* columns(): AsyncGenerator<AppendedColumn[]> {
      for await (const { labels } of batches) yield appended(labels);
    }
    yield* copiedRows(source, written(), columns(), undefined, csv);
    return;
  }
  let header = true;
  for await (const { labels, ids } of batches) {
    if (copied) yield* copiedTable(table!, appended(labels), undefined, csv);
    else yield* writeCsv({ ids, columns: [{ name: "cluster", values: labels }] }, { ...csv, header });
    header = false;
  }
}
