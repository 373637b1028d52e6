import type { OnProgress } from "../../core/index.ts";
import {
  environment,
  fileError,
  hasWildcard,
  note,
  option,
  optionError,
  pathExists,
} from "../../core/internal.ts";
import { columnRecord, type Format, type ScaleKind } from "../../data/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { FeatureOptions } from "../../features/index.ts";
import { isSparse, toDense } from "../../matrix/index.ts";
import { usedColumns } from "../../model/internal.ts";
import type { PassedRows, SummedRows, TableRows } from "../../rows/index.ts";
import type { BatchOptions } from "../../scale/index.ts";
import { wholeText } from "./modelFile.ts";
import { namedRowFiles, placeOf, refuse, requirePlainNumbers } from "../plan.ts";
import { keptTexts, type Prepared, prepareInput, textOption } from "./prepare.ts";
import { delimiterOf, type Input, isSparseFile, type ReadFor, readingOf, readInput } from "./readTable.ts";
import type { EngineWords, Request, RowsRequest, TableRequest } from "../request.ts";

/** The request of a command that learns from rows, and its purpose. */
export type LearnRequest = RowsRequest & {
  /**
   * Whether there is a target to learn. Then every column has the same weight, because a column unrelated to the
   * others may relate to the classes; and columns with one prefix are not joined to a vector, because they are
   * reported one by one.
   */
  readonly target?: boolean;
  /** Whether the rows of a file are written again, as they are written there. */
  readonly copied?: boolean;
};

/** How rows are opened. */
export interface Opening {
  readonly onProgress: OnProgress;
  /** Called with an engine before the work; the function that it returns, after the work. */
  readonly onEngine?: (engine: Engine) => () => void;
}

/** Rows in memory, with their table. */
export interface ReadRows extends TableRows {
  readonly input: Input;
  readonly prepared: Prepared;
}

/** Rows in memory as numbers, or else rows that are summed where they are. */
export async function withRows<T>(
  sources: readonly string[],
  request: LearnRequest,
  opening: Opening,
  work: (rows: ReadRows | SummedRows) => Promise<T>,
): Promise<T> {
  const place = placeOf(sources, request);
  if (place === "memory") return work(await readRows(sources, request, opening.onProgress));
  requirePlainNumbers(request);
  return place === "engine"
    ? withEngineRows(request, false, opening, work)
    : withNumberStream(sources[0], request, opening.onProgress, work);
}

/** Rows of an engine for commands that look at single rows. */
const LOOKED_AT = 20_000;

/** A table in memory: that of files, or of random rows of an engine. */
export async function readOrSample(
  sources: readonly string[],
  request: RowsRequest,
  onProgress: OnProgress,
  ...how: [by?: ReadFor, copied?: boolean]
): Promise<Input> {
  if (placeOf(sources, request) !== "engine") return readInput(sources, request, onProgress, ...how);
  return withEngineRows(request, true, { onProgress }, async (rows) => {
    const { table, rows: all } = await rows.sample(LOOKED_AT, request.seed ?? 0);
    if (table.rows === all) return { table };
    const message = `these are ${table.rows} random rows of ${all}`;
    return { table: { ...table, notes: [...table.notes, note("sample", message)] } };
  });
}

/** Rows in memory, as numbers. */
export async function readRows(
  sources: readonly string[],
  request: LearnRequest,
  onProgress: OnProgress,
): Promise<ReadRows> {
  const input = await readOrSample(
    sources,
    forTarget(sources, request),
    onProgress,
    undefined,
    request.copied,
  );
  const prepared = prepareInput(input, weighed(request));
  return { ...rowsOf(prepared, request), input, prepared };
}

/**
 * The rows of a table on an engine.
 *
 * @param cells whether columns of any type are read; otherwise they are plain numbers; "some": if some are no numbers
 */
export async function withEngineRows<T>(
  request: RowsRequest,
  cells: boolean | "some",
  { onEngine }: Opening,
  work: (rows: SummedRows) => Promise<T>,
): Promise<T> {
  const [{ openEngineCells, openEngineTable }, { engineRows }] = await Promise.all([
    import("../../engine/engineTable.ts"),
    import("../../rows/engineRows.ts"),
  ]);
  const { label, id, ignore, missing, query, table: name } = request;
  const engine = await openEngine(request);
  const ended = onEngine?.(engine);
  try {
    const source = query === undefined ? { table: name! } : { query };
    const aside = new Set([label, id, ...(ignore ?? [])]);
    const opened = cells === false ? undefined : await openEngineCells(engine, source, id);
    const isPlain = ({ name: column, kind }: { readonly name: string; readonly kind: string }): boolean =>
      kind === "number" || kind === "vector" || aside.has(column);
    const any = cells === true || (cells === "some" && !opened!.columns.every(isPlain));
    const table = any
      ? opened!.table
      : await openEngineTable(engine, source, {
          label,
          id,
          ignore,
          missing: missing === "drop" ? "drop" : "refuse",
        });
    return await work(engineRows(table, readingOf(request), !any));
  } finally {
    ended?.();
    await engine.close();
  }
}

