import {
  asRows,
  fromRows,
  isSparse,
  sparse,
  matrix,
  multiplyTransposeB,
  takeRows,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { matrixForm, requireFinite, requireFiniteSparse, takeSparseRows } from "../../matrix/internal.ts";
import { form, inputError, numericError, plain } from "../../core/internal.ts";
import type { Pair } from "../../data/index.ts";
import { fitFields } from "../mahalanobis.ts";

/**
 * The convex functions h of one number behind a Bregman distance, all with h(0) = 0 and such that h(x'y) is a positive
 * semidefinite kernel: exp(z) - 1, z^2 / 2 (the distance is then a Mahalanobis one), z^p or (z + 1)^p - 1 ("shiftedP")
 * with p even. The paper also allows |z|^p and |z + 1|^p with p odd, which are not positive semidefinite, and
 * exp(z) and |z + 1|^p, for which h(0) = 1; minus 1 they have the same derivatives.
 */
export type BregmanFunction = (typeof BREGMAN_FUNCTIONS)[number] | number;

export const BREGMAN_FUNCTIONS = [
  ...(["exp", "square", "shifted2", "shifted4", "shifted6", "shifted8"] as const),
  ...([2, 4, 6, 8, 10, 12, 14, 16, 18, 20] as const),
] as const;

/** Rows, dense or sparse. */
const denseForm = matrixForm("points");
const sparseForm = form.record({
  rows: form.size("points"),
  cols: form.whole({ min: 0 }),
  offsets: form.wholes(undefined, { min: 0 }),
  indices: form.wholes("entries", { min: 0 }),
  values: form.numbers("entries"),
});
const pointsForm: form.Form<
  form.StoredOf<typeof denseForm> | form.StoredOf<typeof sparseForm>,
  Matrix | Sparse
> = {
  schema: { oneOf: [denseForm.schema, sparseForm.schema] },
  load(value, at) {
    if (typeof value !== "object" || value === null || !("offsets" in value))
      return denseForm.load(value, at);
    const { rows, cols, offsets, indices, values } = sparseForm.load(value, at);
    return sparse(rows, cols, offsets, indices, values);
  },
  save: (points) => (isSparse(points) ? sparseForm.save(points) : denseForm.save(points)),
};

const bregmanForm = form.record({
  h: form.choice<BregmanFunction>(...BREGMAN_FUNCTIONS),
  /** The points x_k, scaled. */
  points: pointsForm,
  /** w, one positive weight per point. */
  weights: form.numbers("points", { min: 0 }),
  /** The factor of the rows. */
  rowScale: form.number(),
  /** b: two rows are "the same" when their distance is at most this. */
  threshold: form.number(),
  names: form.optional(form.list(form.text())),
  ...fitFields,
  kind: form.choice("bregman"),
  method: form.choice("bregman"),
});

/** A Bregman distance in the form of a file. */
export interface BregmanDistanceData extends form.StoredOf<typeof bregmanForm> {}

type Parts = form.LoadedOf<typeof bregmanForm>;

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
  return bregmanDistance(form.load(bregmanForm, data, "the Bregman distance"));
}

interface Convex {
  value(z: number): number;
  slope(z: number): number;
  /** h(u) - h(v) - h'(v) (u - v), never negative, accurate where u is near v. */
  excess(u: number, v: number): number;
  /** The largest |z| for which sums of these stay well inside the number range. */
  readonly limit: number;
}

export function convex(h: BregmanFunction): Convex {
  if (h === "exp") {
    return {
      value: Math.expm1,
      slope: Math.exp,
      excess: (u, v) => Math.exp(v) * Math.max(0, expExcess(u - v)),
      limit: 300,
    };
  }
  if (h === "square") {
    return {
      value: (z) => (z * z) / 2,
      slope: (z) => z,
      excess: (u, v) => ((u - v) * (u - v)) / 2,
      limit: 1e100,
    };
  }
  if (typeof h === "string") {
    const p = Number(h.slice("shifted".length));
    const { slope, excess, limit } = convex(p);
    return {
      value: (z) => shiftedPower(z, p),
      slope: (z) => slope(z + 1),
      excess: (u, v) => excess(u + 1, v + 1),
      limit,
    };
  }
  return {
    value: (z) => evenPower(z, h),
    slope: (z) => h * z * evenPower(z, h - 2),
    excess: (u, v) => Math.max(0, powerExcess(h, u, v)),
    limit: 10 ** (200 / h),
  };
}

/** z^p for even p, by products: several times faster than the operator, and there are m^2 of them. */
function evenPower(z: number, p: number): number {
  const square = z * z;
  let power = 1;
  for (let k = 0; k < p; k += 2) power *= square;
  return power;
}

/** (z + 1)^p - 1 = z sum_{k<p} (z + 1)^k: no digit is lost near 0. */
function shiftedPower(z: number, p: number): number {
  let sum = 0;
  for (let k = 0; k < p; k++) sum = sum * (z + 1) + 1;
  return z * sum;
}

/** exp(t) - 1 - t, by its series where the difference would cancel. */
function expExcess(t: number): number {
  if (Math.abs(t) > 0.1) return Math.expm1(t) - t;
  let term = (t * t) / 2;
  let sum = 0;
  for (let k = 3; k < 14; k++) {
    sum += term;
    term *= t / k;
  }
  return sum;
}

/** u^p - v^p - p v^(p-1) (u - v) = (u - v)^2 sum_{k=0}^{p-2} (k + 1) v^k u^(p-2-k). */
function powerExcess(p: number, u: number, v: number): number {
  let sum = 0;
  for (let k = 0; k <= p - 2; k++) sum += (k + 1) * v ** k * u ** (p - 2 - k);
  return (u - v) * (u - v) * sum;
}

/**
 * Entry (i, j) is a_i'b_j. Two sparse factors are multiplied through one dense row, so memory does not grow
 * with the columns.
 */
export function innerProducts(A: Matrix | Sparse, B: Matrix | Sparse): Matrix {
  if (!isSparse(A) || !isSparse(B)) return multiplyTransposeB(A, B);
  const C = matrix(A.rows, B.rows);
  const dense = new Float64Array(A.cols);
  for (let i = 0; i < A.rows; i++) {
    for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) dense[A.indices[p]] += A.values[p];
    for (let j = 0; j < B.rows; j++) {
      let sum = 0;
      for (let q = B.offsets[j]; q < B.offsets[j + 1]; q++) sum += B.values[q] * dense[B.indices[q]];
      C.data[i * B.rows + j] = sum;
    }
    for (let p = A.offsets[i]; p < A.offsets[i + 1]; p++) dense[A.indices[p]] = 0;
  }
  return C;
}

/** The given rows times `factor`, dense or sparse like the input. */
export function scaledRows(X: Matrix | Sparse, rows: ArrayLike<number>, factor: number): Matrix | Sparse {
  if (!isSparse(X)) {
    const taken = takeRows(X, rows);
    for (let p = 0; p < taken.data.length; p++) taken.data[p] *= factor;
    return taken;
  }
  const taken = takeSparseRows(X, rows);
  return { ...taken, values: taken.values.map((value) => factor * value) };
}
