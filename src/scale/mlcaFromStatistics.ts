import { mlcaFromMoments, type Mahalanobis, type MlcaOptions } from "../metric/index.ts";
import { labelledMoments, type MomentStatistics } from "./momentStatistics.ts";

/**
 * MLCA of a table of any size from one pass over it, the same metric as from `mlca` on the rows:
 *
 *     const stats = await momentStatistics("data/*.parquet", { label: "y" });
 *     const metric = mlcaFromStatistics(stats);
 */
export function mlcaFromStatistics(statistics: MomentStatistics, options: MlcaOptions = {}): Mahalanobis {
  return mlcaFromMoments(labelledMoments(statistics), { names: statistics.names, ...options });
}
