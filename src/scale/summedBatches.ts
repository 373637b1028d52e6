import { inputError } from "../core/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import type { Labeling } from "../score/index.ts";
import { rowBatches, type BatchOptions, type BatchSource } from "./rowBatches.ts";

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

/** Refuses to merge statistics of different columns. */
export function requireSameColumns(
  a: { readonly names: readonly string[] },
  b: { readonly names: readonly string[] },
): void {
  if (a.names.length === b.names.length && a.names.every((name, f) => name === b.names[f])) return;
  throw inputError(
    `statistics of the columns ${a.names.join(", ")} cannot be merged with those of ${b.names.join(", ")}`,
  );
}
