import { type Command, Option } from "commander";
import { optionError } from "../../core/internal.ts";
import { cellText, writeCsv, type WriteOptions, type WrittenRows } from "../../data/index.ts";
import { isSparse, takeColumns, toDense } from "../../matrix/index.ts";
import { type SelectionMethod, selections } from "../../method/index.ts";
import { requireSums, type SelectedFeatures, selectFeatures, type SummedRows } from "../../rows/index.ts";
import { needsLabel } from "../../rows/internal.ts";
import type { RowsRequest } from "../../run/index.ts";
import { ownOptions, placeOf, type ReadRows, sourcesOf, withRows } from "../../run/internal.ts";
import { integerAtLeast, methodCommand, safeOption } from "../options/words.ts";
import { decisions } from "../output/columnText.ts";
import { openOutputs } from "../output/outputs.ts";
import { columns, endingBySignal, factLines, progressLine } from "../output/terminal.ts";

type SelectFlags = RowsRequest & { readonly features?: number; readonly clusters?: number };

export async function define(command: Command, args: readonly string[]): Promise<void> {
  const { method, opened } = await methodCommand(command, args, {
    methods: selections,
    says: "how to select",
    usual: "chow-liu",
    table: { label: "learned", without: ["scale", "weights", "text", "adjust"] },
    own: () =>
      command.option(
        "-f, --features <n>",
        "number of features (default: 20, or all if there are fewer)",
        integerAtLeast(1),
      ),
    writes: () =>
      command
        .option(
          "--out <file>",
          "write the table with the selected features only, as CSV; - is standard output",
        )
        .addOption(safeOption())
        .option("--json", "print one JSON object"),
    before: ({ needs }) => {
      const clusters = new Option("-k, --clusters <n>", "number of clusters (default: the most persistent)");
      return needs.clusters === undefined ? [] : [clusters.argParser(integerAtLeast(2))];
    },
  });
  command.action((given: readonly string[], flags: SelectFlags) =>
    select(command, given, flags, method, ownOptions(opened.options, flags)),
  );
}

async function select(
  command: Command,
  given: readonly string[],
  flags: SelectFlags,
  method: SelectionMethod,
  own: object,
): Promise<void> {
  const sources = sourcesOf(given, flags);
  const place = placeOf(sources, flags);
  if (flags.batch !== undefined && method.needs.labels === "required") {
    throw optionError(`--batch: ${method.name} compares levels, not scaled values, and does not use it`);
  }
  requireSums(method, place, selections);
  if (place !== "memory" && flags.label === undefined) throw needsLabel(method);
  const outputs = await openOutputs(command, ["out"]);
  const progress = progressLine();
  const { onProgress } = progress;
  // Levels are made from unscaled values; a method without classes compares scaled columns.
  const levels = method.needs.labels === "required" ? { scale: "none" as const } : {};
  const request = { ...flags, ...levels, target: true, copied: outputs.has("out") };
  const { features, clusters, seed } = flags;
  await withRows(sources, request, { onProgress, onEngine: endingBySignal }, async (rows) => {
    const selected = await selectFeatures(rows, method, { features, clusters, seed, own, onProgress });
    progress.done();
    await outputs.write("out", reduced(rows, selected, outputs.csv));
    const label = rows.kind === "table" ? rows.label?.name : flags.label;
    await outputs.answer({
      json: () => selectSummary(selected, method.name),
      text: () =>
        [
          ...(rows.kind === "table" ? decisions(rows.prepared) : []),
          selectReport(selected, method.name, label),
        ].join(""),
    });
  }).finally(progress.done);
}

