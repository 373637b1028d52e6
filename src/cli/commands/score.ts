import { inputError, optionError, plural } from "../../core/internal.ts";
import { type Command, Option } from "commander";
import { partitionGap, predictionStrength } from "../../cluster/index.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { type RowsRequest } from "../../run/index.ts";
import { columnWords, featureWords, readRows } from "../../run/internal.ts";
import { allScores, encodeLabels, scoreIntervals, type AllScores } from "../../score/index.ts";
import { scores, scoresByData } from "../../score/internal.ts";
import { addWords, integerAtLeast } from "../options/words.ts";
import { columns, withProgress } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";
import { delimitedLines, isMissingWord, parseNumber, wholeText } from "../../data/internal.ts";

interface ScoreOptions {
  readonly predicted?: string;
  readonly truth?: string;
  readonly header?: boolean;
  readonly unknown: "omit" | "class";
  readonly rows?: string;
  readonly resamples?: number;
  readonly seed: number;
}

export function define(command: Command): void {
  command
    .argument(
      "<predicted>",
      "file with the labels to judge (CSV, TSV, or what cluster --json printed; - is standard input)",
    )
    .argument("[truth]", "file with the known classes, in the same order of rows; not needed with --rows")
    .option("--predicted <column>", "column of the first file; default: the last")
    .option("--truth <column>", "column of the second file; default: the last")
    .option("--header", "the first row names the columns; default: yes if none of its cells is a number")
    .option("--no-header", "the first row is a row of data")
    .addOption(
      new Option("--unknown <how>", "rows with a missing label (empty, NA, -1): left out, or one more class")
        .choices(["omit", "class"])
        .default("omit"),
    )
    .option(
      "--resamples <n>",
      "a 95 % interval of every score, by drawing the rows again this often",
      integerAtLeast(20),
    )
    .option("--rows <file>", "the table that was clustered: scores of the labels by its numbers alone")
    .option("--seed <n>", "seed of what is drawn", integerAtLeast(0), 0)
    .option("--json", "print one JSON object")
    .action((predicted: string, truth: string | undefined, options: ScoreOptions & RowsRequest) =>
      score(command, predicted, truth, options),
    );
  addWords(command, "Columns of --rows:", OF_ROWS);
}

/** The options for the table that was clustered. */
const OF_ROWS = {
  use: columnWords.use,
  ignore: columnWords.ignore,
  as: columnWords.as,
  scale: featureWords.scale,
};

async function score(
  command: Command,
  predictedFile: string,
  truthFile: string | undefined,
  options: ScoreOptions & RowsRequest,
): Promise<void> {
  const { header, rows, resamples, seed, unknown } = options;
  if (truthFile === undefined && rows === undefined) {
    throw optionError("give the known classes as the second file, or the table that was clustered as --rows");
  }
  if (predictedFile === "-" && truthFile === "-") {
    throw optionError("standard input can be one of the two files, not both");
  }
  const predicted = await readLabels(predictedFile, { column: options.predicted, header });
  const answer: ScoreAnswer = { predicted: predicted.told };
  if (truthFile !== undefined) {
    const truth = await readLabels(truthFile, { column: options.truth, header });
    requireLength(predicted, truth.values.length, truth.told);
    answer.truth = truth.told;
    answer.values = allScores(predicted.values, truth.values, { unknown });
    if (resamples !== undefined) {
      answer.intervals = scoreIntervals(predicted.values, truth.values, { unknown, resamples, seed });
    }
  }
  if (rows !== undefined) answer.data = await scoresOf(rows, predicted, options);
  const outputs = await openOutputs(command, []);
  await outputs.answer({
    json: () => {
      const { values, ...rest } = answer;
      return { ...rest, ...values };
    },
    text: () => describe(answer),
  });
}

interface ScoreAnswer {
  predicted: string;
  truth?: string;
  values?: AllScores;
  intervals?: Readonly<Record<string, readonly [number, number]>>;
  data?: Readonly<Record<string, number>>;
}

function requireLength({ values, told }: LabelColumn, length: number, other: string): void {
  if (values.length === length) return;
  throw inputError(`the labelings differ in length: ${values.length} rows in ${told}, ${length} in ${other}`);
}

/** Rows up to which every pair of rows is measured; with more, scores that need them are left out. */
const MOST_ROWS = 20_000;

async function scoresOf(
  path: string,
  predicted: LabelColumn,
  options: ScoreOptions & RowsRequest,
): Promise<Record<string, number>> {
  const asked = Object.keys(OF_ROWS).map((name) => [name, options[name as keyof typeof OF_ROWS]]);
  const { X: read, prepared } = await withProgress((onProgress) =>
    readRows([path], { ...(Object.fromEntries(asked) as RowsRequest), weights: "equal" }, onProgress),
  );
  const kept = prepared.rows;
  requireLength(predicted, prepared.table.rows, path);
  const X = isSparse(read) ? toDense(read) : read;
  const values = kept === undefined ? predicted.values : Array.from(kept, (i) => predicted.values[i]);
  const { classes } = encodeLabels(values);
  const shown: Record<string, number> = {};
  for (const [name, { of, pairs }] of Object.entries(scoresByData)) {
    if (!pairs || X.rows <= MOST_ROWS) shown[name] = of(X, values);
  }
  const { seed } = options;
  shown.gap = partitionGap(X, values, { seed }).gap;
  if (2 * classes.length <= X.rows) {
    const { strengths } = predictionStrength(X, { maxClusters: classes.length, seed });
    shown.predictionStrength = strengths[classes.length - 1];
  }
  return shown;
}

/** Scores by k-means on other rows, beside those of the labels. */
const BY_KMEANS: Readonly<Record<string, { readonly title: string; readonly says: string }>> = {
  gap: { title: "gap", says: "log sum of squares below that of k-means on rows without clusters" },
  predictionStrength: {
    title: "prediction strength",
    says: "of k-means with as many clusters: pairs that half of the rows foretell; .8 is good",
  },
};

function describe({ predicted, truth, values, intervals, data }: ScoreAnswer): string {
  const lines = [
    `predicted  ${predicted}${values === undefined ? "" : `: ${plural(values.clusters, "cluster")}`}`,
  ];
  if (values !== undefined) {
    lines.push(
      `truth      ${truth}: ${values.classes} ${values.classes === 1 ? "class" : "classes"}`,
      `rows       ${values.rows}${values.omitted === 0 ? "" : ` (${values.omitted} with an unknown label left out)`}`,
      "",
      ...columns([
        ["score", "value", ...(intervals === undefined ? [] : ["95 % interval"]), "meaning"],
        ...Object.entries(scores).map(([name, { title, says }]) => [
          title,
          values[name as keyof typeof scores].toFixed(4),
          ...(intervals === undefined ? [] : [intervals[name].map((end) => end.toFixed(4)).join(" to ")]),
          says,
        ]),
      ]),
    );
  }
  if (data !== undefined) {
    const known = { ...scoresByData, ...BY_KMEANS };
    lines.push(
      "",
      ...columns([
        ["by the rows", "value", "meaning"],
        ...Object.entries(data).map(([name, value]) => {
          const { title, says } = known[name as keyof typeof scoresByData];
          return [title, Number.isFinite(value) ? String(Number(value.toPrecision(5))) : "infinite", says];
        }),
      ]),
    );
  }
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
