/** The words of SQL that its dialects share, or write each in its way. */
import { numericError } from "./messages.ts";

export interface SqlWords {
  /** A quoted name of a column; of a table, one part of its name. */
  name(name: string): string;
  text(value: string): string;
}

/** Of DuckDB and Postgres. */
export const standardWords: SqlWords = {
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  text: (value) => `'${value.replaceAll("'", "''")}'`,
};

export const sparkWords: SqlWords = {
  name: (name) => `\`${name.replaceAll("`", "``")}\``,
  text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
};

/** A double, digit for digit: with an exponent no engine reads it as a decimal. */
export function double(value: number): string {
  if (!Number.isFinite(value)) throw numericError(`${value} cannot be written as SQL`);
  const written = value.toExponential();
  return value < 0 || Object.is(value, -0) ? `(${written})` : written;
}

/** The least of some values. */
export function leastOf(values: readonly string[]): string {
  return values.length === 1 ? values[0] : `least(${values.join(", ")})`;
}
