import { matrix, solve, transpose, type Matrix } from "../../matrix/index.ts";
import { meanDiagonal, type ClusterMoments } from "./discriminant.ts";

/** Places along a discriminant at which the density is estimated. */
const GRID = 25;
/** Clusters with fewer rows have no density. */
const LEAST_ROWS = 4;
/** Part of the covariance within all clusters that is added to that of two. */
const POOLED = 0.1;
const RIDGE = 1e-3;

/**
 * The depth of the shallowest valley between a cluster and its nearest one, by Mahalanobis distance: 0 none, 1 empty.
 * Along the discriminant of the two, with a kernel estimate f of their density,
 *
 *     depth = 1 - min f / min(largest f on the left of it, largest f on the right).
 */
export function leastValley(
  X: Matrix,
  labels: Int32Array,
  sizes: Int32Array,
  moments: ClusterMoments,
): number {
  const { means, within } = moments;
  const { cols: d } = X;
  const K = sizes.length;
  const S = matrix(d, d, within.slice());
  const spread = RIDGE * meanDiagonal(within, d) + Number.MIN_VALUE;
  for (let f = 0; f < d; f++) S.data[f * (d + 1)] += spread;
  const M = transpose(means);
  const W = solve(S, M);
  let least = 1;
  for (let a = 0; a < K && least > 0; a++) {
    let nearest = a === 0 ? 1 : 0;
    let shortest = Infinity;
    for (let b = 0; b < K; b++) {
      if (b === a) continue;
      let square = 0;
      for (let f = 0; f < d; f++) {
        square += (M.data[f * K + a] - M.data[f * K + b]) * (W.data[f * K + a] - W.data[f * K + b]);
      }
      if (square < shortest) [shortest, nearest] = [square, b];
    }
    least = Math.min(least, valleyBetween(X, labels, sizes, moments, S, a, nearest));
  }
  return least;
}

function valleyBetween(
  X: Matrix,
  labels: Int32Array,
  sizes: Int32Array,
  { means, scatters }: ClusterMoments,
  S: Matrix,
  a: number,
  b: number,
): number {
  const { rows: n, cols: d, data } = X;
  if (sizes[a] < LEAST_ROWS || sizes[b] < LEAST_ROWS) return 0;
  const C = matrix(
    d,
    d,
    S.data.map((value, p) => (scatters[a][p] / sizes[a] + scatters[b][p] / sizes[b]) / 2 + POOLED * value),
  );
  const difference = Float64Array.from(
    { length: d },
    (_, f) => means.data[a * d + f] - means.data[b * d + f],
  );
  const w = solve(C, difference);
  const along = [new Float64Array(sizes[a]), new Float64Array(sizes[b])];
  const filled = [0, 0];
  for (let i = 0; i < n; i++) {
    const side = labels[i] === a ? 0 : labels[i] === b ? 1 : -1;
    if (side < 0) continue;
    let sum = 0;
    for (let f = 0; f < d; f++) sum += w[f] * data[i * d + f];
    along[side][filled[side]++] = sum;
  }
  const [first, second] = along.map(normal);
  const length = first.mean - second.mean;
  if (!(Math.abs(length) > 0)) return 0;
  const width =
    0.7 * Math.max(first.deviation, second.deviation, 1e-12) * Math.min(sizes[a], sizes[b]) ** -0.2;
  const density = new Float64Array(GRID);
  for (const values of along) {
    for (const value of values) {
      for (let g = 0; g < GRID; g++) {
        const z = (second.mean + (length * g) / (GRID - 1) - value) / width;
        if (z < 5 && z > -5) density[g] += Math.exp(-0.5 * z * z);
      }
    }
  }
  let low = 0;
  for (let g = 1; g < GRID; g++) if (density[g] < density[low]) low = g;
  const left = density.subarray(0, low + 1).reduce((x, y) => Math.max(x, y), 0);
  const right = density.subarray(low).reduce((x, y) => Math.max(x, y), 0);
  const flank = Math.min(left, right);
  return flank > 0 ? 1 - density[low] / flank : 0;
}

function normal(values: Float64Array): { mean: number; deviation: number } {
  const mean = values.reduce((sum, x) => sum + x, 0) / values.length;
  return { mean, deviation: Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / values.length) };
}
