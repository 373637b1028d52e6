import { numericError } from "../core/internal.ts";

export type SqlDialect = "duckdb" | "spark" | "postgres";

/** The expressions of a database for queries of models. */
export interface Dialect {
  name(name: string): string;
  text(value: string): string;
  /** A cell of a column of numbers as a double. */
  toDouble(cell: string): string;
  /** Days since 1970-01-01 of a date or a time, with their fraction. */
  days(cell: string): string;
  /** The inner product of an array of numbers with another one. */
  dot(cell: string, other: string): string;
  array(values: readonly number[]): string;
  length(cell: string): string;
  /** Text with all matches of a pattern replaced. */
  replaced(text: string, pattern: string, by: string): string;
  /** The number of a text, null if it is not a number. */
  numberOf(text: string): string;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const doubled = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const escaped = (value: string): string => `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const listed = (values: readonly number[]): string => values.map(number).join(", ");

export const DIALECTS: Readonly<Record<SqlDialect, Dialect>> = {
  duckdb: {
    name: quoted,
    text: doubled,
    // A cell that is no number is an error: the rows are then read as the model reads them.
    toDouble: (cell) => `cast(${cell} as double)`,
    days: (cell) => `epoch(cast(${cell} as timestamp)) / 86400e0`,
    dot: (cell, other) => `list_inner_product(cast(${cell} as double[]), cast(${other} as double[]))`,
    array: (values) => `[${listed(values)}]`,
    length: (cell) => `len(${cell})`,
    replaced: (text, pattern, by) => `regexp_replace(${text}, ${doubled(pattern)}, ${doubled(by)}, 'g')`,
    numberOf: (text) => `try_cast(${text} as double)`,
  },
  postgres: {
    name: quoted,
    text: doubled,
    toDouble: (cell) => `cast(${cell} as double precision)`,
    days: (cell) => `extract(epoch from cast(${cell} as timestamp)) / 86400e0`,
    dot: (cell, other) => `(select sum(u.a * u.b) from unnest(${cell}, ${other}) as u(a, b))`,
    array: (values) => `cast(array[${listed(values)}] as double precision[])`,
    length: (cell) => `cardinality(${cell})`,
    replaced: (text, pattern, by) => `regexp_replace(${text}, ${doubled(pattern)}, ${doubled(by)}, 'g')`,
    numberOf: (text) =>
      `case when ${text} ~ '^[-+]?[0-9]+([.][0-9]+)?$' then cast(${text} as double precision) end`,
  },
  spark: {
    name: (name) => `\`${name.replaceAll("`", "``")}\``,
    text: escaped,
    // Its rows cannot be read elsewhere: a cell that is no number is missing.
    toDouble: (cell) => `try_cast(${cell} as double)`,
    days: (cell) => `cast(to_timestamp(${cell}) as double) / 86400e0`,
    dot: (cell, other) =>
      `aggregate(zip_with(${cell}, ${other}, (a, b) -> cast(a as double) * b), 0e0, (s, v) -> s + v)`,
    array: (values) => `array(${listed(values)})`,
    length: (cell) => `size(${cell})`,
    replaced: (text, pattern, by) => `regexp_replace(${text}, ${escaped(pattern)}, ${escaped(by)})`,
    numberOf: (text) => `try_cast(${text} as double)`,
  },
};

/** A double, digit for digit; the exponent prevents reading it as a decimal. */
export function number(value: number): string {
  if (!Number.isFinite(value)) throw numericError(`${value} cannot be written as SQL`);
  const written = value.toExponential();
  return value < 0 || Object.is(value, -0) ? `(${written})` : written;
}

/** The sum of coefficients times expressions. */
export function linear(coefficients: readonly number[], x: (f: number) => string): string {
  const terms = coefficients.flatMap((c, f) => (c === 0 ? [] : [`${number(c)} * ${x(f)}`]));
  return terms.length === 0 ? number(0) : `(${terms.join(" + ")})`;
}
