import type { Command } from "commander";
import { optionError } from "../../core/errors.ts";
import type { NumberTable } from "../../data/index.ts";
import { writeCsv } from "../csvOutput.ts";
import { row } from "../../matrix/index.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { clusterFile, type ClusterFile } from "../modelFile.ts";
import { type MetricFile, metricFile, readModelJson, scaledFor } from "../metricFile.ts";
import { outputFile } from "../outputFile.ts";
import { readPairs } from "../pairFile.ts";
import { progressLine } from "../progressLine.ts";
import { tell, writeOut } from "../stdout.ts";

interface ApplyOptions extends InputOptions {
  readonly distances?: string;
  readonly out?: string;
}

export function define(command: Command): void {
  command
    .argument("<model>", "what kindred metric --model, or kindred cluster --model, wrote")
    .argument("<data>", "rows with the columns that it was learned on, in any order")
    .option(
      "--distances <pairs>",
      "write the distance of these pairs of rows instead of the transformed rows",
    )
    .option("--out <file>", "write to a file instead of standard output");
  inputOptions(command);
  command.action(apply);
}

async function apply(model: string, source: string, options: ApplyOptions): Promise<void> {
  if (options.distances === "-" && source === "-") {
    throw optionError("standard input can be the data or the pairs, not both");
  }
  const file = options.out === undefined ? undefined : outputFile(options.out, "--out");
  const parsed = readModelJson(model);
  const clusters = parsed.kind === "clustering" ? clusterFile(model, parsed) : undefined;
  if (clusters !== undefined && options.distances !== undefined) {
    throw optionError(
      "--distances: a clustering gives the cluster of each row; only a metric gives distances",
    );
  }
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  progress.done();
  const lines =
    clusters === undefined
      ? await measured(metricFile(model, parsed), table, options)
      : placed(clusters, table);
  if (file === undefined) return writeOut(lines);
  await file.write(lines);
  tell(`wrote ${file.path}`);
}

/** The cluster of each row. */
function placed(file: ClusterFile, table: NumberTable): Iterable<string> {
  const values = file.place(scaledFor(table, file, "clustering"));
  return writeCsv({ ids: table.ids, columns: [{ name: "cluster", values }] });
}

/** The rows under the metric, or the distances of pairs of them. */
async function measured(
  file: MetricFile,
  table: NumberTable,
  options: ApplyOptions,
): Promise<Iterable<string>> {
  const scaled = scaledFor(table, file);
  const { metric } = file;
  if (options.distances === undefined) {
    const X = metric.transform(scaled);
    const names = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
    return writeCsv({ ids: table.ids, names, X, label: table.label });
  }
  const pairs = await readPairs(options.distances, table);
  const distances = pairs.map(([i, j]) => metric.distance(row(scaled, i), row(scaled, j)));
  const name = (i: number): string => table.ids?.values[i] ?? String(i);
  return writeCsv({
    columns: [
      { name: "a", values: pairs.map(([i]) => name(i)) },
      { name: "b", values: pairs.map(([, j]) => name(j)) },
      { name: "distance", values: distances },
      ...(metric.threshold === undefined
        ? []
        : [{ name: "same", values: distances.map((value) => Number(value <= metric.threshold!)) }]),
    ],
  });
}
