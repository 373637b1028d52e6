import { inputError, note, optionError, plural } from "../../core/internal.ts";
import { Option, type Command } from "commander";
import { segment, segmentOptions, type Segmentation } from "../../cluster/index.ts";
import type { Column, Table, TextColumn, WritableTable } from "../../data/index.ts";
import { takeRows, type Matrix } from "../../matrix/index.ts";
import { lajugieSets, mlca, requireMatrix, type Mahalanobis } from "../../metric/index.ts";
import { storeMetricModel, textsOf } from "../../model/index.ts";
import type { TableRows } from "../../rows/index.ts";
import { deltaLoss } from "../../score/index.ts";
import type { TableRequest } from "../../run/index.ts";
import {
  forTarget,
  ownOptions,
  prepareInput,
  readInput,
  readMetricFile,
  requireColumn,
  rowsOf,
  sourcesOf,
  weighed,
} from "../../run/internal.ts";
import { integerAtLeast, methodFlags, safeOption, addTableWords, DATA_HELP } from "../options/words.ts";
import { decisions } from "../output/columnText.ts";
import { columns, factLines, withProgress } from "../output/terminal.ts";
import { modelText } from "../manifest.ts";
import { openOutputs } from "../output/outputs.ts";

type SegmentFlags = TableRequest & {
  readonly order?: string;
  readonly series?: string;
  readonly learn?: "mlca" | "lajugie";
  readonly metric?: string;
  readonly clusters?: number;
};

const RULES = segmentOptions;

export function define(command: Command): void {
  command
    .argument("[data...]", `the rows of a series, or of several with --series: ${DATA_HELP}`)
    .option(
      "--order <column>",
      "column that orders the rows: numbers or dates (default: increasing dates, else the order of the file)",
    )
    .option("--series <column>", "column that names the series of a row; each series is cut separately")
    .option("--metric <file>", "a metric written by segment --model or kindred metric --model")
    .addOption(
      new Option("--learn <method>", "with --label: how the metric is learned (default: mlca)").choices([
        "mlca",
        "lajugie",
      ]),
    )
    .option("--svg <file>", "draw the series and their segments");
  command.option(
    "-k, --clusters <n>",
    "number of segments (default: chosen by the penalty)",
    integerAtLeast(1),
  );
  for (const flag of methodFlags(RULES)) command.addOption(flag);
  addTableWords(command, { label: "learned" });
  command
    .option("--out <file>", "write the segment of each row as CSV")
    .addOption(safeOption())
    .option("--model <file>", "with --label: write the learned metric, for --metric")
    .option("--json", "print one JSON object")
    .action((given: readonly string[], flags: SegmentFlags) => cut(command, given, flags));
}

async function cut(command: Command, given: readonly string[], options: SegmentFlags): Promise<void> {
  const { label, metric: metricPath, learn } = options;
  const model = command.getOptionValue("model") as string | undefined;
  if (model !== undefined && (label === undefined || metricPath !== undefined)) {
    throw optionError("--model writes the metric learned from --label; with --metric none is learned");
  }
  if (learn !== undefined && (label === undefined || metricPath !== undefined)) {
    throw optionError("--learn chooses how to learn a metric from --label; with --metric none is learned");
  }
  if (options.series !== undefined && [options.order, options.id, label].includes(options.series)) {
    throw optionError(`--series: "${options.series}" is already the order, the id or the label`);
  }
  if (options.order !== undefined && options.id !== undefined) {
    throw optionError("--id and --order: the order also names the rows; give one of them");
  }
  const outputs = await openOutputs(command, ["out", "model", "svg"]);
  const known = metricPath === undefined ? undefined : readMetricFile(metricPath);
  const named = {
    ...options,
    ...(options.order !== undefined && { id: options.order }),
    ...(options.series !== undefined && { ignore: [...(options.ignore ?? []), options.series] }),
  };
  const sources = sourcesOf(given, {});
  const request = weighed(forTarget(sources, { ...named, target: label !== undefined }));
  const input = await withProgress((onProgress) => readInput(sources, request, onProgress, known));
  if (options.series !== undefined) requireColumn(input.table, "series", options.series);
  const rising =
    options.order === undefined && options.id === undefined ? risingDates(input.table) : undefined;
  const order = options.order ?? rising?.name;
  const prepared = prepareInput(input, { ...request, id: request.id ?? order }, known);
  const columnNamed = (name: string | undefined): Column | undefined =>
    name === undefined ? undefined : prepared.table.columns.find((column) => column.name === name);
  const grouping = columnNamed(options.series);
  const all = inOrder(
    { ...rowsOf(prepared, { ...request, id: request.id ?? order }) },
    columnNamed(order),
    prepared.rows,
    grouping,
  );
  const told = [
    ...all.notes,
    ...(rising === undefined
      ? []
      : [note("order", `the rows are in the order of ${rising.name}, which is not a feature`)]),
  ];
  const parts = partsOf(all);
  const metric =
    (known && requireMatrix(known.metric, "kindred segment")) ?? learnedFrom(parts, all, learn ?? "mlca");
  const cuts = parts.map((series): Cut => {
    const found = segment(series.X, {
      ...ownOptions(RULES, options),
      clusters: options.clusters,
      // Rows under an existing metric are measured unscaled.
      ...(metric !== undefined && known === undefined && { metric }),
    });
    const delta = series.label && deltaLoss(found.labels, runs(series.label.values));
    return { series, found, ...(delta !== undefined && { delta }) };
  });
  if (outputs.has("model"))
    await outputs.write("model", modelText(storeMetricModel({ ...all, metric: metric! })));
  await outputs.writeTable("out", csvOf(cuts, grouping?.name));
  if (outputs.has("svg")) {
    const moved = (X: Matrix): Matrix =>
      known === undefined && metric !== undefined ? metric.transform(X) : X;
    await outputs.write("svg", [await drawn(cuts, moved, metric === undefined ? all.names : undefined)]);
  }
  const facts = { ...all, notes: told };
  await outputs.answer({
    json: () => (grouping === undefined ? answerOf(cuts[0]) : answersOf(cuts)),
    text: () =>
      [
        ...decisions(prepared),
        `${(grouping === undefined ? report(facts, cuts[0], metric) : reports(facts, cuts, metric)).join("\n")}\n`,
      ].join(""),
  });
}

