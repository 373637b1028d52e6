import { inputError, option, optionError, rule, sourceFiles } from "../core/internal.ts";
import { type ReadOptions, type Source, type TextColumn, applyScaling, type Scaling } from "../data/index.ts";
import { FORMATS, numberParts, type Part } from "../data/internal.ts";
import { takeColumns, type Matrix } from "../matrix/index.ts";
import type { Labeling } from "../score/index.ts";

/** Some rows of a source, in its order. */
export interface RowBatch {
  readonly names: readonly string[];
  readonly X: Matrix;
  readonly label?: TextColumn;
  readonly ids?: TextColumn;
  /** The source file of the rows. */
  readonly source: string;
  /** The number of earlier rows. */
  readonly first: number;
  /** Releases the memory of X when it is no longer needed; X is invalid then. */
  readonly release?: () => void;
}

/**
 * A path or `-`, a path with wildcards, several paths, a browser's data (bytes, a Blob, a stream), or a
 * function that starts a pass over other rows, for example from a database.
 */
export type BatchSource = Source | readonly string[] | (() => AsyncIterable<RowBatch>);

export type BatchOptions = rule.OptionsOf<typeof RULES>;

/**
 * The rows of files of any size as matrices of about a megabyte: CSV, TSV, NDJSON, Parquet (a row group is decoded at a
 * time) and Arrow IPC, gzipped or not. The next block is read when the next batch is requested, except for
 * one block ahead; leaving the loop closes the file.
 *
 *     for await (const { X, label } of rowBatches("data/*.parquet", { label: "y" })) ...
 *
 * All files must have the columns of the first, in any order.
 */
export async function* rowBatches(
  source: BatchSource,
  options: BatchOptions = {},
): AsyncGenerator<RowBatch, void, undefined> {
  if (typeof source !== "function") return yield* fileBatches(source, options);
  const resolved: BatchOptions = checked(options);
  const meant = Object.keys(RULES).find((name) => resolved[name as keyof BatchOptions] !== undefined);
  if (meant !== undefined) throw optionError(`${option(meant)} is for files; these batches are given`);
  yield* source();
}

async function* fileBatches(
  source: Source | readonly string[],
  options: BatchOptions,
): AsyncGenerator<RowBatch, void, undefined> {
  const resolved: BatchOptions = checked(options);
  const files = await sourceFiles(source);
  let known: { names: readonly string[]; source: string } | undefined;
  let first = 0;
  for (const [k, file] of files.entries()) {
    let order: Int32Array | undefined;
    let seen = false;
    for await (const part of numberParts(file, optionsOf(resolved, k, files.length))) {
      known ??= { names: part.names, source: part.source };
      if (!seen) order = arrangement(part, known);
      seen = true;
      const { X, label, ids } = part;
      yield {
        names: known.names,
        X: order === undefined ? X : takeColumns(X, order),
        ...(label && { label }),
        ...(ids && { ids }),
        source: part.source,
        first,
      };
      first += X.rows;
    }
  }
  if (first === 0) {
    const told = typeof source === "string" ? source : "the source";
    throw inputError(
      `${told} has no rows of data${resolved.missing === "drop" ? " without missing values" : ""}`,
    );
  }
}

/** Whether a second pass can be made. */
export function isReopenable(source: BatchSource): boolean {
  if (typeof source === "string") return source !== "-";
  if (Array.isArray(source)) return !source.includes("-");
  return (
    typeof source === "function" ||
    source instanceof Uint8Array ||
    source instanceof URL ||
    (typeof Blob !== "undefined" && source instanceof Blob)
  );
}

const RULES = {
  /** The column of known classes; read as text. */
  label: rule.text("a column name"),
  /** The column that names the rows; read as text. */
  id: rule.text("a column name"),
  ignore: rule.names,
  /** Default "refuse": an empty cell, NA, NaN, null or ? is an error that gives its position; "drop" leaves the row out. */
  missing: rule.oneOf(["refuse", "drop"]),
  format: rule.oneOf(FORMATS),
  header: { ...rule.flag(true), fallback: undefined },
  delimiter: rule.text("one character"),
  decimal: rule.oneOf([".", ","]),
  /** Returning false stops: the next batch is an error that says so. */
  onProgress: rule.progress,
};

function checked(options: BatchOptions): BatchOptions {
  if ((options.missing as string | undefined) === "mean") {
    throw optionError(
      `rowBatches: ${option("missing")} cannot be "mean" in a stream, whose mean is known only after the last row; ` +
        `take "drop" or "refuse", or fill the cells first`,
    );
  }
  return rule.resolveOptions("rowBatches", options, RULES);
}

function optionsOf({ onProgress, ...rest }: BatchOptions, file: number, files: number): ReadOptions {
  return {
    ...rest,
    ...(onProgress && {
      onProgress: ({ fraction, label }) => onProgress({ fraction: (file + fraction) / files, label }),
    }),
  };
}

/** The positions of the first file's columns in this file; undefined if they are in the same order. */
function arrangement(
  part: Part,
  known: { names: readonly string[]; source: string },
): Int32Array | undefined {
  const { names, source } = part;
  if (names.length === known.names.length && names.every((name, j) => name === known.names[j]))
    return undefined;
  const place = new Map(names.map((name, j) => [name, j]));
  const lacking = known.names.find((name) => !place.has(name));
  if (lacking !== undefined) {
    throw inputError(`${source} has no column "${lacking}", which ${known.source} has`);
  }
  const expected = new Set(known.names);
  const extra = names.find((name) => !expected.has(name));
  if (extra !== undefined) {
    throw inputError(`${source} has the column "${extra}", which ${known.source} does not have`);
  }
  return Int32Array.from(known.names, (name) => place.get(name)!);
}

/** Sums of rows that come in batches. */
export interface Accumulator<R> {
  /** Adds rows with their labels, if they have any. */
  add(X: Matrix, labels?: Labeling): void;
  result(): R;
}

/** What an accumulator finds in one pass over a source of any size; it is opened with the names of the columns. */
export async function summedBatches<R>(
  who: string,
  source: BatchSource,
  options: BatchOptions,
  open: (names: readonly string[]) => Accumulator<R>,
): Promise<R> {
  let accumulator: Accumulator<R> | undefined;
  for await (const { X, label, names, release } of rowBatches(source, options)) {
    accumulator ??= open(names);
    accumulator.add(X, label?.values);
    release?.();
  }
  if (accumulator === undefined) throw inputError(`${who}: the source has no batches`);
  return accumulator.result();
}

/**
 * The batches of a source, scaled: `() => scaledBatches(files, scaling)` is a source that can be read
 * repeatedly.
 */
export async function* scaledBatches(
  source: BatchSource,
  scaling: Scaling,
  options: BatchOptions = {},
): AsyncGenerator<RowBatch, void, undefined> {
  const names = scaling.kept.map((j) => scaling.columns[j]);
  for await (const { release, ...batch } of rowBatches(source, options)) {
    const X = applyScaling(scaling, batch.X);
    release?.();
    yield { ...batch, names, X };
  }
}
