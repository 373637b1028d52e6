import { type Command, Option } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { writeCsv, type Table } from "../../data/index.ts";
import { isSparse, takeColumns, toDense, type Matrix } from "../../matrix/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { columns } from "../columns.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { outputFile } from "../outputFile.ts";
import { progressLine } from "../progressLine.ts";
import { type Ranked, type SelectMethod, selectMethod, selectMethods } from "../selectMethods.ts";
import { tell, writeOut } from "../stdout.ts";

interface SelectOptions extends InputOptions {
  readonly method: string;
  readonly features?: number;
  readonly out?: string;
  readonly json?: boolean;
}

const DEFAULT = "chow-liu";

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export function define(command: Command, args: readonly string[]): void {
  const at = args.findIndex((arg) => arg === "--method" || arg === "-m");
  const attached = args.find((arg) => arg.startsWith("--method="))?.slice("--method=".length);
  const method = selectMethod((at >= 0 ? args[at + 1] : attached) ?? DEFAULT);
  command
    .argument("<data>", "a file, - or the name of a data set")
    .addOption(
      new Option("-m, --method <name>", "how to select")
        .choices(selectMethods.map(({ name }) => name))
        .default(DEFAULT),
    )
    .option("-f, --features <n>", "how many (default: 20, or all if there are fewer)", integerAtLeast(1));
  inputOptions(command, "learned");
  command
    .option("--out <file>", "write the table with the selected features only, as CSV; - is standard output")
    .option("--json", "print one JSON object");
  for (const option of method.options) command.addOption(option.helpGroup(`Options of ${method.name}:`));
  const width = Math.max(...selectMethods.map(({ name }) => name.length));
  const list = selectMethods.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  command.addHelpText(
    "after",
    `\nMethods (their options: kindred select --method NAME --help):\n${list.join("\n")}`,
  );
  command.action((source: string, options: SelectOptions) => select(source, options, method));
}

async function select(source: string, options: SelectOptions, method: SelectMethod): Promise<void> {
  if (options.json === true && options.out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
  if (options.batch !== undefined && method.supervised) {
    throw optionError(`--batch: ${method.name} compares levels, not scaled values, and does not use it`);
  }
  const file =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  if (method.supervised && table.label === undefined) {
    throw optionError(`${method.name} needs --label, the column of known classes; ccscml works without`);
  }
  if (options.features !== undefined && options.features > table.names.length) {
    throw inputError(
      `--features ${options.features}: ${table.source} has only ${table.names.length} features`,
    );
  }
  const X = isSparse(table.X) ? toDense(table.X) : table.X;
  const start = performance.now();
  let result: Ranked;
  try {
    result = await method.run(X, {
      labels: table.label?.values,
      batch: table.batch?.values,
      names: table.names,
      features: options.features,
      own: ownOptions(options, method),
      onProgress: progress.onProgress,
    });
  } finally {
    progress.done();
  }
  const seconds = (performance.now() - start) / 1000;

  file?.write(reduced(table, X, result.features));
  if (options.json === true) {
    return writeOut([`${JSON.stringify(summary(table, method.name, result, seconds))}\n`]);
  }
  const text = report(table, method, result, seconds);
  if (options.out === "-") {
    tell(text.trimEnd());
    return writeOut(reduced(table, X, result.features));
  }
  await writeOut([text]);
  if (file !== undefined) tell(`wrote ${file.path}`);
}

function reduced({ names, ids, label }: Table, X: Matrix, features: readonly number[]): Iterable<string> {
  return writeCsv({ ids, names: features.map((f) => names[f]), X: takeColumns(X, features), label });
}

function ownOptions(options: SelectOptions, method: SelectMethod): Record<string, unknown> {
  const given = options as unknown as Record<string, unknown>;
  return Object.fromEntries(
    method.options.map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
}

function summary(table: Table, method: string, result: Ranked, seconds: number): object {
  return {
    method,
    features: result.features.map((f, rank) => ({
      name: table.names[f],
      column: f,
      ...Object.fromEntries(Object.entries(result.figures).map(([name, values]) => [name, values[rank]])),
    })),
    ...result.json,
    data: { source: table.source, rows: table.X.rows, features: table.names.length, notes: table.notes },
    warnings: result.warnings,
    seconds,
  };
}

function report(table: Table, method: SelectMethod, result: Ranked, seconds: number): string {
  const { features, figures, facts, tree, warnings } = result;
  const classes =
    method.supervised && table.label !== undefined
      ? `, ${new Set(table.label.values.filter((value) => value !== "")).size} classes of "${table.label.name}"`
      : "";
  const lines = columns(
    [
      ["data", `${table.source}, ${table.X.rows} rows x ${table.names.length} features${classes}`],
      ["method", `${method.name}, ${features.length} of ${table.names.length} features`],
      ...facts,
      ["time", `${(1000 * seconds).toFixed(1)} ms`],
      ...table.notes.map((note) => ["note", note]),
      ...warnings.map((warning) => ["warning", warning]),
    ],
    "   ",
  );
  const headings = Object.keys(figures);
  const rows = features.map((f, rank) => [
    String(rank + 1),
    table.names[f],
    ...headings.map((name) => figures[name][rank].toFixed(4)),
  ]);
  lines.push("", ...columns([["rank", "feature", ...headings], ...rows]));
  if (tree !== undefined) lines.push("", "tree of the selected features and the class:", tree.trimEnd());
  return `${lines.join("\n")}\n`;
}
