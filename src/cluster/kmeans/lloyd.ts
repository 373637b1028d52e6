import { sizesOf } from "../../core/internal.ts";
import type { Assigner, Moves, Points } from "./points.ts";

/**
 * S. P. Lloyd (1982), "Least squares quantization in PCM": from centres c, alternate
 *
 *     l_i = argmin_k D(x_i, c_k),     c_k = argmin_c sum_{l_i = k} w_i D(x_i, c)
 *
 * on E(l, c) = sum_i w_i D(x_i, c_{l_i}) until no row changes cluster. The assigner is the rule for the labels, which may be
 * bound by pairs, and the centre rule that for the centres. For D = ||x - c||^2 these are the nearest centre and the mean.
 *
 * E is tracked without recomputing it: a row that moves lowers it by w (D(x, c_from) - D(x, c_to)), and centres that move to
 * their means lower it by sum_k m_k ||c_k' - c_k||^2. Neither is negative, so the history decreases by construction,
 * regardless of the distances that the assigner skips.
 *
 * With `labeled`, the points have the labels of the first assignment, as after k-means++; they need not be exact.
 */
export interface LloydRun {
  readonly labels: Int32Array;
  /** K x d. */
  readonly centers: Float64Array;
  /** E after each iteration. */
  readonly history: readonly number[];
  /** No row has a nearer centre, or the relative decrease fell to the tolerance. */
  readonly converged: boolean;
}

export interface LloydParts {
  readonly points: Points;
  readonly weights: Float64Array | undefined;
  /** The assignment rule. */
  readonly assigner: Assigner;
  /** The centre rule; the means by default. */
  readonly rule?: CenterRule;
  readonly maxIterations: number;
  /** Stop when an iteration lowers E by no more than this share of it; 0 stops only at unchanged clusters. */
  readonly tolerance: number;
}

/** Told the progress of a run; false asks it to end. */
export type ReportIteration = (iteration: number, objective?: number) => boolean;

/** The weighted sums of the rows of each cluster, K x d, and their masses. */
export interface ClusterSums {
  readonly sums: Float64Array;
  readonly masses: Float64Array;
}

export interface CenterRule {
  /** Writes the centre of cluster k, which has mass, to its place in `centers`. */
  center(k: number, of: ClusterSums, centers: Float64Array): void;
  /** E after the centres of the same clusters moved; `objective` is what it was before. */
  objective(objective: number, before: Float64Array, after: Float64Array, of: ClusterSums): number;
  /** These centres are not always the best: the best iterate is returned. */
  readonly mayRise?: boolean;
}

/** The weighted means: the best centres for squared distances, and for every Bregman divergence. */
export const MEANS: CenterRule = {
  center(k, { sums, masses }, centers) {
    const d = sums.length / masses.length;
    for (let p = k * d; p < (k + 1) * d; p++) centers[p] = sums[p] / masses[k];
  },
  objective(objective, before, after, { masses }) {
    const d = before.length / masses.length;
    let total = 0;
    for (let k = 0; k < masses.length; k++) {
      let squared = 0;
      for (let p = k * d; p < (k + 1) * d; p++) squared += (after[p] - before[p]) ** 2;
      total += masses[k] * squared;
    }
    return objective - total;
  },
};

export function lloyd(
  { points, weights, assigner, rule = MEANS, maxIterations, tolerance }: LloydParts,
  initial: Float64Array,
  report: ReportIteration,
  labeled = false,
): LloydRun {
  const partition = partitionOf(points, weights, initial.length / points.cols);
  let centers: Float64Array = initial.slice();
  let objective = 0;
  let converged = false;
  let best: { objective: number; labels: Int32Array; centers: Float64Array } | undefined;
  const history: number[] = [];
  assigner.reset(labeled ? centers : undefined);
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    const before = objective;
    if (iteration === 1 && labeled) {
      partition.recount();
      objective = points.ownDistances(centers, undefined, weights);
    } else {
      let moves = assigner.assign(centers);
      if (moves.count === 0 && partition.recount()) {
        // Sums that are updated move by move carry rounding errors: convergence must hold for recomputed centres.
        centers = partition.centers(centers, rule);
        moves = assigner.assign(centers);
      }
      if (moves.count === 0) {
        history.push(Math.max(0, objective));
        converged = true;
        break;
      }
      objective -= partition.apply(moves);
    }
    objective -= partition.fillEmpty(centers, assigner);
    const next = partition.centers(centers, rule);
    objective = rule.objective(objective, centers, next, partition);
    centers = next;
    history.push(Math.max(0, objective));
    if (rule.mayRise && !(objective >= (best?.objective ?? Infinity))) {
      best = { objective, labels: points.labels().slice(), centers };
    }
    const small = iteration > 1 && before - objective <= tolerance * before;
    converged = small && tolerance > 0;
    if (converged || !report(iteration, objective)) break;
  }
  return {
    labels: best?.labels ?? points.labels().slice(),
    centers: best?.centers ?? centers,
    history,
    converged,
  };
}

