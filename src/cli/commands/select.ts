import { type Command, Option } from "commander";
import { optionError } from "../../core/internal.ts";
import { cellText, type WrittenRows } from "../../data/index.ts";
import { isSparse, takeColumns, toDense } from "../../matrix/index.ts";
import { selections, type SelectionMethod } from "../../method/index.ts";
import { requireSums, selectFeatures, type SelectedFeatures, type SummedRows } from "../../rows/index.ts";
import { needsLabel } from "../../rows/internal.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, listMethods, methodOf, methodOption, streamFlag } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { placeOf, sourcesOf, withRows, type ReadRows } from "../options/rows.ts";
import { columnOptions, DATA_HELP, fileOptions, type TableOptions } from "../options/tableInput.ts";
import { decisions } from "../output/clusterText.ts";
import { selectReport, selectSummary } from "../output/selectReport.ts";
import { outputFile, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface SelectOptions extends TableOptions, EngineOptions {
  readonly features?: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly json?: boolean;
}

const DEFAULT = "chow-liu";

/** The options of a method appear once the method is named, so help and errors concern that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, selections, DEFAULT);
  const { options: rules } = await method.open();
  command
    .argument(OPTIONAL_DATA, DATA_HELP)
    .addOption(methodOption("how to select", selections, DEFAULT))
    .option(
      "-f, --features <n>",
      "number of features (default: 20, or all if there are fewer)",
      integerAtLeast(1),
    )
    .addOption(seedOption());
  columnOptions(command, "learned");
  command.option("--batch <column>", "scale the rows of each value of this column separately");
  fileOptions(command);
  engineOptions(command);
  command
    .addOption(streamFlag(selections))
    .option("--out <file>", "write the table with the selected features only, as CSV; - is standard output")
    .option("--json", "print one JSON object");
  const before =
    method.needs.clusters === undefined
      ? []
      : [
          new Option("-k, --clusters <n>", "number of clusters (default: the most persistent)").argParser(
            integerAtLeast(2),
          ),
        ];
  addMethodFlags(command, method, rules, { before });
  listMethods(command, selections);
  command.action((given: readonly string[], options: SelectOptions) =>
    select(sourcesOf(given, options), options, method, ownOptions(rules, options)),
  );
}

async function select(
  sources: readonly string[],
  options: SelectOptions,
  method: SelectionMethod,
  own: object,
): Promise<void> {
  const place = placeOf(sources, options);
  requireOneToStdout(options);
  if (options.batch !== undefined && method.needs.labels === "required") {
    throw optionError(`--batch: ${method.name} compares levels, not scaled values, and does not use it`);
  }
  requireSums(method, place, selections);
  if (place !== "table" && options.label === undefined) throw needsLabel(method);
  const file =
    options.out === undefined || options.out === "-" ? undefined : outputFile(options.out, "--out");
  const progress = progressLine();
  const { onProgress } = progress;
  // Levels are made from unscaled values; a method without classes compares scaled columns.
  const levels = method.needs.labels === "required" ? { scale: "none" as const } : {};
  const reading = { ...options, ...levels, told: true, copied: options.out !== undefined };
  await withRows(sources, reading, onProgress, async (rows) => {
    const { features, clusters, seed } = options;
    const selected = await selectFeatures(rows, method, {
      features,
      clusters,
      seed,
      own,
      onProgress,
    }).finally(progress.done);
    await file?.write(reduced(rows, selected));
    if (options.json === true) {
      return writeOut([`${JSON.stringify(selectSummary(selected, method.name))}\n`]);
    }
    const label = rows.kind === "table" ? rows.label?.name : options.label;
    const told = rows.kind === "table" ? decisions(rows.prepared) : [];
    const text = `${told.join("")}${selectReport(selected, method.name, label)}`;
    if (options.out === "-") {
      tell(text.trimEnd());
      return writeOut(reduced(rows, selected));
    }
    await writeOut([text]);
    if (file !== undefined) tell(`wrote ${file.path}`);
  }).finally(progress.done);
}

/** The rows with only the selected columns, as CSV; cells of files keep their spelling. */
async function* reduced(
  rows: ReadRows | SummedRows,
  { result: { features }, names }: SelectedFeatures,
): AsyncGenerator<string> {
  if (rows.kind === "table") {
    const { ids, label, prepared, input } = rows;
    const { table } = prepared;
    if (input.numbers !== undefined) {
      const { X, names: all } = input.numbers;
      const chosen = features.map((f) => names[f]);
      const kept = takeColumns(
        isSparse(X) ? toDense(X) : X,
        chosen.map((name) => all.indexOf(name)),
      );
      yield* writeCsv({ ids, names: chosen, X: kept, label });
      return;
    }
    const chosen = features.map((f) => names[f]);
    const written = [...(ids ? [ids.name] : []), ...chosen, ...(label ? [label.name] : [])];
    // A vector may be many columns of the file.
    if (input.written !== undefined && written.every((name) => table.files?.[0].names.includes(name))) {
      yield* chosenCells(input.written(), written, prepared.rows);
      return;
    }
    const kept = prepared.rows ?? Array.from({ length: table.rows }, (_, i) => i);
    const columns = features.map((f) => {
      const column = table.columns.find(({ name }) => name === names[f])!;
      return { name: column.name, values: Array.from(kept, (i) => cellText(column, i)) };
    });
    yield* writeCsv({ ids, columns: [...columns, ...(label === undefined ? [] : [label])] });
    return;
  }
  let header = true;
  for await (const { X, names: own, ids, label } of rows.batches(features)) {
    yield* writeCsv({ ids, names: own, X, label }, { header });
    header = false;
  }
}

/** Some columns of the rows as they were written, in the order of their names; `kept` are the rows, default all. */
async function* chosenCells(
  rows: AsyncIterable<WrittenRows>,
  names: readonly string[],
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
    yield* writeCsv({ columns }, { header });
    header = false;
  }
}
