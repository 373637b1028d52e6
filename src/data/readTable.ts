import { inputError, optionError } from "../core/errors.ts";
import { flag, given, integer, oneOf, resolveOptions } from "../core/options.ts";
import {
  openSource,
  putBack,
  readAll,
  readHead,
  watched,
  type ByteReader,
  type ByteSlices,
} from "./bytes.ts";
import { readCsv } from "./csv.ts";
import { detectFormat, gunzip, HEAD, isGzip } from "./format.ts";
import type { Format, ReadOptions, Source, Table } from "./table.ts";

const FORMATS = ["csv", "tsv", "json", "ndjson", "parquet", "arrow", "libsvm"] as const;

const isText = (value: unknown): boolean => typeof value === "string";
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const RULES = {
  format: oneOf(FORMATS),
  name: given<string>("a string", isText),
  label: given<string>("a column name", isText),
  id: given<string>("a column name", isText),
  batch: given<string>("a column name", isText),
  ignore: given<readonly string[]>("an array of column names", isTextList),
  categorical: given<"refuse" | "onehot" | readonly string[]>(
    '"refuse", "onehot" or an array of column names',
    (value) => value === "refuse" || value === "onehot" || isTextList(value),
  ),
  roles: given<ReadOptions["roles"]>("a function", (value) => typeof value === "function"),
  missing: oneOf(["refuse", "mean", "median", "drop"]),
  header: { ...flag(true), fallback: undefined },
  delimiter: given<string>("one character", isText),
  decimal: oneOf([".", ","]),
  features: integer({ min: 1 }),
  onProgress: given<ReadOptions["onProgress"]>("a function", (value) => typeof value === "function"),
};

/** The options that only some formats have; given for another, they are refused. */
const ONLY: Readonly<Record<string, readonly Format[]>> = {
  header: ["csv", "tsv"],
  delimiter: ["csv", "tsv"],
  decimal: ["csv", "tsv"],
  features: ["libsvm"],
  id: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
  batch: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
  ignore: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
  categorical: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
  roles: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
  missing: ["csv", "tsv", "json", "ndjson", "parquet", "arrow"],
};

/**
 * Reads a table: CSV, TSV, JSON, NDJSON, Parquet, Arrow IPC or LIBSVM, gzipped or not.
 *
 *     const table = await readTable("wine.csv", { label: "class" });
 *
 * Every column that is not named by `label`, `id`, `batch`, `ignore` or `categorical` must hold finite numbers; what does not is
 * refused with its file, line and column.
 */
export async function readTable(source: Source, options: ReadOptions = {}): Promise<Table> {
  const resolved: ReadOptions = resolveOptions<ReadOptions, typeof RULES>("readTable", options, RULES);
  if (resolved.decimal === "," && resolved.delimiter === ",") {
    throw optionError('readTable: "decimal" and "delimiter" cannot both be a comma');
  }
  const named = (["label", "id", "batch", "ignore", "categorical"] as const).find(
    (option) => resolved.roles !== undefined && resolved[option] !== undefined,
  );
  if (named !== undefined) throw optionError(`readTable: give "roles" or "${named}", not both`);
  const open = await openSource(source, resolved.name);
  let reader = watched(open, resolved.onProgress);
  try {
    let head = await readHead(reader, HEAD);
    reader = putBack(head, reader);
    let slices = open.slices;
    if (isGzip(head)) {
      slices = undefined;
      reader = gunzip(reader, open.name);
      head = await readHead(reader, HEAD);
      reader = putBack(head, reader);
    }
    if (head.length === 0) throw inputError(`${open.name} is empty`);
    const format = resolved.format ?? detectFormat(head, open.name);
    for (const [option, formats] of Object.entries(ONLY)) {
      if (resolved[option as keyof ReadOptions] !== undefined && !formats.includes(format)) {
        throw optionError(
          `option "${option}" does not apply to ${open.name}, which is ${format.toUpperCase()}`,
        );
      }
    }
    return await readAs(format, reader, slices, open.name, { ...resolved, format });
  } finally {
    await reader.close();
  }
}

async function readAs(
  format: Format,
  reader: ByteReader,
  slices: ByteSlices | undefined,
  name: string,
  options: ReadOptions,
): Promise<Table> {
  switch (format) {
    case "csv":
    case "tsv":
      return readCsv(reader, name, options);
    case "json":
      return (await import("./json.ts")).readJson(await readAll(reader, name), name, options);
    case "ndjson":
      return (await import("./json.ts")).readNdjson(reader, name, options);
    case "libsvm":
      return (await import("./libsvm.ts")).readLibsvm(reader, name, options);
    case "parquet":
      return (await import("./parquet.ts")).readParquet(
        slices ?? (await inMemory(reader, name)),
        name,
        options,
      );
    case "arrow":
      return (await import("./arrow.ts")).readArrow(await readAll(reader, name), name, options);
  }
}

async function inMemory(reader: ByteReader, name: string): Promise<ByteSlices> {
  const { buffer } = await readAll(reader, name);
  return { byteLength: buffer.byteLength, slice: async (start, end) => buffer.slice(start, end) };
}
