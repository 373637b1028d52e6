import type { Command } from "commander";
import { segment, segmentOptions, type Segmentation } from "../../cluster/index.ts";
import { inputError, optionError } from "../../core/errors.ts";
import type { Column, Table, TextColumn } from "../../data/index.ts";
import { takeRows, type Matrix } from "../../matrix/index.ts";
import type { OptionRules } from "../../method/index.ts";
import { mlca, requireMatrix, type Mahalanobis } from "../../metric/index.ts";
import { textsOf } from "../../model/index.ts";
import type { TableRows } from "../../rows/index.ts";
import { deltaLoss } from "../../score/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { metricFileText, readMetricFile } from "../options/metricFile.ts";
import { methodFlags, ownOptions } from "../options/methodFlags.ts";
import { forPurpose, rowsOf, sourcesOf, weighed } from "../options/rows.ts";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  prepareInput,
  readInput,
  type TableOptions,
} from "../options/tableInput.ts";
import { decisions } from "../output/clusterText.ts";
import { columns } from "../output/columns.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { outputFile, requireDifferent, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface Options extends TableOptions {
  readonly order?: string;
  readonly metric?: string;
  readonly clusters?: number;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const RULES = segmentOptions as unknown as OptionRules;

export function define(command: Command): void {
  command
    .argument("[data...]", `the rows of one series: ${DATA_HELP}`)
    .option(
      "--order <column>",
      "column that orders the rows: numbers or dates (default: dates that rise, else as they are in the file)",
    )
    .option("--metric <file>", "a metric written by segment --model or kindred metric --model");
  command.option(
    "-k, --clusters <n>",
    "number of segments (default: chosen by the penalty)",
    integerAtLeast(1),
  );
  for (const flag of methodFlags(RULES)) command.addOption(flag);
  columnOptions(command, "learned");
  featureOptions(command);
  fileOptions(command);
  command
    .option("--out <file>", "write the segment of each row as CSV")
    .option("--model <file>", "with --label: write the metric that was learned, for --metric")
    .option("--json", "print one JSON object")
    .action(cut);
}

