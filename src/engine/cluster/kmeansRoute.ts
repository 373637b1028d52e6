import type { Engine } from "../engine.ts";
import type { Route } from "../route.ts";

/**
 * Microseconds of one core for a row of d features and K centres, a + b d + c K + e K d
 * (bench/engines/engines-kmeans.mjs). DuckDB shares its work among its threads; streamed rows are summed by one
 * thread.
 */
const PUSHED = { row: 0.02, feature: 0.007, center: 0.011, product: 0.0007 };
const STREAMED = { row: 0.22, feature: 0.014, center: 0.003, product: 0.0002 };

/**
 * The faster place for a step of k-means. Streaming all rows of a cluster over one connection to one process
 * is too slow.
 */
export function kmeansRoute(engine: Engine, K: number, d: number): Route {
  if (engine.dialect.engine === "spark") return "push-down";
  return cost(PUSHED, K, d) / (engine.threads ?? 1) <= cost(STREAMED, K, d) ? "push-down" : "stream";
}

function cost({ row, feature, center, product }: typeof PUSHED, K: number, d: number): number {
  return row + feature * d + center * K + product * K * d;
}
