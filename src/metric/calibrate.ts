import { squaredNorms, type Matrix } from "../matrix/index.ts";
import type { Constraints, Pair } from "../data/index.ts";
import { withThreshold, type Mahalanobis } from "./mahalanobis.ts";
import { pairDifferences } from "./pairs/pairedRows.ts";

/** With the threshold below which two rows count as the same, where there are pairs of both kinds. */
export function calibratedBy(metric: Mahalanobis, X: Matrix, pairs: Constraints): Mahalanobis {
  const { mustLink, cannotLink } = pairs;
  if (mustLink.length === 0 || cannotLink.length === 0) return metric;
  return withThreshold(
    metric,
    bestThreshold(pairDistances(metric, X, mustLink), pairDistances(metric, X, cannotLink)),
  );
}

/**
 * The threshold that is right for most pairs, from the distances of the must-links and of the cannot-links, at least one
 * each. The candidates are the midpoints between neighbouring distances; among equally good ones the middle of the widest
 * gap wins.
 */
export function bestThreshold(together: Float64Array, apart: Float64Array): number {
  const near = together.slice().sort();
  const far = apart.slice().sort();

  let found = 0;
  let wrong = 0; // must-links and cannot-links below the threshold, which count as the same
  let below = 0;
  let best = { score: Number.NEGATIVE_INFINITY, gap: 0, threshold: 0 };
  for (;;) {
    const above = Math.min(near[found] ?? Infinity, far[wrong] ?? Infinity);
    // No threshold separates equal distances.
    if (found + wrong === 0 || above !== below) {
      const score = found - wrong;
      const gap = above === Infinity ? below : above - below;
      if (score > best.score || (score === best.score && gap > best.gap)) {
        best = { score, gap, threshold: above === Infinity ? 1.5 * below : (below + above) / 2 };
      }
    }
    if (above === Infinity) return best.threshold;
    if (near[found] === above) found++;
    else wrong++;
    below = above;
  }
}

/** Distances of pairs of rows under a metric; by blocks, so that memory does not grow with the pairs. */
function pairDistances(metric: Mahalanobis, X: Matrix, pairs: readonly Pair[]): Float64Array {
  const distances = new Float64Array(pairs.length);
  const block = 4096;
  for (let start = 0; start < pairs.length; start += block) {
    const moved = metric.transform(pairDifferences(X, pairs.slice(start, start + block)));
    distances.set(squaredNorms(moved).map(Math.sqrt), start);
  }
  return distances;
}
