/**
 * The same in plain loops: test/metric/bregman/bregmanReference.ts.
 *
 * Learning a Bregman distance from pairs (L. Wu, R. Jin, S. C. H. Hoi, J. Zhu and N. Yu, 2009, "Learning Bregman distance
 * functions and its application for semi-supervised clustering"): phi(x) = sum_k w_k h(x_k'x) over points x_k of the
 * pairs, w >= 0, with the symmetrised distance d(a, b) = z_ab'w, z_ab,k = (h'(a'x_k) - h'(b'x_k)) x_k'(a - b), and
 *
 *     minimise over w >= 0, b >= 0   1/2 w'K w + C sum_p max(0, 1 - y_p (b - z_p'w))^2,   K_kl = h(x_k'x_l)
 *
 * with y = 1 for must-links. The printed loss (3), (11), (13) to (16) has y (d - b) instead, which pushes
 * must-links apart. The hinge is squared by default (bregmanInterior.ts has the plain one). Both minima are
 * found and proved instead of approached: the printed step C / t diverges for C = 1. Z is divided by its mean
 * and K by its mean diagonal, which gives C the same meaning for all data.
 */
import {
  asRows,
  isSparse,
  matrix,
  multiply,
  type Matrix,
  type MatrixLike,
  type Sparse,
} from "../../matrix/index.ts";
import { largestSize, requireFiniteSparse, requireModerate } from "../../matrix/internal.ts";
import { random } from "../../core/index.ts";
import { inputError, numericError, progressGate, rule } from "../../core/internal.ts";
import type { Pair } from "../../data/index.ts";
import { PAIR_RULES } from "../../data/internal.ts";
import {
  BREGMAN_FUNCTIONS,
  convex,
  innerProducts,
  scaledRows,
  bregmanDistance,
  type BregmanFunction,
  type BregmanDistance,
} from "./bregmanModel.ts";
import { solveHinge } from "./bregmanInterior.ts";
import { solveSquared } from "./bregmanSquared.ts";
import { printedSteps } from "./bregmanPrinted.ts";
import { type BregmanSolution, bregmanSystem } from "./bregmanSystem.ts";
import { knownPairs } from "../pairs/pairedRows.ts";

export const bregmanOptions = {
  ...PAIR_RULES,
  /** h: "exp" (exp(z) - 1, the default), "square" (z^2 / 2), an even number p (z^p), or "shifted2" to "shifted8" ((z + 1)^p - 1, p even). */
  function: rule.oneOf<BregmanFunction>(BREGMAN_FUNCTIONS, "exp", {
    says: "h of the distance: exp, square, an even power of z + 1 (shifted) or of z",
  }),
  /** C, the weight of the pairs against the size of phi. */
  cost: rule.real({ above: 0, default: 1, says: "weight of the pairs" }),
  /** Loss of a pair on the wrong side: "squared" (the default), or the "hinge" of the paper. */
  loss: rule.oneOf<BregmanLoss>(["squared", "hinge"], "squared", {
    says: "loss of a pair on the wrong side: the hinge, squared or plain",
  }),
  /**
   * "printed": Algorithm 1 of the paper, with its loss (3), its step C / t (`maxIterations` of them) and K and Z as they are; what
   * goes wrong is in the warnings. `loss` does not count then.
   */
  variant: rule.oneOf(["repaired", "printed"], "repaired", {
    says: "the repaired algorithm, or the printed one with what goes wrong",
  }),
  /**
   * The factor of the rows. Default: 1 / (2 times their root mean square norm), which for z-scored columns is
   * 1 / (2 sqrt(d)); with larger rows exp depends only on the longest ones.
   */
  rowScale: rule.real({ above: 0 }),
  /** Maximum number of points x_k; beyond that, they are drawn from the points of the pairs. */
  basis: rule.integer({ min: 1, default: 2000 }),
  seed: rule.seed,
  /** The KKT residual (bregmanSystem.ts), with the plain hinge the relative duality gap, at which the fit counts as converged. */
  tolerance: rule.real({ above: 0, default: 1e-8 }),
  maxIterations: rule.integer({ min: 0, default: 2000 }),
  names: rule.names,
  onProgress: rule.progress,
};

export type BregmanOptions = rule.OptionsOf<typeof bregmanOptions>;

export type BregmanLoss = "squared" | "hinge";

