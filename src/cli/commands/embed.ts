import { type Command, Option } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { scale, type ScaleKind } from "../../data/index.ts";
import { writeCsv } from "../csvOutput.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { integerAtLeast } from "../arguments.ts";
import { columns } from "../columns.ts";
import { embedMethods, type Embedded, type EmbedFile } from "../embedMethods.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { version } from "../manifest.ts";
import { outputFile, requireDifferent } from "../outputFile.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";

interface Options extends InputOptions {
  readonly method: string;
  readonly dims: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly scale: ScaleKind;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "pca";

export async function define(command: Command, args: readonly string[]): Promise<void> {
  const name = methodNamed(args);
  const file = await embedMethods.find((known) => known.name === name)?.load();
  command
    .argument("<data>", "a file, - or the name of a data set")
    .addOption(
      new Option("-m, --method <name>", "how to embed")
        .choices(embedMethods.map((known) => known.name))
        .default(DEFAULT),
    )
    .option("--dims <n>", "number of coordinates", integerAtLeast(1), 2)
    .option("-k, --clusters <n>", "number of clusters, for the methods that use it", integerAtLeast(1))
    .addOption(
      new Option("--scale <kind>", "put the columns on a common scale")
        .choices(["zscore", "minmax", "none"])
        .default("zscore"),
    )
    .option("--seed <n>", "of every random choice (default: 0)", integerAtLeast(0));
  inputOptions(command);
  command
    .option("--out <file>", "write the coordinates as CSV to a file instead of standard output")
    .option("--model <file>", "write what places new rows as JSON")
    .option("--json", "print one JSON object instead of CSV");
  for (const option of file?.options() ?? []) command.addOption(option.helpGroup(`Options of ${name}:`));
  command.addHelpText("after", methodsHelp());
  command.action((source: string, options: Options) => embed(source, options, file!));
}

async function embed(source: string, options: Options, method: EmbedFile): Promise<void> {
  checkUsage(options, method);
  requireDifferent({ "--out": options.out, "--model": options.model });
  const file =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const modelFile = options.model === undefined ? undefined : outputFile(options.model, "--model");
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  if (table.X.rows < 2) throw inputError(`${table.source} has ${table.X.rows} row; an embedding needs two`);
  const scaled = scale(table.X, options.scale, { names: table.names, batch: table.batch?.values });
  const X = isSparse(scaled.X) && !method.accepts.sparse ? toDense(scaled.X) : scaled.X;
  const { dims, clusters, seed } = options;
  const given = options as unknown as Record<string, unknown>;
  const own = Object.fromEntries(
    method.options().map((option) => [option.attributeName(), given[option.attributeName()]]),
  );
  let result: Embedded;
  try {
    result = await method.run(X, { dims, clusters, seed, onProgress: progress.onProgress, own });
  } finally {
    progress.done();
  }

  const { embedding, converged, iterations, warnings, lines = [] } = result;
  const notes = [...table.notes, ...scaled.notes];
  await modelFile?.write([
    `${JSON.stringify({ kindred: version(), names: scaled.names, scaling: scaled.scaling, model: result.model })}\n`,
  ]);
  const names = Array.from({ length: embedding.cols }, (_, r) => `${options.method}${r + 1}`);
  const placed = { ids: table.ids, names, X: embedding, label: table.label };
  const report = columns(
    [
      ["data", `${table.source}, ${X.rows} rows x ${X.cols} features`],
      [
        "method",
        `${options.method}, ${embedding.cols} ${embedding.cols === 1 ? "coordinate" : "coordinates"}`,
      ],
      ["result", converged ? "converged" : "NOT converged"],
      ...lines.map(([name, text]) => [name, text]),
      ...notes.map((note) => ["note", note]),
      ...warnings.map((warning) => ["warning", warning]),
    ],
    "   ",
  );
  await file?.write(writeCsv(placed));
  if (options.json === true) {
    const rows = Array.from({ length: embedding.rows }, (_, i) =>
      Array.from(embedding.data.subarray(i * embedding.cols, (i + 1) * embedding.cols)),
    );
    const details = Object.fromEntries(lines);
    const { method: name } = options;
    await writeOut([
      `${JSON.stringify({ method: name, dims: embedding.cols, embedding: rows, converged, iterations, details, notes, warnings })}\n`,
    ]);
  } else if (file === undefined) {
    for (const line of report) tell(line);
    await writeOut(writeCsv(placed));
  } else {
    await writeOut([`${report.join("\n")}\n`]);
  }
  for (const written of [file, modelFile]) if (written !== undefined) tell(`wrote ${written.path}`);
}

function checkUsage({ method, clusters, seed, json, out }: Options, { accepts }: EmbedFile): void {
  if (clusters === undefined && accepts.clusters === "required") {
    throw optionError(`${method} needs --clusters, the number of clusters`);
  }
  if (clusters !== undefined && accepts.clusters === "no") {
    throw optionError(`--clusters: ${method} knows no clusters`);
  }
  if (seed !== undefined && !accepts.seed) throw optionError(`--seed: ${method} makes no random choice`);
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
}

/** `--method NAME` or `--method=NAME`, before the rest of the line can be understood. */
function methodNamed(args: readonly string[]): string {
  for (const [i, arg] of args.entries()) {
    if (arg === "--method" || arg === "-m") return args[i + 1] ?? DEFAULT;
    if (arg.startsWith("--method=")) return arg.slice("--method=".length);
  }
  return DEFAULT;
}

function methodsHelp(): string {
  const width = Math.max(...embedMethods.map(({ name }) => name.length));
  const lines = embedMethods.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `\nMethods (their options: kindred embed --method NAME --help):\n${lines.join("\n")}`;
}
