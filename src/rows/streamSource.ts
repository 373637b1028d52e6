import type { OnProgress } from "../core/index.ts";
import { sourceFiles } from "../core/internal.ts";
import { rowBatches, type BatchOptions, type RowBatch } from "../scale/index.ts";

/** Files that are read in batches, repeatedly, and in the same order each time. */
export interface StreamSource {
  /** The user's names. */
  readonly source: string;
  batches(onProgress?: OnProgress): AsyncGenerator<RowBatch, void, undefined>;
  /** How the files were read so far, for a report; `times` such as "3 passes". */
  notes(times: string): readonly string[];
  close(): Promise<void>;
}

/** Memory limit of DuckDB while it reads: its own buffers, and unfetched data. */
const READER_MEMORY = "400MB";

/**
 * Values of Parquet files that this library decodes in about a minute: above this, a note recommends DuckDB.
 */
const SLOW_VALUES = 1e9;

/**
 * How all streaming commands open files. DuckDB reads Parquet if it is installed, in less than half the time
 * (bench/engines/engines.mjs): the same rows in the same order, and the same errors. Call `close()` at the end.
 */
export async function openStream(source: string, reading: BatchOptions): Promise<StreamSource> {
  const parquet = await isParquetSource(source, reading);
  const engine = parquet ? await reader() : undefined;
  const watched = (onProgress?: OnProgress): BatchOptions => ({
    ...reading,
    ...(onProgress && { onProgress }),
  });
  if (engine !== undefined) {
    const { parquetBatches } = await import("../engine/parquetBatches.ts");
    return {
      source,
      batches: (onProgress) => parquetBatches(engine, source, watched(onProgress)),
      notes: (times) => readingNotes(times, { reader: engine.name }),
      close: () => engine.close(),
    };
  }
  let values = 0;
  return {
    source,
    async *batches(onProgress) {
      for await (const batch of rowBatches(source, watched(onProgress))) {
        values += batch.X.data.length;
        yield batch;
      }
    },
    notes: (times) => readingNotes(times, parquet ? { decoded: values } : {}),
    close: () => Promise.resolve(),
  };
}

/**
 * @param how `reader`: what reads the files, if it is not this library itself; `decoded`: values of Parquet files that
 * this library has read
 */
export function readingNotes(
  times: string,
  { reader, decoded = 0 }: { readonly reader?: string; readonly decoded?: number },
): string[] {
  return [
    `streamed in ${times}${reader === undefined ? "" : ` read by ${reader}`}; the time includes reading`,
    ...(decoded > SLOW_VALUES
      ? [
          "where DuckDB is installed, it reads Parquet in less than half the time: npm install @duckdb/node-api",
        ]
      : []),
  ];
}

/** "1 pass", "2 passes". */
export function passesText(passes: number): string {
  return `${passes} pass${passes === 1 ? "" : "es"}`;
}

async function isParquetSource(source: string, reading: BatchOptions): Promise<boolean> {
  if (source === "-" || (reading.format !== undefined && reading.format !== "parquet")) return false;
  const { isParquet } = await import("../engine/parquetBatches.ts");
  const [first] = await sourceFiles(source);
  return typeof first === "string" && isParquet(first);
}

/** Undefined if DuckDB is not installed, or does not run here. */
async function reader() {
  const { duckdb } = await import("../engine/duckdb.ts");
  return duckdb({ memory: READER_MEMORY }).catch(() => undefined);
}
