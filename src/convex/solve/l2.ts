/**
 * Convex clustering with the L2 norm (Chi and Lange 2015), any graph, masses and metric B:
 *
 *     min_U 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l ||u_i - u_j||_2
 *
 * by a semismooth Newton method (l2Newton.ts), whose edge forces prove the rounded solution: points with a
 * common centre are exactly equal in the returned and certified U. To read: test/convex/solve/dualReference.ts, the
 * same problem by projected gradients on a page.
 */
import { optionError } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { differenceNorm, dualNorm, gapUnit, proofOf } from "./certificate.ts";
import { withLayout } from "./l2Layout.ts";
import { FAR, minimize, type Outcome } from "./l2Newton.ts";
import { workspace, type Workspace } from "./l2Workspace.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";
import { edgesWhere, fusedEdges } from "./solution.ts";

/** `maxIterations` bounds the Newton steps. */
export function solveL2(problem: ConvexProblem, options: SolveOptions): ConvexSolution {
  const { gamma, start, ...rest } = options;
  let solution: ConvexSolution | undefined;
  follow(problem, [gamma], rest, start, (point, duals) => {
    solution = { ...point, Z: duals() };
  });
  return solution!;
}

/** A solution without its duals, which are larger than everything else together. */
export type PathPoint = Omit<ConvexSolution, "Z">;

export interface L2PathOptions {
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /**
   * Called with each solution in turn, and with a function for its Z, which works only during the call.
   * Returning false ends the path.
   */
  readonly onSolution?: (point: PathPoint, duals: () => Matrix, index: number) => boolean | void;
}

/** Solutions for each gamma, in the given order, each started from the one before; all are certified. */
export function l2Path(
  problem: ConvexProblem,
  gammas: ArrayLike<number>,
  options: L2PathOptions = {},
): PathPoint[] {
  const { onSolution, ...rest } = options;
  const points: PathPoint[] = [];
  follow(problem, gammas, rest, undefined, (point, duals) => {
    points.push(point);
    return onSolution?.(point, duals, points.length - 1);
  });
  return points;
}

function follow(
  problem: ConvexProblem,
  gammas: ArrayLike<number>,
  options: { tolerance?: number; maxIterations?: number },
  start: ConvexSolution | undefined,
  onSolution: (point: PathPoint, duals: () => Matrix) => boolean | void,
): void {
  const { tolerance = 1e-6, maxIterations = 1000 } = options;
  if (problem.norm !== 2) throw optionError(`solveL2 needs norm 2, got ${problem.norm}`);
  checkProblem(problem, 0);
  for (let p = 0; p < gammas.length; p++) {
    if (!(gammas[p] >= 0 && gammas[p] < Infinity)) checkProblem(problem, gammas[p]);
  }
  const { length, weight } = scalesOf(problem);
  const m = problem.graph.from.length;
  const unit = gapUnit(problem);
  withLayout(problem, (layout) => {
    const space = workspace(layout);
    let last = 0; // the gamma of the solution in the workspace, if any
    for (let p = 0; p < gammas.length; p++) {
      const gamma = gammas[p];
      if (gamma === 0 || m === 0) {
        if (onSolution(unmoved(problem, gamma), () => matrix(m, problem.X.cols)) === false) return;
        continue;
      }
      // Edges of constant data have no length. A huge gamma needs no small eps, which would make its systems stiff.
      const floor = Math.max(FLOOR * length, STIFFEST * gamma * weight) || 1;
      let eps = floor;
      if (last > 0) {
        space.recentre(FAR * floor, gamma / last);
      } else if (start !== undefined && start.gamma > 0) {
        startFrom(space, problem, start, gamma, FAR * floor);
      } else {
        space.setPoint(problem.X.data);
        eps = Math.max(floor, Math.min(length, gamma * weight));
      }
      const outcome = minimize(space, gamma, { eps, floor, unit, tolerance, maxIterations });
      last = gamma;
      const point = describe(problem, gamma, unit, space, outcome);
      if (onSolution(point, () => matrix(m, problem.X.cols, space.forces())) === false) return;
    }
  });
}

/** The smoothing around multipliers, in mean edge lengths; cold starts begin with up to one mean length. */
const FLOOR = 0.03;

/** ... and in the distance that gamma could move a node. */
const STIFFEST = 1e-6;

/**
 * Mean over the edges of ||x_i - x_j||; mean over the nodes of the sum of w: gamma times it bounds the
 * movement of a node.
 */
function scalesOf({ X, graph: { from, to, weights } }: ConvexProblem) {
  const d = X.cols;
  let length = 0;
  let weight = 0;
  for (let e = 0; e < from.length; e++) {
    length += differenceNorm(X.data, from[e] * d, X.data, to[e] * d, d, 2) / from.length;
    weight += (2 * weights[e]) / X.rows;
  }
  return { length, weight };
}

/** As `recentre`, for an external solution. */
function startFrom(
  space: Workspace,
  { X, graph: { from, to, weights } }: ConvexProblem,
  { gamma: before, U, Z }: ConvexSolution,
  gamma: number,
  far: number,
): void {
  const d = X.cols;
  if (U.rows !== X.rows || U.cols !== d || Z.rows !== from.length) {
    throw optionError("the solution to start from belongs to another problem");
  }
  space.setPoint(U.data);
  space.setMultipliers(Z.data, (l) => {
    const t = differenceNorm(U.data, from[l] * d, U.data, to[l] * d, d, 2);
    if (t > far) return 0;
    return 1 / (t > 0 ? before * weights[l] : Math.max(gamma * weights[l], dualNorm(Z.data, l * d, d, 2)));
  });
}

/** No force acts on the points: U = X. */
function unmoved({ X, graph }: ConvexProblem, gamma: number): PathPoint {
  const U = matrix(X.rows, X.cols, X.data.slice());
  return {
    gamma,
    U,
    certificate: proofOf(0, 0, 1),
    converged: true,
    iterations: 0,
    fused: fusedEdges(graph, U),
  };
}

function describe(
  { X, graph }: ConvexProblem,
  gamma: number,
  unit: number,
  space: Workspace,
  { primal, gap, converged, iterations }: Outcome,
): PathPoint {
  const labels = space.labels();
  return {
    gamma,
    U: matrix(X.rows, X.cols, space.centres()),
    certificate: proofOf(primal, gap, unit),
    converged,
    iterations,
    // Edges inside a group, whose nodes have bitwise the same centre.
    fused: edgesWhere(graph, (i, j) => labels[i] === labels[j]),
  };
}
