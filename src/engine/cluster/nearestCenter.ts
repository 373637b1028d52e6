import type { Matrix } from "../../matrix/matrix.ts";
import { double, type Dialect } from "../dialect.ts";
import type { EngineTable } from "../engineTable.ts";

/** Names of columns that are made here; those of the user's table must stay as they are. */
export const X = (f: number): string => `kindred_x${f}`;
export const CLUSTER = "kindred_cluster";
export const SQUARE = "kindred_square";

/**
 * The rows of a table with the number of the nearest of K centres, the first among equals, and the squared distance to
 * it, summed over the differences, as in memory: a subquery with the columns `kindred_x0` ... (the features),
 * `kindred_cluster`, `kindred_square` and those that are carried along ("expression as name", or *). One pass, and no
 * join of rows with centres.
 */
export function nearestCenter(table: EngineTable, centers: Matrix, carried: readonly string[] = []): string {
  const { rows: K, cols: d, data } = centers;
  const { row, distance, square } = SQL[table.engine.dialect.engine];
  const xs = table.features.map((_, f) => X(f));
  const names = Array.from({ length: K }, (_, k) => `kindred_d${k}`);
  const distances = names.map((name, k) => `${distance(xs, data.subarray(k * d, (k + 1) * d))} as ${name}`);
  const rows = `(select *, ${row(xs)} from ${featureRows(table, carried)}) as kindred_rows_of_features`;
  const measured = `(select *, ${distances.join(", ")} from ${rows}) as kindred_measured`;
  const least = K === 1 ? names[0] : `least(${names.join(", ")})`;
  const compared = `(select *, ${least} as kindred_least from ${measured}) as kindred_compared`;
  // A CASE finds the first of the least ones faster than a search in a list of them.
  const which = names.map((name, k) => `when ${name} = kindred_least then ${k}`);
  return (
    `(select *, case ${which.join(" ")} end as ${CLUSTER}, ${square("kindred_least")} as ${SQUARE} ` +
    `from ${compared}) as kindred_nearest`
  );
}

/** The features as `kindred_x0` ..., with what is carried along. */
export function featureRows({ from, features, engine }: EngineTable, carried: readonly string[]): string {
  const { known } = SQL[engine.dialect.engine];
  const xs = features.map(({ sql }, f) => `${known(sql)} as ${X(f)}`);
  return `(select ${[...carried, ...xs].join(", ")} from ${from}) as kindred_features`;
}

interface NearestSql {
  /** A number that is never null as one that the engine knows to be so. */
  readonly known: (sql: string) => string;
  /** A column of what all distances use. */
  readonly row: (xs: readonly string[]) => string;
  /** From the row to a centre, or its square. */
  readonly distance: (xs: readonly string[], center: Float64Array) => string;
  readonly square: (least: string) => string;
}

/**
 * DuckDB keeps a vector for every node of an expression, so K d differences run through memory again and again; over a
 * list of the features it is one call for each centre, five times as fast. Spark compiles arithmetic (see
 * compiledInParts.ts), but interprets functions of lists, ten times as slow; columns that cannot be null halve the code.
 */
const SQL: Readonly<Record<Dialect["engine"], NearestSql>> = {
  duckdb: {
    known: (sql) => sql,
    row: (xs) => `[${xs.join(", ")}] as kindred_x`,
    distance: (_, center) => `list_distance(kindred_x, [${Array.from(center, double).join(", ")}]::double[])`,
    square: (least) => `${least} * ${least}`,
  },
  spark: {
    known: (sql) => `coalesce(${sql}, 0e0)`,
    row: () => "0 as kindred_x",
    distance: (xs, center) =>
      xs.map((x, f) => `(${x} - ${double(center[f])}) * (${x} - ${double(center[f])})`).join(" + "),
    square: (least) => least,
  },
};
