import type { OnProgress } from "../core/progress.ts";
import { rowBatches, type BatchOptions, type RowBatch } from "../scale/index.ts";
import { sourceFiles } from "../scale/sourceFiles.ts";

/** Files that are read in batches, as often as asked for. */
export interface StreamSource {
  batches(onProgress?: OnProgress): AsyncGenerator<RowBatch, void, undefined>;
  /** What reads them, if it is not this library itself. */
  readonly reader?: string;
  close(): Promise<void>;
}

/** What DuckDB may hold while it reads; its own buffers, and what waits to be fetched. */
const READER_MEMORY = "400MB";

/** Parquet files are read by DuckDB where it is installed: it takes an eighth of the time (bench/engines.mjs). */
export async function streamSource(source: string, reading: BatchOptions): Promise<StreamSource> {
  const engine = (await isParquetSource(source, reading)) ? await reader() : undefined;
  if (engine === undefined) {
    return {
      batches: (onProgress) => rowBatches(source, { ...reading, ...(onProgress && { onProgress }) }),
      close: () => Promise.resolve(),
    };
  }
  const { parquetBatches } = await import("../engine/parquetBatches.ts");
  return {
    batches: (onProgress) =>
      parquetBatches(engine, source, { ...reading, ...(onProgress && { onProgress }) }),
    reader: engine.name,
    close: () => engine.close(),
  };
}

async function isParquetSource(source: string, reading: BatchOptions): Promise<boolean> {
  if (source === "-" || (reading.format !== undefined && reading.format !== "parquet")) return false;
  const { isParquet } = await import("../engine/parquetBatches.ts");
  const [first] = await sourceFiles(source);
  return typeof first === "string" && isParquet(first);
}

/** Undefined where DuckDB is not installed, or does not run here. */
async function reader() {
  const { duckdb } = await import("../engine/duckdb.ts");
  return duckdb({ memory: READER_MEMORY }).catch(() => undefined);
}
