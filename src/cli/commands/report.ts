import type { Command } from "commander";
import { sizesOf } from "../../core/internal.ts";
import { placingIn } from "../../model/index.ts";
import { clusterPage } from "../../report/index.ts";
import type { TableRequest } from "../../run/index.ts";
import { idsOf, readClustering, readInput } from "../../run/internal.ts";
import { version } from "../manifest.ts";
import { drawable, pageParts } from "../output/clusterPageOf.ts";
import { openOutputs } from "../output/outputs.ts";
import { tell, tellNotes, withProgress } from "../output/terminal.ts";
import { DATA_HELP } from "../options/words.ts";

type ReportFlags = Pick<TableRequest, "id"> & { readonly out: string };

/** `kindred report`: the page of a model, with the rows of a table in its clusters. */
export function define(command: Command): void {
  command
    .argument("<model>", "a file from kindred cluster with --model")
    .argument("[data...]", `the rows to show: ${DATA_HELP}`)
    .option("--out <file>", "the page; - is standard output", "report.html")
    .option("--id <column>", "with data: the column that names the rows");
  command.action(async (path: string, given: readonly string[], { out, id }: ReportFlags) => {
    const outputs = await openOutputs(command, ["out"]);
    const model = readClustering(path);
    const { method, space, columns, seed } = model;
    const made = seed === null ? [] : [["seed", String(seed)] as const];
    const common = { ...pageParts(model), method, made, version: version() };
    if (given.length === 0) {
      const { labels, sizes } = model;
      const names = columns.map(({ name }) => name);
      await outputs.write("out", [clusterPage({ ...common, source: path, labels, sizes, names })]);
    } else {
      const { table } = await withProgress((onProgress) => readInput(given, { id }, onProgress));
      const { labels: all, notes } = model.assign(table);
      tellNotes(notes);
      const { X, rows } = placingIn({ columns, space })(table);
      const labels = rows === undefined ? all : Int32Array.from(rows, (row) => all[row]);
      const trained =
        all.length === model.labels.length && all.every((label, i) => label === model.labels[i]);
      const ids = idsOf(table, id)?.values;
      await outputs.write("out", [
        clusterPage({
          ...common,
          // Typical rows are those of the rows that were clustered.
          ...(!trained && { representatives: undefined }),
          source: table.source,
          labels,
          sizes: sizesOf(all, model.clusters),
          names: Array.from({ length: X.cols }, (_, f) => `feature ${f + 1}`),
          X: drawable(X),
          table,
          rowName: (row) => ids?.[row] ?? `row ${row}`,
        }),
      ]);
    }
    if (out !== "-") tell(`wrote ${out}`);
  });
}
