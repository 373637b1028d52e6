import { existsSync } from "node:fs";
import type { OnProgress } from "../../core/index.ts";
import { optionError } from "../../core/internal.ts";
import { columnRecord, type Format, type ScaleKind, type TextColumn } from "../../data/index.ts";
import { KNOWN_CLASSES, NAMES_ROWS } from "../../data/internal.ts";
import type { Prepared } from "../../run/index.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { textsOf } from "../../model/index.ts";
import { usedColumns } from "../../model/internal.ts";
import type { SummedRows, TableRows } from "../../rows/index.ts";
import {
  engineSource,
  engineTableOptions,
  isOnEngine,
  withEngine,
  type EngineOptions,
} from "./engineInput.ts";
import { passInput } from "./passInput.ts";
import { isStreamed, streamOptions } from "./streamInput.ts";
import { isSparseFile, prepareInput, readInput, type Input, type TableOptions } from "./tableInput.ts";

/** The options of a command that learns from rows in memory, in a stream or on an engine. */
export type RowsOptions = TableOptions & EngineOptions & Purpose & { readonly seed?: number };

export interface Purpose {
  /**
   * Whether the command has a target to learn. Then every column has the same weight, because a column
   * unrelated to the others may relate to the classes; and columns with one prefix are not joined to a
   * vector, because they are reported one by one.
   */
  readonly told?: boolean;
  /** Whether the command writes the rows of a file again, as they are written there. */
  readonly copied?: boolean;
}

/** Rows in memory, with their table. */
export interface ReadRows extends TableRows {
  readonly input: Input;
  readonly prepared: Prepared;
}

/** The location of the rows of a command line; wrong combinations of options are refused here. */
export function placeOf(
  sources: readonly string[],
  options: RowsOptions & {
    /** Whether a sample of the rows is in memory, so that their cells decide the columns. */
    readonly sampled?: boolean;
  },
): "table" | SummedRows["kind"] {
  const { missing: _, format, sampled = false, ...rest } = options;
  const asked = onEngine(options) && !sampled ? passInput(options) : { ...rest, format: format as Format };
  if (isOnEngine(sources[0], asked)) return "engine";
  return sources.length === 1 && isStreamed(sources[0], options.stream) ? "stream" : "table";
}

const onEngine = ({ engine }: EngineOptions): boolean => engine === "duckdb" || engine === "spark";

/** Rows that come through a pipe need no "-". */
export function sourcesOf(given: readonly string[], options: EngineOptions): readonly string[] {
  return given.length > 0 || onEngine(options) || process.stdin.isTTY ? given : ["-"];
}

/** Rows that are not all in memory are scaled through their sums. */
export function scaleOfSums({ scale }: TableOptions): ScaleKind {
  if (scale === undefined || scale === "auto") return "zscore";
  if (scale === "zscore" || scale === "minmax" || scale === "none") return scale;
  throw optionError(`--scale ${scale} needs all rows at once; give zscore, minmax or none`);
}

/** Opens the rows of a command line, and closes their files or their engine when `work` ends. */
export async function withRows<T>(
  sources: readonly string[],
  options: RowsOptions,
  onProgress: OnProgress,
  work: (rows: ReadRows | SummedRows) => Promise<T>,
): Promise<T> {
  switch (placeOf(sources, options)) {
    case "engine": {
      const [{ openEngineTable }, { engineRows }] = await Promise.all([
        import("../../engine/engineTable.ts"),
        import("../../rows/engineRows.ts"),
      ]);
      const asked = engineTableOptions(passInput(options));
      return withEngine(options, async (engine) =>
        work(engineRows(await openEngineTable(engine, engineSource(options), asked))),
      );
    }
    case "stream": {
      const [{ withStream }, { streamRows }] = await Promise.all([
        import("../../rows/streamSource.ts"),
        import("../../rows/streamRows.ts"),
      ]);
      return withStream(sources[0], streamOptions(sources[0], passInput(options)), (stream) =>
        work(streamRows(stream, onProgress)),
      );
    }
    default:
      return work(await readRows(sources, options, onProgress));
  }
}

/** Rows in memory, as numbers, by the same rules as those of `kindred cluster`. */
export async function readRows(
  sources: readonly string[],
  options: TableOptions & Purpose & { readonly seed?: number },
  onProgress: OnProgress,
): Promise<ReadRows> {
  const { copied = false } = options;
  const input = await readInput(sources, forPurpose(sources, options), onProgress, undefined, copied);
  const prepared = prepareInput(input, weighed(options));
  return { ...rowsOf(prepared, options), input, prepared };
}

/** Columns with one prefix stay separate in a file with a target. */
export function forPurpose<T extends TableOptions & Purpose>(sources: readonly string[], options: T): T {
  const file = sources.length > 1 || sources[0] === "-" || existsSync(sources[0]);
  if (options.told !== true || !file || options.strict === true || options.batch !== undefined)
    return options;
  return isSparseFile(sources[0], options) ? options : { ...options, vector: options.vector ?? "none" };
}

/** Columns have equal weights if there is a target. */
export function weighed<T extends TableOptions & Purpose>(options: T): T {
  return options.told === true ? { ...options, weights: "equal" } : options;
}

/** The input of a method, from a table that was converted to numbers. */
export function rowsOf(prepared: Prepared, options: Pick<TableOptions, "label" | "id" | "batch">): TableRows {
  const { table, X, rows, names, sources, space } = prepared;
  const used = usedColumns(space);
  const text = (name: string | undefined, why?: string): TextColumn | undefined => {
    const column = table.columns.find((known) =>
      name === undefined ? known.why === why : known.name === name,
    );
    if (column === undefined) return undefined;
    const values = textsOf(column);
    return { name: column.name, values: rows === undefined ? values : Array.from(rows, (i) => values[i]) };
  };
  const [label, ids] = [text(options.label, KNOWN_CLASSES), text(options.id, NAMES_ROWS)];
  const batch = options.batch === undefined ? undefined : text(options.batch);
  return {
    kind: "table",
    source: table.source,
    X: isSparse(X) ? toDense(X) : X,
    names,
    sources,
    columns:
      space.kind === "features" ? table.columns.filter(({ name }) => used.has(name)).map(columnRecord) : [],
    space,
    ...(label !== undefined && { label }),
    ...(ids !== undefined && { ids }),
    ...(batch !== undefined && { batch }),
    notes: [...table.notes, ...prepared.notes],
  };
}