/** The weighted sum, the mass and the number of weighted rows of each cluster, by the labels of the points. */
function partitionOf(points: Points, weights: Float64Array | undefined, K: number) {
  const d = points.cols;
  const sums = new Float64Array(K * d);
  const masses = new Float64Array(K);
  /** Rows with positive weight: counted in integers, so that "empty" is exact. */
  const counts = new Int32Array(K);
  let fresh = false;
  const weightOf = (i: number): number => (weights === undefined ? 1 : weights[i]);
  const count = (i: number, k: number, sign: 1 | -1): void => {
    if (weightOf(i) === 0) return;
    masses[k] += sign * weightOf(i);
    counts[k] += sign;
  };
  const add = (i: number, k: number, sign: 1 | -1): void => {
    points.add(i, sign * weightOf(i), sums, k * d);
    count(i, k, sign);
  };
  points.summed().fill(-1);
  return {
    sums,
    masses,
    /** Returns by how much the moves lower E (negative for the first assignment, where E starts from 0). */
    apply({ count: moved, rows, gains }: Moves): number {
      let gain = 0;
      const [from, to] = [points.summed(), points.labels()];
      fresh = from[rows[0]] < 0;
      for (let e = 0; e < moved; e++) {
        const i = rows[e];
        gain += weightOf(i) * gains[e];
        if (from[i] >= 0) count(i, from[i], -1);
        count(i, to[i], 1);
      }
      points.move(moved, weights, sums);
      return gain;
    },
    /**
     * An empty cluster takes the row with the largest cost, so E falls by that cost. `centers` receives the row
     * as the new centre. With at least K distinct rows of positive weight such a row exists: if every row sat
     * on its centre, the non-empty clusters would hold one value each.
     */
    fillEmpty(centers: Float64Array, assigner: Assigner): number {
      if (!counts.includes(0)) return 0;
      const costs = new Float64Array(points.rows);
      points.ownDistances(centers, undefined, undefined, costs);
      const [labels, summed] = [points.labels(), points.summed()];
      for (let i = 0; i < costs.length; i++) costs[i] *= weightOf(i);
      let gain = 0;
      for (let k = 0; k < K; k++) {
        if (counts[k] > 0) continue;
        let farthest = -1;
        let cost = 0;
        for (let i = 0; i < costs.length; i++) {
          if (costs[i] > cost && counts[labels[i]] > 1 && assigner.allows?.(i, k) !== false) {
            cost = costs[i];
            farthest = i;
          }
        }
        if (farthest < 0) continue;
        fresh = false;
        add(farthest, labels[farthest], -1);
        summed[farthest] = k;
        add(farthest, k, 1);
        assigner.relabeled(farthest, k);
        centers.fill(0, k * d, (k + 1) * d);
        points.add(farthest, 1, centers, k * d);
        gain += cost;
      }
      return gain;
    },
    /** The centres by the rule; a cluster without mass keeps its own. */
    centers(before: Float64Array, rule: CenterRule): Float64Array {
      const centers = before.slice();
      for (let k = 0; k < K; k++) if (counts[k] > 0) rule.center(k, { sums, masses }, centers);
      return centers;
    },
    /** Recomputes the sums; false if they are already fresh. */
    recount(): boolean {
      if (fresh) return false;
      const labels = points.labels();
      sums.fill(0);
      points.summed().fill(-1);
      counts.set(weights === undefined ? sizesOf(labels, K) : new Int32Array(K));
      masses.set(counts);
      if (weights !== undefined) for (let i = 0; i < labels.length; i++) count(i, labels[i], 1);
      points.move(points.rows, weights, sums);
      return (fresh = true);
    },
  };
}
