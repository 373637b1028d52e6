import { inputError } from "../../core/internal.ts";

/** JavaScript callers may pass anything, such as a promise of a table. */
export function requireTable(table: unknown, who: string): void {
  if (typeof table === "object" && table !== null && "columns" in table && Array.isArray(table.columns))
    return;
  const got = table === null ? "null" : table instanceof Promise ? "a promise; await it" : typeof table;
  throw inputError(`${who} takes a table of readTable, got ${got}`);
}
