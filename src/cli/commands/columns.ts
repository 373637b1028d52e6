import { plural } from "../../core/internal.ts";
import type { Command } from "commander";
import {
  columnOptions,
  DATA_HELP,
  featureOptions,
  fileOptions,
  prepareInput,
  readInput,
  type TableOptions,
} from "../options/tableInput.ts";
import { columnText } from "../output/clusterText.ts";
import { progressLine } from "../output/progressLine.ts";
import { writeOut } from "../output/stdout.ts";
import { noteLines } from "../output/noteLine.ts";

interface ColumnsFlags extends TableOptions {
  readonly json?: boolean;
}

/** `kindred columns`: how a table's columns are read, before any clustering. */
export function define(command: Command): void {
  command.argument("[data...]", DATA_HELP);
  columnOptions(command);
  featureOptions(command);
  fileOptions(command);
  command.option("--json", "print one JSON object");
  command.addHelpText(
    "after",
    "\n--as COLUMN=KIND changes a decision; all commands that take a table decide in the same way.",
  );
  command.action(show);
}

async function show(given: readonly string[], options: ColumnsFlags): Promise<void> {
  const progress = progressLine();
  const input = await readInput(given.length === 0 ? ["-"] : given, options, progress.onProgress).finally(
    () => progress.done(),
  );
  const { table } = input;
  const prepared = prepareInput(input, options);
  const notes = [...table.notes, ...prepared.notes];
  if (options.json === true) {
    const columns = table.columns.map(({ name, kind, why, missing, reading }) => {
      const {
        became = "",
        weight = 0,
        why: used = "",
      } = prepared.columns.find((column) => column.name === name) ?? {};
      return { name, kind, why, missing, reading, becomes: became, weight, used };
    });
    return writeOut([`${JSON.stringify({ source: table.source, rows: table.rows, columns, notes })}\n`]);
  }
  await writeOut([
    `${table.source}, ${plural(table.rows, "row")}\n\n`,
    `${columnText(table, prepared, Number.POSITIVE_INFINITY)}\n`,
    ...noteLines(notes).map(({ text }) => `note: ${text}\n`),
  ]);
}
