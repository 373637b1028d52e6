import { inputError, option, optionError } from "../../core/internal.ts";
import {
  openSource,
  putBack,
  readAll,
  readHead,
  watched,
  type ByteReader,
  type ByteSlices,
} from "./bytes.ts";
import { readingBudget, type Budget } from "./budget.ts";
import { fillFromCsv } from "./csv.ts";
import { detectFormat, gunzip, HEAD, isGzip } from "./format.ts";
import type { FillOptions, Format, ReadOptions, Source } from "../table.ts";
import type { Filling } from "./tableBuilder.ts";

/** An open source, unpacked if necessary, with known format. */
export interface OpenTable {
  readonly name: string;
  readonly format: Format;
  readonly reader: ByteReader;
  /** If the source can be read at any position. */
  readonly slices?: ByteSlices;
  /** The memory budget of the table, by the length of the source. */
  readonly budget: Budget;
  close(): Promise<void>;
}

/** Opens a source, finds its format and refuses options for other formats. */
export async function openTable(source: Source, options: ReadOptions): Promise<OpenTable> {
  const open = await openSource(source, options.name);
  const budget = readingBudget(open.byteLength, options.budget);
  const watching = watched(open, options.onProgress);
  let { slices } = watching;
  let reader = open.byteLength === undefined ? counted(watching.reader, budget) : watching.reader;
  try {
    let head = await readHead(reader, HEAD);
    reader = putBack(head, reader);
    if (isGzip(head)) {
      slices = undefined;
      reader = gunzip(reader, open.name, options.budget);
      head = await readHead(reader, HEAD);
      reader = putBack(head, reader);
    }
    if (head.length === 0) throw inputError(`${open.name} is empty`);
    const format = options.format ?? detectFormat(head, open.name);
    for (const [named, formats] of Object.entries(ONLY)) {
      if (options[named as keyof ReadOptions] !== undefined && !formats.includes(format)) {
        throw optionError(
          `${option(named)} does not apply to ${open.name}, which is ${format.toUpperCase()}`,
        );
      }
    }
    const close = (): Promise<void> => reader.close();
    return { name: open.name, format, reader, ...(slices && { slices }), budget, close };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function counted(reader: ByteReader, budget: Budget): ByteReader {
  return {
    async read(into) {
      const got = await reader.read(into);
      budget.count(got);
      return got;
    },
    close: () => reader.close(),
  };
}

/** The options of some formats only; for other formats they are refused. */
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

/** The formats whose rows are available before the end is read. */
export async function* fill(open: OpenTable, given: FillOptions): Filling {
  const { reader, name, budget } = open;
  const options = { ...given, memory: budget };
  switch (open.format) {
    case "csv":
    case "tsv":
      return yield* fillFromCsv(reader, name, options);
    case "ndjson":
      return yield* (await import("./json.ts")).fillFromNdjson(reader, name, options);
    case "parquet": {
      const { fillFromParquet } = await import("../binary/parquet.ts");
      return yield* fillFromParquet(open.slices ?? (await inMemory(reader, name, budget)), name, options);
    }
    case "arrow":
      return yield* (await import("../binary/arrow.ts")).fillFromArrow(reader, name, options);
    default:
      throw inputError(
        `${name} is ${open.format.toUpperCase()}, which cannot be read row by row here; ` +
          `CSV, TSV, NDJSON, Parquet and Arrow can`,
      );
  }
}

async function inMemory(reader: ByteReader, name: string, budget: Budget): Promise<ByteSlices> {
  const { buffer } = await readAll(reader, name, budget.limit());
  return { byteLength: buffer.byteLength, slice: async (start, end) => buffer.slice(start, end) };
}
