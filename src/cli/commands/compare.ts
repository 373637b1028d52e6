import { KindredError } from "../../core/index.ts";
import { expectation, option, optionError, plural, rule, shellWord } from "../../core/internal.ts";
import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError } from "commander";
import { cellStore, type CellStore } from "../../cells/index.ts";
import {
  type CompareOptions,
  compareRun,
  type Comparison,
  type MethodChoice,
  methodNamed,
  type Prepared,
  type RowsRequest,
  type Use,
} from "../../run/index.ts";
import {
  compared,
  OF_ENGINES,
  OF_READING,
  prepareInput,
  readOrSample,
  rowNames,
  sourcesOf,
} from "../../run/internal.ts";
import { flagOf, type OptionRules, parseValue, type ShownOption, shownOptions } from "../../method/index.ts";
import { comparePage } from "../../report/index.ts";
import {
  integerAtLeast,
  nameList,
  seedOption,
  valueOf,
  addEngineWords,
  addTableWords,
  DATA_HELP,
  OPTIONAL_DATA,
  safeOption,
} from "../options/words.ts";
import { type CellCounts, inThreads } from "../compareRun.ts";
import { version } from "../manifest.ts";
import { drawable } from "../output/clusterPageOf.ts";
import { compareText } from "../output/compareText.ts";
import { openOutputs } from "../output/outputs.ts";
import { progressLine, tell } from "../output/terminal.ts";

type CompareFlags = RowsRequest & {
  readonly clusters?: number;
  readonly methods?: readonly string[];
  readonly grid?: readonly Axis[];
  readonly seed?: number;
  readonly budget: number;
  readonly resamples: number;
  readonly threads?: number;
  readonly resume?: string;
  readonly verbose?: boolean;
};

