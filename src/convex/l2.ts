/**
 * Convex clustering with the L2 norm (METHODS 1), any graph, masses and metric B:
 *
 *     min_U 1/2 sum_i m_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l ||u_i - u_j||_2
 *
 * by Newton's method on a smoothed problem (l2Newton.ts), whose edge forces prove the rounded solution: points that
 * share a centre are exactly equal in the U that is returned and certified.
 */
import { optionError } from "../core/errors.ts";
import type { Edges } from "../graph/edges.ts";
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { differenceNorm, relativeGap } from "./certificate.ts";
import { fusedEdges } from "./fused.ts";
import { minimize, type Outcome } from "./l2Newton.ts";
import { withLayout } from "./l2Layout.ts";
import { workspace, type Workspace } from "./l2Workspace.ts";
import { checkProblem, type ConvexProblem, type ConvexSolution, type SolveOptions } from "./problem.ts";

/** `maxIterations` bounds the Newton steps. */
export function solveL2(problem: ConvexProblem, options: SolveOptions): ConvexSolution {
  let solution: ConvexSolution | undefined;
  const { gamma, start, ...rest } = options;
  follow(problem, [gamma], rest, start, (found) => {
    solution = found;
  });
  return solution!;
}

export interface PathOptions {
  readonly tolerance?: number;
  readonly maxIterations?: number;
  /** Called with each solution in turn; returning false ends the path. */
  readonly onSolution?: (solution: ConvexSolution, index: number) => boolean | void;
}

/** Solutions for each gamma, in the given order, each started from the one before; all are certified. */
export function l2Path(
  problem: ConvexProblem,
  gammas: ArrayLike<number>,
  options: PathOptions = {},
): ConvexSolution[] {
  const solutions: ConvexSolution[] = [];
  follow(problem, gammas, options, undefined, (solution, index) => {
    solutions.push(solution);
    return options.onSolution?.(solution, index);
  });
  return solutions;
}

/** What a solution remembers for the next gamma and for its dual: U before rounding, and its eps. */
interface Smooth {
  readonly U: Float64Array;
  readonly eps: number;
}

const smoothOf = new WeakMap<ConvexSolution, Smooth>();

function follow(
  problem: ConvexProblem,
  gammas: ArrayLike<number>,
  options: { tolerance?: number; maxIterations?: number },
  start: ConvexSolution | undefined,
  onSolution: (solution: ConvexSolution, index: number) => boolean | void,
): void {
  const { tolerance = 1e-6, maxIterations = 1000 } = options;
  if (problem.norm !== 2) throw optionError(`solveL2 needs norm 2, got ${problem.norm}`);
  for (let p = 0; p < gammas.length; p++) checkProblem(problem, gammas[p]);
  const scales = scalesOf(problem);
  withLayout(problem, (layout) => {
    const space = workspace(layout);
    let previous = start;
    for (let p = 0; p < gammas.length; p++) {
      const gamma = gammas[p];
      if (gamma === 0 || problem.graph.from.length === 0) {
        previous = unmoved(problem, gamma);
      } else {
        const eps = startAt(space, problem, scales, gamma, previous);
        const outcome = minimize(space, gamma, { eps, tolerance, maxIterations });
        previous = describe(problem, gamma, space, outcome);
      }
      if (onSolution(previous, p) === false) return;
    }
  });
}

interface Scales {
  /** Mean over the edges of ||x_i - x_j||. */
  readonly length: number;
  /** Mean over the nodes of the sum of their edges' weights: gamma times it is how far a node can be pulled. */
  readonly weight: number;
}

function scalesOf({ X, graph: { from, to, weights } }: ConvexProblem): Scales {
  const d = X.cols;
  let length = 0;
  let weight = 0;
  for (let e = 0; e < from.length; e++) {
    length += differenceNorm(X.data, from[e] * d, X.data, to[e] * d, d, 2) / from.length;
    weight += (2 * weights[e]) / X.rows;
  }
  return { length, weight };
}

/** With eps as long as the edges a cold start is nearly a linear system; nearby solutions need less smoothing. */
const WARM_EPS = 0.03;
const GROWTH = 64;

function startAt(
  space: Workspace,
  problem: ConvexProblem,
  { length, weight }: Scales,
  gamma: number,
  start: ConvexSolution | undefined,
): number {
  // Of constant data no edge has a length.
  const cold = Math.min(length, gamma * weight) || 1;
  if (start === undefined || start.gamma === 0) {
    space.setPoint(problem.X.data);
    return cold;
  }
  const warm = Math.min(cold, WARM_EPS * length);
  const smooth = smoothOf.get(start);
  if (smooth === undefined) {
    space.setPoint(start.U.data);
    return warm;
  }
  const eps = Math.min(warm, GROWTH * smooth.eps);
  const factor = (start.gamma / gamma) * (eps / smooth.eps);
  const U = start.U.data.slice();
  for (let p = 0; p < U.length; p++) U[p] += factor * (smooth.U[p] - U[p]);
  space.setPoint(U);
  return eps;
}

/** Nothing pulls the points: U = X. */
function unmoved({ X, graph }: ConvexProblem, gamma: number): ConvexSolution {
  const U = matrix(X.rows, X.cols, X.data.slice());
  return {
    gamma,
    U,
    Z: matrix(graph.from.length, X.cols),
    certificate: { primal: 0, dual: 0, gap: 0, relativeGap: 0 },
    converged: true,
    iterations: 0,
    fused: fusedEdges(graph, U),
  };
}

function describe(
  problem: ConvexProblem,
  gamma: number,
  space: Workspace,
  { primal, gap, converged, iterations, eps }: Outcome,
): ConvexSolution {
  const { rows, cols } = problem.X;
  const U = matrix(rows, cols, space.centres());
  const smooth = { U: space.getPoint(), eps };
  let Z: Matrix | undefined;
  const solution: ConvexSolution = {
    gamma,
    U,
    /** Made when asked for: it is larger than all the rest, and U before rounding says it all. */
    get Z() {
      Z ??= forces(problem, gamma, smooth);
      return Z;
    },
    certificate: { primal, dual: primal - gap, gap, relativeGap: relativeGap(gap, primal) },
    converged,
    iterations,
    fused: joined(problem.graph, space.labels()),
  };
  smoothOf.set(solution, smooth);
  return solution;
}

/** Edges inside a group: all of it has the very same centre. */
function joined({ from, to }: Edges, labels: Int32Array): Uint8Array {
  const fused = new Uint8Array(from.length);
  for (let e = 0; e < from.length; e++) fused[e] = labels[from[e]] === labels[to[e]] ? 1 : 0;
  return fused;
}

/** z_l = gamma w_l (u_i - u_j) / max(eps, ||u_i - u_j||) */
function forces({ graph, X }: ConvexProblem, gamma: number, { U, eps }: Smooth): Matrix {
  const d = X.cols;
  const Z = matrix(graph.from.length, d);
  for (let e = 0; e < graph.from.length; e++) {
    const [i, j] = [graph.from[e] * d, graph.to[e] * d];
    let square = 0;
    for (let k = 0; k < d; k++) square += (U[i + k] - U[j + k]) ** 2;
    const stiffness = (gamma * graph.weights[e]) / Math.max(eps, Math.sqrt(square));
    for (let k = 0; k < d; k++) Z.data[e * d + k] = stiffness * (U[i + k] - U[j + k]);
  }
  return Z;
}
