import type { Command } from "commander";
import { optionError } from "../../core/errors.ts";
import { writeCsv } from "../../data/index.ts";
import { row } from "../../matrix/index.ts";
import { inputOptions, readInput, type InputOptions } from "../input.ts";
import { readMetricFile, scaledFor } from "../metricFile.ts";
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
    .argument("<metric>", "what kindred metric --model wrote")
    .argument("<data>", "rows with the columns that the metric was learned on, in any order")
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
  const metricFile = readMetricFile(model);
  const progress = progressLine();
  const table = await readInput(source, options, progress.onProgress);
  progress.done();
  const scaled = scaledFor(table, metricFile);
  const { metric } = metricFile;
  let lines: Iterable<string>;
  if (options.distances === undefined) {
    const X = metric.transform(scaled);
    const names = Array.from({ length: X.cols }, (_, r) => `${metric.method}${r + 1}`);
    lines = writeCsv({ ids: table.ids, names, X, label: table.label });
  } else {
    const pairs = await readPairs(options.distances, table);
    const distances = pairs.map(([i, j]) => metric.distance(row(scaled, i), row(scaled, j)));
    const name = (i: number): string => table.ids?.values[i] ?? String(i);
    lines = writeCsv({
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
  if (file === undefined) return writeOut(lines);
  file.write(lines);
  tell(`wrote ${file.path}`);
}
