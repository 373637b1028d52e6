/**
 * The same in plain loops: test/metric/neighbours/lmnnReference.ts.
 *
 * Large margin nearest neighbours (Weinberger and Saul 2009). Each row has its k nearest rows of the same class as target
 * neighbours j, fixed at the start; a row l of another class is an impostor if it is not farther away by a margin of 1:
 *
 *     minimise (1 - push) sum_ij d_ij + push sum_ijl [1 + d_ij - d_il]_+,   d_ij = ||L x_i - L x_j||^2
 *
 * This is the hinge (not its square). In M = L'L it is a convex problem; here L is found by L-BFGS with the
 * hinge smoothed over a width that shrinks, on lists of near impostors that are renewed (lmnnImpostors.ts),
 * until the duality gap of the convex problem (lmnnDual.ts) shows that no M is better by more than
 * `tolerance`.
 */
import {
  asMatrix,
  matrix,
  multiply,
  multiplyTransposeB,
  nearestRows,
  squaredDistances,
  takeRows,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances, requireModerate } from "../../matrix/internal.ts";
import { random } from "../../core/index.ts";
import {
  inputError,
  integer,
  namesRule,
  option,
  progressRule,
  real,
  resolveOptions,
  type OptionsOf,
} from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import { descend } from "./lmnnDescent.ts";
import type { LmnnProblem } from "./lmnnObjective.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { whitenedRows } from "../moments/whitenedRows.ts";
import { goldenSection } from "../../optimize/internal.ts";

export const lmnnOptions = {
  /** k, target neighbours of each row (default 3); in a class of n_c rows at most n_c - 1. */
  neighbors: integer({ min: 1, default: 3, says: "target neighbours of each row" }),
  /**
   * Number of solves of the problem (default 1); from the second on, targets are the nearest rows under the
   * metric found so far. Useful if noisy columns distort the neighbours (section 4.2 of the paper).
   */
  passes: integer({ min: 1, max: 1000, default: 1 }),
  /** Weight of the push term against the pull term, between 0 and 1 (default 0.5). */
  push: real({ above: 0, below: 1, default: 0.5, says: "weight of the margins against the targets" }),
  /** Rows of L, 1 to d; default d. */
  dims: integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** L-BFGS iterations in all. */
  maxIterations: integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  /** The relative duality gap at which to stop. */
  tolerance: real({ above: 0, below: 1, default: 1e-2, says: "relative duality gap at which to stop" }),
  seed: integer({ default: 0 }),
  names: namesRule,
  onProgress: progressRule,
};

type Targets = Pick<LmnnProblem, "offsets" | "targets">;

export type LmnnOptions = OptionsOf<typeof lmnnOptions>;

/** `objective` is the exact sum of the formula above, over all rows and impostors. */
export function lmnn(input: MatrixLike, labels: Labeling, options: LmnnOptions = {}): Mahalanobis {
  const X = asMatrix(input, "lmnn");
  const { neighbors, passes, push, dims, maxIterations, tolerance, seed, names, onProgress } = resolveOptions(
    "lmnn",
    options,
    lmnnOptions,
  );
  requireModerate(X);
  if (dims !== undefined && dims > X.cols) {
    throw inputError(`lmnn: ${option("dims")} is ${dims}, but there are ${X.cols} columns`);
  }
  const { rows, codes, members } = labelledRows("lmnn", X, labels);
  const warnings: string[] = [];
  const white = whitenedRows("lmnn", rows);
  const targetsIn = (Y: Matrix): Targets => targetNeighbors(Y, members, neighbors);
  let problem: LmnnProblem = { Z: white.Z, codes, push, ...targetsIn(rows) };
  const small = members.filter((group) => group.length <= neighbors).length;
  if (small > 0) {
    warnings.push(
      `${small} classes have at most ${neighbors} rows: their rows have fewer than ${neighbors} targets`,
    );
  }
  const q = white.Z.cols;
  const r = Math.min(dims ?? q, q);

  // The start is the Euclidean metric (its leading principal components), at its best scale.
  const scale = Math.sqrt(startingScale(rows, problem, seed));
  const L = matrix(r, q);
  for (let a = 0; a < r; a++) L.data[a * q + a] = scale * Math.sqrt(white.variances[a]);

  const settings = { maxIterations, tolerance, onProgress, width: 1 };
  let iterations = 0;
  let from = L;
  if (rows.rows > 2 * COARSE) {
    // The metric of a sample is most of the way to the metric of all rows.
    const sample = random(seed)
      .sample(Math.max(COARSE, Math.ceil(rows.rows / 5)), rows.rows)
      .sort();
    const some = sampled(problem, sample, rows, neighbors);
    const coarse = descend(some, L, { ...settings, tolerance: 5 * tolerance });
    iterations = coarse.iterations;
    from = coarse.L;
    settings.width = coarse.width;
    settings.maxIterations = Math.max(0, maxIterations - iterations);
  }
  let state = descend(problem, from, settings);
  iterations += state.iterations;
  for (let pass = 1; pass < passes; pass++) {
    problem = { ...problem, ...targetsIn(multiplyTransposeB(white.Z, state.L)) };
    const left = Math.max(0, maxIterations - iterations);
    state = descend(problem, state.L, { ...settings, maxIterations: left, width: 1 });
    iterations += state.iterations;
  }
  if (state.gap > tolerance) {
    warnings.push(
      `the duality gap is ${state.gap.toExponential(1)}` +
        (iterations >= maxIterations ? ` after ${maxIterations} iterations` : "") +
        (r < q ? "; with fewer dimensions than the data has it need not vanish" : ""),
    );
  }
  return mahalanobis({
    method: "lmnn",
    factor: multiply(state.L, white.basis),
    names,
    variances: columnVariances(rows),
    converged: state.converged,
    iterations,
    objective: state.objective,
    history: state.history,
    certificate: { kind: "duality gap of the convex problem in M, relative", residual: state.gap },
    warnings,
  });
}