/** Learns the convex function whose Bregman distance puts must-links near and cannot-links far. */
export function bregman(input: MatrixLike | Sparse, options: BregmanOptions = {}): BregmanDistance {
  const X = asRows(input, "bregman");
  const {
    function: h,
    cost,
    loss,
    variant,
    basis,
    seed,
    tolerance,
    maxIterations,
    names,
    onProgress,
    ...given
  } = rule.resolveOptions("bregman", options, bregmanOptions);
  if (isSparse(X)) requireFiniteSparse(X);
  else requireModerate(X);
  const { mustLink, cannotLink, warnings } = knownPairs("bregman", X.rows, options, "both");
  const rowScale = given.rowScale ?? 0.5 / rootMeanSquareNorm(X);
  const pairs = [...mustLink, ...cannotLink];
  const rows = Int32Array.from(new Set(pairs.flat())).sort();
  // Positions in `rows` of the points x_k.
  let chosen: Int32Array = Int32Array.from(rows.keys());
  if (rows.length > basis) {
    chosen = random(seed).sample(basis, rows.length).sort();
    warnings.push(`${basis} of the ${rows.length} points in the pairs were drawn as points of the distance`);
  }
  const ends = scaledRows(X, rows, rowScale);
  const points = scaledRows(ends, chosen, 1);
  const U = innerProducts(ends, points);
  requireRange(U, rows, h);

  const printed = variant === "printed";
  const { K, kernelSize } = kernelOf(U, chosen, h, printed);
  const { Z, mean } = pairTerms(U, rows, pairs, h, printed);
  if (!(mean > 0)) throw inputError("bregman: the two rows of every pair are equal");
  if (!(kernelSize > 0))
    throw inputError("bregman: every row of the pairs is 0; center or scale the columns");
  const y = Int8Array.from(pairs, (_, p) => (p < mustLink.length ? 1 : -1));
  const report = progressGate(onProgress);
  const form = printed ? "printed" : loss;
  const solver = SOLVERS[form];
  const solution = solver(bregmanSystem(K, Z, y, cost), { tolerance, maxIterations }, report);
  const measure = loss === "hinge" ? "relative duality gap" : "KKT residual";
  if (printed) warnings.push(...printedWarnings(solution, Z, mustLink.length));
  else if (!solution.converged) {
    const why = solution.stopped ? "stopped by onProgress" : "did not converge";
    warnings.push(
      `${why} after ${solution.iterations} iterations at ${measure} ${solution.residual.toExponential(1)}`,
    );
  }
  const support = Int32Array.from(solution.weights.keys()).filter((k) => solution.weights[k] > 0);
  if (support.length === 0) {
    warnings.push("no distance of this kind puts must-links nearer than cannot-links: the distance is 0");
  }
  return bregmanDistance({
    kind: "bregman",
    method: "bregman",
    h,
    points: scaledRows(points, support, 1),
    weights: Float64Array.from(support, (k) => solution.weights[k] / (printed ? 1 : mean)),
    rowScale,
    threshold: solution.threshold,
    ...(names === undefined ? {} : { names }),
    converged: solution.converged,
    iterations: solution.iterations,
    objective: solution.objective,
    history: solution.history,
    certificate: {
      kind: MEASURES[form],
      residual: solution.residual,
    },
    warnings,
  });
}

const SOLVERS = { squared: solveSquared, hinge: solveHinge, printed: printedSteps };
const MEASURES = {
  squared: "KKT max |projected derivative| max(x, 1) / max(f, 1)",
  hinge: "duality gap / max(f, 1)",
  printed: "length of the last step / length of x",
};

/** What the printed form does to the objective and to the pairs. */
function printedWarnings(
  { weights, objective, history, iterations }: BregmanSolution,
  Z: Matrix,
  mustLinks: number,
): string[] {
  const distances = multiply(Z, matrix(Z.cols, 1, weights)).data;
  const meanOf = (from: number, to: number): number =>
    distances.subarray(from, to).reduce((sum, distance) => sum + distance, 0) / (to - from);
  const [near, far] = [meanOf(0, mustLinks), meanOf(mustLinks, distances.length)];
  const least = history.indexOf(Math.min(...history));
  return [
    `as printed: the objective is ${objective.toPrecision(3)} after ${iterations} steps of C / t, ` +
      `${history[0].toPrecision(3)} before the first, and least after ${least} (${history[least].toPrecision(3)})`,
    ...(near >= far
      ? [
          `as printed: must-links are at the mean distance ${near.toPrecision(3)}, cannot-links at ${far.toPrecision(3)}: ` +
            `the loss (3) pushes must-links apart`,
        ]
      : []),
  ];
}

function rootMeanSquareNorm(X: Matrix | Sparse): number {
  const values = isSparse(X) ? X.values : X.data;
  const largest = largestSize(values);
  if (largest === 0) throw inputError("bregman: every value is 0");
  let sum = 0;
  for (let p = 0; p < values.length; p++) sum += (values[p] / largest) ** 2;
  return largest * Math.sqrt(sum / X.rows);
}

function requireRange(U: Matrix, rows: Int32Array, h: BregmanFunction): void {
  const { limit } = convex(h);
  for (let q = 0; q < U.data.length; q++) {
    if (Math.abs(U.data[q]) <= limit) continue;
    throw numericError(
      `bregman: row ${rows[Math.floor(q / U.cols)]} is too long for h = ${h}: an inner product is ` +
        `${U.data[q].toPrecision(3)}, and at most ${limit.toPrecision(1)} can be used; z-score the columns, or lower rowScale`,
    );
  }
}

/** h of the inner products of the chosen points, divided by the mean of the diagonal unless `raw`. */
function kernelOf(U: Matrix, chosen: Int32Array, h: BregmanFunction, raw: boolean) {
  const { value } = convex(h);
  const m = chosen.length;
  const K = matrix(m, m);
  let kernelSize = 0;
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < m; k++) K.data[i * m + k] = value(U.data[chosen[i] * m + k]);
    kernelSize += K.data[i * m + i] / m;
  }
  if (kernelSize > 0 && !raw) for (let q = 0; q < K.data.length; q++) K.data[q] /= kernelSize;
  return { K, kernelSize };
}

/** z_p for each pair, divided by the mean of all its entries unless `raw`. */
function pairTerms(U: Matrix, rows: Int32Array, pairs: readonly Pair[], h: BregmanFunction, raw: boolean) {
  const { slope } = convex(h);
  const m = U.cols;
  const position = new Map(Array.from(rows, (row, at) => [row, at]));
  const slopes = U.data.map(slope);
  const Z = matrix(pairs.length, m);
  let mean = 0;
  pairs.forEach(([i, j], p) => {
    let sum = 0;
    for (let k = 0, a = position.get(i)! * m, b = position.get(j)! * m; k < m; k++, a++, b++) {
      const z = (slopes[a] - slopes[b]) * (U.data[a] - U.data[b]);
      Z.data[p * m + k] = z;
      sum += z;
    }
    mean += sum / Z.data.length;
  });
  if (mean > 0 && !raw) for (let q = 0; q < Z.data.length; q++) Z.data[q] /= mean;
  return { Z, mean };
}
