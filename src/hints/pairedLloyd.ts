import type { Random } from "../core/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import type { Known } from "./known.ts";

/**
 * k-means in which rows that belong together are single points and groups that exclude each other pay for
 * sharing a cluster (after PCK-means, S. Basu, A. Banerjee and R. J. Mooney, 2004):
 *
 *     min  sum_g m_g ||y_g - c_{l_g}||^2 + sum_{g, h exclusive} 8 v min(m_g, m_h) [l_g = l_h],
 *
 * v the variance of the data. It only makes members of a vote, so it is small and fast; the vote itself keeps
 * every hint (consensus.ts).
 */
export interface PairedRun {
  /** Of the rows. */
  readonly labels: Int32Array;
  readonly centers: Matrix;
  readonly objective: number;
}

export interface PairedPoints {
  readonly points: Matrix;
  readonly known: Known;
  readonly penalty: number;
}

export function pairedPoints(Z: Matrix, known: Known): PairedPoints {
  const { group, groups, masses } = known;
  const d = Z.cols;
  const points = matrix(groups, d);
  for (let i = 0; i < Z.rows; i++) {
    const to = group[i] * d;
    const share = 1 / masses[group[i]];
    for (let f = 0; f < d; f++) points.data[to + f] += share * Z.data[i * d + f];
  }
  let total = 0;
  for (let f = 0; f < d; f++) {
    let mean = 0;
    for (let i = 0; i < Z.rows; i++) mean += Z.data[i * d + f] / Z.rows;
    for (let i = 0; i < Z.rows; i++) total += (Z.data[i * d + f] - mean) ** 2;
  }
  return { points, known, penalty: (8 * total) / Z.rows };
}

/** The best of `restarts` runs from seeded centres. */
export function pairedKmeans(
  Z: Matrix,
  known: Known,
  K: number,
  restarts: number,
  stream: Random,
): PairedRun {
  const paired = pairedPoints(Z, known);
  let best: PairedRun | undefined;
  for (let r = 0; r < restarts; r++) {
    const run = pairedLloyd(paired, seeds(paired.points, known.masses, K, stream), 50);
    if (best === undefined || run.objective < best.objective) best = run;
  }
  return best!;
}

/** One run. `centers` are not changed. */
export function pairedLloyd(
  { points, known, penalty }: PairedPoints,
  centers: Matrix,
  iterations: number,
): PairedRun {
  const { group, groups, masses, excluded, bound } = known;
  const d = points.cols;
  const K = centers.rows;
  const C = centers.data.slice();
  const M = points.data;
  let labels = new Int32Array(groups).fill(-1);
  let next = new Int32Array(groups);
  const D = new Float64Array(groups * K);
  const costs = new Float64Array(K);
  const sums = new Float64Array(K * d);
  const mass = new Float64Array(K);
  const price = (g: number, h: number): number => penalty * Math.min(masses[g], masses[h]);
  const cheapest = (g: number, among: Int32Array, counts: (h: number) => boolean): number => {
    for (let k = 0; k < K; k++) costs[k] = D[g * K + k];
    for (const h of excluded[g]) if (counts(h)) costs[among[h]] += price(g, h);
    let best = 0;
    for (let k = 1; k < K; k++) if (costs[k] < costs[best]) best = k;
    return best;
  };
  const heavy = [...bound].sort(
    (a, b) => 10 * (masses[b] - masses[a]) + excluded[b].length - excluded[a].length || a - b,
  );
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (let g = 0; g < groups; g++) {
      let nearest = 0;
      for (let k = 0; k < K; k++) {
        let sum = 0;
        for (let f = 0, p = g * d, q = k * d; f < d; f++, p++, q++) {
          const step = M[p] - C[q];
          sum += step * step;
        }
        D[g * K + k] = masses[g] * sum;
        if (D[g * K + k] < D[g * K + nearest]) nearest = k;
      }
      next[g] = nearest;
    }
    if (bound.length > 0) {
      if (iteration === 0) {
        const done = new Uint8Array(groups);
        for (const g of heavy) {
          next[g] = cheapest(g, next, (h) => done[h] === 1);
          done[g] = 1;
        }
      } else for (const g of bound) next[g] = labels[g];
      for (let sweep = 0; sweep < 5; sweep++) {
        let moved = 0;
        for (const g of bound) {
          const to = cheapest(g, next, () => true);
          if (costs[to] < costs[next[g]] - 1e-12) {
            next[g] = to;
            moved++;
          }
        }
        if (moved === 0) break;
      }
    }
    let changed = false;
    for (let g = 0; g < groups && !changed; g++) changed = next[g] !== labels[g];
    [labels, next] = [next, labels];
    if (!changed) break;
    sums.fill(0);
    mass.fill(0);
    for (let g = 0; g < groups; g++) {
      const k = labels[g];
      mass[k] += masses[g];
      for (let f = 0, p = g * d, q = k * d; f < d; f++, p++, q++) sums[q] += masses[g] * M[p];
    }
    for (let k = 0; k < K; k++) {
      if (mass[k] > 0) for (let q = k * d; q < (k + 1) * d; q++) C[q] = sums[q] / mass[k];
      else {
        // An empty cluster takes the point with the largest cost.
        let costliest = 0;
        for (let g = 1; g < groups; g++) {
          if (D[g * K + labels[g]] > D[costliest * K + labels[costliest]]) costliest = g;
        }
        C.set(M.subarray(costliest * d, (costliest + 1) * d), k * d);
        D[costliest * K + labels[costliest]] = 0;
      }
    }
  }
  let objective = 0;
  for (let g = 0; g < groups; g++) objective += D[g * K + labels[g]];
  for (const g of bound)
    for (const h of excluded[g]) if (g < h && labels[g] === labels[h]) objective += price(g, h);
  return { labels: group.map((g) => labels[g]), centers: matrix(K, d, C), objective };
}

