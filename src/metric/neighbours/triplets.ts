/**
 * A metric from triplets "i is nearer to j than to l", over all positive semidefinite M (C. Shen, J. Kim, L. Wang and A. van
 * den Hengel, 2009, "Positive semidefinite metric learning with boosting", with the hinge of SCML):
 *
 *     minimise mean_t [1 + d_ij - d_il]_+ + price tr(S M)   over M >= 0,   d_ij = (x_i - x_j)'M(x_i - x_j)
 *
 * S the variances of the columns, which makes units irrelevant. M = L'L with L as large as M has no local
 * minimum besides the global ones, so L-BFGS in L suffices, with the hinge smoothed over a width that
 * shrinks. The slopes a_t of the hinge are multipliers of the dual,
 *
 *     maximise sum_t a_t   where   0 <= a_t <= 1 / T and price S + G(a) is positive semidefinite,
 *
 * and scaled to feasibility they are a lower bound of the objective: that is the certificate.
 */
import {
  asMatrix,
  gram,
  identity,
  matrix,
  multiply,
  symmetricEigen,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances, requireModerate } from "../../matrix/internal.ts";
import {
  inputError,
  integer,
  namesRule,
  progressGate,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import type { Triplet } from "../../data/index.ts";
import { lbfgs } from "../../optimize/index.ts";
import { factorOf, mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { pairTable, tripletLossAt, tripletProblem, type TripletProblem } from "./tripletProblem.ts";

export const tripletsOptions = {
  /** The price of a mean squared distance of 1 against the triplets (default 0.01). */
  price: real({
    above: 0,
    default: 0.01,
    says: "price of long distances, against that of violated triplets",
  }),
  /** The relative duality gap at which to stop (default 1e-3). */
  tolerance: real({ above: 0, below: 1, default: 1e-3, says: "relative duality gap at which to stop" }),
  maxIterations: integer({ min: 0, default: 5000, says: "maximum number of iterations" }),
  names: namesRule,
  onProgress: progressRule,
};

export type TripletOptions = OptionsOf<typeof tripletsOptions>;

/** @param triplets row numbers [anchor, nearer, farther] */
export function triplets(
  input: MatrixLike,
  given: readonly Triplet[],
  options: TripletOptions = {},
): Mahalanobis {
  const X = asMatrix(input, "triplets");
  const { price, tolerance, maxIterations, names, onProgress } = resolveOptions(
    "triplets",
    options,
    tripletsOptions,
  );
  requireModerate(X);
  const d = X.cols;
  const lists = pairTable("triplets", X.rows, given);
  const variances = columnVariances(X);
  const spreads = variances.map(Math.sqrt);
  if (!spreads.some((spread) => spread > 0)) throw inputError("triplets: every column is constant");
  const scaled = matrix(X.rows, d);
  for (let p = 0; p < scaled.data.length; p++) {
    const spread = spreads[p % d];
    scaled.data[p] = spread > 0 ? X.data[p] / spread : 0;
  }
  const problem = tripletProblem(scaled, identity(d), lists);
  const report = progressGate(onProgress);
  const warnings: string[] = [];
  const history: number[] = [];

  let L = start(problem);
  // If no direction is worth its price, the answer is 0.
  const zero = { L: matrix(d, d), ...judge(problem, matrix(d, d), price, 1) };
  let best = { ...zero, gap: Math.max(0, (zero.value - zero.bound) / zero.value) };
  let iterations = 0;
  let width = 1;
  let stationary = 0;
  while (best.gap > tolerance && stationary < 2) {
    const minimum = lbfgs(
      (x, gradient) => {
        const at = matrix(d, d, Float64Array.from(x));
        const { value, G } = tripletLossAt(problem, gram(at), width);
        for (let f = 0; f < d; f++) G.data[f * d + f] += price;
        const slope = multiply(at, G).data;
        let size = 0;
        for (let p = 0; p < slope.length; p++) {
          gradient[p] = 2 * slope[p];
          size += x[p] * x[p];
        }
        return value + price * size;
      },
      L.data,
      { maxIterations: maxIterations - iterations, tolerance: tolerance * width },
    );
    iterations += minimum.iterations;
    L = matrix(d, d, Float64Array.from(minimum.x));
    const judged = judge(problem, L, price, width);
    const bound = Math.max(best.bound, judged.bound);
    if (judged.value < best.value) best = { ...best, L, value: judged.value };
    best = { ...best, bound, gap: best.value > 0 ? Math.max(0, (best.value - bound) / best.value) : 0 };
    history.push(best.value);
    if (best.gap <= tolerance || iterations >= maxIterations) break;
    const label = `triplets, gap ${best.gap.toExponential(1)}`;
    if (!report({ fraction: iterations / maxIterations, label, objective: best.value })) break;
    // A lost direction of L that would pay.
    if (judged.escape !== undefined) L = lifted(L, judged.escape);
    if (width > NARROWEST) width /= 4;
    else stationary++;
  }
  // Directions that the descent has almost removed.
  const thin = thinned(best.L);
  const { value } = judge(problem, thin, price, width);
  best = { ...best, L: thin, value, gap: value > 0 ? Math.max(0, (value - best.bound) / value) : 0 };
  if (best.gap > tolerance) {
    const why = report.stopped ? " when stopped by onProgress" : ` after ${iterations} iterations`;
    warnings.push(`the duality gap is ${best.gap.toExponential(1)}${why}`);
  }
  const M = gram(best.L);
  for (let p = 0; p < M.data.length; p++) {
    const spread = spreads[p % d] * spreads[Math.floor(p / d)];
    M.data[p] = spread > 0 ? M.data[p] / spread : 0;
  }
  const factor = factorOf(M);
  if (factor.rows === 0) {
    warnings.push(`the metric is zero: no direction is worth its price; lower "price" (${price})`);
  }
  return mahalanobis({
    method: "triplets",
    factor,
    names,
    variances,
    converged: best.gap <= tolerance,
    iterations,
    objective: best.value,
    history,
    certificate: { kind: "duality gap, relative", residual: best.gap },
    warnings,
  });
}

/** Of the rounded hinge. */
const NARROWEST = 1e-7;

/** A factor of L'L without the eigenvalues below 1e-8 of the largest. */
function thinned(L: Matrix): Matrix {
  const { values, vectors } = symmetricEigen(gram(L));
  const d = L.cols;
  const thin = matrix(d, d);
  for (let r = 0; r < d && values[r] > 1e-8 * values[0]; r++) {
    for (let f = 0; f < d; f++) thin.data[r * d + f] = Math.sqrt(values[r]) * vectors.data[f * d + r];
  }
  return thin;
}

/** The identity, scaled to a mean squared distance of 1 over the pairs. */
function start({ X, pairs }: TripletProblem): Matrix {
  const d = X.cols;
  let mean = 0;
  for (let p = 0; p < pairs.length; p += 2) {
    for (let f = 0; f < d; f++) {
      mean += (2 / pairs.length) * (X.data[pairs[p] * d + f] - X.data[pairs[p + 1] * d + f]) ** 2;
    }
  }
  const L = identity(d);
  for (let f = 0; f < d; f++) L.data[f * d + f] = mean > 0 ? 1 / Math.sqrt(mean) : 1;
  return L;
}

/** The objective, its lower bound, and a direction that is worth its price, if there is one. */
function judge(
  problem: TripletProblem,
  L: Matrix,
  price: number,
  width: number,
): { value: number; bound: number; escape?: Float64Array } {
  const M = gram(L);
  const size = L.data.reduce((sum, one) => sum + one * one, 0);
  const value = tripletLossAt(problem, M, 0).value + price * size;
  const { slopes, G } = tripletLossAt(problem, M, width);
  const { values, vectors } = symmetricEigen(G);
  const d = L.cols;
  const steepest = -values[d - 1];
  const bound = slopes * Math.min(1, steepest > 0 ? price / steepest : 1);
  if (steepest <= price) return { value, bound };
  return { value, bound, escape: Float64Array.from({ length: d }, (_, f) => vectors.data[f * d + d - 1]) };
}

/** L with a little of the direction added to its shortest row. */
function lifted({ rows, cols: d, data }: Matrix, direction: Float64Array): Matrix {
  const L = matrix(rows, d, data.slice());
  let shortest = 0;
  let least = Infinity;
  let longest = 0;
  for (let r = 0; r < d; r++) {
    let size = 0;
    for (let f = 0; f < d; f++) size += L.data[r * d + f] ** 2;
    if (size < least) [shortest, least] = [r, size];
    longest = Math.max(longest, size);
  }
  for (let f = 0; f < d; f++) L.data[shortest * d + f] += 1e-3 * Math.sqrt(longest || 1) * direction[f];
  return L;
}
