import { inputError, optionError, plural } from "../../core/internal.ts";
import { type Command, Option } from "commander";
import { allScores, type AllScores } from "../../score/index.ts";
import { scores } from "../../score/internal.ts";
import { columns } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";
import { delimitedLines, isMissingWord, parseNumber, wholeText } from "../../data/internal.ts";

interface ScoreOptions {
  readonly predicted?: string;
  readonly truth?: string;
  readonly header?: boolean;
  readonly unknown: "omit" | "class";
}

export function define(command: Command): void {
  command
    .argument(
      "<predicted>",
      "file with the labels to judge (CSV, TSV, or what cluster --json printed; - is standard input)",
    )
    .argument("<truth>", "file with the known classes, in the same order of rows")
    .option("--predicted <column>", "column of the first file; default: the last")
    .option("--truth <column>", "column of the second file; default: the last")
    .option("--header", "the first row names the columns; default: yes if none of its cells is a number")
    .option("--no-header", "the first row is a row of data")
    .addOption(
      new Option("--unknown <how>", "rows with a missing label (empty, NA, -1): left out, or one more class")
        .choices(["omit", "class"])
        .default("omit"),
    )
    .option("--json", "print one JSON object")
    .action((predicted: string, truth: string, options: ScoreOptions) =>
      score(command, predicted, truth, options),
    );
}

async function score(
  command: Command,
  predictedFile: string,
  truthFile: string,
  options: ScoreOptions,
): Promise<void> {
  if (predictedFile === "-" && truthFile === "-") {
    throw optionError("standard input can be one of the two files, not both");
  }
  const { header } = options;
  const predicted = await readLabels(predictedFile, { column: options.predicted, header });
  const truth = await readLabels(truthFile, { column: options.truth, header });
  if (predicted.values.length !== truth.values.length) {
    throw inputError(
      `the labelings differ in length: ${predicted.values.length} rows in ${predicted.told}, ` +
        `${truth.values.length} in ${truth.told}`,
    );
  }
  const values = allScores(predicted.values, truth.values, { unknown: options.unknown });
  const outputs = await openOutputs(command, []);
  await outputs.answer({
    json: () => ({ predicted: predicted.told, truth: truth.told, ...values }),
    text: () => describe(predicted.told, truth.told, values),
  });
}

function describe(predicted: string, truth: string, values: AllScores): string {
  const lines = [
    `predicted  ${predicted}: ${plural(values.clusters, "cluster")}`,
    `truth      ${truth}: ${values.classes} ${values.classes === 1 ? "class" : "classes"}`,
    `rows       ${values.rows}${values.omitted === 0 ? "" : ` (${values.omitted} with an unknown label left out)`}`,
    "",
    ...columns([
      ["score", "value", "meaning"],
      ...Object.entries(scores).map(([name, { title, says }]) => [
        title,
        values[name as keyof typeof scores].toFixed(4),
        says,
      ]),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

export interface LabelColumn {
  /** The file and the column, for people. */
  readonly told: string;
  readonly values: readonly (string | number | null)[];
}

export interface LabelFileOptions {
  /** The column that holds the labels; default: the last. */
  readonly column?: string;
  readonly header?: boolean;
}

/**
 * One labeling from a file: a column of delimited text, or the `labels` of the output of `kindred cluster
 * --json`. The rest of the file may contain anything, which is why this is not `readNumbers`.
 */
export async function readLabels(path: string, options: LabelFileOptions): Promise<LabelColumn> {
  const { bytes, name } = await wholeText(path);
  const first = bytes.find((byte) => byte > 32);
  if (first === undefined) throw inputError(`${name} is empty`);
  return first === 0x7b ? fromJson(bytes, name, options) : fromDelimited(bytes, name, options);
}

function fromJson(bytes: Uint8Array, name: string, { column = "labels" }: LabelFileOptions): LabelColumn {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch (error) {
    throw inputError(`${name} is not valid JSON: ${(error as Error).message}`);
  }
  const values = parsed[column];
  if (!Array.isArray(values) || !values.every(isLabel)) {
    throw inputError(`${name} has no array of labels called "${column}"`);
  }
  return { told: `${name}, "${column}"`, values };
}

function isLabel(value: unknown): value is string | number | null {
  return typeof value === "string" || typeof value === "number" || value === null;
}

function fromDelimited(bytes: Uint8Array, name: string, options: LabelFileOptions): LabelColumn {
  let names: readonly string[] | undefined;
  let width = 0;
  let chosen = 0;
  const values: (string | null)[] = [];
  for (const { line, cells } of delimitedLines(bytes, name)) {
    if (width === 0) {
      width = cells.length;
      if (options.header ?? looksLikeHeader(cells, options)) names = cells;
      chosen = choose(names, width, name, options);
      if (names !== undefined) continue;
    }
    if (cells.length !== width) {
      throw inputError(`${name} line ${line}: ${cells.length} cells, but the first row has ${width}`);
    }
    const cell = cells[chosen];
    values.push(isMissingWord(cell.trim()) ? null : cell);
  }
  if (values.length === 0) throw inputError(`${name} has no rows of data`);
  return { told: `${name}, ${names === undefined ? `column ${chosen + 1}` : `"${names[chosen]}"`}`, values };
}

function choose(
  names: readonly string[] | undefined,
  width: number,
  file: string,
  { column }: LabelFileOptions,
): number {
  if (column === undefined) return width - 1;
  const found = names?.indexOf(column) ?? -1;
  if (found >= 0) return found;
  const known =
    names === undefined
      ? "it has no header"
      : `its columns are ${names.map((name) => `"${name}"`).join(", ")}`;
  throw optionError(`${file} has no column "${column}"; ${known}`);
}

function looksLikeHeader(cells: readonly string[], { column }: LabelFileOptions): boolean {
  return (
    (column !== undefined && cells.includes(column)) || cells.every((cell) => parseNumber(cell) === undefined)
  );
}
