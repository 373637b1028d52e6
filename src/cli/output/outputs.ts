import type { Command } from "commander";
import { flagOf, optionError } from "../../core/internal.ts";
import { writeCsv, type WritableTable, type WriteOptions } from "../../data/index.ts";
import { noteInputs } from "./inputFiles.ts";
import { outputFile, requireDifferent, type OutputFile } from "./outputFile.ts";
import { tell, writeOut, writeText } from "./terminal.ts";

type Parts = Iterable<string> | AsyncIterable<string>;

/** What a command writes: its files, and its answer on standard output. */
export interface Outputs {
  /** How CSV is written. */
  readonly csv: WriteOptions;
  /** Whether an option names a file, or standard output. */
  has(option: string): boolean;
  /** Writes the content of an option; nothing if it is not given. */
  write(option: string, parts: Parts): Promise<void>;
  /** The same for a table as CSV. */
  writeTable(option: string, table: WritableTable): Promise<void>;
  /**
   * One JSON object, or the text for people, which makes room for data on standard output.
   *
   * @param written what an engine has written, beside the files
   */
  answer(
    answer: { readonly json: () => object; readonly text: () => string },
    ...written: readonly (string | undefined)[]
  ): Promise<void>;
}

/** The options of a command that name an output, with those that say how it is written. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly out?: string;
  readonly spreadsheetSafe?: boolean;
  readonly engine?: string;
}

/**
 * Checks the outputs of a command before anything is read: that every file can be written, that none of them is an
 * input or named twice, and that standard output gets one thing.
 *
 * @param names the options that name an output; `-` is standard output for `out` alone
 * @param data the option whose data go to standard output if neither it nor --json is given
 * @param there options of outputs that an engine writes
 */
export async function openOutputs(
  command: Command,
  names: readonly string[],
  { data, there = [] }: { readonly data?: string; readonly there?: readonly string[] } = {},
): Promise<Outputs> {
  const flags = command.opts<OutputFlags & Readonly<Record<string, unknown>>>();
  const { json, spreadsheetSafe = false, engine } = flags;
  const out = flags.out ?? (data === "out" && json !== true ? "-" : undefined);
  const pathOf = (name: string): string | undefined =>
    name === "out" ? out : (flags[name] as string | undefined);
  if (json === true && out === "-") {
    throw optionError("--json and --out - both write to standard output; give one of them a file");
  }
  if (spreadsheetSafe && engine !== undefined) {
    throw optionError(
      `--spreadsheet-safe: with --engine ${engine} the engine writes the file; leave one of them out`,
    );
  }
  if (out !== undefined && names.includes("out") && OTHER_FORMATS.test(out)) {
    throw optionError(
      `--out ${out}: tables are written as text; name the file .csv or .tsv (--engine duckdb writes .parquet)`,
    );
  }
  const files = new Map<string, OutputFile>();
  const asked = [...names, ...there].filter((name) => pathOf(name) !== undefined);
  if (asked.length > 0) {
    requireDifferent(Object.fromEntries(asked.map((name) => [flagOf(name), pathOf(name)])));
    await noteInputs(command);
  }
  for (const name of names) {
    const path = pathOf(name);
    if (path === undefined) continue;
    if (path !== "-" || name !== "out") files.set(name, outputFile(path, flagOf(name)));
  }
  const csv: WriteOptions = {
    delimiter: out !== undefined && /\.(?:tsv|tab)$/i.test(out) ? "\t" : ",",
    spreadsheetSafe,
  };
  const write = async (name: string, parts: Parts): Promise<void> => {
    const file = files.get(name);
    if (file !== undefined) await file.write(parts);
    else if (pathOf(name) === "-") await writeOut(parts);
  };
  return {
    csv,
    has: (name) => names.includes(name) && pathOf(name) !== undefined,
    write,
    writeTable: (name, table) => write(name, writeCsv(table, csv)),
    async answer(answer, ...written) {
      if (json === true) {
        const report = { command: command.name(), version: REPORT_VERSION };
        return writeOut([`${JSON.stringify({ report, ...answer.json() })}\n`]);
      }
      if (out === "-") tell(answer.text().trimEnd());
      else await writeText(answer.text());
      const paths = [...files.values()].map(({ path }) => path);
      for (const path of [...written, ...paths]) if (path !== undefined) tell(`wrote ${path}`);
    },
  };
}

/** Names of files that would promise another format than text. */
const OTHER_FORMATS = /\.(?:parquet|arrow|feather|ipc|xlsx?)$/i;

/** The version of what `--json` prints (reportForms.ts). */
export const REPORT_VERSION = 1;
