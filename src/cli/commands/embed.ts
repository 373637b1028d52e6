import type { Command } from "commander";
import { optionError, requireRows } from "../../core/internal.ts";
import {
  embeddings,
  type EmbeddingMethod,
  type FittedEmbedding,
  type OpenEmbedding,
} from "../../method/index.ts";
import { storeEmbedding } from "../../model/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { columns } from "../output/columns.ts";
import { noteFacts, noteLine } from "../output/noteLine.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { readRows, sourcesOf, type ReadRows } from "../options/rows.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  type TableOptions,
} from "../options/tableInput.ts";
import { decisions } from "../output/clusterText.ts";
import { version } from "../manifest.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, listMethods, methodOf, methodOption } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { outputFile, requireDifferent, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface Options extends TableOptions {
  readonly dims: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const DEFAULT = "pca";

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, embeddings, DEFAULT);
  const opened = await method.open();
  command
    .argument("[data...]", DATA_HELP)
    .addOption(methodOption("how to embed", embeddings, DEFAULT))
    .option("--dims <n>", "number of coordinates", integerAtLeast(1), 2)
    .option("-k, --clusters <n>", "number of clusters, for the methods that use it", integerAtLeast(1))
    .addOption(seedOption());
  columnOptions(command);
  featureOptions(command);
  fileOptions(command);
  command
    .option("--out <file>", "write the coordinates as CSV to a file instead of standard output")
    .option("--model <file>", "write a model for new rows as JSON")
    .option("--json", "print one JSON object instead of CSV");
  addMethodFlags(command, method, opened.options);
  listMethods(command, embeddings);
  command.action((given: readonly string[], options: Options) =>
    embed(sourcesOf(given, {}), options, method, opened),
  );
}

async function embed(
  sources: readonly string[],
  options: Options,
  { name, needs }: EmbeddingMethod,
  { fit, options: rules }: OpenEmbedding,
): Promise<void> {
  const { dims, clusters, seed, json, out, model } = options;
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${name} needs --clusters, the number of clusters`);
  }
  if (clusters !== undefined && needs.clusters === undefined) {
    throw optionError(`--clusters is not for ${name}, which looks for no clusters; leave it out`);
  }
  requireOneToStdout(options);
  requireDifferent({ "--out": out, "--model": model });
  const file = out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const modelFile = model === undefined ? undefined : outputFile(model, "--model");
  const progress = progressLine();
  const { onProgress } = progress;
  let table: ReadRows;
  let result: FittedEmbedding;
  try {
    table = await readRows(sources, options, onProgress);
    requireRows(table.source, table.X.rows);
    result = fit(table.X, { dims, clusters, seed, onProgress, ...ownOptions(rules, options) });
  } finally {
    progress.done();
  }

  const { embedding, converged, iterations, warnings, facts } = result;
  const { notes } = table;
  await modelFile?.write([
    `${JSON.stringify({ kindred: version(), ...storeEmbedding(name, table, result) })}\n`,
  ]);
  const names = Array.from({ length: embedding.cols }, (_, r) => `${name}${r + 1}`);
  const placed = { ids: table.ids, names, X: embedding, label: table.label };
  const report = [
    ...decisions(table.prepared).join("").split("\n").slice(0, -1),
    ...columns(
      [
        ["data", `${table.source}, ${table.X.rows} rows x ${table.X.cols} features`],
        ["method", `${name}, ${embedding.cols} ${embedding.cols === 1 ? "coordinate" : "coordinates"}`],
        ["result", converged ? "converged" : "NOT converged"],
        ...facts,
        ...noteFacts(notes),
        ...warnings.map((warning) => ["warning", warning]),
      ],
      "   ",
    ),
  ];
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
      notes: notes.map(noteLine),
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
