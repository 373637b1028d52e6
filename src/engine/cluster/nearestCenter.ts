import { double, leastOf } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { columnMeans } from "../../matrix/internal.ts";
import type { Dialect } from "../dialect.ts";
import type { EngineTable } from "../engineTable.ts";
import { featureList, listBlocks, type FeatureList } from "../listBlocks.ts";

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
function nearestOf(
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
 * (see withSetting of engine.ts), but interprets list functions, which take several times as long.
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
function linearTerms(
  { cols: d, data }: Matrix,
  shift: Float64Array,
  k: number,
): { readonly half: number; readonly factors: Float64Array } {
  const b = data.subarray(k * d, (k + 1) * d).map((value, f) => value - shift[f]);
  return { half: b.reduce((sum, value) => sum + value * value, 0) / 2, factors: b.map((value) => -value) };
}

/** Products of a block: the code of more is beyond what Java compiles, and then ten times as slow. */
const PRODUCTS = 36;
const WIDEST = 8;

/** Beyond 100 columns Spark does not compile a stage into one method, whatever the setting (see withSetting of engine.ts). */
const LEAST = 101;

/** The list of a table, if its rows are compared with K centres by `nearestOfList`, under the usual settings. */
export function comparedList(
  { engine, features }: Pick<EngineTable, "engine" | "features">,
  K: number,
): FeatureList | undefined {
  if (K >= PRODUCTS || features.length < LEAST) return undefined;
  return featureList(engine.dialect, features);
}

/**
 * `nearestCenter` for features that are the numbers of a list: a subquery with that list, `kindred_cluster` and
 * `kindred_square`. The inner products of a row with the centres are summed over blocks (listBlocks.ts), grouped by
 * a hash of the list with 64 bits, and each row finds its cluster by that hash; equal lists are one group, whose sums are
 * divided by their number. Only hashes and clusters pass between workers.
 *
 * A row of a query that returns other rows each time is not found again: its cluster is null.
 *
 * @param rows of the table.
 */
export function nearestOfList(table: EngineTable, list: FeatureList, centers: Matrix, rows: number): string {
  if (rows > EVERYWHERE) return nearestCenter(table, centers, [list.list]);
  return joined(table, list, found(table, list, centers), "left join");
}

/**
 * The rows with u < threshold |x - c|^2, c being the nearest centre and `uniform` "u as kindred_u": the same columns. Their hashes
 * are few, for any number of rows.
 */
export function drawnOfList(
  table: EngineTable,
  list: FeatureList,
  centers: Matrix,
  uniform: string,
  threshold: number,
): string {
  const isDrawn = (u: string): string => `${SQUARE} > 0 and ${u} < ${double(threshold)} * ${SQUARE}`;
  const few = `(select * from ${found(table, list, centers, uniform)} as kindred_all where ${isDrawn("kindred_least_u")})`;
  return `(select * from ${joined(table, list, few, "join", [uniform])} where ${isDrawn("kindred_u")}) as kindred_drawn`;
}

function joined(
  table: EngineTable,
  list: FeatureList,
  clusters: string,
  join: "join" | "left join",
  carried: readonly string[] = [],
): string {
  return (
    `(select /*+ broadcast(kindred_found) */ kindred_row_of.*, ${CLUSTER}, ${SQUARE} ` +
    `from ${hashed(table, list, carried)} as kindred_row_of ` +
    `${join} ${clusters} as kindred_found on kindred_row_of.kindred_hash = kindred_found.kindred_hash) as kindred_nearest`
  );
}

/** The list of each row and its hash. */
function hashed({ from }: EngineTable, { list }: FeatureList, carried: readonly string[]): string {
  return `(select ${[...carried, list, `xxhash64(${list}) as kindred_hash`].join(", ")} from ${from})`;
}

/** The cluster and the square of each hash; and the least u of its rows as `kindred_least_u`. */
function found(table: EngineTable, list: FeatureList, centers: Matrix, uniform?: string): string {
  const { rows: K } = centers;
  const shift = columnMeans(centers);
  const terms = Array.from({ length: K }, (_, k) => linearTerms(centers, shift, k));
  const width = Math.max(1, Math.min(WIDEST, Math.floor(PRODUCTS / (K + 1))));
  const blocks = listBlocks(list, width, (f) => [shift[f], ...terms.map(({ factors }) => factors[f])]);
  const js = Array.from({ length: width }, (_, j) => j);
  const sum = (term: (j: number) => string): string =>
    `sum(${js.map(term).join(" + ")}) / (count(*) / ${blocks.count}e0)`;
  const names = terms.map((_, k) => `kindred_d${k}`);
  const distances = terms.map(
    ({ half }, k) => `${sum((j) => `${blocks.given(j, k + 1)} * z${j}`)} + ${double(half)} as ${names[k]}`,
  );
  const [u, least, leastName] =
    uniform === undefined
      ? [[], [], []]
      : [["kindred_u"], ["min(kindred_u) as kindred_least_u"], ["kindred_least_u"]];
  const zs = js.map((j) => `${blocks.feature(j)} - ${blocks.given(j, 0)} as z${j}`);
  const rows = hashed(table, list, uniform === undefined ? [] : [uniform]);
  const cells = `(select ${["kindred_hash", "kindred_block", ...u, ...zs].join(", ")} from ${rows} as kindred_hashed ${blocks.view})`;
  const norm = `${sum((j) => `z${j} * z${j}`)} as kindred_n`;
  const sums = ["kindred_hash", ...distances, norm, ...least].join(", ");
  const measured = `(select ${sums} from ${cells} as kindred_cells group by kindred_hash)`;
  const nearest = nearestOf(names, (value) => `greatest(0e0, kindred_n + 2e0 * ${value})`);
  return `(select ${["kindred_hash", ...leastName, nearest].join(", ")} from ${measured} as kindred_measured)`;
}

/**
 * Rows whose hashes and clusters every worker has, in about 100 MB. With more of them, code for each of the K d products takes
 * longer to compile (10 CPU s in each pass for 3072), but less for a row: 22 us instead of 28.
 */
const EVERYWHERE = 1_000_000;
