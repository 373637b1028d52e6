import { type Command, Option } from "commander";
import { optionError } from "../../core/errors.ts";
import type { OnProgress } from "../../core/progress.ts";
import { writeCsv } from "../csvOutput.ts";
import { isSparse, takeColumns, toDense } from "../../matrix/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { columns } from "../columns.ts";
import { engineOptions, isOnEngine, OPTIONAL_DATA, type EngineOptions } from "../engineInput.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { outputFile } from "../outputFile.ts";
import { progressLine } from "../progressLine.ts";
import {
  type Ranked,
  requireFeatures,
  requireFromCounts,
  type SelectMethod,
  selectMethod,
  selectMethods,
} from "../selectMethods.ts";
import { tell, writeOut } from "../stdout.ts";
import { isStreamed, streamOptions } from "../streamInput.ts";

interface SelectOptions extends InputOptions, EngineOptions {
  readonly method: string;
  readonly features?: number;
  readonly out?: string;
  readonly json?: boolean;
}

/** Ranked features with what the report says about the data they are of. */
export interface Selected {
  readonly result: Ranked;
  readonly source: string;
  readonly rows: number;
  readonly names: readonly string[];
  /** The column of classes, and how many there are. */
  readonly label?: { readonly name: string; readonly classes: number };
  readonly notes: readonly string[];
  readonly seconds: number;
  /** Which engine has the rows, and how their levels were counted; absent where they are files. */
  readonly engine?: string;
  /** The table with the selected features only, as CSV. */
  reduced(): Iterable<string> | AsyncIterable<string>;
}

const DEFAULT = "chow-liu";

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export function define(command: Command, args: readonly string[]): void {
  const at = args.findIndex((arg) => arg === "--method" || arg === "-m");
  const attached = args.find((arg) => arg.startsWith("--method="))?.slice("--method=".length);
  const method = selectMethod((at >= 0 ? args[at + 1] : attached) ?? DEFAULT);
  command
    .argument(OPTIONAL_DATA, 'a file, several ("data/*.parquet", streamed), - or the name of a data set')
    .addOption(
      new Option("-m, --method <name>", "how to select")
        .choices(selectMethods.map(({ name }) => name))
        .default(DEFAULT),
    )
    .option("-f, --features <n>", "how many (default: 20, or all if there are fewer)", integerAtLeast(1));
  inputOptions(command, "learned");
  engineOptions(command);
  command
    .option("--stream", "read in batches, for data larger than memory (all but jmi and ccscml)")
    .option("--out <file>", "write the table with the selected features only, as CSV; - is standard output")
    .option("--json", "print one JSON object");
  for (const option of method.options) command.addOption(option.helpGroup(`Options of ${method.name}:`));
  const width = Math.max(...selectMethods.map(({ name }) => name.length));
  const list = selectMethods.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  command.addHelpText(
    "after",
    `\nMethods (their options: kindred select --method NAME --help):\n${list.join("\n")}`,
  );
  command.action((source: string | undefined, options: SelectOptions) => select(source, options, method));
}

