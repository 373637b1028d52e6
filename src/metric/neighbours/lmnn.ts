/**
 * The same in plain loops: test/metric/neighbours/lmnnReference.ts.
 *
 * Large margin nearest neighbours (Weinberger and Saul 2009). Each row has its k nearest rows of the same class as target
 * neighbours j, fixed at the start; a row l of another class is an impostor if it is not farther away by a margin of 1:
 *
 *     minimise (1 - push) sum_ij d_ij + push sum_ijl [1 + d_ij - d_il]_+,   d_ij = ||L x_i - L x_j||^2
 *
 * This is the hinge (not its square). In M = L'L it is a convex problem; here L is found by L-BFGS with the
 * hinge smoothed over a width that shrinks, on lists of near impostors that are renewed (lmnnObjective.ts),
 * until the duality gap of the convex problem (`dualBound`) shows that no M is better by more than
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
  symmetricEigen,
  generalizedEigen,
  multiplyTransposeA,
  type Matrix,
  type MatrixLike,
} from "../../matrix/index.ts";
import { columnVariances, requireModerate, dot, mapped, scaledColumns } from "../../matrix/internal.ts";
import { random, type OnProgress } from "../../core/index.ts";
import { inputError, option, progressGate, rule } from "../../core/internal.ts";
import type { Labeling } from "../../score/index.ts";
import { labelledRows } from "../../score/internal.ts";
import {
  evaluate,
  targetScatter,
  withEvaluation,
  pairForces,
  findImpostors,
  mergedImpostors,
  nearestImpostors,
  type LmnnProblem,
  type Impostors,
} from "./lmnnObjective.ts";
import { mahalanobis, type Mahalanobis } from "../mahalanobis.ts";
import { whitenedRows } from "../moments/whitenedRows.ts";
import { goldenSection } from "../../optimize/internal.ts";
import { lbfgs, type Minimum } from "../../optimize/index.ts";

export const lmnnOptions = {
  /** k, target neighbours of each row (default 3); in a class of n_c rows at most n_c - 1. */
  neighbors: rule.integer({ min: 1, default: 3, says: "target neighbours of each row" }),
  /**
   * Number of solves of the problem (default 1); from the second on, targets are the nearest rows under the
   * metric found so far. Useful if noisy columns distort the neighbours (section 4.2 of the paper).
   */
  passes: rule.integer({ min: 1, max: 1000, default: 1 }),
  /** Weight of the push term against the pull term, between 0 and 1 (default 0.5). */
  push: rule.real({ above: 0, below: 1, default: 0.5, says: "weight of the margins against the targets" }),
  /** Rows of L, 1 to d; default d. */
  dims: rule.integer({ min: 1, says: "maximum number of directions", usual: "all" }),
  /** L-BFGS iterations in all. */
  maxIterations: rule.integer({ min: 0, default: 1000, says: "maximum number of iterations" }),
  /** The relative duality gap at which to stop. */
  tolerance: rule.real({ above: 0, below: 1, default: 1e-2, says: "relative duality gap at which to stop" }),
  seed: rule.integer({ default: 0 }),
  names: rule.names,
  onProgress: rule.progress,
};

type Targets = Pick<LmnnProblem, "offsets" | "targets">;

export type LmnnOptions = rule.OptionsOf<typeof lmnnOptions>;

