import type { Random } from "../../core/index.ts";
import { matrix, multiplyVector, topEigen, type Matrix } from "../../matrix/index.ts";
import { diagonalOf } from "../../matrix/internal.ts";
import { kmeansInOrder } from "../kmeans/kmeans.ts";

/**
 * Labels from the relaxed problem: k-means on the K - 1 leading eigenvectors of the centred, weighted kernel matrix
 * (Zha, He, Ding, Gu and Simon 2001; Dhillon, Guan and Kulis 2004), which span the best partition if there is a clear one.
 */
export function relaxedKernelLabels(
  K: Matrix,
  weights: Float64Array,
  clusters: number,
  seed: number,
): Int32Array {
  const n = K.rows;
  const roots = weights.map(Math.sqrt);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  // Relative to the weighted mean: the vector of roots is projected out on both sides.
  const project = (v: Float64Array): Float64Array => {
    let along = 0;
    for (let i = 0; i < n; i++) along += roots[i] * v[i];
    return v.map((value, i) => value - (along / total) * roots[i]);
  };
  const dims = Math.max(1, Math.min(clusters - 1, n - 1));
  const { values, vectors } = topEigen(
    {
      size: n,
      apply(x, y) {
        const inside = project(x).map((value, i) => value * roots[i]);
        y.set(project(multiplyVector(K, inside).map((value, i) => value * roots[i])));
      },
    },
    dims,
    { seed, tolerance: 1e-4, maxIterations: 100 },
  );
  const Z = matrix(n, dims);
  for (let i = 0; i < n; i++) {
    for (let r = 0; r < dims; r++) {
      const scale = roots[i] > 0 ? Math.sqrt(Math.max(0, values[r])) / roots[i] : 0;
      Z.data[i * dims + r] = vectors.data[i * dims + r] * scale;
    }
  }
  return kmeansInOrder(Z, { clusters, weights, seed, restarts: 3 }).labels;
}

/**
 * Greedy k-means++ in the feature space of a kernel matrix: labels by the nearest of K rows that are drawn
 * one after another, each with probability proportional to w_i times its squared distance to the earlier
 * ones. Fewer clusters are returned if all rows equal one of the drawn rows, up to rounding.
 */
export function seedKernelLabels(K: Matrix, weights: Float64Array, clusters: number, random: Random) {
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

/**
 * Perturbed labels: two random rows and their nearest ones, a tenth to a third of all rows, each go to one
 * random cluster.
 */
export function disturbedLabels(K: Matrix, labels: Int32Array, clusters: number, random: Random): Int32Array {
  const n = K.rows;
  const changed = labels.slice();
  for (let time = 0; time < 2; time++) {
    const center = random.integer(n);
    const target = random.integer(clusters);
    const distance = diagonalOf(K).map((own, i) => own - 2 * K.data[center * n + i]);
    const order = Int32Array.from(distance.keys()).sort((a, b) => distance[a] - distance[b] || a - b);
    const count = Math.ceil(n * (0.1 + 0.2 * random.uniform()));
    for (let p = 0; p < count; p++) changed[order[p]] = target;
  }
  return changed;
}
