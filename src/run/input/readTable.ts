import type { OnProgress } from "../../core/index.ts";
import { fileError, option, optionError, pathExists } from "../../core/internal.ts";
import {
  examples,
  exampleText,
  isNamedData,
  type Missing,
  namedData,
  type NumberTable,
  type ReadColumnsOptions,
  type Source,
  type Table,
  type WrittenRows,
} from "../../data/index.ts";
import { numberTable, textColumns } from "../../data/internal.ts";
import type { Space } from "../../model/index.ts";
import { usedColumns } from "../../model/internal.ts";
import { keptSources } from "./keptSources.ts";
import { OF_ANY_KIND, OF_FILES, refuse, type TableRequest } from "../request.ts";

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
  options: TableRequest,
  onProgress: OnProgress,
  by?: ReadFor,
  copied = false,
): Promise<Input> {
  const [source] = sources;
  if (source === undefined) throw optionError("give a file or the name of a data set");
  const asked = by && [...usedColumns(by.space)].find((name) => options.ignore?.includes(name));
  if (asked !== undefined) {
    throw optionError(`${option("ignore")}: the metric was learned on the column "${asked}"`);
  }
  if (sources.length === 1 && source !== "-" && !pathExists(source)) {
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
    if (path !== "-" && !pathExists(path))
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
    requireNumbers(numeric, options);
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
export function readingOf(options: TableRequest, onProgress?: OnProgress): ReadColumnsOptions {
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

function kindsOf({ as, categorical }: TableRequest): Record<string, string> | undefined {
  if (as === undefined && categorical === undefined) return undefined;
  return { ...Object.fromEntries((categorical ?? []).map((name) => [name, "category"])), ...as };
}

export const isSparseFile = (source: string, { format }: TableRequest): boolean =>
  format === "libsvm" || (format === undefined && /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i.test(source));

function requireNumbers(route: string, options: TableRequest): void {
  const wrong = (name: string): string =>
    `${name} cannot be combined with ${route}, which reads plain numbers`;
  refuse(options, ["use", ...OF_ANY_KIND], wrong);
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
  options: TableRequest,
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

async function readNamed(name: string, options: TableRequest, by?: ReadFor): Promise<Input> {
  const ofFiles = ["id", "as", "na", ...OF_FILES.filter((one) => one !== "data")];
  refuse(options, ofFiles, (given) => `${given} is for files; "${name}" is a named data set`);
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
  requireNumbers(option("metric"), options);
  return { table, numbers: { ...numbers, notes: unusedText(unknownTo(by, numbers.names)) } };
}
