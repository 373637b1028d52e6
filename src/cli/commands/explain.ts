import type { Command } from "commander";
import { option, optionError, shortName } from "../../core/internal.ts";
import { cellText, type Table } from "../../data/index.ts";
import { textsOf, type Clustering } from "../../model/index.ts";
import { explain, type TableRequest } from "../../run/index.ts";
import { readClustering, readInput, requireColumn } from "../../run/internal.ts";
import { DATA_HELP } from "../options/words.ts";
import { columns, tellNotes, withProgress, wrapped, writeText } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

type ExplainFlags = Pick<TableRequest, "id"> & { readonly row?: string };

/** `kindred explain`: what the clusters of a model are, and why one row is in its cluster. */
export function define(command: Command): void {
  command
    .argument("<model>", "a file from kindred cluster with --model")
    .argument("[data...]", `with --row: ${DATA_HELP}`)
    .option("--row <row>", "explain this row of the data: its id, or its number from 0 without ids")
    .option("--id <column>", "with --row: the column of the ids");
  command.action(async (path: string, given: readonly string[], flags: ExplainFlags) => {
    await openOutputs(command, []);
    const model = readClustering(path);
    if (flags.row === undefined) {
      if (given.length > 0) throw optionError(`${option("row")} says which row of ${given[0]} to explain`);
      return writeText(
        explain(model)
          .split("\n")
          .flatMap((line) => wrapped(line))
          .join("\n"),
      );
    }
    if (given.length === 0) throw optionError(`${option("row")}: give the table of the row after the model`);
    const { table } = await withProgress((onProgress) => readInput(given, flags, onProgress));
    return writeText(rowText(model, table, rowOf(table, flags)));
  });
}

/** The row by its id where a column names every row differently, else by its number. */
function rowOf(table: Table, { id, row = "" }: ExplainFlags): number {
  const columnsOfIds = (
    id === undefined ? table.columns.filter(({ kind }) => kind === "id") : [requireColumn(table, "id", id)]
  )
    .map((column) => ({ name: column.name, ids: textsOf(column) }))
    .filter(({ ids }) => id !== undefined || new Set(ids).size === ids.length);
  for (const { name, ids } of columnsOfIds) {
    const at = ids.indexOf(row);
    if (at >= 0 && ids.lastIndexOf(row) === at) return at;
    if (at >= 0) throw optionError(`${option("row")}: "${row}" is in several rows of column "${name}"`);
  }
  if (columnsOfIds.length === 0 && /^\d+$/.test(row) && Number(row) < table.rows) return Number(row);
  const named =
    columnsOfIds.length === 0
      ? `have numbers from 0 to ${table.rows - 1}`
      : `are named by column "${columnsOfIds[0].name}"`;
  throw optionError(`${option("row")}: "${row}" is no row of ${table.source}, whose rows ${named}`);
}

/** The columns that tell the row's cluster from the rest, beside the row's own cells. */
const MOST_COLUMNS = 8;

function rowText(model: Clustering, table: Table, row: number): string {
  const { labels, distances, next, nextDistances, notes } = model.assign(table);
  tellNotes(notes);
  const cluster = labels[row];
  if (cluster < 0)
    return `The row is in no cluster: it is like none of them, or a missing cell leaves it out.\n`;
  const { name, differences } = model.profiles[cluster];
  const cells = differences.slice(0, MOST_COLUMNS).flatMap(({ column, words }) => {
    const own = table.columns.find((one) => one.name === column);
    if (own === undefined) return [];
    // The column is named once.
    const beside = words.slice(shortName(column).length).replace(/^:? /, "");
    return [[column, cellText(own, row) || "missing", beside]];
  });
  const ratio = nextDistances[row] / distances[row];
  const second =
    next[row] < 0 || !Number.isFinite(ratio)
      ? ""
      : `The next cluster is ${next[row]} (${model.names[next[row]]}), ${ratio.toFixed(1)} times as far.`;
  return [
    ...wrapped(`The row is in cluster ${cluster} (${name}). ${second}`.trimEnd()),
    "",
    ...columns([["column", "this row", "the cluster"], ...cells]),
    "",
  ].join("\n");
}
