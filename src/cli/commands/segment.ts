import type { Command } from "commander";
import { segment, segmentOptions, type Segmentation } from "../../cluster/index.ts";
import { inputError, optionError } from "../../core/errors.ts";
import { scale, type NumberTable, type ScaleKind, type Scaling } from "../../data/index.ts";
import { isSparse, takeRows, type Matrix } from "../../matrix/index.ts";
import type { OptionRules } from "../../method/index.ts";
import { mlca, type Mahalanobis } from "../../metric/index.ts";
import { deltaLoss } from "../../score/index.ts";
import { integerAtLeast } from "../options/arguments.ts";
import { inputOptions, readInput, type InputOptions } from "../options/input.ts";
import { metricFileText, readMetricFile, scaledFor } from "../options/metricFile.ts";
import { methodFlags, ownOptions } from "../options/methodFlags.ts";
import { scaleOption } from "../options/methodOption.ts";
import { columns } from "../output/columns.ts";
import { writeCsv } from "../output/csvOutput.ts";
import { outputFile, requireDifferent, requireOneToStdout } from "../output/outputFile.ts";
import { progressLine } from "../output/progressLine.ts";
import { tell, writeOut } from "../output/stdout.ts";

interface Options extends InputOptions {
  readonly order?: string;
  readonly metric?: string;
  readonly clusters?: number;
  readonly scale: ScaleKind;
  readonly out?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const RULES = segmentOptions as unknown as OptionRules;

export function define(command: Command): void {
  command
    .argument("<data>", "a file with the rows of one series, or -")
    .option(
      "--order <column>",
      "column that orders the rows: numbers or dates (default: as they are in the file)",
    )
    .option("--metric <file>", "a metric written by segment --model or kindred metric --model");
  command.option(
    "-k, --clusters <n>",
    "number of segments (default: chosen by the penalty)",
    integerAtLeast(1),
  );
  for (const flag of methodFlags(RULES)) command.addOption(flag);
  command.addOption(scaleOption().default("zscore"));
  inputOptions(command, "learned");
  command
    .option("--out <file>", "write the segment of each row as CSV")
    .option("--model <file>", "with --label: write the metric that was learned, for --metric")
    .option("--json", "print one JSON object")
    .action(cut);
}

async function cut(source: string, options: Options): Promise<void> {
  const { label, order, metric: metricPath, model, out, json } = options;
  if (model !== undefined && (label === undefined || metricPath !== undefined)) {
    throw optionError(
      "--model writes the metric that is learned from --label; with --metric none is learned",
    );
  }
  if (order !== undefined && options.id !== undefined) {
    throw optionError("--id and --order: the order also names the rows; give one of them");
  }
  requireOneToStdout(options);
  requireDifferent({ "--out": out, "--model": model });
  const outFile = out === undefined || out === "-" ? undefined : outputFile(out, "--out");
  const modelFile = model === undefined ? undefined : outputFile(model, "--model");
  const known = metricPath === undefined ? undefined : readMetricFile(metricPath);
  const progress = progressLine();
  let table: NumberTable;
  try {
    table = await readInput(
      source,
      { ...options, ...(order !== undefined && { id: order }) },
      progress.onProgress,
    );
  } finally {
    progress.done();
  }
  const series = inOrder(table, order);
  let rows: Matrix;
  let metric: Mahalanobis | undefined;
  let scaling: Scaling | undefined;
  if (known !== undefined) {
    rows = scaledFor(series, known);
    ({ metric } = known);
  } else {
    const scaled = scale(series.X as Matrix, options.scale, {
      names: series.names,
      ...(series.batch !== undefined && { batch: series.batch.values }),
    });
    rows = scaled.X;
    ({ scaling } = scaled);
    if (series.label !== undefined) metric = mlca(rows, series.label.values, { names: series.names });
  }
  const found = segment(rows, {
    ...ownOptions(RULES, options),
    ...(options.clusters !== undefined && { clusters: options.clusters }),
    ...(metric && { metric }),
  });
  const delta = series.label && deltaLoss(found.labels, runs(series.label.values));
  if (modelFile !== undefined) await modelFile.write([metricFileText(scaling!, metric!)]);
  const written = {
    ...(series.ids && { ids: series.ids }),
    ...(series.label && { label: series.label }),
    columns: [{ name: "segment", values: found.labels }],
  };
  await outFile?.write(writeCsv(written));
  if (json === true) {
    const told = {
      ...(found.toJSON() as object),
      segments: segmentsOf(found, series),
      ...(delta !== undefined && { delta }),
    };
    await writeOut([`${JSON.stringify(told)}\n`]);
  } else if (out === "-") {
    await writeOut(writeCsv(written));
  } else {
    await writeOut([`${report(series, found, metric, delta).join("\n")}\n`]);
  }
  for (const file of [outFile, modelFile]) if (file !== undefined) tell(`wrote ${file.path}`);
}

/** The rows by the column of --order, which is read as the names of the rows. */
function inOrder(table: NumberTable, order: string | undefined): NumberTable {
  const { X, ids, label, batch } = table;
  if (isSparse(X)) throw inputError(`${table.source} is sparse; segment takes a series of dense rows`);
  if (order === undefined || ids === undefined) return table;
  const texts = ids.values;
  const numbers = texts.map((text) => (text.trim() === "" ? Number.NaN : Number(text)));
  const keys = numbers.every(Number.isFinite) ? numbers : texts.map((text) => Date.parse(text));
  const wrong = keys.findIndex((key) => !Number.isFinite(key));
  if (wrong >= 0) {
    throw inputError(
      `${table.source}: column "${order}" cannot order the rows: "${texts[wrong]}" in row ${wrong + 1} is no number or date as the others`,
    );
  }
  const places = Array.from(keys.keys()).sort((a, b) => keys[a] - keys[b]);
  const sorted = <T extends { readonly values: readonly string[] }>(column: T): T => ({
    ...column,
    values: places.map((i) => column.values[i]),
  });
  return {
    ...table,
    X: takeRows(X, places),
    ids: sorted(ids),
    ...(label && { label: sorted(label) }),
    ...(batch && { batch: sorted(batch) }),
  };
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

function segmentsOf({ sizes, cuts }: Segmentation, { ids }: NumberTable): Stretch[] {
  const name = (i: number): string => ids?.values[i] ?? String(i + 1);
  return Array.from(sizes, (rows, k) => {
    const start = k === 0 ? 0 : cuts[k - 1];
    return { segment: k, first: name(start), last: name(start + rows - 1), rows };
  });
}

function report(
  series: NumberTable,
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
