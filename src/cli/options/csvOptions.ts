import { Option, type Command } from "commander";
import { optionError } from "../../core/internal.ts";

let safe = false;
let tabs = false;

/** Whether CSV must contain no text that a spreadsheet takes for a formula. */
export function spreadsheetSafe(): boolean {
  return safe;
}

/** Of the file that --out names: a tab for .tsv and .tab, otherwise a comma. */
export function outDelimiter(): "," | "\t" {
  return tabs ? "\t" : ",";
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
    "write an apostrophe before cells that begin with =, +, - or @, so that no spreadsheet runs them as formulas";
  command.addOption(new Option("--spreadsheet-safe", says));
}

/** Called with the command before it runs. */
export function noteCsvOptions(command: Command): void {
  const { spreadsheetSafe, engine, out } = command.opts<{
    spreadsheetSafe?: boolean;
    engine?: string;
    out?: string;
  }>();
  safe = spreadsheetSafe === true;
  tabs = out !== undefined && /\.(?:tsv|tab)$/i.test(out);
  if (safe && (engine === "duckdb" || engine === "spark")) {
    throw optionError(
      `--spreadsheet-safe: with --engine ${engine} the engine writes the file; leave one of them out`,
    );
  }
}
