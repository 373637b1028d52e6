import type { Matrix } from "../matrix/matrix.ts";
import { double, type Dialect } from "./dialect.ts";
import type { EngineTable } from "./engineTable.ts";

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
  const xs = table.features.map((_, f) => X(f));
  return NEAREST[table.engine.dialect.engine](featureRows(table, carried), xs, centers);
}

/** The features as `kindred_x0` ..., with what is carried along. */
export function featureRows({ from, features }: EngineTable, carried: readonly string[]): string {
  const xs = features.map(({ sql }, f) => `${sql} as ${X(f)}`);
  return `(select ${[...carried, ...xs].join(", ")} from ${from}) as kindred_features`;
}

type Nearest = (rows: string, xs: readonly string[], centers: Matrix) => string;

/**
 * DuckDB keeps a vector for every node of an expression, so K d differences run through memory again and again; over a
 * list of the features it is one call for each centre, five times as fast. Which distance is the least is told by a CASE,
 * faster than to search a list of them.
 */
const byLists: Nearest = (rows, xs, centers) => {
  const K = centers.rows;
  const names = Array.from({ length: K }, (_, k) => `kindred_d${k}`);
  const distances = names.map(
    (name, k) => `list_distance(kindred_x, [${row(centers, k)}]::double[]) as ${name}`,
  );
  const listed = `(select *, [${xs.join(", ")}] as kindred_x from ${rows}) as kindred_listed`;
  const measured = `(select *, ${distances.join(", ")} from ${listed}) as kindred_measured`;
  const least = `(select *, least(${names.join(", ")}) as kindred_least from ${measured}) as kindred_compared`;
  const which = names.map((name, k) => `when ${name} = kindred_least then ${k}`);
  return (
    `(select *, case ${which.join(" ")} end as ${CLUSTER}, kindred_least * kindred_least as ${SQUARE} ` +
    `from ${least}) as kindred_nearest`
  );
};

/** Spark compiles arithmetic, but interprets functions of lists; the distances stay an array, which is small code. */
const byArithmetic: Nearest = (rows, xs, centers) => {
  const distances = Array.from({ length: centers.rows }, (_, k) => {
    const c = centers.data.subarray(k * centers.cols, (k + 1) * centers.cols);
    return xs.map((x, f) => `(${x} - ${double(c[f])}) * (${x} - ${double(c[f])})`).join(" + ");
  });
  const measured = `(select *, array(${distances.join(", ")}) as kindred_d from ${rows}) as kindred_measured`;
  const least = `(select *, array_min(kindred_d) as ${SQUARE} from ${measured}) as kindred_compared`;
  return `(select *, cast(array_position(kindred_d, ${SQUARE}) - 1 as int) as ${CLUSTER} from ${least}) as kindred_nearest`;
};

const NEAREST: Readonly<Record<Dialect["engine"], Nearest>> = { duckdb: byLists, spark: byArithmetic };

function row({ cols, data }: Matrix, k: number): string {
  return Array.from(data.subarray(k * cols, (k + 1) * cols), double).join(", ");
}
