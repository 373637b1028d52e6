import { inputError, optionError } from "./errors.ts";

/** For clusterings, before columns are judged: a single row makes all columns constant. */
export function requireRows(source: string, rows: number): void {
  if (rows >= 2) return;
  throw inputError(`${source} has ${rows} row${rows === 1 ? "" : "s"}; clustering needs at least two`);
}

/** Refuses the name of a file that an engine cannot write labels to. */
export function requireLabelFile(file: string): void {
  if (/\.(?:parquet|csv)$/.test(file)) return;
  throw optionError(`labels are written as .parquet or .csv, which ${file} does not end in`);
}
