import {
  asRows,
  isSparse,
  matrix,
  sparse,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { inputError, numericError, plain } from "../../core/internal.ts";
import type { Pair } from "../../data/index.ts";
import { convex, innerProducts, type BregmanFunction } from "./bregmanFunction.ts";
import type { Fit } from "../mahalanobis.ts";

/**
 * A learned Bregman distance: with phi(x) = sum_k w_k h(x_k'x) and x the row times `rowScale`,
 *
 *     divergence(a, b) = phi(a) - phi(b) - phi'(b)'(a - b)                  not symmetric
 *     distance(a, b)   = divergence(a, b) + divergence(b, a)
 *                      = sum_k w_k (h'(x_k'a) - h'(x_k'b)) x_k'(a - b)
 *
 * Neither obeys the triangle inequality. Everything is a function of the inner products x_k'a with the points
 * x_k of positive weight, so no d x d matrix is needed; `project` returns them.
 */
export interface BregmanDistance extends Fit {
  readonly kind: "bregman";
  readonly method: "bregman";
  readonly h: BregmanFunction;
  /** The points x_k, scaled. */
  readonly points: Matrix | Sparse;
  /** w, one positive weight per point. */
  readonly weights: Float64Array;
  /** The factor of the rows. */
  readonly rowScale: number;
  /** b: two rows are "the same" when their distance is at most this. */
  readonly threshold: number;
  readonly names?: readonly string[];
  /** Row i, column k: x_k'y_i. Linear, so the projection of a mean is the mean of the projections. */
  project(Y: MatrixLike | Sparse): Matrix;
  distance(a: ArrayLike<number>, b: ArrayLike<number>): number;
  divergence(a: ArrayLike<number>, b: ArrayLike<number>): number;
  /** The distance of each pair of rows of Y. */
  pairDistances(Y: MatrixLike | Sparse, pairs: readonly Pair[]): Float64Array;
  same(a: ArrayLike<number>, b: ArrayLike<number>): boolean;
  toJSON(): BregmanDistanceData;
  /** The same: a distance is its own model. */
  model(): BregmanDistanceData;
}

/** A Bregman distance in the form of a file. */
export interface BregmanDistanceData extends Fit {
  readonly kind: "bregman";
  readonly method: "bregman";
  readonly h: BregmanFunction;
  readonly points: StoredPoints;
  readonly weights: readonly number[];
  readonly rowScale: number;
  readonly threshold: number;
  readonly names?: readonly string[];
}

type StoredPoints =
  | { readonly rows: number; readonly cols: number; readonly data: readonly number[] }
  | {
      readonly rows: number;
      readonly cols: number;
      readonly offsets: readonly number[];
      readonly indices: readonly number[];
      readonly values: readonly number[];
    };

export type BregmanParts = Fit &
  Pick<BregmanDistance, "h" | "points" | "weights" | "rowScale" | "threshold" | "names">;

export function bregmanDistance(parts: BregmanParts): BregmanDistance {
  const { h, points, weights, rowScale, threshold } = parts;
  const { slope, excess, limit } = convex(h);
  const m = weights.length;
  const project = (input: MatrixLike | Sparse): Matrix => {
    const Y = asRows(input, "bregman");
    if (Y.cols !== points.cols) {
      throw inputError(
        `the Bregman distance was learned on ${points.cols} columns, but these rows have ${Y.cols}`,
      );
    }
    if (isSparse(Y)) requireFinite(matrix(1, Y.values.length, Y.values));
    else requireFinite(Y);
    const U = innerProducts(Y, points);
    for (let q = 0; q < U.data.length; q++) {
      U.data[q] *= rowScale;
      if (Math.abs(U.data[q]) > limit) {
        throw numericError(
          `row ${Math.floor(q / m)} is too far out for h = ${h}: its inner product with a point of the distance is ` +
            `${U.data[q].toPrecision(3)}; scale it as the rows that the distance was learned on`,
        );
      }
    }
    return U;
  };
  const both = (a: ArrayLike<number>, b: ArrayLike<number>): Matrix => {
    if (a.length !== b.length) {
      throw inputError(`the points have ${a.length} and ${b.length} values; they must have the same number`);
    }
    const rows = matrix(2, a.length);
    rows.data.set(a);
    rows.data.set(b, a.length);
    return project(rows);
  };
  const symmetrised = (U: Matrix, i: number, j: number): number => {
    let sum = 0;
    for (let k = 0, p = i * m, q = j * m; k < m; k++, p++, q++) {
      sum += weights[k] * (slope(U.data[p]) - slope(U.data[q])) * (U.data[p] - U.data[q]);
    }
    return sum;
  };
  const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => symmetrised(both(a, b), 0, 1);
  return plain({
    ...parts,
    kind: "bregman",
    method: "bregman",
    project,
    distance,
    divergence(a, b) {
      const { data } = both(a, b);
      let sum = 0;
      for (let k = 0; k < m; k++) sum += weights[k] * excess(data[k], data[m + k]);
      return sum;
    },
    pairDistances(Y, pairs) {
      const U = project(Y);
      return Float64Array.from(pairs, ([i, j]) => symmetrised(U, i, j));
    },
    same: (a, b) => distance(a, b) <= threshold,
    toJSON: () => ({
      ...parts,
      kind: "bregman",
      method: "bregman",
      points: storedPoints(points),
      weights: Array.from(weights),
    }),
  });
}

/** Reads the output of `toJSON`. */
export function loadBregman(data: BregmanDistanceData): BregmanDistance {
  const { kind: _, method: __, points: stored, ...rest } = data;
  const { rows, cols } = stored;
  const points =
    "data" in stored
      ? matrix(rows, cols, Float64Array.from(stored.data))
      : sparse(
          rows,
          cols,
          Int32Array.from(stored.offsets),
          Int32Array.from(stored.indices),
          Float64Array.from(stored.values),
        );
  const weights = Float64Array.from(data.weights);
  if (weights.length !== rows || !weights.every((weight) => weight >= 0 && weight < Infinity)) {
    throw inputError(`the Bregman distance has ${rows} points and no weight for each: the file is damaged`);
  }
  return bregmanDistance({ ...rest, points, weights });
}

function storedPoints(points: Matrix | Sparse): StoredPoints {
  const { rows, cols } = points;
  if (!isSparse(points)) return { rows, cols, data: Array.from(points.data) };
  return {
    rows,
    cols,
    offsets: Array.from(points.offsets),
    indices: Array.from(points.indices),
    values: Array.from(points.values),
  };
}
