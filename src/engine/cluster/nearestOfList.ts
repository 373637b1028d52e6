import { columnMeans } from "../../matrix/distances.ts";
import type { Matrix } from "../../matrix/matrix.ts";
import { double } from "../dialect.ts";
import type { EngineTable } from "../engineTable.ts";
import { featureList, listBlocks, type FeatureList } from "../listBlocks.ts";
import { CLUSTER, linearTerms, nearestOf, SQUARE } from "./nearestCenter.ts";

/** Products of a block: the code of more is beyond what Java compiles, and then ten times as slow. */
const PRODUCTS = 36;
const WIDEST = 8;

/** The list of a table, if its rows are compared with K centres by `nearestOfList`. */
export function comparedList(
  { engine, features }: Pick<EngineTable, "engine" | "features">,
  K: number,
): FeatureList | undefined {
  return K < PRODUCTS ? featureList(engine.dialect, features) : undefined;
}

/**
 * `nearestCenter` for features that are the numbers of a list: a subquery with that list, `kindred_cluster`, `kindred_square`
 * and the additional columns. The inner products of a row with the centres are summed over blocks (listBlocks.ts), grouped by
 * a hash of the list with 64 bits, and the rows are joined with their clusters by that hash; equal lists are one group, whose
 * sums are divided by their number. So no more than a hash and a cluster of each row pass through the cluster, as long as
 * they are few enough for every worker to have them all.
 *
 * A row of a query that returns other rows each time is not found again: its cluster is null.
 *
 * @param rows of the table.
 */
export function nearestOfList(
  table: EngineTable,
  list: FeatureList,
  centers: Matrix,
  rows: number,
  carried: readonly string[] = [],
): string {
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
  const hashed = (also: readonly string[]): string =>
    `(select ${[...also, list.list, `xxhash64(${list.list}) as kindred_hash`].join(", ")} from ${table.from})`;
  const zs = js.map((j) => `${blocks.feature(j)} - ${blocks.given(j, 0)} as z${j}`);
  const cells = `(select kindred_hash, kindred_block, ${zs.join(", ")} from ${hashed([])} as kindred_hashed ${blocks.view})`;
  const norm = `${sum((j) => `z${j} * z${j}`)} as kindred_n`;
  const measured = `(select kindred_hash, ${[...distances, norm].join(", ")} from ${cells} as kindred_cells group by kindred_hash)`;
  const found = `(select kindred_hash, ${nearestOf(names, (least) => `greatest(0e0, kindred_n + 2e0 * ${least})`)} from ${measured} as kindred_measured)`;
  const hint = rows <= EVERYWHERE ? "/*+ broadcast(kindred_found) */ " : "";
  return (
    `(select ${hint}kindred_row_of.*, ${CLUSTER}, ${SQUARE} from ${hashed(carried)} as kindred_row_of ` +
    `left join ${found} as kindred_found on kindred_row_of.kindred_hash = kindred_found.kindred_hash) as kindred_nearest`
  );
}

/** Rows whose hashes and clusters every worker can have: about 100 MB. */
const EVERYWHERE = 2_000_000;