/** Number of rows whose metric starts the descent for many more. */
const COARSE = 2000;
/** The problem of some of the rows only. */
function sampled(problem: LmnnProblem, sample: Int32Array, X: Matrix, neighbors: number): LmnnProblem {
  const codes = sample.map((i) => problem.codes[i]);
  const members = Array.from(new Set(codes), (c) =>
    Int32Array.from(codes.keys()).filter((i) => codes[i] === c),
  );
  return {
    ...problem,
    Z: takeRows(problem.Z, sample),
    codes,
    ...targetNeighbors(takeRows(X, sample), members, neighbors),
  };
}

/** The k nearest rows of the same class for each row, as lists: those of row i are offsets[i] .. offsets[i + 1] - 1. */
function targetNeighbors(Y: Matrix, members: readonly Int32Array[], neighbors: number): Targets {
  const offsets = new Int32Array(Y.rows + 1);
  for (const group of members) {
    for (const i of group) offsets[i + 1] = Math.min(neighbors, group.length - 1);
  }
  for (let i = 0; i < Y.rows; i++) offsets[i + 1] += offsets[i];
  if (offsets[Y.rows] === 0) {
    throw inputError("lmnn needs a class with at least two rows; every class has only one");
  }
  const targets = new Int32Array(offsets[Y.rows]);
  for (const group of members) {
    const k = Math.min(neighbors, group.length - 1);
    if (k === 0) continue;
    const { indices } = nearestRows(takeRows(Y, group), k);
    group.forEach((i, a) => {
      for (let b = 0; b < k; b++) targets[offsets[i] + b] = group[indices[a * k + b]];
    });
  }
  return { offsets, targets };
}

/** Number of rows that represent all. */
const SAMPLE = 100;

/**
 * The t > 0 that minimises the LMNN objective of the metric t I, over a sample of the rows: convex in t,
 * found by golden section on its logarithm. It makes the start, and so the run, independent of the units of
 * the data.
 */
function startingScale(X: Matrix, problem: LmnnProblem, seed: number): number {
  const { codes, offsets, targets, push } = problem;
  const n = X.rows;
  const chosen = n <= SAMPLE ? Int32Array.from({ length: n }, (_, i) => i) : random(seed).sample(SAMPLE, n);
  const D = squaredDistances(takeRows(X, chosen), X).data;
  let sum = 0;
  let count = 0;
  for (let a = 0; a < chosen.length; a++) {
    for (let p = offsets[chosen[a]]; p < offsets[chosen[a] + 1]; p++, count++) sum += D[a * n + targets[p]];
  }
  let others = 0;
  for (let p = 0; p < D.length; p++) others += D[p] / D.length;
  const unit = Math.max(sum / count, 1e-6 * others); // targets may all be duplicates
  const objective = (t: number): number => {
    let value = 0;
    for (let a = 0; a < chosen.length; a++) {
      const i = chosen[a];
      for (let p = offsets[i]; p < offsets[i + 1]; p++) {
        const near = D[a * n + targets[p]];
        value += (1 - push) * t * near;
        const edge = near + 1 / t;
        for (let l = 0; l < n; l++) {
          const d = D[a * n + l];
          if (d < edge && codes[l] !== codes[i]) value += push * t * (edge - d);
        }
      }
    }
    return value;
  };
  // Classes far apart have their margin at a scale where targets almost coincide.
  const [low, high] = [Math.log(1e-3 / Math.max(unit, others)), Math.log(1e3 / unit)];
  return Math.exp(goldenSection((logarithm) => objective(Math.exp(logarithm)), low, high, 0.2));
}