/** The rows with only the selected columns, as CSV; cells of files keep their spelling. */
async function* reduced(
  rows: ReadRows | SummedRows,
  { result: { features }, names }: SelectedFeatures,
  csv: WriteOptions,
): AsyncGenerator<string> {
  if (rows.kind === "table") {
    const { ids, label, prepared, input } = rows;
    const { table } = prepared;
    const chosen = features.map((f) => names[f]);
    if (input.numbers !== undefined) {
      const { X, names: all } = input.numbers;
      const kept = takeColumns(
        isSparse(X) ? toDense(X) : X,
        chosen.map((name) => all.indexOf(name)),
      );
      yield* writeCsv({ ids, names: chosen, X: kept, label }, csv);
      return;
    }
    const written = [...(ids ? [ids.name] : []), ...chosen, ...(label ? [label.name] : [])];
    // A vector may be many columns of the file.
    if (input.written !== undefined && written.every((name) => table.files?.[0].names.includes(name))) {
      yield* chosenCells(input.written(), written, csv, prepared.rows);
      return;
    }
    const kept = prepared.rows ?? Array.from({ length: table.rows }, (_, i) => i);
    const columns = chosen.map((name) => {
      const column = table.columns.find((one) => one.name === name)!;
      return { name, values: Array.from(kept, (i) => cellText(column, i)) };
    });
    yield* writeCsv({ ids, columns: [...columns, ...(label === undefined ? [] : [label])] }, csv);
    return;
  }
  let header = true;
  for await (const { X, names: own, ids, label } of rows.batches(features)) {
    yield* writeCsv({ ids, names: own, X, label }, { ...csv, header });
    header = false;
  }
}

/** Some columns of the rows as they were written, in the order of their names; `kept` are the rows, default all. */
async function* chosenCells(
  rows: AsyncIterable<WrittenRows>,
  names: readonly string[],
  csv: WriteOptions,
  kept?: Int32Array,
): AsyncGenerator<string> {
  let first = 0;
  let next = 0;
  let header = true;
  for await (const batch of rows) {
    const own: number[] = [];
    if (kept === undefined) for (let i = 0; i < batch.rows; i++) own.push(i);
    else while (next < kept.length && kept[next] < first + batch.rows) own.push(kept[next++] - first);
    first += batch.rows;
    const columns = names.map((name) => {
      const j = batch.names.indexOf(name);
      return { name: batch.headings[j], values: own.map((i) => batch.cell(i, j)) };
    });
    yield* writeCsv({ columns }, { ...csv, header });
    header = false;
  }
}

/** The output of `kindred select --json`. */
function selectSummary(selected: SelectedFeatures, method: string): object {
  const { result, source, rows, names, notes, engine, seconds } = selected;
  return {
    method,
    features: result.features.map((f, rank) => ({
      name: names[f],
      column: f,
      ...Object.fromEntries(Object.entries(result.figures).map(([name, values]) => [name, values[rank]])),
    })),
    ...result.details,
    data: { source, rows, features: names.length, notes },
    warnings: result.warnings,
    ...(engine !== undefined && { engine }),
    seconds,
  };
}

/**
 * The same for people.
 *
 * @param label the name of the column of classes
 */
function selectReport(selected: SelectedFeatures, method: string, label: string | undefined): string {
  const { result, source, rows, names, classes, notes, engine, seconds } = selected;
  const { features, figures, facts, tree, warnings } = result;
  const told = classes === undefined ? "" : `, ${classes} classes of "${label}"`;
  const about = [
    ["data", `${source}, ${rows} rows x ${names.length} columns${told}`],
    ["method", `${method}, ${features.length} of ${names.length} columns`],
    ...facts,
    ["time", `${(1000 * seconds).toFixed(1)} ms`],
    ...(engine === undefined ? [] : [["engine", engine]]),
  ];
  const lines = factLines(about, notes, warnings);
  const headings = Object.keys(figures);
  const ranks = features.map((f, rank) => [
    String(rank + 1),
    names[f],
    ...headings.map((name) => figures[name][rank].toFixed(4)),
  ]);
  lines.push("", ...columns([["rank", "column", ...headings], ...ranks]));
  if (tree !== undefined) lines.push("", "tree of the selected features and the class:", tree.trimEnd());
  return `${lines.join("\n")}\n`;
}