async function cut(given: readonly string[], options: Options): Promise<void> {
  const { label, metric: metricPath, model, out, json } = options;
  if (model !== undefined && (label === undefined || metricPath !== undefined)) {
    throw optionError(
      "--model writes the metric that is learned from --label; with --metric none is learned",
    );
  }
  if (options.order !== undefined && options.id !== undefined) {
    throw optionError("--id and --order: the order also names the rows; give one of them");
  }
  requireOneToStdout(options);
  requireDifferent({ "--out": out, "--model": model });
  const outFile = out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const modelFile = model === undefined ? undefined : outputFile(model, "--model");
  const known = metricPath === undefined ? undefined : readMetricFile(metricPath);
  const progress = progressLine();
  const named = { ...options, ...(options.order !== undefined && { id: options.order }) };
  const sources = sourcesOf(given, {});
  const reading = weighed(forPurpose(sources, { ...named, told: label !== undefined }));
  const input = await readInput(sources, reading, progress.onProgress, known).finally(progress.done);
  const rising =
    options.order === undefined && options.id === undefined ? risingDates(input.table) : undefined;
  const order = options.order ?? rising?.name;
  const prepared = prepareInput(input, { ...reading, id: reading.id ?? order }, known);
  const series = inOrder(
    { ...rowsOf(prepared, { ...reading, id: reading.id ?? order }) },
    prepared.table.columns.find(({ name }) => name === order),
    prepared.rows,
  );
  const told = [
    ...series.notes,
    ...(rising === undefined ? [] : [`the rows are in the order of ${rising.name}, which is no feature`]),
  ];
  const rows: Matrix = series.X;
  const metric =
    (known && requireMatrix(known.metric, "kindred segment")) ??
    (series.label && mlca(rows, series.label.values, { names: [...series.names] }));
  const found = segment(rows, {
    ...ownOptions(RULES, options),
    ...(options.clusters !== undefined && { clusters: options.clusters }),
    // Rows under a metric that was learned before are measured as they are.
    ...(metric !== undefined && known === undefined && { metric }),
  });
  const delta = series.label && deltaLoss(found.labels, runs(series.label.values));
  if (modelFile !== undefined) await modelFile.write([metricFileText({ ...series, metric: metric! })]);
  const written = {
    ...(series.ids && { ids: series.ids }),
    ...(series.label && { label: series.label }),
    columns: [{ name: "segment", values: found.labels }],
  };
  await outFile?.write(writeCsv(written));
  if (json === true) {
    const answer = {
      ...(found.toJSON() as object),
      segments: segmentsOf(found, series),
      ...(delta !== undefined && { delta }),
    };
    await writeOut([`${JSON.stringify(answer)}\n`]);
  } else if (out === "-") {
    await writeOut(writeCsv(written));
  } else {
    await writeOut([
      ...decisions(prepared),
      `${report({ ...series, notes: told }, found, metric, delta).join("\n")}\n`,
    ]);
  }
  for (const file of [outFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** The first column of dates that never fall, without gaps. */
function risingDates({ columns }: Table): Column | undefined {
  return columns.find(
    ({ kind, values, missing }) =>
      kind === "date" &&
      missing === 0 &&
      values !== undefined &&
      values.every((day, i) => i === 0 || day >= values[i - 1]),
  );
}

/** The rows by the column of --order, which also names them. */
function inOrder(series: TableRows, order: Column | undefined, kept: Int32Array | undefined): TableRows {
  if (order === undefined) return series;
  const { X, ids, label, source } = series;
  const keys = orderOf(order, kept);
  const wrong = keys.findIndex((key) => !Number.isFinite(key));
  if (wrong >= 0) {
    throw inputError(
      `${source}: column "${order.name}" cannot order the rows: "${ids?.values[wrong]}" in row ${wrong + 1} is no number or date as the others`,
    );
  }
  const places = Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b]);
  const sorted = (column: TextColumn): TextColumn => ({
    ...column,
    values: places.map((i) => column.values[i]),
  });
  return {
    ...series,
    X: takeRows(X, places),
    ...(ids && { ids: sorted(ids) }),
    ...(label && { label: sorted(label) }),
  };
}

function orderOf(column: Column, kept: Int32Array | undefined): number[] {
  const { values } = column;
  const texts = textsOf(column);
  const rows = kept ?? Int32Array.from(texts.keys());
  if (values !== undefined) return Array.from(rows, (i) => values[i]);
  const numbers = texts.map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
  const keys = numbers.every(Number.isFinite) ? numbers : texts.map((text) => Date.parse(text));
  return Array.from(rows, (i) => keys[i]);
}

/** The number of the run of equal labels that each row is in. */
function runs(labels: readonly string[]): Int32Array {
  const found = new Int32Array(labels.length);
  for (let i = 1; i < labels.length; i++) found[i] = found[i - 1] + Number(labels[i] !== labels[i - 1]);
  return found;
}

interface Stretch {
  readonly segment: number;
  readonly first: string;
  readonly last: string;
  readonly rows: number;
}

function segmentsOf({ sizes, cuts }: Segmentation, { ids }: Pick<TableRows, "ids">): Stretch[] {
  const name = (i: number): string => ids?.values[i] ?? String(i + 1);
  return Array.from(sizes, (rows, k) => {
    const start = k === 0 ? 0 : cuts[k - 1];
    return { segment: k, first: name(start), last: name(start + rows - 1), rows };
  });
}

function report(
  series: TableRows,
  found: Segmentation,
  metric: Mahalanobis | undefined,
  delta: number | undefined,
): string[] {
  const { X, source, notes } = series;
  return columns(
    [
      ["data", `${source}, ${X.rows} rows x ${X.cols} features`],
      ["metric", metric === undefined ? "Euclidean" : `${metric.method}, rank ${metric.rank}`],
      [
        "result",
        `${found.clusters} segments, no cuts are better; objective ${found.objective.toPrecision(6)}`,
      ],
      ...(delta === undefined ? [] : [["Delta", `${delta.toFixed(3)} to the runs of ${series.label!.name}`]]),
      ...segmentsOf(found, series).map(({ segment: k, first, last, rows }) => [
        `segment ${k}`,
        `${first} to ${last}, ${rows} ${rows === 1 ? "row" : "rows"}`,
      ]),
      ...notes.map((note) => ["note", note]),
    ],
    "   ",
  );
}
