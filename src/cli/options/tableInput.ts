import { existsSync } from "node:fs";
import { InvalidArgumentError, type Command, Option } from "commander";
import type { OnProgress } from "../../core/index.ts";
import { fileError, option, optionError } from "../../core/internal.ts";
import {
  examples,
  exampleText,
  isNamedData,
  namedData,
  type Missing,
  type NumberTable,
  type ReadColumnsOptions,
  type Source,
  type Table,
  type WrittenRows,
} from "../../data/index.ts";
import { KNOWN_CLASSES, numberTable, textColumns } from "../../data/internal.ts";
import { byAngle } from "../../features/index.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { prepare, prepareNumbers, type ClusterOptions, type Prepared } from "../../run/index.ts";
import { prepareMeasured, type MeasuredBy } from "../../run/internal.ts";
import type { Space } from "../../model/index.ts";
import { usedColumns } from "../../model/internal.ts";
import { nameList } from "./arguments.ts";
import { keptSources } from "./keptSources.ts";

/** The options with which every command reads a table and converts it to numbers. */
export interface TableOptions {
  readonly label?: string;
  readonly id?: string;
  readonly use?: readonly string[];
  readonly ignore?: readonly string[];
  readonly categorical?: readonly string[];
  readonly as?: Readonly<Record<string, string>>;
  readonly na?: readonly string[];
  readonly missing?: "fill" | "drop" | "refuse";
  readonly scale?: ClusterOptions["scale"];
  readonly weights?: "auto" | "equal";
  readonly text?: readonly string[];
  readonly adjust?: readonly string[];
  readonly batch?: string;
  readonly strict?: boolean;
  readonly format?: string;
  readonly header?: boolean;
  readonly delimiter?: string;
  readonly decimal?: "." | ",";
  readonly encoding?: string;
  readonly sheet?: string;
  readonly vector?: string;
  readonly data?: string;
}

/** The use of the class column in a command. */
const LABEL_USE = {
  scored: "used only for the scores, never a feature",
  learned: "the target, never a feature",
  "set aside": "set aside, never a feature",
} as const;

export const DATA_HELP =
  "a file (CSV, TSV, JSON, NDJSON, Parquet, Arrow, .xlsx, .npy, LIBSVM; gzip or not), several, - or the name of a data set";

/** Columns: their role and their kind. */
export function columnOptions(
  command: Command,
  label: keyof typeof LABEL_USE = "set aside",
  { use = true }: { readonly use?: boolean } = {},
): void {
  command.optionsGroup("Columns:");
  command
    .option("-l, --label <column>", `column of known classes: ${LABEL_USE[label]}`)
    .option("--id <column>", "column that names the rows");
  if (use)
    command.option("--use <columns>", "use these columns and no others, separated by commas", nameList);
  command
    .option("--ignore <columns>", "columns to leave out, separated by commas", nameList)
    .option(
      "--as <column=kind,...>",
      "read a column as number, category, ordered:low|mid|high, date, text, id or vector",
      columnKinds,
    )
    .option("--na <marks>", "additional marks for a missing cell, separated by commas", nameList)
    .addOption(
      new Option(
        "--missing <how>",
        "missing cells: fill from the other cells, drop the row, refuse (default: fill)",
      ).choices(["fill", "drop", "refuse"]),
    )
    .option("--strict", "refuse columns that are not numbers, and missing cells")
    .option("--categorical <columns>", "the same as --as COLUMN=category for each of these", nameList);
  command.optionsGroup("Options:");
}

/** How columns become numbers. */
export function featureOptions(
  command: Command,
  { weights = true }: { readonly weights?: boolean } = {},
): void {
  command.optionsGroup("Columns:");
  if (weights) {
    command.addOption(
      new Option(
        "--weights <how>",
        "column weights: auto (by their relation to other columns) or equal",
      ).choices(["auto", "equal"]),
    );
  }
  command
    .addOption(
      new Option(
        "--scale <kind>",
        "common scale of the columns: auto, zscore, minmax, robust, unit (rows by angle), none (default: auto)",
      ).choices(["auto", "zscore", "minmax", "robust", "unit", "none"]),
    )
    .option(
      "--text <columns>",
      "columns of free text to use, or: none (default: those whose words relate to other columns)",
      nameList,
    )
    .option(
      "--adjust <columns>",
      "remove the influence of these columns on the others, separated by commas",
      nameList,
    )
    .option("--batch <column>", "scale the rows of each value of this column separately");
  command.optionsGroup("Options:");
}

