import type { Random } from "../core/random.ts";
import type { Matrix } from "../matrix/matrix.ts";

/**
 * Greedy k-means++ in the feature space of a kernel matrix: labels by the nearest of K rows that were drawn one after
 * another, each with probability proportional to w_i times its squared distance to those before. Fewer clusters come
 * back when all rows are, but for rounding, equal to one of those drawn.
 */
export function seedKernelLabels(
  K: Matrix,
  weights: Float64Array,
  clusters: number,
  random: Random,
): { labels: Int32Array; clusters: number } {
  const n = K.rows;
  const labels = new Int32Array(n);
  const D = new Float64Array(n).fill(Infinity);
  let largest = 0;
  for (let p = 0; p < K.data.length; p++) largest = Math.max(largest, Math.abs(K.data[p]));
  const rounding = 1e-13 * largest;
  const distance = (i: number, j: number): number => {
    const value = K.data[i * (n + 1)] - 2 * K.data[j * n + i] + K.data[j * (n + 1)];
    return value > rounding ? value : 0;
  };
  const trials = 2 + Math.floor(Math.log(clusters));
  for (let c = 0; c < clusters; c++) {
    let total = 0;
    const chance = weights.map((weight, i) => (total += c === 0 ? weight : weight * D[i]));
    if (!(total > 0)) return { labels, clusters: c };
    let chosen = -1;
    let least = Infinity;
    for (let t = 0; t < (c === 0 ? 1 : trials); t++) {
      const target = random.uniform() * total;
      let j = chance.findIndex((sum) => sum > target);
      if (j < 0) j = n - 1;
      let potential = 0;
      for (let i = 0; i < n; i++) potential += weights[i] * Math.min(D[i], distance(i, j));
      if (potential < least) {
        least = potential;
        chosen = j;
      }
    }
    for (let i = 0; i < n; i++) {
      const next = distance(i, chosen);
      if (next < D[i] || c === 0) {
        D[i] = next;
        labels[i] = c;
      }
    }
  }
  return { labels, clusters };
}