/** The rows of files in batches: columns of any kind if some of them are not plain numbers. */
export async function withStream<T>(
  source: string,
  request: Request,
  onProgress: OnProgress,
  work: (rows: PassedRows) => Promise<T>,
): Promise<T> {
  const { isOfAnyKind } = await import("./streamKind.ts");
  if (namedRowFiles(request).length === 0 && !(await isOfAnyKind(source, request))) {
    requirePlainNumbers(request);
    return withNumberStream(source, request, onProgress, work);
  }
  const { cellRows } = await import("../../rows/featureStream.ts");
  const { label, id, use, ignore, scale, missing, weights, seed = 0 } = request;
  const features: FeatureOptions = { use, ignore, scale, missing, weights, text: textOption(request), seed };
  return work(await cellRows(source, { reading: readingOf(request), features, label, id, onProgress }));
}

async function withNumberStream<T>(
  source: string,
  request: RowsRequest,
  onProgress: OnProgress,
  work: (rows: SummedRows) => Promise<T>,
): Promise<T> {
  const [{ rowBatches }, { streamRows }] = await Promise.all([
    import("../../scale/rowBatches.ts"),
    import("../../rows/streamRows.ts"),
  ]);
  const reading = batchOptions(source, request);
  const batches = (told?: OnProgress) =>
    rowBatches(source, { ...reading, ...(told && { onProgress: told }) });
  return work(streamRows({ source, batches }, onProgress));
}

/** Options that need all rows at once are refused. */
function batchOptions(source: string, request: RowsRequest): BatchOptions {
  requireFiles(source);
  refuse(
    request,
    ["batch", "categorical", "data"],
    (name) => `${name}: not for a stream, because it needs a look at the rows first`,
  );
  const { label, id, ignore, format, header, decimal } = request;
  const missing = request.missing === "fill" ? undefined : request.missing;
  const layout = { format: format as Format | undefined, header, delimiter: delimiterOf(request), decimal };
  return { label, id, ignore, missing, ...layout };
}

export function requireFiles(source: string): void {
  if (source === "-" || hasWildcard(source) || pathExists(source)) return;
  throw fileError(`there is no file ${source}; a stream is read from files or from - (standard input)`);
}

/** Rows that are not all in memory are scaled through their sums. */
export function scaleOfSums({ scale }: TableRequest): ScaleKind {
  if (scale === undefined || scale === "auto") return "zscore";
  if (scale === "zscore" || scale === "minmax" || scale === "none") return scale;
  throw optionError(`${option("scale")} ${scale} needs all rows at once; give zscore, minmax or none`);
}

/** Columns with one prefix stay separate in a file with a target. */
export function forTarget<T extends LearnRequest>(sources: readonly string[], request: T): T {
  const file = sources.length > 1 || sources[0] === "-" || (sources.length === 1 && pathExists(sources[0]));
  if (request.target !== true || !file || request.strict === true || request.batch !== undefined)
    return request;
  return isSparseFile(sources[0], request) ? request : { ...request, vector: request.vector ?? "none" };
}

/** Columns have equal weights if there is a target. */
export function weighed<T extends LearnRequest>(request: T): T {
  return request.target === true ? { ...request, weights: "equal" } : request;
}

/** The input of a method, from a table that was converted to numbers. */
export function rowsOf(prepared: Prepared, request: Pick<TableRequest, "label" | "id" | "batch">): TableRows {
  const { table, X, rows, names, sources, space } = prepared;
  const used = usedColumns(space);
  const label = keptTexts(table, rows, request.label, "classes");
  const ids = keptTexts(table, rows, request.id, "names");
  const batch = keptTexts(table, rows, request.batch);
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

async function openEngine(
  request: EngineWords & { readonly threads?: number; readonly writeTable?: string },
): Promise<Engine> {
  const { engine, database, memory, threads, remote, writeTable } = request;
  const setup = setupOf(request);
  if (engine === "duckdb") {
    const { duckdb } = await import("../../engine/duckdb.ts");
    const readOnly = database !== undefined && setup === undefined && writeTable === undefined;
    return duckdb({ database, readOnly, memory, threads, setup });
  }
  const { spark } = await import("../../engine/spark.ts");
  return spark({ remote: withToken(remote!), setup });
}

/** Bytes of a file of statements. */
const MOST_SETUP = 1e8;

/** The file comes first, so that the statements can use what it attaches. */
function setupOf({ setup, setupFile }: EngineWords): string | undefined {
  if (setupFile === undefined) return setup;
  const read = wholeText(setupFile, MOST_SETUP, "list of statements");
  return setup === undefined ? read : `${read}\n;\n${setup}`;
}

/** A token should not be on a command line, where every user of the machine can read it. */
function withToken(remote: string): string {
  const token = environment("KINDRED_SPARK_TOKEN");
  if (token === undefined || /;token=/.test(remote)) return remote;
  const slashed = /^sc:\/\/[^/]*$/.test(remote) ? `${remote}/` : remote;
  return `${slashed}${slashed.endsWith(";") ? "" : ";"}token=${encodeURIComponent(token)}`;
}
