import { type Command, Option } from "commander";
import { optionError } from "../../core/errors.ts";
import { isSparse, takeColumns, toDense } from "../../matrix/index.ts";
import { selections, type SelectionMethod } from "../../method/index.ts";
import { requireSums, selectFeatures, type RowSource } from "../../rows/index.ts";
import { needsLabel } from "../../rows/selectFeatures.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { engineOptions, OPTIONAL_DATA, type EngineOptions } from "../options/engineInput.ts";
import { inputOptions, type InputOptions } from "../options/input.ts";
import { ownOptions } from "../options/methodFlags.ts";
import { addMethodFlags, listMethods, methodOf, methodOption, streamFlag } from "../options/methodOption.ts";
import { seedOption } from "../options/seedOption.ts";
import { placeOf, withRows } from "../options/rows.ts";
import { selectReport, selectSummary } from "../output/selectReport.ts";
import { outputFile, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface SelectOptions extends InputOptions, EngineOptions {
  readonly features?: number;
  readonly clusters?: number;
  readonly seed?: number;
  readonly out?: string;
  readonly json?: boolean;
}

const DEFAULT = "chow-liu";

/** The options of a method appear once the method is named, so that help and errors speak about that method only. */
export async function define(command: Command, args: readonly string[]): Promise<void> {
  const method = methodOf(args, selections, DEFAULT);
  const { options: rules } = await method.open();
  command
    .argument(OPTIONAL_DATA, 'a file, several ("data/*.parquet", streamed), - or the name of a data set')
    .addOption(methodOption("how to select", selections, DEFAULT))
    .option("-f, --features <n>", "how many (default: 20, or all if there are fewer)", integerAtLeast(1))
    .addOption(seedOption());
  inputOptions(command, "learned");
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
  command.action((source: string | undefined, options: SelectOptions) =>
    select(source, options, method, ownOptions(rules, options)),
  );
}

async function select(
  source: string | undefined,
  options: SelectOptions,
  method: SelectionMethod,
  own: object,
): Promise<void> {
  const place = placeOf(source, options);
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
  await withRows(source, options, onProgress, async (rows) => {
    const { features, clusters, seed } = options;
    const selected = await selectFeatures(rows, method, {
      features,
      clusters,
      seed,
      own,
      onProgress,
    }).finally(progress.done);
    const chosen = selected.result.features;
    await file?.write(reduced(rows, chosen));
    if (options.json === true) {
      return writeOut([`${JSON.stringify(selectSummary(selected, method.name))}\n`]);
    }
    const label = rows.kind === "table" ? rows.table.label?.name : options.label;
    const text = selectReport(selected, method.name, label);
    if (options.out === "-") {
      tell(text.trimEnd());
      return writeOut(reduced(rows, chosen));
    }
    await writeOut([text]);
    if (file !== undefined) tell(`wrote ${file.path}`);
  }).finally(progress.done);
}

/** The rows with the selected features only, as CSV. */
async function* reduced(rows: RowSource, features: readonly number[]): AsyncGenerator<string> {
  if (rows.kind === "table") {
    const { X, names, ids, label } = rows.table;
    const kept = takeColumns(isSparse(X) ? toDense(X) : X, features);
    yield* writeCsv({ ids, names: features.map((f) => names[f]), X: kept, label });
    return;
  }
  let header = true;
  for await (const { X, names, ids, label } of rows.batches(features)) {
    yield* writeCsv({ ids, names, X, label }, { header });
    header = false;
  }
}