/** One series; `name` is set if there are several. */
interface Series extends TableRows {
  readonly name?: string;
}

/** Rows in order, perhaps of several series. */
interface OrderedRows extends TableRows {
  readonly groups?: readonly string[];
}

interface Cut {
  readonly series: Series;
  readonly found: Segmentation;
  readonly delta?: number;
}

/** The series by the names in the column of --series, numbers by their size. */
function partsOf(all: OrderedRows): Series[] {
  const { groups, X, ids, label } = all;
  if (groups === undefined) return [all];
  const rows = new Map<string, number[]>();
  groups.forEach((name, i) => {
    if (name === "") throw inputError(`${all.source}: row ${i + 1} belongs to no series`);
    const own = rows.get(name);
    if (own === undefined) rows.set(name, [i]);
    else own.push(i);
  });
  const names = [...rows.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  return names.map((name) => {
    const own = rows.get(name)!;
    const of = (column: TextColumn): TextColumn => ({ ...column, values: own.map((i) => column.values[i]) });
    return {
      ...all,
      name,
      X: takeRows(X, own),
      ...(ids && { ids: of(ids) }),
      ...(label && { label: of(label) }),
    };
  });
}

/** MLCA of all rows together; Lajugie's metric uses each series with its own partition. */
function learnedFrom(
  parts: readonly Series[],
  { X, label, names }: OrderedRows,
  learn: "mlca" | "lajugie",
): Mahalanobis | undefined {
  if (label === undefined) return undefined;
  if (learn === "mlca") return mlca(X, label.values, { names: [...names] });
  return lajugieSets(
    parts.map((part) => ({ X: part.X, labels: part.label!.values })),
    { names: [...names] },
  );
}

function csvOf(cuts: readonly Cut[], grouping: string | undefined): WritableTable {
  const joined = (of: (series: Series) => TextColumn | undefined): TextColumn | undefined => {
    const column = of(cuts[0].series);
    return column && { ...column, values: cuts.flatMap(({ series }) => [...of(series)!.values]) };
  };
  const ids = joined(({ ids: own }) => own);
  const label = joined(({ label: own }) => own);
  const rows = <T>(value: (cut: Cut) => Iterable<T>): T[] => cuts.flatMap((cut) => [...value(cut)]);
  return {
    ...(ids && { ids }),
    ...(label && { label }),
    columns: [
      ...(grouping === undefined
        ? []
        : [
            {
              name: grouping,
              values: rows(({ series }) => Array.from({ length: series.X.rows }, () => series.name!)),
            },
          ]),
      { name: "segment", values: rows(({ found }) => found.labels) },
    ],
  };
}

function answerOf({ series, found, delta }: Cut): object {
  return {
    ...(series.name !== undefined && { series: series.name }),
    ...(found.toJSON() as object),
    segments: segmentsOf(found, series),
    ...(delta !== undefined && { delta }),
  };
}

function answersOf(cuts: readonly Cut[]): object {
  const delta = meanDelta(cuts);
  return { method: "segment", series: cuts.map(answerOf), ...(delta !== undefined && { delta }) };
}

function meanDelta(cuts: readonly Cut[]): number | undefined {
  if (cuts[0].delta === undefined) return undefined;
  return cuts.reduce((sum, { delta }) => sum + delta! / cuts.length, 0);
}

async function drawn(
  cuts: readonly Cut[],
  moved: (X: Matrix) => Matrix,
  names: readonly string[] | undefined,
): Promise<string> {
  const { segmentPlot } = await import("../../report/index.ts");
  const all = cuts.map(({ series, found }) => {
    const { X, name, ids, label } = series;
    const called = (i: number): string => ids?.values[i] ?? String(i + 1);
    const known = label && runs(label.values);
    return {
      ...(name !== undefined && { name }),
      Y: moved(X),
      cuts: found.cuts,
      ...(known && { known: Array.from(known.keys()).filter((i) => i > 0 && known[i] !== known[i - 1]) }),
      ends: [called(0), called(X.rows - 1)] as const,
    };
  });
  const lines = names ?? Array.from({ length: all[0].Y.cols }, (_, r) => `metric, direction ${r + 1}`);
  return `${segmentPlot(all, lines).markup}\n`;
}

/** The first column of non-decreasing dates without gaps. */
function risingDates({ columns }: Table): Column | undefined {
  return columns.find(
    ({ kind, values, missing }) =>
      kind === "date" &&
      missing === 0 &&
      values !== undefined &&
      values.every((day, i) => i === 0 || day >= values[i - 1]),
  );
}

/** The rows sorted by the column of --order, which also names them. */
function inOrder(
  series: TableRows,
  order: Column | undefined,
  kept: Int32Array | undefined,
  grouping: Column | undefined,
): OrderedRows {
  const names = grouping && textsOf(grouping);
  const groups = names && (kept === undefined ? names : Array.from(kept, (i) => names[i]));
  if (order === undefined) return { ...series, ...(groups && { groups }) };
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
    ...(groups && { groups: places.map((i) => groups[i]) }),
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

/** For each row, the number of its run of equal labels. */
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

/** Facts about all series, and below them one line for each. */
function reports(all: TableRows, cuts: readonly Cut[], metric: Mahalanobis | undefined): string[] {
  const delta = meanDelta(cuts);
  const lines = columns([
    ["series", "rows", "segments", ...(delta === undefined ? [] : ["Delta"]), "cut before"],
    ...cuts.map(({ series, found, delta: own }) => [
      series.name!,
      String(series.X.rows),
      String(found.clusters),
      ...(own === undefined ? [] : [own.toFixed(3)]),
      segmentsOf(found, series)
        .slice(1, 13)
        .map(({ first }) => first)
        .join(", ") + (found.clusters > 13 ? ", ..." : ""),
    ]),
  ]);
  const facts = [["result", "no cuts are better"], ...deltaFact(delta, all, ", mean")];
  return [...cutFacts(all, `, ${cuts.length} series`, metric, facts), "", ...lines];
}

function report(all: TableRows, { series, found, delta }: Cut, metric: Mahalanobis | undefined): string[] {
  const count = plural(found.clusters, "segment");
  return cutFacts(all, "", metric, [
    ["result", `${count}, no cuts are better; objective ${found.objective.toPrecision(6)}`],
    ...deltaFact(delta, series, ""),
    ...segmentsOf(found, series).map(({ segment: k, first, last, rows }) => [
      `segment ${k}`,
      `${first} to ${last}, ${plural(rows, "row")}`,
    ]),
  ]);
}

function deltaFact(delta: number | undefined, { label }: Pick<TableRows, "label">, more: string): string[][] {
  return delta === undefined ? [] : [["Delta", `${delta.toFixed(3)} to the runs of ${label!.name}${more}`]];
}

function cutFacts(
  { source, X, notes }: TableRows,
  series: string,
  metric: Mahalanobis | undefined,
  facts: readonly string[][],
): string[] {
  const under = metric === undefined ? "Euclidean" : `${metric.method}, rank ${metric.rank}`;
  const data = `${source}, ${X.rows} rows x ${X.cols} features${series}`;
  return factLines([["data", data], ["metric", under], ...facts], notes);
}
