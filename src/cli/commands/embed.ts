import type { Command } from "commander";
import { inputError, optionError } from "../../core/errors.ts";
import { scale, type ScaleKind } from "../../data/index.ts";
import {
  embeddings,
  type EmbeddingMethod,
  type FittedEmbedding,
  type OpenEmbedding,
} from "../../method/index.ts";
import { storeEmbedding } from "../../model/embeddingModel.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { columns } from "../output/columns.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { inputOptions, readInput, type InputOptions } from "../options/input.ts";
import { version } from "../manifest.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, listMethods, methodOf, methodOption, scaleOption } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { outputFile, requireDifferent, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface Options extends InputOptions {
  readonly dims: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly scale: ScaleKind;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "pca";

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, embeddings, DEFAULT);
  const opened = await method.open();
  command
    .argument("<data>", "a file, - or the name of a data set")
    .addOption(methodOption("how to embed", embeddings, DEFAULT))
    .option("--dims <n>", "number of coordinates", integerAtLeast(1), 2)
    .option("-k, --clusters <n>", "number of clusters, for the methods that use it", integerAtLeast(1))
    .addOption(scaleOption().default("zscore"))
    .addOption(seedOption());
  inputOptions(command);
  command
    .option("--out <file>", "write the coordinates as CSV to a file instead of standard output")
    .option("--model <file>", "write what places new rows as JSON")
    .option("--json", "print one JSON object instead of CSV");
  addMethodFlags(command, method, opened.options);
  listMethods(command, embeddings);
  command.action((source: string, options: Options) => embed(source, options, method, opened));
}

async function embed(
  source: string,
  options: Options,
  { name, needs }: EmbeddingMethod,
  { fit, options: rules }: OpenEmbedding,
): Promise<void> {
  const { dims, clusters, seed, json, out, model } = options;
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${name} needs --clusters, the number of clusters`);
  }
  if (clusters !== undefined && needs.clusters === undefined) {
    throw optionError(`--clusters: ${name} knows no clusters`);
  }
  requireOneToStdout(options);
  requireDifferent({ "--out": out, "--model": model });
  const file = out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const modelFile = model === undefined ? undefined : outputFile(model, "--model");
  const progress = progressLine();
  const { onProgress } = progress;
  const table = await readInput(source, options, onProgress);
  if (table.X.rows < 2) throw inputError(`${table.source} has ${table.X.rows} row; an embedding needs two`);
  const scaled = scale(table.X, options.scale, { names: table.names, batch: table.batch?.values });
  let result: FittedEmbedding;
  try {
    result = fit(scaled.X, { dims, clusters, seed, onProgress, ...ownOptions(rules, options) });
  } finally {
    progress.done();
  }

  const { embedding, converged, iterations, warnings, facts } = result;
  const notes = [...table.notes, ...scaled.notes];
  await modelFile?.write([
    `${JSON.stringify({ kindred: version(), ...storeEmbedding(name, scaled.scaling, result) })}\n`,
  ]);
  const names = Array.from({ length: embedding.cols }, (_, r) => `${name}${r + 1}`);
  const placed = { ids: table.ids, names, X: embedding, label: table.label };
  const report = columns(
    [
      ["data", `${table.source}, ${scaled.X.rows} rows x ${scaled.X.cols} features`],
      ["method", `${name}, ${embedding.cols} ${embedding.cols === 1 ? "coordinate" : "coordinates"}`],
      ["result", converged ? "converged" : "NOT converged"],
      ...facts,
      ...notes.map((note) => ["note", note]),
      ...warnings.map((warning) => ["warning", warning]),
    ],
    "   ",
  );
  await file?.write(writeCsv(placed));
  if (json === true) {
    const rows = Array.from({ length: embedding.rows }, (_, i) =>
      Array.from(embedding.data.subarray(i * embedding.cols, (i + 1) * embedding.cols)),
    );
    const told = {
      method: name,
      dims: embedding.cols,
      embedding: rows,
      converged,
      iterations,
      details: Object.fromEntries(facts),
      notes,
      warnings,
    };
    await writeOut([`${JSON.stringify(told)}\n`]);
  } else if (file === undefined) {
    for (const line of report) tell(line);
    await writeOut(writeCsv(placed));
  } else {
    await writeOut([`${report.join("\n")}\n`]);
  }
  for (const written of [file, modelFile]) if (written !== undefined) tell(`wrote ${written.path}`);
}
