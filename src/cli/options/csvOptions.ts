import { Option, type Command } from "commander";
import { optionError } from "../../core/errors.ts";

let safe = false;

/** Whether CSV must contain no text that a spreadsheet takes for a formula. */
export function spreadsheetSafe(): boolean {
  return safe;
}

/** Commands whose --out is CSV. */
const WRITERS: readonly string[] = [
  "cluster",
  "apply",
  "classify",
  "select",
  "embed",
  "segment",
  "compare",
  "data",
];

export function csvOptions(command: Command): void {
  if (!WRITERS.includes(command.name())) return;
  const says =
    "write CSV in which a spreadsheet takes no text for a formula: an apostrophe before =, +, -, @";
  command.addOption(new Option("--spreadsheet-safe", says));
}

/** Called with the command before it runs. */
export function noteCsvOptions(command: Command): void {
  const { spreadsheetSafe, engine } = command.opts<{ spreadsheetSafe?: boolean; engine?: string }>();
  safe = spreadsheetSafe === true;
  if (safe && (engine === "duckdb" || engine === "spark")) {
    throw optionError(
      `--spreadsheet-safe: with --engine ${engine} the engine writes the file; leave one of them out`,
    );
  }
}
