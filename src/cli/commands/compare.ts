import { KindredError } from "../../core/index.ts";
import { option, optionError, plural, shellWord } from "../../core/internal.ts";
import { availableParallelism } from "node:os";
import type { Command } from "commander";
import { cellStore, type CellStore } from "../../cells/index.ts";
import {
  compareRun,
  type CompareOptions,
  type Comparison,
  type Prepared,
  type Use,
} from "../../run/index.ts";
import { compared } from "../../run/internal.ts";
import { flagOf } from "../../method/index.ts";
import { textsOf } from "../../model/index.ts";
import { comparePage } from "../../report/index.ts";
import { finiteNumber, integerAtLeast, nameList } from "../options/arguments.ts";
import { choicesOf, parseAxis, type Axis } from "../compareGrid.ts";
import { inThreads, type CellCounts } from "../compareRun.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { version } from "../manifest.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  prepareInput,
  readInput,
  type TableOptions,
} from "../options/tableInput.ts";
import { drawable } from "../output/clusterPageOf.ts";
import { compareText } from "../output/compareText.ts";
import { outputFile, requireDifferent } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface CompareFlags extends TableOptions {
  readonly clusters?: number;
  readonly methods?: readonly string[];
  readonly grid?: readonly Axis[];
  readonly seed?: number;
  readonly budget: number;
  readonly resamples: number;
  readonly threads?: number;
  readonly resume?: string;
  readonly json?: boolean;
  readonly out?: string;
  readonly report?: string;
}

export function define(command: Command, args: readonly string[]): void {
  command
    .argument("<data...>", DATA_HELP)
    .option(
      "-k, --clusters <n>",
      "number of clusters (default: the number that kindred cluster finds)",
      integerAtLeast(1),
    )
    .option("--methods <names>", "only these methods besides the default, separated by commas", nameList)
    .option(
      "--grid <option=values>",
      "try these values of an option of the methods, such as neighbors=10,20; several options: every combination",
      parseAxis,
    )
    .option("--seed <n>", "seed of every random choice (default: 0)", integerAtLeast(0))
    .option(
      "--budget <seconds>",
      "time for everything; the comparison uses the methods finished by then",
      finiteNumber,
      60,
    )
    .option(
      "--resamples <n>",
      "number of samples of 80 % of the rows that measure the stability of each distinct partition",
      integerAtLeast(0),
      5,
    )
    .option("--threads <n>", "methods at a time (default: one per core)", integerAtLeast(1))
    .option("--resume <folder>", "keep finished runs in this folder, and reuse those that are there");
  columnOptions(command, "scored");
  featureOptions(command);
  fileOptions(command);
  command
    .option("--json", "print one JSON object")
    .option("--out <file>", "write the labels of the recommended partition as CSV")
    .option("--report <file>", "write a page (HTML, one file) with the table and pictures")
    .addHelpText(
      "after",
      "\nThe recommended partition is what kindred cluster gives by default: it is made first, then the methods, all on the\nsame rows. Methods that gave the same partition are one line. Labels (--label) are scored, never used. Ctrl-C compares\nwhat is done; with --resume FOLDER the same command goes on from there, also after the end of --budget.",
    )
    .action((sources: string[], options: CompareFlags) => compare(sources, options, args));
}

async function compare(
  sources: readonly string[],
  options: CompareFlags,
  args: readonly string[],
): Promise<void> {
  const methods = await methodsOf(options);
  requireDifferent({ "--out": options.out, "--report": options.report });
  const labelsFile = options.out === undefined ? undefined : outputFile(options.out, "--out");
  const pageFile = options.report === undefined ? undefined : outputFile(options.report, "--report");
  if (!(options.budget > 0)) throw optionError(`${option("budget")} must be a number of seconds above 0`);
  const store =
    options.resume === undefined
      ? undefined
      : cellStore(options.resume, { option: "--resume", warn: (message) => tell(`kindred: ${message}`) });

  const progress = progressLine();
  const { run, cells } = inThreads({ threads: options.threads ?? availableParallelism(), store });
  let prepared: Prepared;
  let comparison: Comparison;
  try {
    prepared = prepareInput(await readInput(sources, options, progress.onProgress), options);
    comparison = await compareRun(prepared, {
      ...columnChoice(options),
      methods,
      resamples: options.resamples,
      // The time runs from the start of the command.
      budget: Math.max(1e-3, options.budget - performance.now() / 1000),
      onProgress: progress.onProgress,
      onMethod({ name, seconds, kept }) {
        progress.done();
        tell(`${name.padEnd(16)} ${seconds.toFixed(2)} s${kept ? `, from ${store!.folder}` : ""}`);
      },
      onResample({ partitions, resamples }) {
        progress.done();
        tell(
          `${plural(resamples, "resample")} of ${partitions === 1 ? "the partition, for its" : `each of ${partitions} partitions, for their`} stability (--resamples 0: none)`,
        );
      },
      run,
      spell: flagOf,
    });
  } catch (error) {
    if (!(error instanceof KindredError && error.code === "stopped")) throw error;
    progress.done();
    return conclude(cells, true, store);
  }
  progress.done();
  const commands = comparison.partitions.map(({ use }) => commandOf(sources, use, options));
  await labelsFile?.write(labelLines(comparison, prepared, options));
  await pageFile?.write([
    comparePage({
      comparison,
      commands,
      X: drawable(prepared.X),
      names: prepared.names,
      ...(prepared.rows !== undefined && { drawn: prepared.rows }),
      command: `kindred ${args.map(shellWord).join(" ")}`,
      version: version(),
    }),
  ]);
  await writeOut([
    options.json === true
      ? `${JSON.stringify(withCommands(comparison, commands))}\n`
      : compareText(comparison, commands[0]),
  ]);
  for (const file of [labelsFile, pageFile]) if (file !== undefined) tell(`wrote ${file.path}`);
  conclude(cells, comparison.stopped, store);
}