async function select(
  source: string | undefined,
  options: SelectOptions,
  method: SelectMethod,
): Promise<void> {
  const onEngine = isOnEngine(source, options);
  if (options.json === true && options.out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
  if (options.batch !== undefined && method.supervised) {
    throw optionError(`--batch: ${method.name} compares levels, not scaled values, and does not use it`);
  }
  const file =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const progress = progressLine();
  let selected: Selected;
  try {
    selected = onEngine
      ? await fromEngine(options, method)
      : isStreamed(source!, options.stream)
        ? await fromStream(source!, options, method, progress.onProgress)
        : await fromTable(source!, options, method, progress.onProgress);
  } finally {
    progress.done();
  }
  await file?.write(selected.reduced());
  if (options.json === true) return writeOut([`${JSON.stringify(summary(selected, method.name))}\n`]);
  const text = report(selected, method);
  if (options.out === "-") {
    tell(text.trimEnd());
    return writeOut(selected.reduced());
  }
  await writeOut([text]);
  if (file !== undefined) tell(`wrote ${file.path}`);
}

async function fromEngine(options: SelectOptions, method: SelectMethod): Promise<Selected> {
  requireFromCounts(method, "on an engine");
  if (options.label === undefined) throw needsLabel(method);
  const { engineSelect } = await import("../engineSelect.ts");
  return engineSelect(options, method, {
    features: options.features,
    own: ownOptions(options, method),
  });
}

async function fromStream(
  source: string,
  options: SelectOptions,
  method: SelectMethod,
  onProgress: OnProgress,
): Promise<Selected> {
  requireFromCounts(method, "from a stream");
  if (options.label === undefined) throw needsLabel(method);
  const reading = streamOptions(source, options);
  const { streamedSelect } = await import("../streamedSelect.ts");
  return streamedSelect(source, reading, method, {
    features: options.features,
    own: ownOptions(options, method),
    onProgress,
  });
}

async function fromTable(
  source: string,
  options: SelectOptions,
  method: SelectMethod,
  onProgress: OnProgress,
): Promise<Selected> {
  const table = await readInput(source, options, onProgress);
  const { names, label, ids, notes } = table;
  if (method.supervised && label === undefined) throw needsLabel(method);
  requireFeatures(options.features, table.source, names.length);
  const X = isSparse(table.X) ? toDense(table.X) : table.X;
  const start = performance.now();
  const result = await method.run(X, {
    labels: label?.values,
    batch: table.batch?.values,
    names,
    features: options.features,
    own: ownOptions(options, method),
    onProgress,
  });
  return {
    result,
    source: table.source,
    rows: X.rows,
    names,
    ...(label && {
      label: { name: label.name, classes: new Set(label.values.filter((value) => value !== "")).size },
    }),
    notes,
    seconds: (performance.now() - start) / 1000,
    reduced: () =>
      writeCsv({
        ids,
        names: result.features.map((f) => names[f]),
        X: takeColumns(X, result.features),
        label,
      }),
  };
}

function needsLabel({ name }: SelectMethod): Error {
  return optionError(`${name} needs --label, the column of known classes; ccscml works without`);
}

function ownOptions(options: SelectOptions, method: SelectMethod): Record<string, unknown> {
  const given = options as unknown as Record<string, unknown>;
  return Object.fromEntries(
    method.options.map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
}

function summary({ result, source, rows, names, notes, engine, seconds }: Selected, method: string): object {
  return {
    method,
    features: result.features.map((f, rank) => ({
      name: names[f],
      column: f,
      ...Object.fromEntries(Object.entries(result.figures).map(([name, values]) => [name, values[rank]])),
    })),
    ...result.json,
    data: { source, rows, features: names.length, notes },
    warnings: result.warnings,
    ...(engine !== undefined && { engine }),
    seconds,
  };
}

function report(
  { result, source, rows, names, label, notes, engine, seconds }: Selected,
  method: SelectMethod,
): string {
  const { features, figures, facts, tree, warnings } = result;
  const classes =
    method.supervised && label !== undefined ? `, ${label.classes} classes of "${label.name}"` : "";
  const lines = columns(
    [
      ["data", `${source}, ${rows} rows x ${names.length} features${classes}`],
      ["method", `${method.name}, ${features.length} of ${names.length} features`],
      ...facts,
      ["time", `${(1000 * seconds).toFixed(1)} ms`],
      ...(engine === undefined ? [] : [["engine", engine]]),
      ...notes.map((note) => ["note", note]),
      ...warnings.map((warning) => ["warning", warning]),
    ],
    "   ",
  );
  const headings = Object.keys(figures);
  const ranks = features.map((f, rank) => [
    String(rank + 1),
    names[f],
    ...headings.map((name) => figures[name][rank].toFixed(4)),
  ]);
  lines.push("", ...columns([["rank", "feature", ...headings], ...ranks]));
  if (tree !== undefined) lines.push("", "tree of the selected features and the class:", tree.trimEnd());
  return `${lines.join("\n")}\n`;
}
