/**
 * Where sums are computed: on the engine ("push-down"), or locally from rows in batches ("stream"). Measured
 * by bench/engines/engines.mjs; docs/reference/engine-cost.md has the figures.
 */
import { rule } from "../core/internal.ts";
import type { Engine } from "./engine.ts";

/** The option of methods that have both. */
export const routeRule = rule.oneOf(["push-down", "stream"]);
export type Route = "push-down" | "stream";

/**
 * Maximum number of sums in one statement. DuckDB takes the same time for a sum in blocks of 32 as of 1300.
 * Spark makes one method of a statement, which Java compiles only up to 8000 bytes: beyond that, a sum takes
 * several times as long.
 */
export const AGGREGATES: Readonly<Record<"duckdb" | "spark", number>> = { duckdb: 600, spark: 64 };

/**
 * The widest X'X that is summed on the engine, in columns. DuckDB runs in this process, so rows are cheap to
 * read, and a sum of products in SQL takes as long as ten local ones: by CPU time, rows are better from 5
 * columns on. But DuckDB sums in all its threads, and streamed rows are summed in one. From Spark every row
 * comes over the network.
 */
const WIDEST = {
  duckdb: (threads: number): number => Math.min(40, 4 * threads),
  spark: (): number => 40,
};

/** The faster way to the moments of d columns. */
export function momentRoute(engine: Engine, d: number): Route {
  return d <= WIDEST[engine.dialect.engine](engine.threads ?? 1) ? "push-down" : "stream";
}

/**
 * Microseconds of one core for a row of d features and K centres, a + b d + c K + e K d
 * (bench/engines/engines-kmeans.mjs). DuckDB shares its work among its threads; streamed rows are summed by one
 * thread.
 */
const KMEANS = {
  pushed: { row: 0.02, feature: 0.007, center: 0.011, product: 0.0007 },
  streamed: { row: 0.22, feature: 0.014, center: 0.003, product: 0.0002 },
};

/**
 * The faster place for a step of k-means. Streaming all rows of a cluster over one connection to one process
 * is too slow.
 */
export function kmeansRoute(engine: Engine, K: number, d: number): Route {
  if (engine.dialect.engine === "spark") return "push-down";
  const cost = ({ row, feature, center, product }: typeof KMEANS.pushed): number =>
    row + feature * d + center * K + product * K * d;
  return cost(KMEANS.pushed) / (engine.threads ?? 1) <= cost(KMEANS.streamed) ? "push-down" : "stream";
}

/**
 * Microseconds of one core for a row of d features and T tables of blocks (see counts/blockCounts.ts), measured by
 * bench/engines/engines-levels.mjs. DuckDB shares its work among its threads.
 */
const LEVELS = { pushed: { row: 0.1, feature: 0.023, table: 0.019 }, streamed: { row: 0.3, feature: 0.057 } };

/** A class is found by comparing texts one by one. */
const MOST_CLASSES = 256;

/** The faster place for counting levels; for Spark as in kmeansRoute. */
export function levelCountsRoute(
  engine: Engine,
  {
    features,
    tables,
    classes,
  }: { readonly features: number; readonly tables: number; readonly classes: number },
): Route {
  if (engine.dialect.engine === "spark") return "push-down";
  if (classes > MOST_CLASSES) return "stream";
  const pushed = LEVELS.pushed.row + LEVELS.pushed.feature * features + LEVELS.pushed.table * tables;
  const streamed = LEVELS.streamed.row + LEVELS.streamed.feature * features;
  return pushed / (engine.threads ?? 1) <= streamed ? "push-down" : "stream";
}