/** How files are read. */
export function fileOptions(command: Command): void {
  command
    .optionsGroup("Files:")
    .option("--format <format>", "format of the file (default: by content, then by extension)")
    .option("--header", "CSV: the first row names the columns (default: decided by its cells)")
    .option("--no-header", "CSV: the first row is a row of data")
    .option("--delimiter <character>", "CSV: the separator of the cells, or: tab (default: detected)")
    .addOption(
      new Option("--decimal <mark>", "CSV: the decimal mark (default: detected)").choices([".", ","]),
    )
    .option("--encoding <name>", "CSV: utf-8, utf-16le, windows-1252, ... (default: detected)")
    .option(
      "--sheet <name>",
      "spreadsheet: name or position of the sheet, from 1 (default: the first visible one with cells)",
    )
    .option(
      "--vector <column>",
      "column of vectors, or the prefix of columns that form one; none: keep them separate",
    )
    .option("--data <folder>", "folder of further named data sets (default: KINDRED_DATA)")
    .optionsGroup("Options:");
}

/** "price=number,grade=ordered:low|mid|high" */
function columnKinds(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const entries = nameList(text).map((part) => {
    const at = part.lastIndexOf("=");
    if (at < 1 || at === part.length - 1)
      throw new InvalidArgumentError("It must be: column=kind, separated by commas.");
    return [part.slice(0, at), part.slice(at + 1)] as const;
  });
  return { ...before, ...Object.fromEntries(entries) };
}

/** A table, and its numbers if it has nothing else. */
export interface Input {
  readonly table: Table;
  /** For named data sets, sparse files, --strict and --batch: numbers without interpretation. */
  readonly numbers?: NumberTable;
  /** The rows of the files as they are written, for a copy; absent for data without such a file. */
  readonly written?: () => AsyncGenerator<WrittenRows, void, undefined>;
}

/**
 * The purpose of reading: columns of a space of plain numbers are read as numbers, the others are left out.
 */
export interface ReadFor {
  readonly space: Space;
  /** The column of classes may be absent. */
  readonly labelIfThere?: boolean;
}

/**
 * Reads files, standard input (`-`) or a named data set.
 *
 * @param copied whether `written` will be called: then what comes through a pipe is kept
 */
export async function readInput(
  sources: readonly string[],
  options: TableOptions,
  onProgress: OnProgress,
  by?: ReadFor,
  copied = false,
): Promise<Input> {
  const [source] = sources;
  const asked = by && [...usedColumns(by.space)].find((name) => options.ignore?.includes(name));
  if (asked !== undefined) {
    throw optionError(`${option("ignore")}: the metric was learned on the column "${asked}"`);
  }
  if (sources.length === 1 && source !== "-" && !existsSync(source)) {
    if (!(await isNamedData(source, options.data))) {
      throw fileError(`there is no file ${source}, and no data set of that name ("kindred data" lists them)`);
    }
    if (Object.hasOwn(examples, source)) {
      const { readColumns } = await import("../../data/columns/readColumns.ts");
      const text = new TextEncoder().encode(exampleText(source));
      return { table: { ...(await readColumns(text, readingOf(options, onProgress))), source } };
    }
    return readNamed(source, options, by);
  }
  for (const path of sources) {
    if (path !== "-" && !existsSync(path))
      throw fileError(`there is no file ${path} (several sources must all be files)`);
  }
  const kept = copied ? keptSources(sources) : undefined;
  const opened: readonly Source[] = kept?.sources ?? sources;
  const again = (files: Table["files"]) =>
    async function* (): AsyncGenerator<WrittenRows, void, undefined> {
      kept!.requireUnchanged();
      const { writtenRows } = await import("../../data/columns/writtenRows.ts");
      yield* writtenRows(opened, files, readingOf(options));
      kept!.requireUnchanged();
    };
  const numeric =
    options.strict === true
      ? option("strict")
      : options.batch !== undefined
        ? option("batch")
        : by?.space.kind === "scaling"
          ? option("metric")
          : isSparseFile(source, options)
            ? "LIBSVM"
            : undefined;
  if (numeric !== undefined) {
    if (sources.length > 1) throw optionError(`${numeric}: rows are read from one file`);
    requireNumeric(numeric, options);
    const numbers = await strictNumbers(opened[0], options, onProgress, by);
    return {
      table: { source: numbers.source, rows: numbers.X.rows, columns: textColumns(numbers), notes: [] },
      numbers,
      ...(copied && !isSparseFile(source, options) && { written: again(undefined) }),
    };
  }
  const { readColumns } = await import("../../data/columns/readColumns.ts");
  const table = await readColumns(opened.length === 1 ? opened[0] : opened, readingOf(options, onProgress));
  return { table, ...(copied && { written: again(table.files) }) };
}

