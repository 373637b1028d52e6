import type { OnProgress } from "../../core/index.ts";
import {
  fileError,
  fileSystem,
  nodeModule,
  option,
  optionError,
  pathExists,
  defined,
} from "../../core/internal.ts";
import {
  examples,
  exampleText,
  type Format,
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
import { refuse } from "../plan.ts";
import { OF_ANY_KIND, OF_FILES, type TableRequest } from "../request.ts";

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
  const numeric = numericRoute(source, options, by);
  if (numeric !== undefined) {
    if (sources.length > 1) throw optionError(`${numeric}: rows are read from one file`);
    requireNumbers(numeric, options);
    const numbers = await strictNumbers(opened[0], options, onProgress, by);
    return {
      ...withoutNumbers(numbers),
      ...(copied && !isSparseFile(source, options) && { written: again(undefined) }),
    };
  }
  const { readColumns } = await import("../../data/columns/readColumns.ts");
  const table = await readColumns(opened.length === 1 ? opened[0] : opened, readingOf(options, onProgress));
  return { table, ...(copied && { written: again(table.files) }) };
}

/** The options of reading, in the form of the library. */
export function readingOf(options: TableRequest, onProgress?: OnProgress): ReadColumnsOptions {
  const { na, format, header, decimal, encoding, vector, strict, sheet: named = "" } = options;
  const sheet = /^\d+$/.test(named) ? Number(named) : options.sheet;
  return defined({
    as: kindsOf(options),
    na,
    format: format as ReadColumnsOptions["format"],
    header,
    decimal,
    delimiter: delimiterOf(options),
    encoding,
    sheet,
    vector,
    strict,
    with: options.with,
    onProgress,
  });
}

function kindsOf({ as, categorical }: TableRequest): Record<string, string> | undefined {
  if (as === undefined && categorical === undefined) return undefined;
  return { ...Object.fromEntries((categorical ?? []).map((name) => [name, "category"])), ...as };
}

export const isSparseFile = (source: string, { format }: TableRequest): boolean =>
  format === "libsvm" || (format === undefined && /\.(?:libsvm|svm|svmlight)(?:\.gz)?$/i.test(source));

/** Why the rows are read as plain numbers; undefined if they are not. */
function numericRoute(source: string, options: TableRequest, by?: ReadFor): string | undefined {
  if (options.strict === true) return option("strict");
  if (options.batch !== undefined) return option("batch");
  if (by?.space.kind === "scaling") return option("metric");
  return isSparseFile(source, options) ? "LIBSVM" : undefined;
}

function requireNumbers(route: string, options: TableRequest): void {
  const wrong = (name: string): string =>
    `${name} cannot be combined with ${route}, which reads plain numbers`;
  refuse(options, ["use", "with", "categorical", ...OF_ANY_KIND], wrong);
}

/** Columns unknown to a metric are left out. */
function unknownTo({ space }: ReadFor, names: readonly string[]): string[] {
  const known = usedColumns(space);
  return names.filter((name) => !known.has(name));
}

async function strictNumbers(
  source: Source,
  options: TableRequest,
  onProgress: OnProgress,
  by?: ReadFor,
): Promise<NumberTable> {
  const { label, batch, id, ignore, format, header, decimal } = options;
  const roles = { label, batch, id, ignore };
  const layout = defined({
    format: format as Format,
    header,
    decimal,
    delimiter: delimiterOf(options),
    missing: gapsOf(options),
    onProgress,
  });
  const { readNumbers } = await import("../../data/files/readNumbers.ts");
  if (by === undefined) return readNumbers(source, { ...layout, ...defined(roles) });
  let unused: readonly string[] = [];
  const numbers = await readNumbers(source, {
    ...layout,
    roles: (names) => {
      const others = names.filter((name) => ![label, id, batch].includes(name));
      unused = unknownTo(by, others).filter((name) => ignore?.includes(name) !== true);
      const there = by.labelIfThere !== true || (label !== undefined && names.includes(label));
      return defined({
        ...roles,
        label: there ? label : undefined,
        ignore: [...(ignore ?? []), ...unused],
      });
    },
  });
  return { ...numbers, notes: [...numbers.notes, ...unusedText(unused)] };
}

/** Plain numbers, beside a table of the other columns. */
function withoutNumbers(numbers: NumberTable): Input {
  const { source, X } = numbers;
  return { table: { source, rows: X.rows, columns: textColumns(numbers), notes: [] }, numbers };
}

/** The separator of cells, which may be called by a word. */
export function delimiterOf({ delimiter }: TableRequest): string | undefined {
  return delimiter === "tab" ? "\t" : delimiter;
}

/** What becomes of missing cells among plain numbers. */
function gapsOf({ missing }: TableRequest): Missing | undefined {
  return missing === "fill" ? "mean" : missing;
}

function unusedText(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`columns that the model does not use: ${names.slice(0, 10).join(", ")}`];
}

async function readNamed(name: string, options: TableRequest, by?: ReadFor): Promise<Input> {
  const ofFiles = ["id", "as", "na", ...OF_FILES.filter((one) => one !== "data")];
  refuse(options, ofFiles, (given) => `${given} is for files; "${name}" is a named data set`);
  const numbers = await namedData(name, { folder: options.data, missing: gapsOf(options) });
  if (options.label !== undefined && options.label !== numbers.label?.name) {
    throw optionError(
      `"${name}" has no known classes called "${options.label}"; they are "${numbers.label?.name}"`,
    );
  }
  const sparse = !("data" in numbers.X);
  if (sparse) return withoutNumbers(numbers);
  const table = numberTable(numbers);
  if (by === undefined || by.space.kind === "features") return { table };
  requireNumbers(option("metric"), options);
  return { table, numbers: { ...numbers, notes: unusedText(unknownTo(by, numbers.names)) } };
}

/** Sources that are read twice. */
interface KeptSources {
  readonly sources: readonly Source[];
  /** Refuses a file that was written to since. */
  requireUnchanged(): void;
}

/** Standard input and pipes can be read only once: what they give is kept in memory for the second reading. */
function keptSources(paths: readonly string[]): KeptSources {
  const before = paths.map(stamp);
  return {
    sources: paths.map((path, k) => (before[k] === undefined ? keptChunks(path) : path)),
    requireUnchanged() {
      const changed = paths.find((path, k) => before[k] !== undefined && stamp(path) !== before[k]);
      if (changed === undefined) return;
      throw fileError(`${changed} changed while the command ran, so its rows cannot be copied; run it again`);
    },
  };
}

/** Undefined for what is not a file. */
function stamp(path: string): string | undefined {
  const fs = fileSystem();
  if (path === "-" || fs?.existsSync(path) !== true) return undefined;
  const found = fs.statSync(path);
  return found.isFile() ? `${found.size} ${found.mtimeMs}` : undefined;
}

/** The chunks of the first reading, and again for a second one. */
function keptChunks(path: string): Source {
  const name = path === "-" ? "standard input" : path;
  const kept: Uint8Array[] = [];
  let opened = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (opened) return yield* kept;
    opened = true;
    const input = nodeModule<{ stdin: AsyncIterable<Uint8Array> }>("process")!.stdin;
    for await (const chunk of path === "-" ? input : fileSystem()!.createReadStream(path)) {
      kept.push(chunk);
      yield chunk;
    }
  }
  return Object.assign({ [Symbol.asyncIterator]: chunks }, { name });
}
