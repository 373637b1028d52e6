import {
  cutDendrogram,
  type Cut,
  type GaussianMixtureOptions,
  type KmeansOptions,
  type SpectralOptions,
} from "../cluster/index.ts";
import { gaussianMixtureInOrder, kmeansInOrder, spectralInOrder, wardTree } from "../cluster/internal.ts";
import { matrix, takeRows, type Matrix } from "../matrix/index.ts";
import { adjustedRand } from "../score/index.ts";
import type { Recipe } from "./choice.ts";
import { pool } from "./pool.ts";
import type { Judged } from "./found.ts";
import { judgedSpace } from "./space.ts";

/**
 * The single method that gives the chosen partition on the original rows. Each is run again as a check: a
 * method with random starts may give another result for rows in another order.
 */
export function verifiedRecipe(Z: Matrix, chosen: Judged, order: Int32Array): Recipe | undefined {
  const labels = new Int32Array(Z.rows);
  chosen.partition.labels.forEach((label, p) => (labels[order[p]] = label));
  for (const { method, options, converged, components } of chosen.made) {
    if (components === true) continue;
    const found = labelsBy(method, options, Z);
    if (found !== undefined && adjustedRand(found, labels) === 1) return { method, options, converged };
  }
  return undefined;
}

/** The methods of the pool by their names on the command line. */
function labelsBy(method: string, options: object, Z: Matrix): Int32Array | undefined {
  if (method === "kmeans") return kmeansInOrder(Z, options as KmeansOptions).labels;
  if (method === "ward") return cutDendrogram(wardTree(Z), options as Cut);
  if (method === "spectral") return spectralInOrder(Z, options as SpectralOptions).labels;
  if (method === "gmm") return gaussianMixtureInOrder(Z, options as GaussianMixtureOptions).labels;
  return undefined;
}

/** Ratios of the two column scales within which they count as equal. */
const ALIKE = 1.5;

/**
 * The agreement of the same method with the choice if columns are divided by their quartile ranges instead of
 * their standard deviations; undefined if both are equivalent.
 */
export function underRobustScaling(
  X: Matrix,
  order: Int32Array,
  size: number,
  { partition, made }: Judged,
  seed: number,
): number | undefined {
  const K = partition.clusters.length;
  const first = made.find(({ method }) => method !== "auto");
  const robust = robustScaled(takeRows(X, order.subarray(0, size)));
  if (K < 2 || first === undefined || robust === undefined) return undefined;
  const wanted = JSON.stringify([first.method, first.options]);
  for (const maker of pool(judgedSpace(robust, seed), K, seed)) {
    if (!maker.name.startsWith(first.method)) continue;
    try {
      const again = maker.make(K);
      if (again === undefined || JSON.stringify([again.method, again.options]) !== wanted) continue;
      return adjustedRand(again.labels, partition.labels);
    } catch {
      return undefined;
    }
  }
  return undefined;
}

function robustScaled(X: Matrix): Matrix | undefined {
  const { rows: n, cols: d } = X;
  const kept: { column: Float64Array; middle: number; scale: number }[] = [];
  const ratios: number[] = [];
  for (let f = 0; f < d; f++) {
    const column = Float64Array.from({ length: n }, (_, i) => X.data[i * d + f]);
    let mean = 0;
    let square = 0;
    column.forEach((value, i) => {
      const delta = value - mean;
      mean += delta / (i + 1);
      square += delta * (value - mean);
    });
    const deviation = Math.sqrt(square / n);
    if (!(deviation > 0)) continue;
    const sorted = column.toSorted();
    // The interquartile range of a normal column is 1.349 deviations.
    const quartiles = (sorted[Math.floor(0.75 * (n - 1))] - sorted[Math.floor(0.25 * (n - 1))]) / 1.349;
    const scale = quartiles > 0 ? quartiles : deviation;
    ratios.push(scale / deviation);
    kept.push({ column, middle: sorted[n >> 1], scale });
  }
  if (kept.length === 0 || Math.max(...ratios) <= ALIKE * Math.min(...ratios)) return undefined;
  const Z = matrix(n, kept.length);
  kept.forEach(({ column, middle, scale }, f) => {
    for (let i = 0; i < n; i++) Z.data[i * kept.length + f] = (column[i] - middle) / scale;
  });
  return Z;
}
