import { optionError } from "./errors.ts";

/** Refuses the name of a file that an engine cannot write labels to. */
export function requireLabelFile(file: string): void {
  if (/\.(?:parquet|csv)$/.test(file)) return;
  throw optionError(`labels are written as .parquet or .csv, which ${file} does not end in`);
}
