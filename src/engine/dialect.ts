import { numericError } from "../core/internal.ts";

/** The differences between the SQL of the engines; all other SQL of Kindred is common to both. */
export interface Dialect {
  readonly engine: "duckdb" | "spark";
  /** A quoted name of a column; of a table, one part of its name. */
  name(name: string): string;
  text(value: string): string;
  /** The names and types of the columns of a FROM clause. */
  describe(from: string): string;
  /**
   * A number in [0, 1) that depends only on the values of the expressions and the seed, not on the order of
   * rows.
   */
  uniform(expressions: readonly string[], seed: number): string;
  /** Numbers of a list, null of null. */
  length(list: string): string;
  /** Number f of a list, from 0. */
  element(list: string, f: number): string;
  /** The type of text. */
  readonly textType: string;
  /**
   * Doubles as one value; a column of them named `ROW` is returned row by row. Absent if columns are equally
   * fast.
   */
  readonly row?: (expressions: readonly string[]) => string;
}

/** The name of a column of whole rows. */
export const ROW = "kindred_row";

export const duckdbDialect: Dialect = {
  engine: "duckdb",
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  text: (value) => `'${value.replaceAll("'", "''")}'`,
  describe: (from) => `describe select * from ${from}`,
  uniform: (expressions, seed) =>
    `cast(hash(${[seed, ...expressions].join(", ")}) & 9007199254740991 as double) / 9007199254740992e0`,
  length: (list) => `len(${list})`,
  element: (list, f) => `${list}[${f + 1}]`,
  textType: "varchar",
  row: (expressions) => `[${expressions.join(", ")}]`,
};

export const sparkDialect: Dialect = {
  engine: "spark",
  name: (name) => `\`${name.replaceAll("`", "``")}\``,
  text: (value) => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`,
  describe: (from) => `describe query select * from ${from}`,
  uniform: (expressions, seed) =>
    `cast(xxhash64(${[seed, ...expressions].join(", ")}) & 9007199254740991 as double) / 9007199254740992e0`,
  length: (list) => `case when ${list} is not null then size(${list}) end`,
  element: (list, f) => `${list}[${f}]`,
  textType: "string",
};

/** A double, digit for digit: with an exponent neither engine reads it as a decimal. */
export function double(value: number): string {
  if (!Number.isFinite(value)) throw numericError(`${value} cannot be written as SQL`);
  const written = value.toExponential();
  return value < 0 || Object.is(value, -0) ? `(${written})` : written;
}

/** A sum of products coefficient * expression, without zero coefficients. */
export function linear(coefficients: ArrayLike<number>, expressions: readonly string[]): string {
  const terms = expressions.flatMap((expression, j) =>
    coefficients[j] === 0
      ? []
      : [coefficients[j] === 1 ? expression : `${double(coefficients[j])} * ${expression}`],
  );
  return terms.length === 0 ? double(0) : `(${terms.join(" + ")})`;
}
