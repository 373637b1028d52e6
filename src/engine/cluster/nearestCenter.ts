import { double, leastOf } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { columnMeans } from "../../matrix/internal.ts";
import { type Dialect } from "../dialect.ts";
import type { EngineTable } from "../engineTable.ts";

/** Names of generated columns; those of the user's table must not change. */
export const X = (f: number): string => `kindred_x${f}`;
export const CLUSTER = "kindred_cluster";
export const SQUARE = "kindred_square";

/**
 * The rows of a table with the number of the nearest of K centres, the first one in a tie, and the squared
 * distance to it: a subquery with the columns `kindred_x0` ... (the features), `kindred_cluster`,
 * `kindred_square` and the additional columns ("expression as name", or *). One pass, and no join of rows
 * with centres.
 */
export function nearestCenter(table: EngineTable, centers: Matrix, carried: readonly string[] = []): string {
  const { rows: K, cols: d, data } = centers;
  const { engine } = table.engine.dialect;
  const xs = table.features.map((_, f) => X(f));
  const names = Array.from({ length: K }, (_, k) => `kindred_d${k}`);
  const { shared, distance, square } = (engine === "spark" && d >= LINEAR ? linear : SQL[engine])(
    xs,
    centers,
  );
  const distances = names.map((name, k) => `${distance(data.subarray(k * d, (k + 1) * d), k)} as ${name}`);
  const rows = featureRows(table, carried);
  if (engine === "spark") {
    // Spark copies all columns for each level, and computes what stands in a level twice once.
    const measured = `(select *, ${[...shared, ...distances].join(", ")} from ${rows}) as kindred_measured`;
    return `(select *, ${nearestOf(names, square)} from ${measured}) as kindred_nearest`;
  }
  const listed = `(select *, ${shared.join(", ")} from ${rows}) as kindred_rows_of_features`;
  const measured = `(select *, ${distances.join(", ")} from ${listed}) as kindred_measured`;
  const compared = `(select *, ${leastOf(names)} as kindred_least from ${measured}) as kindred_compared`;
  return `(select *, ${nearestOf(names, square, "kindred_least")} from ${compared}) as kindred_nearest`;
}

/** The columns of the cluster and of the square, by those of the distances. */
export function nearestOf(
  names: readonly string[],
  square: (least: string) => string,
  least: string = leastOf(names),
): string {
  // A CASE finds the first of the least ones faster than a search in a list of them.
  const nearest = `case ${names.map((name, k) => `when ${name} = ${least} then ${k}`).join(" ")} end`;
  return `${nearest} as ${CLUSTER}, ${square(least)} as ${SQUARE}`;
}

/** The features as `kindred_x0` ..., with the additional columns. */
export function featureRows({ from, features, engine }: EngineTable, carried: readonly string[]): string {
  const xs = features.map(({ sql }, f) => `${engine.dialect.known(sql)} as ${X(f)}`);
  return `(select ${[...carried, ...xs].join(", ")} from ${from}) as kindred_features`;
}

interface NearestSql {
  /** Columns of what all distances use. */
  readonly shared: readonly string[];
  /** From the row to a centre: a number that grows with it. */
  readonly distance: (center: Float64Array, k: number) => string;
  readonly square: (least: string) => string;
}

/**
 * DuckDB keeps a vector for every node of an expression, so K d differences pass through memory repeatedly;
 * over a list of the features it is one call for each centre, five times as fast. Spark compiles arithmetic
 * (see withSetting.ts), but interprets list functions, which take several times as long.
 */
const SQL: Readonly<Record<Dialect["engine"], (xs: readonly string[], centers: Matrix) => NearestSql>> = {
  duckdb: (xs) => ({
    shared: [`[${xs.join(", ")}] as kindred_x`],
    distance: (center) => `list_distance(kindred_x, [${Array.from(center, double).join(", ")}]::double[])`,
    square: (least) => `${least} * ${least}`,
  }),
  spark: (xs) => ({
    shared: [],
    distance: (center) =>
      xs.map((x, f) => `(${x} - ${double(center[f])}) * (${x} - ${double(center[f])})`).join(" + "),
    square: (least) => least,
  }),
};

/** Columns from which Spark compares inner products: at 60 they take a quarter of the time of differences. */
const LINEAR = 16;

/**
 * With z = x - s and b = c - s for the mean s of the centres, |x - c|^2 = |z|^2 + 2 (|b|^2 / 2 - b'z): one product for each
 * number of a centre. An offset of the columns costs no digits.
 */
function linear(xs: readonly string[], centers: Matrix): NearestSql {
  const shift = columnMeans(centers);
  const z = (f: number): string => `(${xs[f]} - ${double(shift[f])})`;
  return {
    shared: [`${xs.map((_, f) => `${z(f)} * ${z(f)}`).join(" + ")} as kindred_n`],
    distance(_, k) {
      const { half, factors } = linearTerms(centers, shift, k);
      const terms = Array.from(factors, (value, f) =>
        value === 0 ? [] : [`${double(value)} * ${z(f)}`],
      ).flat();
      return [double(half), ...terms].join(" + ");
    },
    square: (least) => `greatest(0e0, kindred_n + 2e0 * ${least})`,
  };
}

/** |b|^2 / 2 and -b of centre k. */
export function linearTerms(
  { cols: d, data }: Matrix,
  shift: Float64Array,
  k: number,
): { readonly half: number; readonly factors: Float64Array } {
  const b = data.subarray(k * d, (k + 1) * d).map((value, f) => value - shift[f]);
  return { half: b.reduce((sum, value) => sum + value * value, 0) / 2, factors: b.map((value) => -value) };
}
