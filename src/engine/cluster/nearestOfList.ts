import { double } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";
import { columnMeans } from "../../matrix/internal.ts";

import type { EngineTable } from "../engineTable.ts";
import { featureList, listBlocks, type FeatureList } from "../listBlocks.ts";
import { CLUSTER, linearTerms, nearestCenter, nearestOf, SQUARE } from "./nearestCenter.ts";

/** Products of a block: the code of more is beyond what Java compiles, and then ten times as slow. */
const PRODUCTS = 36;
const WIDEST = 8;

/** Beyond 100 columns Spark does not compile a stage into one method, whatever the setting (see withSetting.ts). */
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
