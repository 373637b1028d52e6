import { asMatrix, squaredNorms, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { inputError, rule } from "../core/internal.ts";
import { checkConstraints, type Constraints, type Pair } from "../data/index.ts";
import { PAIR_RULES } from "../data/internal.ts";
import { withThreshold, type Mahalanobis } from "./mahalanobis.ts";
import { pairDifferences } from "./pairs/pairedRows.ts";

export const calibrateOptions = {
  ...PAIR_RULES,
  /**
   * The criterion that the threshold optimises on the given pairs: `accuracy` (default), `f-beta`, the true
   * positive rate while the true negative rate is at least `minRate` (`max-tpr`), or vice versa (`max-tnr`).
   */
  strategy: rule.oneOf(["accuracy", "f-beta", "max-tpr", "max-tnr"] as const, "accuracy"),
  /** Weight of recall relative to precision for `f-beta`. */
  beta: rule.real({ above: 0, default: 1 }),
  /** The rate to keep for `max-tpr` and `max-tnr`. */
  minRate: rule.real({ min: 0, max: 1, default: 0.9 }),
};

export type CalibrateOptions = rule.OptionsOf<typeof calibrateOptions>;

/**
 * Gives a metric the threshold below which two rows count as the same, from pairs with known answers. The
 * candidates are the midpoints between neighbouring distances; among equally good ones the middle of the
 * widest gap wins.
 */
export function calibrate(
  metric: Mahalanobis,
  input: MatrixLike,
  options: CalibrateOptions = {},
): Mahalanobis {
  const X = asMatrix(input, "calibrate");
  const { mustLink: _, cannotLink: __, ...how } = options;
  const { mustLink, cannotLink } = checkConstraints(X.rows, options);
  const threshold = bestThreshold(
    pairDistances(metric, X, mustLink),
    pairDistances(metric, X, cannotLink),
    how,
  );
  return withThreshold(metric, threshold);
}

/** With a threshold where there are pairs of both kinds. */
export function calibratedBy(metric: Mahalanobis, X: Matrix, pairs: Constraints): Mahalanobis {
  const { mustLink, cannotLink } = pairs;
  return mustLink.length > 0 && cannotLink.length > 0
    ? calibrate(metric, X, { mustLink, cannotLink })
    : metric;
}

/** The threshold of `calibrate` from the distances of the must-links and of the cannot-links. */
export function bestThreshold(
  together: Float64Array,
  apart: Float64Array,
  options: CalibrateOptions = {},
): number {
  const { strategy, beta, minRate } = rule.resolveOptions("calibrate", options, calibrateOptions);
  const positives = together.length;
  const negatives = apart.length;
  if (positives === 0 || negatives === 0) {
    throw inputError("a threshold needs must-link and cannot-link pairs, at least one of each");
  }
  const near = together.slice().sort();
  const far = apart.slice().sort();

  // The threshold lies above `found` must-links and `wrong` cannot-links, which count as the same.
  const scoreOf = (found: number, wrong: number): number => {
    const [truePositives, trueNegatives] = [found / positives, 1 - wrong / negatives];
    if (strategy === "max-tpr") return trueNegatives >= minRate ? truePositives : -1;
    if (strategy === "max-tnr") return truePositives >= minRate ? trueNegatives : -1;
    if (strategy === "accuracy") return (found + negatives - wrong) / (positives + negatives);
    return found === 0 ? 0 : ((1 + beta ** 2) * found) / (beta ** 2 * positives + found + wrong);
  };
  let found = 0;
  let wrong = 0;
  let below = 0;
  let best = { score: Number.NEGATIVE_INFINITY, gap: 0, threshold: 0 };
  for (;;) {
    const above = Math.min(near[found] ?? Infinity, far[wrong] ?? Infinity);
    // No threshold separates equal distances.
    if (found + wrong === 0 || above !== below) {
      const score = scoreOf(found, wrong);
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
