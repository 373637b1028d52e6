import { inputError, optionError, plural } from "../../core/internal.ts";
import { type Command, Option } from "commander";
import { allScores, type AllScores } from "../../score/index.ts";
import { scores } from "../../score/internal.ts";
import { columns } from "../output/columns.ts";
import { readLabels } from "../options/labelFile.ts";
import { writeOut } from "../output/stdout.ts";

interface ScoreOptions {
  readonly predicted?: string;
  readonly truth?: string;
  readonly header?: boolean;
  readonly unknown: "omit" | "class";
  readonly json?: boolean;
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
    .action(score);
}

async function score(predictedFile: string, truthFile: string, options: ScoreOptions): Promise<void> {
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
  await writeOut([
    options.json === true
      ? `${JSON.stringify({ predicted: predicted.told, truth: truth.told, ...values }, undefined, 2)}\n`
      : describe(predicted.told, truth.told, values),
  ]);
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
