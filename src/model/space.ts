import type { Note } from "../core/index.ts";
import { inputError, note, option, listed } from "../core/internal.ts";
import {
  applyScaling,
  conform,
  type Column,
  type ColumnRecord,
  type NumberTable,
  type Scaling,
  type Table,
} from "../data/index.ts";
import { applyFeatures, columnsOf } from "../features/index.ts";
import { isSparse, matrix, takeColumns, toDense, type Matrix } from "../matrix/index.ts";
import { loadAnyMetric, type AnyMetric } from "../metric/index.ts";
import type { Space, TableSpace } from "./placedForm.ts";

/** Rows of another table in the space of a model. */
export interface SpacedRows {
  readonly X: Matrix;
  /** The table rows behind the rows of X; absent: all of them. */
  readonly rows?: Int32Array;
  readonly notes: readonly Note[];
}

/** The table columns of a space. */
export function usedColumns(space: Space): ReadonlySet<string> {
  if (space.kind === "features") return new Set(columnsOf(space.record));
  const { scaling, batch } = space;
  return new Set([...scaling.columns, ...(batch === undefined ? [] : [batch])]);
}

/** How the cells of the columns of a space are read: a model of sums knows only that they are numbers. */
export function recordsOf({ columns, space }: TableSpace): ColumnRecord[] {
  const known = new Map(columns.map((column) => [column.name, column] as const));
  const batch = space.kind === "scaling" ? space.batch : undefined;
  return Array.from(
    usedColumns(space),
    (name): ColumnRecord => known.get(name) ?? { name, kind: name === batch ? "id" : "number", reading: {} },
  );
}

/** Converts the rows of a table to a space. */
export function spaceOf(space: Space): (table: Table) => SpacedRows {
  return spaceUnder(space, space.metric && loadAnyMetric(space.metric));
}

/** The same under a metric that is loaded already. */
export function spaceUnder(space: Space, metric: AnyMetric | undefined): (table: Table) => SpacedRows {
  const turned = (X: Matrix): Matrix => (metric === undefined ? X : (metric.transform(X) as Matrix));
  if (space.kind === "features") {
    return (table) => {
      const applied = applyFeatures(space.record, table);
      return { ...applied, X: turned(applied.X) };
    };
  }
  const { scaling } = space;
  return (table) => {
    const groups = space.batch === undefined ? undefined : textsOf(columnsNamed(table, [space.batch])[0]);
    const X = turned(applyScaling(scaling, numbersOf(table, scaling.columns), groups));
    return { X, notes: ignored(table, scaling.columns) };
  };
}

/** Converts a table that was read without the model: its cells are interpreted by the records. */
export function placingIn({ columns, space }: TableSpace): (table: Table) => SpacedRows {
  const spaced = spaceOf(space);
  const used = usedColumns(space);
  const records = columns.filter(({ name }) => used.has(name));
  return (table) => {
    const like = conform(table, records);
    const { notes, ...rows } = spaced(like);
    // Unknown levels are reported once.
    const told = new Set(
      like.notes.filter(({ code }) => code === "unknown-level").map(({ column }) => column),
    );
    const own = notes.filter(({ code, column }) => code !== "unknown-level" || !told.has(column));
    return { ...rows, notes: [...like.notes, ...own] };
  };
}

/** The scaling of a space with columns of plain numbers only; undefined otherwise. */
export function scalingOf(space: Space): Scaling | undefined {
  if (space.kind === "scaling") return space.scaling;
  const { parts, scale } = space.record;
  const center: number[] = [];
  const spread: number[] = [];
  for (const { encoding, weight, adjust } of parts) {
    if (scale === "unit" || encoding.form !== "number" || adjust !== undefined) return undefined;
    const { transform, clip, levels, since, amount } = encoding;
    if (transform !== "none" || (clip ?? levels ?? since ?? amount) !== undefined) {
      return undefined;
    }
    center.push(encoding.center);
    spread.push(encoding.spread / Math.sqrt(weight));
  }
  const kind = scale === "minmax" || scale === "none" ? scale : "zscore";
  return {
    kind,
    columns: parts.map(({ column }) => column),
    kept: parts.map((_, f) => f),
    centered: true,
    groups: [{ center, scale: spread }],
  };
}

/** The columns of a table by name, as numbers; an error names a missing cell or column. */
function numbersOf(table: Table, names: readonly string[]): Matrix {
  const columns = columnsNamed(table, names);
  const X = matrix(table.rows, names.length);
  names.forEach((name, f) => {
    const values = valuesOf(columns[f], table);
    for (let i = 0; i < table.rows; i++) {
      if (!Number.isFinite(values[i])) {
        throw inputError(`${table.source}: row ${i}, column "${name}" has no number, which the model needs`, {
          code: "missing-cell",
          column: name,
          row: i,
        });
      }
      X.data[i * names.length + f] = values[i];
    }
  });
  return X;
}

function columnsNamed({ columns, source }: Table, names: readonly string[]): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column] as const));
  const absent = names.filter((name) => !byName.has(name));
  if (absent.length === 0) return names.map((name) => byName.get(name)!);
  const listed = absent.slice(0, 5).map((name) => `"${name}"`);
  throw inputError(`${source} has no column ${listed.join(", ")}, which the model needs`, {
    code: "column-absent",
    column: absent[0],
  });
}

/** The cells of a column as text, "" where missing. */
export function textsOf(column: Column): string[] {
  const { cells, codes, levels, values } = column;
  if (cells !== undefined) return Array.from(cells);
  if (codes !== undefined) return Array.from(codes, (code) => levels?.[code] ?? "");
  return Array.from(values ?? [], (value) => (Number.isNaN(value) ? "" : String(value)));
}

function valuesOf(column: Column, { source }: Table): Float64Array {
  if (column.values !== undefined && column.kind !== "date") return column.values;
  if (column.vectors !== undefined)
    throw inputError(`${source}: column "${column.name}" holds vectors, not numbers`);
  return Float64Array.from(textsOf(column), (text) => (text.trim() === "" ? Number.NaN : Number(text)));
}

function ignored({ columns }: Table, names: readonly string[]): Note[] {
  const extra = columns.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  if (extra.length === 0) return [];
  return [note("columns-ignored", `columns that the model does not use: ${extra.slice(0, 10).join(", ")}`)];
}

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
  return knownColumns(table, scaling);
}

/** The same of a table that may have further columns. */
export function knownColumns(table: NumberTable, scaling: Scaling): Matrix {
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
  const missing = columns.filter((name) => !table.names.includes(name)).map((name) => `"${name}"`);
  const extra = table.names.filter((name) => !columns.includes(name)).map((name) => `"${name}"`);
  if (missing.length === 0 && extra.length === 0) return;
  const parts = [
    ...(missing.length > 0 ? [`it lacks ${listed(missing, 5)}`] : []),
    ...(extra.length > 0
      ? [`the ${what} does not know ${listed(extra, 5)} (${option("ignore")} leaves columns out)`]
      : []),
  ];
  throw inputError(`${table.source} does not have the columns of ${source}: ${parts.join("; ")}`);
}
