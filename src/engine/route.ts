/**
 * Where sums are computed: on the engine ("push-down"), or locally from rows in batches ("stream"). Measured
 * by bench/engines/engines.mjs; docs/reference/engine-cost.md has the figures.
 */
import type { Engine } from "./engine.ts";

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
