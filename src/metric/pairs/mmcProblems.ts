/**
 * Phi of mmcPhi.ts over all of R, where x is R, row by row; and over diagonal R = diag(z), one weight per column. There only
 * squares of differences matter, because |u|_B^2 = sum_f u_f^2 z_f^2, so they are computed once and a step costs pairs x
 * columns.
 */
import type { Pair } from "../../data/index.ts";
import {
  cholesky,
  gram,
  identity,
  matrix,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  solveTriangular,
  squaredNorms,
  symmetricEigen,
  takeRows,
  transpose,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { diagonalOf, dot, mapped, symmetrize } from "../../matrix/internal.ts";
import type { Objective } from "../../optimize/index.ts";
import { pooledVariances, type PhiProblem } from "./mmcPhi.ts";
import { pairDifferences, pairScatter } from "./pairedRows.ts";
import { invertible, isSafelyPositive } from "../moments/shrink.ts";

/** W is (1 - share) of the must-links' scatter and `share` of the variances of all pairs. */
export function wholeProblem(
  X: Matrix,
  mustLink: readonly Pair[],
  cannotLink: readonly Pair[],
  { rho, share }: { rho: number; share: number },
): PhiProblem {
  const d = X.cols;
  const near = pairDifferences(X, mustLink);
  const apart = pairDifferences(X, cannotLink);
  const scatter = pairScatter(X, mustLink);
  const pooled = pooledVariances(diagonalOf(scatter), meanSquares(apart));
  for (let p = 0; p < scatter.data.length; p++) scatter.data[p] *= 1 - share;
  for (let f = 0; f < d; f++) scatter.data[f * (d + 1)] += share * pooled[f];
  const { T, forced } = mustCoordinates(scatter, apart, mustLink.length, rho);
  const r = T.rows;
  const U = multiplyTransposeB(apart, T);
  const factor = (x: Float64Array): Matrix => multiply(matrix(r, r, x), T);
  return {
    forced,
    tellsApart: U.data.some((value) => value !== 0),
    start: identity(r).data,
    objective: wholeObjective(U, rho),
    measure: (x) => {
      const L = factor(x);
      return {
        gap: certifiedGap(U, matrix(r, r, x), rho),
        together: lengthsUnder(near, L),
        between: lengthsUnder(apart, L),
      };
    },
    factor,
  };
}

/** Mean squares, in units of the must-links', below which a direction counts as constant. */
const STILL = 1e-10;

/**
 * T with T W T' = I. If no pair varies in some direction, for example with dependent columns, J alone does
 * not depend on it (rho = 0): T leaves it out, and the optimum is that of the other directions. If only the
 * must-links do not vary, J has no maximum: their scatter is shrunk.
 */
function mustCoordinates(
  scatter: Matrix,
  apart: Matrix,
  mustLinks: number,
  rho: number,
): { readonly T: Matrix; readonly forced: number } {
  const d = scatter.rows;
  if (rho === 0 && !isSafelyPositive(scatter)) {
    const scales = diagonalOf(scatter).map(
      (square, f) => Math.sqrt(square > 0 ? square : meanSquares(apart)[f]) || 1,
    );
    const scaled = mapped(scatter, (value, p) => value / scales[Math.floor(p / d)] / scales[p % d]);
    const { values, vectors } = symmetricEigen(symmetrize(scaled));
    const moving = values.filter((value) => value > STILL * d).length;
    const directions = mapped(transpose(vectors), (value, p) => value / scales[p % d]);
    const still = Array.from(values.keys()).slice(moving);
    const squares = meanSquares(multiplyTransposeB(apart, takeRows(directions, still)));
    if (moving > 0 && squares.every((square) => square <= STILL * d)) {
      const roots = values.slice(0, moving).map(Math.sqrt);
      const T = matrix(moving, d, directions.data.slice(0, moving * d));
      return { T: mapped(T, (value, p) => value / roots[Math.floor(p / d)]), forced: 0 };
    }
  }
  const { matrix: W, share: forced } = invertible(scatter, mustLinks);
  return { T: solveTriangular(cholesky(W).L, identity(d)), forced };
}

/** -Phi of B = R'R, up to a constant, and its gradient in R. */
function wholeObjective(U: Matrix, rho: number): Objective {
  const d = U.cols;
  return (x, gradient) => {
    const R = matrix(d, d, x);
    const { sum, unit } = unitRows(multiplyTransposeB(U, R));
    const G = multiplyTransposeA(unit, U);
    const trace = dot(x, x);
    for (let p = 0; p < x.length; p++) gradient[p] = -G.data[p] / sum + ((1 + rho * d) * x[p]) / trace;
    const value = -Math.log(sum / U.rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
    if (rho === 0) return value;
    const root = tryCholesky(gram(R));
    if (root === undefined) return Number.POSITIVE_INFINITY;
    const inverse = multiply(R, root.solve(identity(d))); // R'^-1
    for (let p = 0; p < x.length; p++) gradient[p] -= rho * inverse.data[p];
    return value - (rho / 2) * root.logDeterminant;
  };
}

/** Sum of the lengths of the rows, and the rows at length 1 (a zero row stays zero). */
function unitRows(Z: Matrix): { sum: number; unit: Matrix } {
  const { rows, cols } = Z;
  const unit = matrix(rows, cols);
  const squares = squaredNorms(Z);
  let sum = 0;
  for (let c = 0, p = 0; c < rows; c++) {
    const length = Math.sqrt(squares[c]);
    const inverse = length > 0 ? 1 / length : 0;
    sum += length;
    for (let f = 0; f < cols; f++, p++) unit.data[p] = Z.data[p] * inverse;
  }
  return { sum, unit };
}

/** grad Phi = sum u u' / (2 f |u|_B) + rho/2 B^-1 at tr B = 1, where <grad Phi, B> = (1 + rho d)/2. */
function certifiedGap(U: Matrix, R: Matrix, rho: number): number {
  const d = U.cols;
  const trace = dot(R.data, R.data);
  const squares = squaredNorms(multiplyTransposeB(U, R));
  const weighted = matrix(U.rows, d);
  let sum = 0;
  for (let c = 0; c < U.rows; c++) {
    const length = Math.sqrt(squares[c] / trace);
    sum += length;
    if (length > 0) {
      for (let p = c * d; p < (c + 1) * d; p++) weighted.data[p] = U.data[p] / (2 * length);
    }
  }
  const G = multiplyTransposeA(U, weighted);
  for (let p = 0; p < G.data.length; p++) G.data[p] /= sum;
  if (rho > 0) {
    const root = tryCholesky(gram(R));
    if (root === undefined) return Number.POSITIVE_INFINITY;
    const inverse = root.solve(identity(d));
    for (let p = 0; p < G.data.length; p++) G.data[p] += ((rho * trace) / 2) * inverse.data[p];
  }
  return Math.max(0, symmetricEigen(symmetrize(G)).values[0] - (1 + rho * d) / 2);
}

/** |L a| of every row of A. */
function lengthsUnder(A: Matrix, L: Matrix): Float64Array {
  return squaredNorms(multiplyTransposeB(A, L)).map(Math.sqrt);
}

/** Mean of the squares in each column. */
function meanSquares(A: Matrix): Float64Array {
  const means = new Float64Array(A.cols);
  for (let i = 0, p = 0; i < A.rows; i++) {
    for (let f = 0; f < A.cols; f++, p++) means[f] += A.data[p] * A.data[p];
  }
  for (let f = 0; f < A.cols; f++) means[f] /= A.rows;
  return means;
}

/** W is (1 - share) of the must-links' variances and `share` of those of all pairs. */
export function diagonalProblem(
  X: Matrix,
  mustLink: readonly Pair[],
  cannotLink: readonly Pair[],
  { rho, share }: { rho: number; share: number },
): PhiProblem {
  const d = X.cols;
  const rows = cannotLink.length;
  const near = squaredDifferences(X, mustLink);
  const apart = squaredDifferences(X, cannotLink);
  const pooled = pooledVariances(near.means, apart.means);
  const blended = near.means.map((value, f) => (1 - share) * value + share * pooled[f]);
  const { W, forced } = positive(blended, mustLink.length);
  const weights = new Float64Array(d);
  const lengths = new Float64Array(apart.squares.length / d);

  /** Makes the weights z_f^2 / W_f of the columns; returns tr B. */
  const weigh = (z: Float64Array): number => {
    let trace = 0;
    for (let f = 0; f < d; f++) {
      const square = z[f] * z[f];
      weights[f] = square / W[f];
      trace += square;
    }
    return trace;
  };

  return {
    forced,
    tellsApart: apart.means.some((value) => value > 0),
    start: new Float64Array(d).fill(1),
    objective: (z, gradient) => {
      const trace = weigh(z);
      const sum = sumOfLengths(apart.squares, weights, lengths, gradient);
      let value = -Math.log(sum / rows) + ((1 + rho * d) / 2) * Math.log(trace / d);
      const pull = (1 + rho * d) / trace;
      for (let f = 0; f < d; f++) {
        gradient[f] = z[f] * (pull - gradient[f] / (sum * W[f]));
        if (rho === 0) continue;
        if (z[f] === 0) return Number.POSITIVE_INFINITY;
        gradient[f] -= rho / z[f];
        value -= rho * Math.log(Math.abs(z[f]));
      }
      return value;
    },
    measure: (z) => {
      const trace = weigh(z);
      const derivatives = new Float64Array(d);
      const sum = sumOfLengths(apart.squares, weights, lengths, derivatives);
      let largest = 0; // entry of the gradient's diagonal, at tr B = 1
      for (let f = 0; f < d; f++) {
        const bend = rho > 0 ? rho / (z[f] * z[f]) : 0;
        largest = Math.max(largest, (trace / 2) * (derivatives[f] / (sum * W[f]) + bend));
      }
      const together = new Float64Array(near.squares.length / d);
      sumOfLengths(near.squares, weights, together, derivatives);
      return {
        gap: Math.max(0, largest - (1 + rho * d) / 2),
        together: together.slice(0, mustLink.length),
        between: lengths.slice(0, rows),
      };
    },
    factor: (z) => diagonalMatrix(z.map((value, f) => value / Math.sqrt(W[f]))),
  };
}

/**
 * Number of rows that `sumOfLengths` processes at a time, so weights and derivatives are read once for all
 * of them.
 */
const TILE = 4;

/** Row p is (x_i - x_j)^2 of pair p, column by column; zero rows fill the last tile. */
function squaredDifferences(
  { cols: d, data }: Matrix,
  pairs: readonly Pair[],
): { squares: Float64Array; means: Float64Array } {
  const squares = new Float64Array(Math.ceil(pairs.length / TILE) * TILE * d);
  const means = new Float64Array(d);
  for (let p = 0, at = 0; p < pairs.length; p++) {
    const i = pairs[p][0] * d;
    const j = pairs[p][1] * d;
    for (let f = 0; f < d; f++, at++) {
      const difference = data[i + f] - data[j + f];
      const square = difference * difference;
      squares[at] = square;
      means[f] += square;
    }
  }
  for (let f = 0; f < d; f++) means[f] /= pairs.length;
  return { squares, means };
}

/** Writes the lengths of the rows and sum_c squares_cf / length_c, twice the derivatives by the weights; returns their sum. */
function sumOfLengths(
  squares: Float64Array,
  weights: Float64Array,
  lengths: Float64Array,
  derivatives: Float64Array,
): number {
  const d = weights.length;
  derivatives.fill(0);
  let sum = 0;
  for (let c = 0, at = 0; c < lengths.length; c += TILE, at += TILE * d) {
    let first = 0;
    let second = 0;
    let third = 0;
    let fourth = 0;
    for (let f = 0, p = at, q = p + d, r = q + d, t = r + d; f < d; f++, p++, q++, r++, t++) {
      const weight = weights[f];
      first += squares[p] * weight;
      second += squares[q] * weight;
      third += squares[r] * weight;
      fourth += squares[t] * weight;
    }
    sum += lengths[c] = Math.sqrt(first);
    sum += lengths[c + 1] = Math.sqrt(second);
    sum += lengths[c + 2] = Math.sqrt(third);
    sum += lengths[c + 3] = Math.sqrt(fourth);
    first = inverse(lengths[c]);
    second = inverse(lengths[c + 1]);
    third = inverse(lengths[c + 2]);
    fourth = inverse(lengths[c + 3]);
    for (let f = 0, p = at, q = p + d, r = q + d, t = r + d; f < d; f++, p++, q++, r++, t++) {
      derivatives[f] += squares[p] * first + squares[q] * second + squares[r] * third + squares[t] * fourth;
    }
  }
  return sum;
}

/** A cannot-link of length zero has no derivative and does not count. */
function inverse(length: number): number {
  return length > 0 ? 1 / length : 0;
}

/** Variances that are safe divisors. */
function positive(W: Float64Array, samples: number): { W: Float64Array; forced: number } {
  if (W.every((value) => value > 0)) return { W, forced: 0 };
  const { matrix: shrunk, share } = invertible(diagonalMatrix(W), samples);
  return { W: W.map((_, f) => shrunk.data[f * (W.length + 1)]), forced: share };
}

function diagonalMatrix(z: Float64Array): Matrix {
  const R = matrix(z.length, z.length);
  for (let f = 0; f < z.length; f++) R.data[f * (z.length + 1)] = z[f];
  return R;
}