/** Greedy k-means++ (D. Arthur and S. Vassilvitskii, 2007): the best of a few draws at each step. */
function seeds(points: Matrix, masses: Float64Array, K: number, stream: Random): Matrix {
  const { rows: n, cols: d, data } = points;
  const centers = matrix(K, d);
  const near = new Float64Array(n).fill(Infinity);
  const trial = new Float64Array(n);
  const best = new Float64Array(n);
  const distance = (i: number, j: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += (data[i * d + f] - data[j * d + f]) ** 2;
    return sum;
  };
  const draw = (weight: (i: number) => number): number => {
    let total = 0;
    for (let i = 0; i < n; i++) total += weight(i);
    if (!(total > 0)) return stream.integer(n);
    let left = stream.uniform() * total;
    for (let i = 0; i < n; i++) if ((left -= weight(i)) < 0) return i;
    return n - 1;
  };
  const tries = 2 + Math.ceil(Math.log(K));
  for (let k = 0; k < K; k++) {
    let least = Infinity;
    let chosen = 0;
    for (let t = 0; t < (k === 0 ? 1 : tries); t++) {
      const j = draw(k === 0 ? (i) => masses[i] : (i) => masses[i] * near[i]);
      let sum = 0;
      for (let i = 0; i < n; i++) sum += masses[i] * (trial[i] = Math.min(near[i], distance(i, j)));
      if (sum < least || t === 0) {
        least = sum;
        chosen = j;
        best.set(trial);
      }
    }
    near.set(best);
    centers.data.set(data.subarray(chosen * d, (chosen + 1) * d), k * d);
  }
  return centers;
}

/** Means of the rows with each label; an unused label takes a row, by its number. */
export function meansOf(Z: Matrix, labels: ArrayLike<number>, K: number): Matrix {
  const { rows: n, cols: d, data } = Z;
  const means = matrix(K, d);
  const counts = new Float64Array(K);
  for (let i = 0; i < n; i++) {
    counts[labels[i]]++;
    for (let f = 0, p = i * d, q = labels[i] * d; f < d; f++, p++, q++) means.data[q] += data[p];
  }
  for (let k = 0; k < K; k++) {
    if (counts[k] > 0) for (let q = k * d; q < (k + 1) * d; q++) means.data[q] /= counts[k];
    else means.data.set(data.subarray((k % n) * d, ((k % n) + 1) * d), k * d);
  }
  return means;
}
