import { inputError, optionError } from "../core/errors.ts";
import type { Constraints, Pair } from "../data/constraints.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Sparse } from "../matrix/sparse.ts";
import { checkedScale, scaled } from "./kmeans.ts";
import { nearestCenters } from "./nearestCenters.ts";
import { withPoints } from "./withPoints.ts";

export function checkPairs(options: {
  readonly mustLink?: readonly Pair[];
  readonly cannotLink?: readonly Pair[];
}): Constraints {
  return { mustLink: options.mustLink ?? [], cannotLink: options.cannotLink ?? [] };
}

export function checkRowWeights(
  method: string,
  weights: ArrayLike<number> | undefined,
  rows: number,
): Float64Array | undefined {
  if (weights === undefined) return undefined;
  if (weights.length !== rows) throw optionError(`${method}: ${rows} rows, but ${weights.length} weights`);
  const checked = Float64Array.from(weights);
  checked.forEach((weight, i) => {
    if (weight >= 0 && weight < Infinity) return;
    throw optionError(`${method}: the weight of row ${i} is ${weight}; weights must be finite, not negative`);
  });
  if (!checked.some((weight) => weight > 0)) throw optionError(`${method}: all weights are 0`);
  return checked;
}

/** The nearest centre of each row of Y. */
export function predictNearest(Y: Matrix | Sparse, centers: Matrix): Int32Array {
  if (Y.cols !== centers.cols) {
    throw inputError(`predict: the data has ${Y.cols} columns, but the clusters have ${centers.cols}`);
  }
  const scale = checkedScale(Y, centers);
  const C = scaled(centers, scale).data;
  return withPoints(scaled(Y, scale), (points) => nearestCenters(points, C, centers.rows));
}
