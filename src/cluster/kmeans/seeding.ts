import type { Random } from "../../core/random.ts";
import type { Points, SeedRows } from "./points.ts";

/**
 * Greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007): each centre is a row drawn with probability
 * proportional to w_i D_i, D_i being the squared distance to the centres so far; of 2 + log K draws the one
 * with the smallest sum of w_i D_i is kept.
 */
export function seedCenters(
  points: Points,
  K: number,
  weights: Float64Array | undefined,
  random: Random,
): Float64Array {
  const seeded = (rows: SeedRows): Float64Array => {
    const { rows: n, cols: d } = points;
    const centers = new Float64Array(K * d);
    const trials = 2 + Math.floor(Math.log(K));
    const D = new Float64Array(n).fill(1);
    const cumulative = new Float64Array(n);
    const candidates = new Float64Array(trials * d);
    for (let k = 0; k < K; k++) {
      const count = k === 0 ? 1 : trials;
      if (k > 0) rows.limits(D);
      const total = accumulate(D, weights, cumulative);
      candidates.fill(0);
      for (let t = 0; t < count; t++) points.add(draw(cumulative, total, random), 1, candidates, t * d);
      const best = least(rows.potentials(candidates, count));
      rows.lower(candidates.subarray(best * d, (best + 1) * d), best);
      centers.set(candidates.subarray(best * d, (best + 1) * d), k * d);
    }
    return centers;
  };
  return points.seeding === undefined
    ? seeded(allDistances(points, weights))
    : points.seeding(weights, seeded);
}

/** Uses the distances of all rows to all candidates. */
function allDistances(points: Points, weights: Float64Array | undefined): SeedRows {
  const n = points.rows;
  const D = new Float64Array(n).fill(Infinity);
  let distances = new Float64Array(0);
  let tried = 0;
  return {
    limits: (out) => out.set(D),
    potentials(candidates, count) {
      if (distances.length !== n * count) distances = new Float64Array(n * count);
      tried = count;
      if (points.closer === undefined) points.distances(0, n, candidates, count, distances);
      else points.closer(candidates, count, D, distances);
      const sums = new Float64Array(count);
      for (let i = 0, at = 0; i < n; i++, at += count) {
        const weight = weights === undefined ? 1 : weights[i];
        for (let t = 0; t < count; t++) sums[t] += weight * Math.min(D[i], distances[at + t]);
      }
      return sums;
    },
    lower(_, candidate) {
      for (let i = 0; i < n; i++) D[i] = Math.min(D[i], distances[i * tried + candidate]);
    },
  };
}

/** Running sums of w_i D_i; returns their total. */
function accumulate(D: Float64Array, weights: Float64Array | undefined, cumulative: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < D.length; i++) {
    sum += weights === undefined ? D[i] : weights[i] * D[i];
    cumulative[i] = sum;
  }
  return sum;
}

/** A row with probability proportional to its step in `cumulative`: the first whose running sum exceeds the draw. */
function draw(cumulative: Float64Array, total: number, random: Random): number {
  const n = cumulative.length;
  if (total === 0) return random.integer(n);
  const target = random.uniform() * total;
  let low = 0;
  let high = n - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cumulative[middle] > target) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The position of the smallest, the first one in a tie. */
function least(values: Float64Array): number {
  let best = 0;
  for (let t = 1; t < values.length; t++) if (values[t] < values[best]) best = t;
  return best;
}