/** The options of reading, in the form of the library. */
export function readingOf(options: TableOptions, onProgress?: OnProgress): ReadColumnsOptions {
  const { na, format, header, decimal, encoding, vector, strict } = options;
  const sheet =
    options.sheet !== undefined && /^\d+$/.test(options.sheet) ? Number(options.sheet) : options.sheet;
  const delimiter = options.delimiter === "tab" ? "\t" : options.delimiter;
  const all = {
    as: kindsOf(options),
    na,
    format: format as ReadColumnsOptions["format"],
    header,
    decimal,
    delimiter,
    encoding,
    sheet,
    vector,
    strict,
    onProgress,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function kindsOf({ as, categorical }: TableOptions): Record<string, string> | undefined {
  if (as === undefined && categorical === undefined) return undefined;
  return { ...Object.fromEntries((categorical ?? []).map((name) => [name, "category"])), ...as };
}

export const isSparseFile = (source: string, { format }: TableOptions): boolean =>
  format === "libsvm" || (format === undefined && /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i.test(source));

/** Options for columns of any kind, which tables of plain numbers lack. */
const KINDS = ["use", "as", "na", "weights", "text", "adjust", "encoding", "sheet", "vector"] as const;

function requireNumeric(route: string, options: TableOptions): void {
  const given = KINDS.find((name) => options[name] !== undefined);
  if (given !== undefined) {
    throw optionError(`${option(given)} cannot be combined with ${route}, which reads plain numbers`);
  }
}

/** Columns unknown to a metric are left out; levels are its columns called NAME=LEVEL. */
function unknownTo({ space }: ReadFor, names: readonly string[]): string[] {
  const known = usedColumns(space);
  const levels = new Set(
    [...known].flatMap((name) => (name.includes("=") ? [name.slice(0, name.indexOf("="))] : [])),
  );
  return names.filter((name) => !known.has(name) && !levels.has(name));
}

async function strictNumbers(
  source: Source,
  options: TableOptions,
  onProgress: OnProgress,
  by?: ReadFor,
): Promise<NumberTable> {
  const { label, batch, id, ignore, categorical, missing, format, header, decimal } = options;
  const delimiter = options.delimiter === "tab" ? "\t" : options.delimiter;
  const all = categorical?.length === 1 && categorical[0] === "all";
  const given = {
    label,
    batch,
    id,
    ignore,
    categorical: all ? ("onehot" as const) : categorical,
    format: format as NumberFormat,
  };
  const { readNumbers } = await import("../../data/files/readNumbers.ts");
  const gaps: Missing | undefined = missing === "fill" ? "mean" : missing;
  const layout = { format: given.format, header, decimal, delimiter, missing: gaps };
  if (by === undefined) return readNumbers(source, { ...defined({ ...given, ...layout }), onProgress });
  const aside = [label, id, batch];
  let unused: readonly string[] = [];
  const numbers = await readNumbers(source, {
    ...defined(layout),
    onProgress,
    roles: (columns) => {
      const others = columns.map(({ name }) => name).filter((name) => !aside.includes(name));
      unused = unknownTo(by, others).filter((name) => ignore?.includes(name) !== true);
      const there = by.labelIfThere !== true || columns.some(({ name }) => name === label);
      const roles = {
        label: there ? label : undefined,
        id,
        batch,
        categorical: given.categorical,
        ignore: [...(ignore ?? []), ...unused],
      };
      return defined(roles);
    },
  });
  return { ...numbers, notes: [...numbers.notes, ...unusedText(unused)] };
}

function unusedText(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`columns that the model does not use: ${names.slice(0, 10).join(", ")}`];
}

function defined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

type NumberFormat = "csv" | "tsv" | "json" | "ndjson" | "parquet" | "arrow" | "libsvm";

const FILE_OPTIONS = [
  "batch",
  "id",
  "as",
  "na",
  "categorical",
  "format",
  "header",
  "delimiter",
  "decimal",
  "encoding",
  "sheet",
  "vector",
] as const;

async function readNamed(name: string, options: TableOptions, by?: ReadFor): Promise<Input> {
  for (const given of FILE_OPTIONS) {
    if (options[given] !== undefined)
      throw optionError(`${option(given)} is for files; "${name}" is a named data set`);
  }
  const missing = options.missing === "fill" ? "mean" : options.missing;
  const numbers = await namedData(name, { folder: options.data, missing });
  if (options.label !== undefined && options.label !== numbers.label?.name) {
    throw optionError(
      `"${name}" has no known classes called "${options.label}"; they are "${numbers.label?.name}"`,
    );
  }
  const sparse = !("data" in numbers.X);
  if (sparse) {
    const { source, X } = numbers;
    return { table: { source, rows: X.rows, columns: textColumns(numbers), notes: [] }, numbers };
  }
  const table = numberTable(numbers);
  if (by === undefined || by.space.kind === "features") return { table };
  requireNumeric(option("metric"), options);
  return { table, numbers: { ...numbers, notes: unusedText(unknownTo(by, numbers.names)) } };
}

/** Numbers up to which sparse rows are made dense. */
const MOST_NUMBERS = 4e7;

/** The numbers of a table, by the options that concern its columns. */
export function prepareInput(
  { table, numbers }: Input,
  options: TableOptions & {
    readonly seed?: number;
    readonly method?: string;
    readonly distances?: string;
    /** There are hints about some rows. */
    readonly told?: boolean;
  },
  by?: MeasuredBy,
): Prepared {
  const { label, id, use, ignore, scale, missing, weights, adjust, seed } = options;
  const text = textOption(options);
  const free = scale === undefined || scale === "auto";
  if (numbers !== undefined && by === undefined && free && isSparse(numbers.X)) {
    // Sparse rows are often counts, which are compared by angle; others are scaled without centring.
    const { rows, cols } = numbers.X;
    if (rows * cols <= MOST_NUMBERS && byAngle(toDense(numbers.X))) {
      return prepare(numberTable(numbers), {
        label: numbers.label?.name,
        ...(seed !== undefined && { seed }),
      });
    }
  }
  if (numbers !== undefined) {
    const kind = scale === undefined || scale === "auto" ? "zscore" : scale;
    if (kind !== "zscore" && kind !== "minmax" && kind !== "none") {
      throw optionError(`${option("scale")} ${kind} is for tables that are read column by column`);
    }
    return prepareNumbers(numbers, {
      scale: kind,
      ...(by !== undefined && { by }),
    });
  }
  if (by !== undefined) {
    const aside = [named(table, label), id, ...(ignore ?? [])].filter((name) => name !== undefined);
    return prepareMeasured(table, by, aside);
  }
  const { method, distances } = options;
  const given = {
    method,
    distances,
    label: named(table, label),
    id,
    use,
    ignore,
    scale,
    missing,
    weights,
    text,
    adjust,
    seed,
  };
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return prepare(table, present, options.told ?? false);
}

/** "none" and "auto" are not columns. */
export function textOption({ text }: TableOptions): ClusterOptions["text"] {
  return text?.length === 1 && (text[0] === "none" || text[0] === "auto") ? text[0] : text;
}

/** The classes of a named data set are never a feature. */
function named({ columns }: Table, label: string | undefined): string | undefined {
  return label ?? columns.find(({ why }) => why === KNOWN_CLASSES)?.name;
}
