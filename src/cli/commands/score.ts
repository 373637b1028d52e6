import { inputError, optionError, plural } from "../../core/internal.ts";
import { type Command, Option } from "commander";
import { allScores, type AllScores } from "../../score/index.ts";
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
  const scores = allScores(predicted.values, truth.values, { unknown: options.unknown });
  await writeOut([
    options.json === true
      ? `${JSON.stringify({ predicted: predicted.told, truth: truth.told, ...scores }, undefined, 2)}\n`
      : describe(predicted.told, truth.told, scores),
  ]);
}

const NAMES: readonly (readonly [keyof AllScores, string, string])[] = [
  ["rand", "Rand", "pairs judged alike by both"],
  ["adjustedRand", "adjusted Rand", "the same, 0 for chance"],
  ["nmi", "NMI", "shared information, arithmetic mean"],
  ["accuracy", "accuracy", "share of rows that are right under the best one-to-one matching"],
  ["purity", "purity", "rows in their cluster's most frequent class"],
  ["precision", "pair precision", "share of the pairs in one cluster that belong together"],
  ["recall", "pair recall", "share of the pairs that belong together and are in one cluster"],
  ["f1", "pair F1", "harmonic mean of the two"],
  ["deltaLoss", "Delta loss", "0 for equal partitions"],
  ["randLoss", "Rand loss", "0 for equal partitions"],
];

function describe(predicted: string, truth: string, scores: AllScores): string {
  const lines = [
    `predicted  ${predicted}: ${plural(scores.clusters, "cluster")}`,
    `truth      ${truth}: ${scores.classes} ${scores.classes === 1 ? "class" : "classes"}`,
    `rows       ${scores.rows}${scores.omitted === 0 ? "" : ` (${scores.omitted} with an unknown label left out)`}`,
    "",
    ...columns([
      ["score", "value", "meaning"],
      ...NAMES.map(([key, name, meaning]) => [name, scores[key].toFixed(4), meaning]),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}