/** Method names, with their settings if there is a grid. */
async function methodsOf({ methods, grid }: CompareFlags): Promise<CompareOptions["methods"]> {
  if (grid === undefined) return methods;
  return choicesOf(methods ?? compared, grid);
}

function columnChoice(options: CompareFlags): CompareOptions {
  const { clusters, seed, label, id, use, ignore, scale, missing, weights, text } = options;
  const given = { clusters, seed, label, id, use, ignore, scale, missing, weights, text };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What came from the store, and how to continue if something is left. */
function conclude(cells: CellCounts, stopped: boolean, store: CellStore | undefined): void {
  const { done, kept, planned, left } = cells;
  if (store !== undefined) tell(`kindred: ${kept} of ${planned} cells were taken from ${store.folder}`);
  if (stopped) {
    const goOn =
      store === undefined
        ? "with --resume FOLDER they would be kept for the next run"
        : `the same command goes on from ${store.folder}`;
    tell(`kindred: stopped with ${done} of ${planned} cells done; ${goOn}`);
    process.exitCode = 130;
  } else if (store !== undefined && left > 0) {
    tell(`kindred: the time is over with ${done} of ${planned} cells done; the same command goes on`);
  }
}

/** For programs: also the command line for each partition. */
function withCommands(comparison: Comparison, commands: readonly string[]): object {
  const partitions = comparison.partitions.map(({ use, ...rest }, p) => ({
    use: { ...use, command: commands[p] },
    ...rest,
  }));
  return { ...comparison, partitions };
}

/** Options of reading, in the order of their help. */
const READING = [
  "label",
  "id",
  "use",
  "ignore",
  "as",
  "na",
  "missing",
  "strict",
  "categorical",
  "scale",
  "weights",
  "text",
  "batch",
  "format",
  "header",
  "delimiter",
  "decimal",
  "encoding",
  "sheet",
  "vector",
  "data",
] as const;

/** The command line of `kindred cluster` for exactly this partition. */
function commandOf(sources: readonly string[], { options: given }: Use, options: CompareFlags): string {
  const reading = options as unknown as Readonly<Record<string, unknown>>;
  const { method, clusters, seed, ...rest } = given;
  const own = Object.entries(rest).filter(([name]) => !(READING as readonly string[]).includes(name));
  const flags = [
    ...Object.entries({ method, clusters, seed }),
    ...own,
    ...READING.map((name) => [name, reading[name]] as const),
  ];
  return ["kindred", "cluster", ...sources, ...flags.flatMap(([name, value]) => flagText(name, value))]
    .map(shellWord)
    .join(" ");
}

function flagText(name: string, value: unknown): string[] {
  if (value === undefined) return [];
  if (value === true) return [flagOf(name)];
  if (value === false) return [`--no-${flagOf(name).slice(2)}`];
  if (Array.isArray(value)) return [flagOf(name), value.join(",")];
  if (typeof value === "object" && value !== null) {
    return [
      flagOf(name),
      Object.entries(value)
        .map(([key, kind]) => `${key}=${String(kind)}`)
        .join(","),
    ];
  }
  return [flagOf(name), String(value as string | number)];
}

/** One label per row, with the ids if there are any. */
function labelLines({ partitions }: Comparison, { table }: Prepared, { id }: CompareFlags): Iterable<string> {
  const column =
    id === undefined
      ? table.columns.find(({ why }) => why === "names the rows")
      : table.columns.find(({ name }) => name === id);
  const ids = column === undefined ? undefined : { name: column.name, values: textsOf(column) };
  return writeCsv({ ids, columns: [{ name: "cluster", values: Int32Array.from(partitions[0].labels) }] });
}
