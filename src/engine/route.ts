/**
 * Where sums are made: on the engine ("push-down"), or here, of rows that come in batches ("stream"). Measured by
 * bench/engines.mjs; docs/engines.md has the figures.
 */
import type { Engine } from "./engine.ts";

export type Route = "push-down" | "stream";

/**
 * Sums that one statement asks for. DuckDB takes any number; Spark compiles a statement to one method, and beyond what
 * the virtual machine compiles (8000 bytes of code) it runs several times slower.
 */
export const AGGREGATES: Readonly<Record<"duckdb" | "spark", number>> = { duckdb: 600, spark: 64 };

/** The widest X'X that is summed on the engine, in columns. */
const WIDEST: Readonly<Record<"duckdb" | "spark", number>> = { duckdb: 8, spark: 100 };

/** The faster way to the moments of d columns. */
export function momentRoute(engine: Engine, d: number): Route {
  return d <= WIDEST[engine.dialect.engine] ? "push-down" : "stream";
}
