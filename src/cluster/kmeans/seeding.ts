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
    const { cols: d } = points;
    const centers = new Float64Array(K * d);
    const trials = 2 + Math.floor(Math.log(K));
    const candidates = new Float64Array(trials * d);
    for (let k = 0; k < K; k++) {
      const count = k === 0 ? 1 : trials;
      const draw = k === 0 ? drawByWeight(points.rows, weights) : drawByMass(points.rows, rows);
      candidates.fill(0);
      for (let t = 0; t < count; t++) points.add(draw(random), 1, candidates, t * d);
      const best = least(rows.potentials(candidates, count));
      rows.lower(best);
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
    span: BLOCK,
    masses() {
      const masses = new Float64Array(Math.ceil(n / BLOCK));
      for (let i = 0; i < n; i++)
        masses[Math.floor(i / BLOCK)] += weights === undefined ? D[i] : weights[i] * D[i];
      return masses;
    },
    mass: (i) => (weights === undefined ? D[i] : weights[i] * D[i]),
    potentials(candidates, count) {
      if (distances.length !== n * count) distances = new Float64Array(n * count);
      tried = count;
      points.distances(0, n, candidates, count, distances);
      const sums = new Float64Array(count);
      for (let i = 0, at = 0; i < n; i++, at += count) {
        const weight = weights === undefined ? 1 : weights[i];
        for (let t = 0; t < count; t++) sums[t] += weight * Math.min(D[i], distances[at + t]);
      }
      return sums;
    },
    lower(candidate) {
      for (let i = 0; i < n; i++) D[i] = Math.min(D[i], distances[i * tried + candidate]);
    },
  };
}

/** Rows of a block of masses. */
const BLOCK = 256;

/** Draws a row with probability proportional to its weight. */
function drawByWeight(n: number, weights: Float64Array | undefined): (random: Random) => number {
  if (weights === undefined) return (random) => random.integer(n);
  const cumulative = runningSums(weights);
  return (random) => (cumulative[n - 1] === 0 ? random.integer(n) : firstAbove(cumulative, random.uniform()));
}

/** Draws a row with probability proportional to its mass: a block by the masses of the blocks, and a row of it by its own. */
function drawByMass(n: number, { span, masses, mass }: SeedRows): (random: Random) => number {
  const cumulative = runningSums(masses());
  const total = cumulative[cumulative.length - 1];
  return (random) => {
    if (total === 0) return random.integer(n);
    const share = random.uniform();
    const block = firstAbove(cumulative, share);
    let left = share * total - (block === 0 ? 0 : cumulative[block - 1]);
    const end = Math.min(n, (block + 1) * span);
    let found = block * span;
    for (let i = found; i < end; i++) {
      const own = mass(i);
      if (own > 0) found = i;
      if (own > left) break;
      left -= own;
    }
    return found;
  };
}

function runningSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sums[i] = sum += values[i];
  return sums;
}

/** The first position whose running sum exceeds this share of the total. */
function firstAbove(cumulative: Float64Array, share: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  const target = share * cumulative[high];
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
