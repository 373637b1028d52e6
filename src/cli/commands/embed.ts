import type { Command } from "commander";
import { optionError, plural, requireRows } from "../../core/internal.ts";
import { toRows } from "../../matrix/index.ts";
import { embeddings, type EmbeddingMethod, type OpenEmbedding } from "../../method/index.ts";
import { storeEmbedding } from "../../model/index.ts";
import type { RowsRequest } from "../../run/index.ts";
import { ownOptions, readRows, sourcesOf } from "../../run/internal.ts";
import { integerAtLeast, methodCommand, safeOption } from "../options/words.ts";
import { decisions } from "../output/columnText.ts";
import { factLines, withProgress } from "../output/terminal.ts";
import { modelText } from "../manifest.ts";
import { openOutputs } from "../output/outputs.ts";

type Flags = RowsRequest & {
  readonly dims: number;
  readonly clusters?: number;
  readonly seed?: number;
};

export async function define(command: Command, args: readonly string[]): Promise<void> {
  const { method, opened } = await methodCommand(command, args, {
    methods: embeddings,
    says: "how to embed",
    usual: "pca",
    own: () =>
      command
        .option("--dims <n>", "number of coordinates", integerAtLeast(1), 2)
        .option("-k, --clusters <n>", "number of clusters, for the methods that use it", integerAtLeast(1)),
    writes: () =>
      command
        .option("--out <file>", "write the coordinates as CSV to a file instead of standard output")
        .addOption(safeOption())
        .option("--model <file>", "write a model for new rows as JSON")
        .option("--json", "print one JSON object instead of CSV"),
  });
  command.action((given: readonly string[], flags: Flags) => embed(command, given, flags, method, opened));
}

async function embed(
  command: Command,
  given: readonly string[],
  flags: Flags,
  { name, needs }: EmbeddingMethod,
  { fit, options: rules }: OpenEmbedding,
): Promise<void> {
  const { dims, clusters, seed } = flags;
  if (clusters === undefined && needs.clusters === "required") {
    throw optionError(`${name} needs --clusters, the number of clusters`);
  }
  if (clusters !== undefined && needs.clusters === undefined) {
    throw optionError(`--clusters is not for ${name}, which looks for no clusters; leave it out`);
  }
  const outputs = await openOutputs(command, ["out", "model"], { data: "out" });
  const { table, result } = await withProgress(async (onProgress) => {
    const rows = await readRows(sourcesOf(given, flags), flags, onProgress);
    requireRows(rows.source, rows.X.rows);
    const own = ownOptions(rules, flags);
    return { table: rows, result: fit(rows.X, { dims, clusters, seed, onProgress, ...own }) };
  });
  const { embedding, converged, iterations, warnings, facts } = result;
  const { notes, source, X } = table;
  await outputs.write("model", modelText(storeEmbedding(name, table, result)));
  const names = Array.from({ length: embedding.cols }, (_, r) => `${name}${r + 1}`);
  await outputs.writeTable("out", { ids: table.ids, names, X: embedding, label: table.label });
  await outputs.answer({
    json: () => ({
      method: name,
      dims: embedding.cols,
      embedding: toRows(embedding),
      converged,
      iterations,
      details: Object.fromEntries(facts),
      notes,
      warnings,
    }),
    text: () =>
      [
        ...decisions(table.prepared),
        ...factLines(
          [
            ["data", `${source}, ${X.rows} rows x ${X.cols} features`],
            ["method", `${name}, ${plural(embedding.cols, "coordinate")}`],
            ["result", converged ? "converged" : "NOT converged"],
            ...facts,
          ],
          notes,
          warnings,
        ).map((line) => `${line}\n`),
      ].join(""),
  });
}
