import { inputError, option } from "../core/internal.ts";
import { applyScaling, type NumberTable, type Scaling } from "../data/index.ts";
import { isSparse, takeColumns, toDense, type Matrix } from "../matrix/index.ts";

/** The learned object, for messages: "metric", and its file. */
export interface Learned {
  readonly what: string;
  readonly source: string;
}

/**
 * The rows of a table in the units of a model: its columns are found by name, in any order, then scaled like
 * the training rows.
 */
export function scaledRows(table: NumberTable, scaling: Scaling, learned: Learned): Matrix {
  requireColumns(table, scaling, learned);
  const dense = isSparse(table.X) ? toDense(table.X) : table.X;
  const ordered = takeColumns(
    dense,
    scaling.columns.map((name) => table.names.indexOf(name)),
  );
  return applyScaling(scaling, ordered, table.batch?.values);
}

/** Refuses a table that lacks a column of the model, or has an unknown one. */
export function requireColumns(
  table: { readonly source: string; readonly names: readonly string[] },
  { columns }: Scaling,
  { what, source }: Learned,
): void {
  const missing = columns.filter((name) => !table.names.includes(name));
  const extra = table.names.filter((name) => !columns.includes(name));
  if (missing.length === 0 && extra.length === 0) return;
  const parts = [
    ...(missing.length > 0 ? [`it lacks ${quoted(missing)}`] : []),
    ...(extra.length > 0
      ? [`the ${what} does not know ${quoted(extra)} (${option("ignore")} leaves columns out)`]
      : []),
  ];
  throw inputError(`${table.source} does not have the columns of ${source}: ${parts.join("; ")}`);
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => `"${name}"`);
  return `${shown.join(", ")}${names.length > 5 ? ` and ${names.length - 5} more` : ""}`;
}