/** `objective` is the exact sum of the formula above, over all rows and impostors. */
export function lmnn(input: MatrixLike, labels: Labeling, options: LmnnOptions = {}): Mahalanobis {
  const X = asMatrix(input, "lmnn");
  const resolved = rule.resolveOptions("lmnn", options, lmnnOptions);
  const { neighbors, passes, push, dims, maxIterations, tolerance, seed, names, onProgress } = resolved;
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

interface DescentOptions {
  readonly maxIterations: number;
  readonly tolerance: number;
  readonly onProgress: OnProgress | undefined;
  /** The initial smoothing width of the hinge. */
  readonly width: number;
}

/**
 * Iterations between two searches for all impostors, at first and at most: more once a search finds no
 * unlisted ones.
 */
const ROUND = 60;
const LONGEST_ROUND = 480;
const POLISH = 15;
/**
 * Number of pairs in L-BFGS: L is small compared with the rows, and the problem is badly scaled if classes
 * are far apart.
 */
const MEMORY = 30;
const NARROWEST = 1e-6;
/** Relative gradient of a round, below which rounding decides. */
const FINEST = 1e-11;
/** Rounding of a sum over the same impostors in another order. */
const ROUNDING = 1e-10;
/** Shortest step of a round. */
const LEAST_SHARE = 1e-9;

/** Share of the targets' mean variance that is added in every direction: some may have none. */
const RIDGE = 1e-4;

/**
 * Finds L in coordinates in which the targets have equal scatter in all directions, so that the pull term,
 * which is always present, has the same curvature everywhere; input and output L are in the coordinates of
 * the problem.
 */
function descend(problem: LmnnProblem, start: Matrix, options: DescentOptions) {
  const { values, vectors } = symmetricEigen(targetScatter(problem));
  const q = values.length;
  const mean = values.reduce((sum, value) => sum + Math.max(0, value) / q, 0);
  // Targets that are all duplicates have no scatter.
  if (!(mean > 0)) return inRounds(problem, start, options);
  const roots = values.map((value) => Math.sqrt(Math.max(0, value) / mean + RIDGE));
  const into = scaledColumns(vectors, (e) => 1 / roots[e]);
  const from = multiply(
    start,
    scaledColumns(vectors, (e) => roots[e]),
  );
  const out = inRounds({ ...problem, Z: multiply(problem.Z, into) }, from, options);
  return { ...out, L: multiplyTransposeB(out.L, into) };
}

/**
 * Rounds of L-BFGS on lists of impostors. A round may end at a point where unlisted rows are impostors. Then
 * the step is shortened until the sum over all impostors is no higher than at the start of the round, and the
 * nearest of those rows join the lists of the next round. So the sum falls from round to round, for each
 * width. A round is solved to a fraction of its own objective, which is tiny if the classes are far apart.
 */
function inRounds(problem: LmnnProblem, start: Matrix, options: DescentOptions) {
  const { maxIterations, tolerance, onProgress } = options;
  const { rows: r, cols: q } = start;
  const report = progressGate(onProgress);
  let { width } = options;
  let precision = tolerance * Math.min(1, width);
  let at = stateAt(problem, start, width);
  let lists = at.impostors;
  let dual = dualBound(problem, at.impostors, at.L, width, at.exact);
  let { bound } = dual;
  let best = at;
  // The exact objective at the start and after each round.
  const history = [at.exact];
  let iterations = 0;
  let stationary = false;
  let length = ROUND;
  const gap = (): number => (best.exact > 0 ? Math.max(0, (best.exact - bound) / best.exact) : 0);
  while (gap() > tolerance && iterations < maxIterations) {
    const label = `iteration ${iterations + 1}`;
    if (!report({ fraction: iterations / maxIterations, label, objective: best.exact })) break;
    const most = Math.min(length, maxIterations - iterations);
    const listed = lists.rows.length;
    const minimum = round(problem, lists, at, width, precision, most);
    iterations += minimum.iterations;
    const reached = stateAt(problem, matrix(r, q, minimum.x), width);
    const { state, whole } = cutBack(problem, at, reached, width);
    length =
      reached.smooth <= minimum.value * unitOf(at) * (1 + 1e-9) ? Math.min(LONGEST_ROUND, 2 * length) : ROUND;
    lists = whole
      ? state.impostors
      : mergedImpostors(
          mergedImpostors(lists, state.impostors),
          nearestImpostors(reached.impostors, multiplyTransposeB(problem.Z, reached.L)),
        );
    at = state;
    history.push(at.exact);
    dual = dualBound(problem, at.impostors, at.L, width, at.exact);
    bound = Math.max(bound, dual.bound);
    if (at.exact < best.exact) best = at;
    // A round that ends early, or gains nothing and finds no impostor, is as good as rounding allows.
    stationary = whole ? minimum.iterations < most : lists.rows.length === listed;
    if (gap() <= tolerance || !stationary) continue;
    if (dual.escape !== undefined && dual.infeasible > gap() / 4) {
      const away = escaped(problem, lists, at, dual.escape, width);
      if (away !== undefined) {
        at = away;
        iterations++;
        lists = mergedImpostors(lists, at.impostors);
        continue;
      }
    }
    if (precision <= FINEST && width <= NARROWEST) break;
    // The reason for an open gap: multipliers that are not feasible yet, or the width.
    if (width <= NARROWEST || (dual.infeasible > gap() / 2 && precision > FINEST)) precision /= 16;
    else {
      const narrower = Math.min(1 / 4, Math.max(1 / 16, tolerance / (2 * gap())));
      width *= narrower;
      precision *= narrower;
      at = { ...at, smooth: evaluate(problem, at.impostors, at.L, width).value };
    }
  }
  if (gap() <= tolerance && iterations > 0 && iterations < maxIterations) {
    // The remaining smoothing is worth a few more steps.
    const most = Math.min(POLISH, maxIterations - iterations);
    const minimum = round(problem, lists, best, width / 16, precision / 16, most);
    iterations += minimum.iterations;
    const polished = stateAt(problem, matrix(r, q, minimum.x), 0);
    if (polished.exact < best.exact) {
      best = polished;
      history.push(polished.exact);
    }
  }
  const converged = gap() <= tolerance || (r < q && stationary);
  return { L: best.L, objective: best.exact, gap: gap(), converged, iterations, history, width };
}

interface State {
  readonly L: Matrix;
  readonly impostors: Impostors;
  /** The objective over all impostors, exact and with the smoothed hinge. */
  readonly exact: number;
  readonly smooth: number;
}

function stateAt(problem: LmnnProblem, L: Matrix, width: number): State {
  const impostors = findImpostors(problem, L);
  const exact = evaluate(problem, impostors, L, 0).value;
  const smooth = width === 0 ? exact : evaluate(problem, impostors, L, width).value;
  return { L, impostors, exact, smooth };
}

/** The coordinates in which a round measures the objective. */
function unitOf({ smooth }: State): number {
  return smooth > 0 ? smooth : 1;
}

function round(
  problem: LmnnProblem,
  lists: Impostors,
  from: State,
  width: number,
  precision: number,
  most: number,
): Minimum {
  const unit = unitOf(from);
  return withEvaluation(problem, lists, from.L.rows, (evaluation) =>
    lbfgs(
      (x, gradient) => {
        const value = evaluation(x, width, gradient);
        for (let p = 0; p < gradient.length; p++) gradient[p] /= unit;
        return value / unit;
      },
      from.L.data,
      { maxIterations: most, tolerance: precision, memory: MEMORY },
    ),
  );
}

/** The farthest of a few points on the way from one state to the other that is no worse than the first. */
function cutBack(problem: LmnnProblem, from: State, to: State, width: number) {
  if (to.smooth <= from.smooth * (1 + ROUNDING)) return { state: to, whole: true };
  for (let share = 0.25; share > LEAST_SHARE; share /= 4) {
    const L = mapped(from.L, (value, p) => value + share * (to.L.data[p] - value));
    const state = stateAt(problem, L, width);
    if (state.smooth <= from.smooth) return { state, whole: false };
  }
  return { state: from, whole: false };
}

/**
 * L with one more direction, if a lost direction would lower the sum: with a zero row of L the gradient of
 * that row is also zero, so L-BFGS cannot leave it. M + t vv' is L + sqrt(t) uv' with u the direction that L
 * uses least. The step is found on the lists, and taken if the sum over all impostors is lower there.
 */
function escaped(
  problem: LmnnProblem,
  lists: Impostors,
  from: State,
  v: Float64Array,
  width: number,
): State | undefined {
  const { rows: r, cols: q, data } = from.L;
  const { vectors } = symmetricEigen(multiplyTransposeB(from.L, from.L));
  const at = (step: number): Matrix =>
    matrix(
      r,
      q,
      data.map((value, p) => value + step * vectors.data[Math.floor(p / q) * r + r - 1] * v[p % q]),
    );
  const longest = Math.sqrt(dot(data, data) / dot(v, v));
  let least = from.smooth * (1 - ROUNDING);
  let found: number | undefined;
  for (let step = longest; step > 1e-4 * longest; step /= 2) {
    const { value } = evaluate(problem, lists, at(step), width);
    if (value < least) [least, found] = [value, step];
  }
  if (found === undefined) return undefined;
  const state = stateAt(problem, at(found), width);
  return state.smooth < from.smooth ? state : undefined;
}

/**
 * A lower bound of the LMNN objective over all metrics. The dual of the convex problem in M has a multiplier a_t between 0
 * and push for each triplet,
 *
 *     maximise sum_t a_t   where   G(a) = P + Q(a) is positive semidefinite,
 *     P = (1 - push) sum_ij C_ij,   Q(a) = sum_ijl a_ijl (C_ij - C_il),   C_ij = (x_i - x_j)(x_i - x_j)'
 *
 * The slopes of the smoothed hinge at any L are such multipliers except that G may have negative eigenvalues.
 * With mu the smallest eigenvalue of G relative to P, the multipliers s a, s = 1 / (1 - min(0, mu)), are
 * feasible: P + s Q = (1 - s) P + s G. So s sum_t a_t is a lower bound of every objective, for any L.
 */

interface DualBound {
  readonly bound: number;
  /** The share of the multipliers' sum that feasibility costs. */
  readonly infeasible: number;
  /** v with v'Gv < 0, in the coordinates of Z: M + t vv' is better than M for some t. Absent if G has no negative eigenvalue. */
  readonly escape?: Float64Array;
}

/** The bound from the slopes at L over `width`; `value` is the objective at L. */
function dualBound(
  problem: LmnnProblem,
  impostors: Impostors,
  L: Matrix,
  width: number,
  value: number,
): DualBound {
  const { Z, push } = problem;
  // The objective is not negative, and its unit is the margin of one triplet: this is its minimum up to
  // rounding.
  if (value <= 1e-12 * push) return { bound: value, infeasible: 0 };
  const { slopes, forces } = pairForces(problem, impostors, multiplyTransposeB(Z, L), Z, width);
  const G = multiplyTransposeA(forces, Z);
  const P = targetScatter(problem);
  const q = Z.cols;
  const Q = matrix(q, q);
  let size = 0;
  for (let f = 0; f < q; f++) {
    for (let g = 0; g < q; g++) {
      const p = f * q + g;
      P.data[p] *= 1 - push;
      Q.data[p] = (G.data[p] + G.data[g * q + f]) / 2 - P.data[p];
    }
    size += (P.data[f * q + f] + Math.abs(Q.data[f * q + f])) / q;
  }
  // Neither pull nor push: every impostor is beyond the margin, and targets are duplicates.
  if (size === 0) return { bound: value, infeasible: 0 };
  // Directions in which no target differs make P singular; there any negative part of G is fatal to the bound.
  for (let f = 0; f < q; f++) P.data[f * q + f] += 1e-12 * size;
  const { values, vectors } = generalizedEigen(Q, P);
  const mu = 1 + values[q - 1]; // G = P + Q
  const share = 1 / (1 - Math.min(0, mu));
  return {
    bound: share * slopes,
    infeasible: 1 - share,
    ...(mu < 0 && { escape: Float64Array.from({ length: q }, (_, f) => vectors.data[f * q + q - 1]) }),
  };
}
