import type { Random } from "../../core/index.ts";
import type { Points } from "./points.ts";
import { SPAN } from "./kernelRows.ts";

/**
 * Greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007): each centre is a row drawn with probability
 * proportional to w_i D_i, D_i being the squared distance to the centres so far; of 2 + log K draws the one
 * with the smallest sum of w_i D_i is kept.
 *
 * With many rows, only some of them measure these sums: those at equal steps of the running sum of w_i D_i, each of which
 * stands for an equal part of it, so a few rows far away are among them. And the D_i of all rows are brought up to date for
 * several centres at a time: until then, a row drawn by an older D_i' is taken with probability D_i / D_i'.
 *
 * The labels of the points are the nearest centres then, by distances that may be off by 1/64.
 *
 * @param first centres that are known; the others are drawn after them
 */
export function seedCenters(
  points: Points,
  K: number,
  weights: Float64Array | undefined,
  random: Random,
  first?: Float64Array,
): Float64Array {
  return points.seeding(weights, (rows) => {
    const { rows: n, cols: d } = points;
    const trials = 2 + Math.floor(Math.log(K));
    const all = n <= 2 * SAMPLE;
    const centers = new Float64Array(K * d);
    const candidates = new Float64Array(trials * d);
    let drawn = first === undefined ? 1 : first.length / d;
    /** Centres that the limits of the rows know. */
    let known = 0;
    let masses: Float64Array = new Float64Array(0);
    let measure: Measure | undefined;

    const weight = (i: number): number => weights?.[i] ?? 1;
    const update = (): void => {
      masses = runningSums(rows.lower(centers.subarray(known * d, drawn * d), drawn - known, known));
      known = drawn;
      if (drawn === K) return;
      const D = rows.limits();
      measure = all ? everyRow(D, weights) : partsOf(D, weights, masses[masses.length - 1], random.uniform());
    };
    /** A row drawn by its mass. */
    const draw = (D: Float64Array): number => {
      const total = masses[masses.length - 1];
      if (total === 0) return random.integer(n);
      const share = random.uniform();
      const block = firstAbove(masses, share);
      let left = share * total - (block === 0 ? 0 : masses[block - 1]);
      const end = Math.min(n, (block + 1) * SPAN);
      let found = block * SPAN;
      for (let i = found; i < end; i++) {
        const own = weight(i) * D[i];
        if (own > 0) found = i;
        if (own > left) break;
        left -= own;
      }
      return found;
    };
    const drawCandidates = (): number[] => {
      const taken: number[] = [];
      for (let tries = 0; taken.length < trials; tries++) {
        if (tries === DRAWS && known < drawn) update();
        const D = rows.limits();
        const list = Int32Array.from({ length: trials - taken.length }, () => draw(D));
        if (known === drawn || masses[masses.length - 1] === 0) return [...taken, ...list];
        const older = Float64Array.from(list, (i) => D[i]);
        const newer = rows.distances(list, centers.subarray(known * d), drawn - known);
        list.forEach((i, e) => {
          const now = Math.min(...newer.subarray(e * (drawn - known), (e + 1) * (drawn - known)));
          if (random.uniform() * older[e] < now) taken.push(i);
        });
      }
      return taken;
    };
    /** The candidate that leaves the smallest sum, the first one in a tie. */
    const bestOf = ({ list, parts, limits }: Measure): number => {
      const D = rows.distances(list, candidates, trials);
      let best = 0;
      let least = Infinity;
      for (let t = 0; t < trials; t++) {
        const sum = limitedSum(D, t, parts, limits);
        if (sum < least) [best, least] = [t, sum];
      }
      for (let e = 0; e < list.length; e++) limits[e] = Math.min(limits[e], D[e * trials + best]);
      return best;
    };

    if (first === undefined) points.add(drawByWeight(n, weights, random), 1, centers, 0);
    else centers.set(first);
    for (; drawn < K; drawn++) {
      if (known === 0 || drawn - known === (all ? 1 : BATCH)) update();
      candidates.fill(0);
      drawCandidates().forEach((i, t) => points.add(i, 1, candidates, t * d));
      const best = bestOf(measure!);
      centers.set(candidates.subarray(best * d, (best + 1) * d), drawn * d);
    }
    update();
    return centers;
  });
}

/** Centres for which the distances of all rows are brought up to date at a time, where not all measure the sums. */
const BATCH = 8;
/** Draws for each one that is wanted, from which on it is better to bring the distances up to date. */
const DRAWS = 4;

/** The sum over the rows, by their parts, of their limits, or of column t of D where it is less. */
function limitedSum(D: Float64Array, t: number, parts: Float64Array, limits: Float64Array): number {
  const n = limits.length;
  const step = D.length / n;
  let sum = 0;
  for (let e = 0, at = t; e < n; e++, at += step) sum += parts[e] * (D[at] < limits[e] ? D[at] : limits[e]);
  return sum;
}

function everyRow(D: Float64Array, weights: Float64Array | undefined) {
  return {
    list: Int32Array.from(D.keys()),
    parts: weights ?? new Float64Array(D.length).fill(1),
    limits: D.slice(),
  };
}

/** Rows that measure a sum: each adds its limit times its part. */
type Measure = ReturnType<typeof everyRow>;

/** Rows that measure the sums; of up to twice as many, all do. */
const SAMPLE = 4096;

/** Rows at SAMPLE equal steps of the running sum of masses, from this share of a step on. */
function partsOf(D: Float64Array, weights: Float64Array | undefined, total: number, from: number): Measure {
  const step = total / SAMPLE;
  const list = new Int32Array(SAMPLE);
  const parts = new Float64Array(SAMPLE);
  let count = 0;
  for (let i = 0, sum = 0, next = from * step; i < D.length; i++) {
    sum += weights === undefined ? D[i] : weights[i] * D[i];
    if (sum <= next) continue;
    const steps = Math.ceil((sum - next) / step);
    next += steps * step;
    list[count] = i;
    parts[count++] = (steps * step) / D[i];
  }
  const taken = list.slice(0, count);
  return { list: taken, parts, limits: Float64Array.from(taken, (i) => D[i]) };
}

/** A row drawn by its weight. */
function drawByWeight(n: number, weights: Float64Array | undefined, random: Random): number {
  if (weights === undefined) return random.integer(n);
  const sums = runningSums(weights);
  return sums[n - 1] === 0 ? random.integer(n) : firstAbove(sums, random.uniform());
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
