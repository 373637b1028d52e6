import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { fileError, optionError } from "../../core/errors.ts";
import type { OnProgress } from "../../core/progress.ts";
import {
  isNamedData,
  namedData,
  readNumbers,
  type Format,
  type Missing,
  type NumberTable,
} from "../../data/index.ts";
import { isSparse, takeColumns } from "../../matrix/index.ts";
import { nameList } from "./arguments.ts";

/** The options by which every command that takes a table reads it. */
export interface InputOptions {
  readonly label?: string;
  readonly batch?: string;
  readonly id?: string;
  readonly ignore?: readonly string[];
  readonly categorical?: readonly string[];
  readonly missing?: Missing;
  readonly format?: Format;
  readonly header?: boolean;
  readonly delimiter?: string;
  readonly decimal?: "." | ",";
  readonly data?: string;
}

/** What a command does with the column of classes. */
const LABEL_USE = {
  scored: "only for the scores, never a feature",
  learned: "what is learned from, never a feature",
  "set aside": "set aside, never a feature",
} as const;

export function inputOptions(command: Command, label: keyof typeof LABEL_USE = "set aside"): void {
  command
    .option("-l, --label <column>", `column of known classes: ${LABEL_USE[label]}`)
    .option("--batch <column>", "scale the rows of each value of this column by themselves")
    .option("--id <column>", "column that names the rows")
    .option("--ignore <columns>", "columns to leave out, separated by commas", nameList)
    .option("--categorical <columns>", "columns of text to encode as 0 and 1, or: all", nameList)
    .addOption(
      new Option("--missing <how>", "cells without a value (default: refuse)").choices([
        "refuse",
        "mean",
        "median",
        "drop",
      ]),
    )
    .addOption(
      new Option("--format <format>", "of the file (default: by content, then by extension)").choices([
        "csv",
        "tsv",
        "json",
        "ndjson",
        "parquet",
        "arrow",
        "libsvm",
      ]),
    )
    .option(
      "--header",
      "CSV: the first row names the columns (default: it does if none of its cells is a number)",
    )
    .option("--no-header", "CSV: the first row is a row of data")
    .option("--delimiter <character>", "CSV: what separates the cells, or: tab (default: detected)")
    .addOption(new Option("--decimal <mark>", "CSV: the decimal mark (default: .)").choices([".", ","]))
    .option("--data <folder>", "folder of further named data sets (default: KINDRED_DATA)");
}

/** A file if there is one of that name, standard input for `-`, else a named data set. */
export async function readInput(
  source: string,
  options: InputOptions,
  onProgress: OnProgress,
): Promise<NumberTable> {
  if (source !== "-" && !existsSync(source)) {
    if (await isNamedData(source, options.data)) return readNamed(source, options);
    throw fileError(`there is no file ${source}, and no data set of that name ("kindred data" lists them)`);
  }
  const { label, batch, id, ignore, missing, format, header, decimal } = options;
  const delimiter = options.delimiter === "tab" ? "\t" : options.delimiter;
  const all = options.categorical?.length === 1 && options.categorical[0] === "all";
  const categorical = all ? "onehot" : options.categorical;
  const layout = { format, header, delimiter, decimal };
  return readNumbers(source, { label, batch, id, ignore, categorical, missing, ...layout, onProgress });
}

const FILE_OPTIONS = ["batch", "id", "categorical", "format", "header", "delimiter", "decimal"] as const;

async function readNamed(name: string, options: InputOptions): Promise<NumberTable> {
  for (const option of FILE_OPTIONS) {
    if (options[option] !== undefined) {
      throw optionError(`--${option} is for files; "${name}" is a named data set`);
    }
  }
  const table = await namedData(name, { folder: options.data, missing: options.missing });
  if (options.label !== undefined && options.label !== table.label?.name) {
    throw optionError(
      `"${name}" has no known classes called "${options.label}"; they are "${table.label?.name}"`,
    );
  }
  return options.ignore === undefined ? table : without(table, options.ignore);
}

function without(table: NumberTable, ignored: readonly string[]): NumberTable {
  for (const name of ignored) {
    if (!table.names.includes(name)) {
      throw optionError(
        `--ignore: "${table.source}" has no column "${name}"; it has ${table.names.join(", ")}`,
      );
    }
  }
  if (isSparse(table.X)) throw optionError(`--ignore does not apply to "${table.source}", which is sparse`);
  const kept = [...table.names.keys()].filter((j) => !ignored.includes(table.names[j]));
  if (kept.length === 0) throw optionError(`--ignore leaves no column of "${table.source}"`);
  return { ...table, names: kept.map((j) => table.names[j]), X: takeColumns(table.X, kept) };
}
