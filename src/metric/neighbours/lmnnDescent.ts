import type { OnProgress } from "../../core/index.ts";
import { progressGate } from "../../core/internal.ts";
import { matrix, multiply, multiplyTransposeB, symmetricEigen, type Matrix } from "../../matrix/index.ts";
import { dot, mapped, scaledColumns } from "../../matrix/internal.ts";
import { lbfgs, type Minimum } from "../../optimize/index.ts";
import { dualBound } from "./lmnnDual.ts";
import { findImpostors, mergedImpostors, nearestImpostors, type Impostors } from "./lmnnImpostors.ts";
import { evaluate, targetScatter, withEvaluation, type LmnnProblem } from "./lmnnObjective.ts";

export interface DescentOptions {
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
export function descend(problem: LmnnProblem, start: Matrix, options: DescentOptions) {
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
