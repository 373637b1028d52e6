import { inputError } from "../core/errors.ts";
import { oneOf, real, resolveOptions } from "../core/options.ts";
import { checkConstraints, type Constraints, type Pair } from "../data/constraints.ts";
import { row, type Matrix } from "../matrix/matrix.ts";
import { withThreshold, type Mahalanobis } from "./mahalanobis.ts";

export interface CalibrateOptions {
  /**
   * What the threshold makes as good as it can on the given pairs: `accuracy` (default), `f-beta`, the true positive
   * rate while the true negative rate is at least `minRate` (`max-tpr`), or the other way round (`max-tnr`).
   */
  strategy?: "accuracy" | "f-beta" | "max-tpr" | "max-tnr";
  /** Weight of recall against precision for `f-beta`. */
  beta?: number;
  /** The rate to keep for `max-tpr` and `max-tnr`. */
  minRate?: number;
}

const RULES = {
  strategy: oneOf(["accuracy", "f-beta", "max-tpr", "max-tnr"] as const, "accuracy"),
  beta: real({ above: 0, default: 1 }),
  minRate: real({ min: 0, max: 1, default: 0.9 }),
};

/**
 * Gives a metric the threshold under which two rows count as the same, from pairs whose answer is known. The candidates
 * are the midpoints between neighbouring distances; among equally good ones the middle of the widest gap wins.
 */
export function calibrate(
  metric: Mahalanobis,
  X: Matrix,
  constraints: Constraints,
  options: CalibrateOptions = {},
): Mahalanobis {
  const { strategy, beta, minRate } = resolveOptions<CalibrateOptions, typeof RULES>(
    "calibrate",
    options,
    RULES,
  );
  const { mustLink, cannotLink } = checkConstraints(X.rows, constraints);
  const positives = mustLink.length;
  const negatives = cannotLink.length;
  if (positives === 0 || negatives === 0) {
    throw inputError("a threshold needs must-link and cannot-link pairs, at least one of each");
  }
  const measure = ([i, j]: Pair, alike: boolean): { distance: number; alike: boolean } => ({
    distance: metric.distance(row(X, i), row(X, j)),
    alike,
  });
  const ordered = [
    ...mustLink.map((pair) => measure(pair, true)),
    ...cannotLink.map((pair) => measure(pair, false)),
  ].sort((a, b) => a.distance - b.distance);

  // After `taken` pairs the threshold lies above them: they are called the same.
  let found = 0;
  let best = { score: Number.NEGATIVE_INFINITY, gap: 0, threshold: 0 };
  for (let taken = 0; taken <= ordered.length; taken++) {
    if (taken > 0 && ordered[taken - 1].alike) found++;
    const below = taken === 0 ? 0 : ordered[taken - 1].distance;
    const above = taken === ordered.length ? Number.POSITIVE_INFINITY : ordered[taken].distance;
    if (taken > 0 && above === below) continue; // no threshold separates equal distances
    const wrong = taken - found;
    const recall = found / positives;
    const specificity = 1 - wrong / negatives;
    const score = {
      accuracy: (found + negatives - wrong) / (positives + negatives),
      "f-beta": fBeta(found, wrong, positives, beta),
      "max-tpr": specificity >= minRate ? recall : -1,
      "max-tnr": recall >= minRate ? specificity : -1,
    }[strategy];
    const gap = above === Number.POSITIVE_INFINITY ? below : above - below;
    if (score > best.score || (score === best.score && gap > best.gap)) {
      best = {
        score,
        gap,
        threshold: above === Number.POSITIVE_INFINITY ? 1.5 * below : (below + above) / 2,
      };
    }
  }
  return withThreshold(metric, best.threshold);
}

function fBeta(found: number, wrong: number, positives: number, beta: number): number {
  return found === 0 ? 0 : ((1 + beta ** 2) * found) / (beta ** 2 * positives + found + wrong);
}
