import {
  asRows,
  fromRows,
  isSparse,
  sparse,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { matrixForm, requireFinite, requireFiniteSparse } from "../../matrix/internal.ts";
import {
  choice,
  inputError,
  list,
  load,
  number,
  numbers,
  numericError,
  optional,
  plain,
  record,
  size,
  text,
  whole,
  wholes,
  type Form,
  type LoadedOf,
  type StoredOf,
} from "../../core/internal.ts";
import type { Pair } from "../../data/index.ts";
import { BREGMAN_FUNCTIONS, convex, innerProducts, type BregmanFunction } from "./bregmanFunction.ts";
import { fitFields } from "../mahalanobis.ts";

/** Rows, dense or sparse. */
const denseForm = matrixForm("points");
const sparseForm = record({
  rows: size("points"),
  cols: whole({ min: 0 }),
  offsets: wholes(undefined, { min: 0 }),
  indices: wholes("entries", { min: 0 }),
  values: numbers("entries"),
});
const pointsForm: Form<StoredOf<typeof denseForm> | StoredOf<typeof sparseForm>, Matrix | Sparse> = {
  schema: { oneOf: [denseForm.schema, sparseForm.schema] },
  load(value, at) {
    if (typeof value !== "object" || value === null || !("offsets" in value))
      return denseForm.load(value, at);
    const { rows, cols, offsets, indices, values } = sparseForm.load(value, at);
    return sparse(rows, cols, offsets, indices, values);
  },
  save: (points) => (isSparse(points) ? sparseForm.save(points) : denseForm.save(points)),
};

const bregmanForm = record({
  h: choice<BregmanFunction>(...BREGMAN_FUNCTIONS),
  /** The points x_k, scaled. */
  points: pointsForm,
  /** w, one positive weight per point. */
  weights: numbers("points", { min: 0 }),
  /** The factor of the rows. */
  rowScale: number(),
  /** b: two rows are "the same" when their distance is at most this. */
  threshold: number(),
  names: optional(list(text())),
  ...fitFields,
  kind: choice("bregman"),
  method: choice("bregman"),
});

/** A Bregman distance in the form of a file. */
export interface BregmanDistanceData extends StoredOf<typeof bregmanForm> {}

type Parts = LoadedOf<typeof bregmanForm>;

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
export interface BregmanDistance extends Parts {
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

export function bregmanDistance(parts: Parts): BregmanDistance {
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
    if (isSparse(Y)) requireFiniteSparse(Y);
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
    return project(fromRows([a, b]));
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
    toJSON: () => bregmanForm.save(parts),
  });
}

/** Reads the output of `toJSON`. */
export function loadBregman(data: BregmanDistanceData): BregmanDistance {
  return bregmanDistance(load(bregmanForm, data, "the Bregman distance"));
}
