import { double, optionError, sparkWords, standardWords, type SqlWords } from "../core/internal.ts";

export type SqlDialect = "duckdb" | "spark" | "postgres";

/** The expressions of a database for queries of models. */
export interface Dialect extends SqlWords {
  /** A cell of a column of numbers as a double; of numbers in a form of their own, such as 5:30, if `formed`. */
  toDouble(cell: string, formed?: boolean): string;
  /** Days since 1970-01-01 of a date or a time, with their fraction. */
  days(cell: string): string;
  /** The inner product of an array of numbers with another one. */
  dot(cell: string, other: string): string;
  array(values: readonly number[]): string;
  /** The least squared distance from the point of these coordinates to some others. */
  nearest(points: readonly (readonly number[])[], coordinates: readonly string[]): string;
  /** An array if it has d numbers, none of them null; else null. */
  whole(cell: string, d: number): string;
  /** Text with all matches of a pattern replaced. */
  replaced(text: string, pattern: string, by: string): string;
  /** The number of a text, null if it is not a number. */
  numberOf(text: string): string;
  /** The row of a table as one value; a column of that value, and all of them. */
  row(table: string): string;
  field(row: string, name: string): string;
  fields(row: string): string;
  /** An expression as a double, in the range in which squares and sums do not overflow. */
  bounded(expression: string): string;
  exp(expression: string): string;
  /** Behind a step of a query, where the planner would otherwise write its expressions into all later ones. */
  readonly fence: string;
}

const listed = (values: readonly number[]): string => values.map(double).join(", ");

/** By a subquery over the points, as values. */
function nearestValue(points: readonly (readonly number[])[], coordinates: readonly string[]): string {
  const square = coordinates.map((z, r) => `(${z} - kindred_p${r}) * (${z} - kindred_p${r})`).join(" + ");
  const values = points.map((point) => `(${listed(point)})`).join(", ");
  const names = coordinates.map((_, r) => `kindred_p${r}`).join(", ");
  return `(select min(${square}) from (values ${values}) as kindred_points(${names}))`;
}

export const DIALECTS: Readonly<Record<SqlDialect, Dialect>> = {
  duckdb: {
    ...standardWords,
    // A text that may hold a number in another form is an error: the rows are then read as the model reads them.
    toDouble(cell, formed) {
      const other = formed ? "[0-9]" : "^[^0-9]*[0-9][0-9.,\\s]*[^0-9]*$";
      const held = `regexp_matches(cast(${cell} as varchar), ${standardWords.text(other)})`;
      return `coalesce(try_cast(${cell} as double), case when ${held} then cast(${cell} as double) end)`;
    },
    days: (cell) => `epoch(cast(${cell} as timestamp)) / 86400e0`,
    dot: (cell, other) => `list_inner_product(cast(${cell} as double[]), cast(${other} as double[]))`,
    array: (values) => `[${listed(values)}]`,
    nearest: nearestValue,
    // The inner product refuses a null also in lists that the condition leaves out.
    whole: (cell, d) =>
      `case when len(${cell}) = ${d} and list_count(${cell}) = ${d} then [coalesce(kindred_z, 0) for kindred_z in ${cell}] end`,
    replaced: (text, pattern, by) =>
      `regexp_replace(${text}, ${standardWords.text(pattern)}, ${standardWords.text(by)}, 'g')`,
    numberOf: (text) => `try_cast(${text} as double)`,
    row: (table) => table,
    field: (row, name) => `${row}.${standardWords.name(name)}`,
    fields: (row) => `${row}.*`,
    bounded: (expression) => expression,
    exp: (expression) => `exp(${expression})`,
    fence: "",
  },
  postgres: {
    ...standardWords,
    toDouble: (cell) => `cast(${cell} as double precision)`,
    days: (cell) => `extract(epoch from cast(${cell} as timestamp)) / 86400e0`,
    dot: (cell, other) => `(select sum(u.a * u.b) from unnest(${cell}, ${other}) as u(a, b))`,
    array: (values) => `cast(array[${listed(values)}] as double precision[])`,
    nearest: nearestValue,
    whole: (cell, d) =>
      `case when cardinality(${cell}) = ${d} and array_position(${cell}, null) is null then ${cell} end`,
    replaced: (text, pattern, by) =>
      `regexp_replace(${text}, ${standardWords.text(pattern)}, ${standardWords.text(by)}, 'g')`,
    numberOf: (text) =>
      `case when ${text} ~ '^[-+]?[0-9]+([.][0-9]+)?$' then cast(${text} as double precision) end`,
    row: (table) => table,
    field: (row, name) => `(${row}).${standardWords.name(name)}`,
    fields: (row) => `(${row}).*`,
    bounded: (expression) => {
      // Its arithmetic fails where that of others gives infinity or zero.
      const x = `cast(${expression} as double precision)`;
      return `case when ${x} > 1e150 then 1e150 when ${x} < -1e150 then -1e150 else ${x} end`;
    },
    exp: (expression) => `exp(case when ${expression} < -700 then -700 else ${expression} end)`,
    fence: "\n  offset 0",
  },
  spark: {
    ...sparkWords,
    // Its rows cannot be read elsewhere: a cell that is no number is missing.
    toDouble: (cell) => `try_cast(${cell} as double)`,
    days: (cell) => `cast(to_timestamp(${cell}) as double) / 86400e0`,
    dot: (cell, other) =>
      `aggregate(zip_with(${cell}, ${other}, (a, b) -> cast(a as double) * b), 0e0, (s, v) -> s + v)`,
    array: (values) => `array(${listed(values)})`,
    nearest: (points, coordinates) =>
      `array_min(transform(array(${points.map((point) => `array(${listed(point)})`).join(", ")}), p -> ` +
      `aggregate(zip_with(p, array(${coordinates.join(", ")}), (a, b) -> (a - b) * (a - b)), 0e0, (s, v) -> s + v)))`,
    whole: (cell, d) =>
      `case when size(${cell}) = ${d} and not exists(${cell}, x -> x is null) then ${cell} end`,
    replaced: (text, pattern, by) =>
      `regexp_replace(${text}, ${sparkWords.text(pattern)}, ${sparkWords.text(by)})`,
    numberOf: (text) => `try_cast(${text} as double)`,
    row: (table) => `struct(${table}.*)`,
    field: (row, name) => `${row}.${sparkWords.name(name)}`,
    fields: (row) => `${row}.*`,
    bounded: (expression) => expression,
    exp: (expression) => `exp(${expression})`,
    fence: "",
  },
};

/** The sum of coefficients times expressions. */
export function linear(coefficients: readonly number[], x: (f: number) => string): string {
  const terms = coefficients.flatMap((c, f) => (c === 0 ? [] : [`${double(c)} * ${x(f)}`]));
  return terms.length === 0 ? double(0) : `(${terms.join(" + ")})`;
}

/**
 * A table by its name, which may be qualified: shop.sales. Plain names stay as they are, because databases fold their
 * letters; others are quoted, so a name cannot be more than a name.
 */
export function tableReference(name: string, dialect: SqlDialect): string {
  const parts = name.split(".");
  if (parts.includes("")) throw optionError(`"${name}" is not the name of a table`);
  return parts.map((part) => (/^[A-Za-z_]\w*$/.test(part) ? part : DIALECTS[dialect].name(part))).join(".");
}
