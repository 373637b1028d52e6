import type { OnProgress } from "../../core/progress.ts";
import { openEngineTable } from "../../engine/index.ts";
import { engineRows, streamRows, withStream, type RowSource } from "../../rows/index.ts";
import {
  engineSource,
  engineTableOptions,
  isOnEngine,
  withEngine,
  type EngineOptions,
} from "./engineInput.ts";
import { readInput, type InputOptions } from "./input.ts";
import { isStreamed, streamOptions } from "./streamInput.ts";

/** Where the rows are that a line names; wrong combinations of options are refused here. */
export function placeOf(
  source: string | undefined,
  options: InputOptions & EngineOptions,
): RowSource["kind"] {
  if (isOnEngine(source, options)) return "engine";
  return isStreamed(source!, options.stream) ? "stream" : "table";
}

/** Opens the rows that a line names, and closes their files or their engine when `work` ends. */
export async function withRows<T>(
  source: string | undefined,
  options: InputOptions & EngineOptions,
  onProgress: OnProgress,
  work: (rows: RowSource) => Promise<T>,
): Promise<T> {
  switch (placeOf(source, options)) {
    case "engine":
      return withEngine(options, async (engine) =>
        work(engineRows(await openEngineTable(engine, engineSource(options), engineTableOptions(options)))),
      );
    case "stream":
      return withStream(source!, streamOptions(source!, options), (stream) =>
        work(streamRows(stream, onProgress)),
      );
    default:
      return work({ kind: "table", table: await readInput(source!, options, onProgress) });
  }
}
