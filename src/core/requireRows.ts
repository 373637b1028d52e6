import { inputError } from "./errors.ts";

/** For clusterings, before columns are judged: a single row makes all columns constant. */
export function requireRows(source: string, rows: number): void {
  if (rows >= 2) return;
  throw inputError(`${source} has ${rows} row${rows === 1 ? "" : "s"}; clustering needs at least two`);
}