export function define(command: Command, args: readonly string[]): void {
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
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
    .addOption(seedOption())
    .option(
      "--budget <seconds>",
      "time for everything; the comparison uses the methods finished by then",
      valueOf<number>({ kind: "number" }),
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
  addTableWords(command, { label: "scored" });
  addEngineWords(command);
  command
    .option("--verbose", "also print sizes, times, all scores and the agreement of every two partitions")
    .option("--json", "print one JSON object")
    .option("--out <file>", "write the labels of the recommended partition as CSV")
    .addOption(safeOption())
    .option("--report <file>", "write a page (HTML, one file) with the table and pictures")
    .addHelpText(
      "after",
      "\nThe recommended partition is what kindred cluster gives by default: it is made first, then the methods, all on the\nsame rows. Methods that gave the same partition are one line. Labels (--label) are scored, never used. Ctrl-C compares\nwhat is done; with --resume FOLDER the same command goes on from there, also after the end of --budget.",
    )
    .action((given: string[], options: CompareFlags) =>
      compare(command, sourcesOf(given, options), options, args),
    );
}

async function compare(
  command: Command,
  sources: readonly string[],
  options: CompareFlags,
  args: readonly string[],
): Promise<void> {
  const { grid } = options;
  const methods = grid === undefined ? options.methods : await choicesOf(options.methods ?? compared, grid);
  const outputs = await openOutputs(command, ["out", "report"]);
  if (!(options.budget > 0)) throw optionError(`${option("budget")} must be a number of seconds above 0`);
  const store =
    options.resume === undefined
      ? undefined
      : cellStore(options.resume, { option: "--resume", warn: (message) => tell(`kindred: ${message}`) });

  const progress = progressLine();
  const threads = options.threads ?? availableParallelism();
  const { run, cells } = inThreads({ threads, store });
  let prepared: Prepared;
  let comparison: Comparison;
  try {
    prepared = prepareInput(await readOrSample(sources, options, progress.onProgress), options);
    comparison = await compareRun(prepared, {
      ...columnChoice(options),
      methods,
      resamples: options.resamples,
      // The time runs from the start of the command.
      budget: Math.max(1e-3, options.budget - performance.now() / 1000),
      onProgress: progress.onProgress,
      onPlan({ methods: count, rows, features }) {
        progress.done();
        const atOnce = Math.min(threads, count);
        tell(
          `${plural(count, "method")} on ${rows} rows x ${features}, ${atOnce} at a time, in at most ${options.budget} s (--budget); --methods takes fewer`,
        );
      },
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
  const { ids } = rowNames(prepared.table, options.id);
  const labels = Int32Array.from(comparison.partitions[0].labels);
  await outputs.writeTable("out", { ids, columns: [{ name: "cluster", values: labels }] });
  if (outputs.has("report")) {
    const page = comparePage({
      comparison,
      commands,
      X: drawable(prepared.X),
      names: prepared.names,
      ...(prepared.rows !== undefined && { drawn: prepared.rows }),
      command: `kindred ${args.map(shellWord).join(" ")}`,
      version: version(),
    });
    await outputs.write("report", [page]);
  }
  await outputs.answer({
    json: () => withCommands(comparison, commands),
    text: () => compareText(comparison, commands[0], options.verbose === true),
  });
  conclude(cells, comparison.stopped, store);
}

function columnChoice(options: CompareFlags): CompareOptions {
  const { clusters, seed, label, id, use, ignore, scale, missing, weights, text } = options;
  return { clusters, seed, label, id, use, ignore, scale, missing, weights, text };
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

/** The command line of `kindred cluster` for exactly this partition. */
function commandOf(sources: readonly string[], { options: given }: Use, options: CompareFlags): string {
  const reading = options as unknown as Readonly<Record<string, unknown>>;
  const { method, clusters, seed, ...rest } = given;
  const own = Object.entries(rest).filter(([name]) => !OF_READING.includes(name));
  const flags = [
    ...Object.entries({ method, clusters, seed }),
    ...own,
    ...["engine", ...OF_ENGINES, ...OF_READING].map((name) => [name, reading[name]] as const),
  ];
  return ["kindred", "cluster", ...sources, ...flags.flatMap(([name, value]) => rule.flagWords(name, value))]
    .map(shellWord)
    .join(" ");
}

/** One --grid: an option of `kindred cluster` and the values to try. */
interface Axis {
  readonly flag: string;
  readonly values: readonly string[];
}

/** "neighbors=10,20", once for each option. */
function parseAxis(text: string, before: readonly Axis[] = []): Axis[] {
  const [, flag, list] = /^(?:--)?([a-z][a-z-]*)=(.+)$/.exec(text) ?? [];
  const values = list?.split(",").map((value) => value.trim()) ?? [];
  if (flag === undefined || values.some((value) => value === "")) {
    throw new InvalidArgumentError("It must be an option and its values: neighbors=10,20.");
  }
  if (new Set(values).size < values.length) throw new InvalidArgumentError("It has a value twice.");
  if (before.some((axis) => axis.flag === `--${flag}`)) {
    throw new InvalidArgumentError(`It gives ${flag} a second time.`);
  }
  return [...before, { flag: `--${flag}`, values }];
}

/** Every method with all combinations of the values of its options. */
async function choicesOf(names: readonly string[], grid: readonly Axis[]): Promise<MethodChoice[]> {
  const files = await Promise.all(
    names.map(async (name) => ({ name, rules: (await methodNamed(name).open()).options })),
  );
  for (const { flag } of grid) {
    if (!files.some(({ rules }) => optionOf(rules, flag) !== undefined)) {
      throw optionError(`--grid: none of ${names.join(", ")} has ${flag} with values`);
    }
  }
  return files.flatMap(({ name, rules }) => {
    let found: MethodChoice[] = [{ method: name, options: {} }];
    for (const { flag, values } of grid) {
      const option = optionOf(rules, flag);
      if (option === undefined) continue;
      found = found.flatMap((one) =>
        values.map((text) => ({
          method: name,
          options: { ...one.options, [option.name]: gridValue(option, flag, text) },
        })),
      );
    }
    return found;
  });
}

/** Options that take a value; a switch has no values to try. */
function optionOf(rules: OptionRules, flag: string): ShownOption | undefined {
  return shownOptions(rules).find(({ name, control }) => flagOf(name) === flag && control.kind !== "flag");
}

function gridValue({ control }: ShownOption, flag: string, text: string): unknown {
  const value = parseValue(control, text);
  if (value !== undefined) return value;
  throw optionError(`--grid ${flag.slice(2)}=${text}: It must be ${expectation(control)}.`);
}
