import { inputError, option, rule } from "../core/internal.ts";
import { loadPca, type PcaModel } from "../embed/index.ts";
import { matrix, storeMatrix, symmetricEigen } from "../matrix/index.ts";
import type { ClassMoments } from "../metric/index.ts";
import { scatter } from "../metric/internal.ts";

const RULES = {
  /** Number of components; default: all that have variance. */
  dims: rule.integer({ min: 1 }),
  /** Divide every coordinate by its standard deviation. */
  whiten: rule.flag(false),
};

export type PcaFromMomentsOptions = rule.OptionsOf<typeof RULES>;

/**
 * Principal components of rows from their moments (`allMoments`): the eigenvectors of their scatter.
 * Variances below 1e-13 of the largest are rounding of the sums; `pca`, which uses the rows, resolves smaller
 * ones.
 */
export function pcaFromMoments(moments: ClassMoments, options: PcaFromMomentsOptions = {}): PcaModel {
  const { dims, whiten } = rule.resolveOptions("pcaFromMoments", options, RULES);
  const d = moments.features;
  const { count, mean, total } = scatter(moments);
  if (dims !== undefined && dims > d) {
    throw inputError(`pcaFromMoments: ${option("dims")} is ${dims}, but there are ${d} columns`);
  }
  const { values, vectors } = symmetricEigen(total);
  if (count < 2 || !(values[0] > 0)) {
    throw inputError("pcaFromMoments: all rows are equal, so there is no direction to find");
  }
  let rank = 0;
  while (rank < (dims ?? d) && values[rank] > CUT * values[0]) rank++;
  const components = matrix(rank, d);
  for (let r = 0; r < rank; r++) {
    let largest = 0;
    for (let f = 0; f < d; f++) {
      const value = vectors.data[f * d + r];
      if (Math.abs(value) > Math.abs(largest)) largest = value;
    }
    for (let f = 0; f < d; f++) components.data[r * d + f] = Math.sign(largest) * vectors.data[f * d + r];
  }
  let sum = 0;
  for (const value of values) sum += Math.max(0, value);
  const kept = Array.from(values.subarray(0, rank));
  return loadPca({
    method: "pca",
    components: storeMatrix(components),
    mean: Array.from(mean),
    variances: kept.map((value) => value / (count - 1)),
    shares: kept.map((value) => value / sum),
    whiten,
  });
}

const CUT = 1e-13;
