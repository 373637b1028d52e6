import { inputError, note, listed } from "../../core/internal.ts";
import { takeRawRows, textCodes, type RawColumn, type RawTable } from "./rawColumn.ts";

/** The rows of several tables with the same columns, one table after another. */
export function appendTables(tables: readonly RawTable[]): RawTable {
  const [first] = tables;
  if (tables.length === 1) return first;
  const names = first.columns.map(({ name }) => name);
  const wanted = new Set(names);
  for (const table of tables) {
    const own = new Set(table.columns.map(({ name }) => name));
    const lacks = names.filter((name) => !own.has(name)).map((name) => `"${name}"`);
    const extra = [...own].filter((name) => !wanted.has(name)).map((name) => `"${name}"`);
    if (lacks.length === 0 && extra.length === 0) continue;
    const parts = [
      ...(lacks.length > 0 ? [`lacks ${listed(lacks)}`] : []),
      ...(extra.length > 0 ? [`has ${listed(extra)}, which ${first.source} lacks`] : []),
    ];
    throw inputError(
      `${table.source} ${parts.join(" and ")}; files that are read together must have the same columns`,
    );
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const columns = names.map((name) => {
    const parts = tables.map((table) => ({
      rows: table.rows,
      source: table.source,
      column: table.columns.find((column) => column.name === name)!,
    }));
    return appended(name, parts, rows);
  });
  const source = `${first.source} and ${tables.length - 1} more`;
  const decimal = tables.find((table) => table.decimal !== undefined)?.decimal;
  const message = `${tables.length} files were read as one table of ${rows} rows`;
  return {
    source,
    rows,
    columns,
    notes: [note("appended", message), ...tables.flatMap((table) => table.notes)],
    ...(decimal && { decimal }),
  };
}

interface Part {
  readonly rows: number;
  readonly source: string;
  readonly column: RawColumn;
}

function appended(name: string, parts: readonly Part[], rows: number): RawColumn {
  const has = (key: "numbers" | "codes" | "vectors"): boolean =>
    parts.some(({ column }) => column[key] !== undefined);
  const numbers = has("numbers") ? new Float64Array(rows).fill(Number.NaN) : undefined;
  const codes = has("codes") ? new Int32Array(rows).fill(-1) : undefined;
  const { texts, codeOf } = textCodes();
  const dimensions = parts.find(({ column }) => column.dimensions !== undefined)?.column.dimensions;
  const vectors = dimensions === undefined ? undefined : new Float64Array(rows * dimensions).fill(Number.NaN);
  let at = 0;
  for (const { column, rows: own, source } of parts) {
    if (column.numbers !== undefined) numbers!.set(column.numbers, at);
    if (column.codes !== undefined && column.texts !== undefined) {
      const ofOwn = column.texts.map(codeOf);
      for (let i = 0; i < own; i++) if (column.codes[i] >= 0) codes![at + i] = ofOwn[column.codes[i]];
    }
    if (column.vectors !== undefined) {
      if (column.dimensions !== dimensions) {
        throw inputError(
          `${source}: the vectors of "${name}" have ${column.dimensions} numbers, others ${dimensions}`,
        );
      }
      vectors!.set(column.vectors, at * dimensions!);
    }
    at += own;
  }
  const [{ column: first }] = parts;
  const declared = parts.every(({ column }) => column.declared === first.declared) && first.declared;
  return {
    name,
    ...(numbers && { numbers }),
    ...(codes && { codes, texts }),
    ...(vectors && { vectors, dimensions: dimensions! }),
    ...(declared && { declared }),
  };
}

/** A table in parts of at most `most` rows; a smaller one is returned unchanged. */
export function* rawParts(raw: RawTable, most: number): Generator<RawTable, void, undefined> {
  if (raw.rows <= most) {
    yield raw;
    return;
  }
  for (let from = 0; from < raw.rows; from += most) {
    const rows = Int32Array.from({ length: Math.min(most, raw.rows - from) }, (_, i) => from + i);
    const columns = raw.columns.map((column) => takeRawRows(column, rows));
    yield { ...raw, rows: rows.length, columns };
  }
}
