import type { Engine } from "../engine.ts";
import type { Route } from "../route.ts";

/**
 * Microseconds of one core for a row of d features and T tables of blocks (see levelBlocks.ts), measured by
 * bench/engines/engines-levels.mjs. DuckDB shares its work among its threads.
 */
const PUSHED = { row: 0.1, feature: 0.023, table: 0.019 };
const STREAMED = { row: 0.3, feature: 0.057 };

/** A class is found by comparing texts one by one. */
const MOST_CLASSES = 256;

/**
 * The faster place for counting levels. Streaming all rows of a cluster over one connection to one process is
 * too slow.
 */
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
  const pushed = PUSHED.row + PUSHED.feature * features + PUSHED.table * tables;
  const streamed = STREAMED.row + STREAMED.feature * features;
  return pushed / (engine.threads ?? 1) <= streamed ? "push-down" : "stream";
}
