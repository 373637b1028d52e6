import { plural } from "../../core/internal.ts";
import type { Command } from "commander";
import type { RowsRequest } from "../../run/index.ts";
import { prepareInput, readOrSample, sourcesOf } from "../../run/internal.ts";
import { addEngineWords, addTableWords, DATA_HELP } from "../options/words.ts";
import { columnText } from "../output/columnText.ts";
import { noteLines, withProgress } from "../output/terminal.ts";
import { openOutputs } from "../output/outputs.ts";

/** `kindred columns`: how a table's columns are read, before any clustering. */
export function define(command: Command): void {
  command.argument("[data...]", DATA_HELP);
  addTableWords(command);
  addEngineWords(command);
  command.option("--json", "print one JSON object");
  command.addHelpText(
    "after",
    "\n--as COLUMN=KIND changes a decision; all commands that take a table decide in the same way.",
  );
  command.action((given: readonly string[], flags: RowsRequest) => show(command, given, flags));
}

async function show(command: Command, given: readonly string[], flags: RowsRequest): Promise<void> {
  const outputs = await openOutputs(command, []);
  const input = await withProgress((onProgress) => readOrSample(sourcesOf(given, flags), flags, onProgress));
  const { table } = input;
  const prepared = prepareInput(input, flags);
  const notes = [...table.notes, ...prepared.notes];
  const became = new Map(prepared.columns.map((column) => [column.name, column] as const));
  await outputs.answer({
    json: () => ({
      source: table.source,
      rows: table.rows,
      columns: table.columns.map(({ name, kind, why, missing, reading }) => {
        const { became: becomes = "", weight = 0, why: used = "" } = became.get(name) ?? {};
        return { name, kind, why, missing, reading, becomes, weight, used };
      }),
      notes,
    }),
    text: () =>
      [
        `${table.source}, ${plural(table.rows, "row")}\n\n`,
        `${columnText(table, prepared, Number.POSITIVE_INFINITY)}\n`,
        ...noteLines(notes).map(({ text }) => `note: ${text}\n`),
      ].join(""),
  });
}
