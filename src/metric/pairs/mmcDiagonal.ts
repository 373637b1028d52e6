/**
 * Phi of mmcPhi.ts over diagonal R = diag(z): one weight per column. Only squares of differences matter,
 * because |u|_B^2 = sum_f u_f^2 z_f^2, so the squares are computed once and a step costs pairs x columns.
 */
import type { Pair } from "../../data/index.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { pooledVariances, type PhiProblem } from "./mmcPhi.ts";
import { invertible } from "../moments/shrink.ts";

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
