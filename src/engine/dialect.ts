import { double, sparkWords, standardWords, type SqlWords } from "../core/internal.ts";

/** The differences between the SQL of the engines; all other SQL of Kindred is common to both. */
export interface Dialect extends SqlWords {
  readonly engine: "duckdb" | "spark";
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
  /** A list of values. */
  array(values: readonly string[]): string;
  /** A number that is never null, declared so: columns that cannot be null halve Spark's code. */
  known(sql: string): string;
  /** All columns of a row, as arguments of a function. */
  readonly wholeRow: string;
  /** The type of text. */
  readonly textType: string;
  /** Whether a list named `ROW`, which is returned row by row, comes faster than as many columns. */
  readonly rowAtOnce: boolean;
}

/** The name of a column of whole rows. */
export const ROW = "kindred_row";

export const duckdbDialect: Dialect = {
  engine: "duckdb",
  ...standardWords,
  describe: (from) => `describe select * from ${from}`,
  uniform: (expressions, seed) =>
    `cast(hash(${[seed, ...expressions].join(", ")}) & 9007199254740991 as double) / 9007199254740992e0`,
  length: (list) => `len(${list})`,
  element: (list, f) => `${list}[${f + 1}]`,
  array: (values) => `[${values.join(", ")}]`,
  known: (sql) => sql,
  wholeRow: "*columns(*)",
  textType: "varchar",
  rowAtOnce: true,
};

export const sparkDialect: Dialect = {
  engine: "spark",
  ...sparkWords,
  describe: (from) => `describe query select * from ${from}`,
  uniform: (expressions, seed) =>
    `cast(xxhash64(${[seed, ...expressions].join(", ")}) & 9007199254740991 as double) / 9007199254740992e0`,
  length: (list) => `case when ${list} is not null then size(${list}) end`,
  element: (list, f) => `${list}[${f}]`,
  array: (values) => `array(${values.join(", ")})`,
  known: (sql) => `coalesce(${sql}, 0e0)`,
  wholeRow: "*",
  textType: "string",
  rowAtOnce: false,
};

/** A sum of products coefficient * expression, without zero coefficients. */
export function linear(coefficients: ArrayLike<number>, expressions: readonly string[]): string {
  const terms = expressions.flatMap((expression, j) =>
    coefficients[j] === 0
      ? []
      : [coefficients[j] === 1 ? expression : `${double(coefficients[j])} * ${expression}`],
  );
  return terms.length === 0 ? double(0) : `(${terms.join(" + ")})`;
}
