/**
 * The Huber loss of every cell (C. Liu, Y. Sun and K. M. Tan, 2019, "Robust convex clustering: how does fusion penalty
 * enhance robustness?"), h(r) = r^2/2 up to beta and beta |r| - beta^2/2 beyond,
 *
 *     min_U sum_if h(x_if - u_if) + gamma sum_l w_l ||u_i - u_j||_q
 *         = min_O phi(O) + beta sum_if |o_if| ,   phi(O) = min_U 1/2 ||X - O - U||^2 + gamma sum_l w_l ||u_i - u_j||_q .
 *
 * The gradient of phi is -(X - O - U), U the centres of plain convex clustering of X - O, and has Lipschitz constant 1:
 * accelerated proximal gradient steps, O <- x - u beyond beta, need one plain solve each. In the dual the outflow g of a
 * cell is at most beta, and all terms are at least 0:
 *
 *     gap = sum_if ( h(r) - g r + g^2/2 ) + the edges' terms ,   r = x_if - u_if .
 *
 * Between rows of one must-link group flow is free: g is then the slope of the loss, and what the group lacks is shared.
 */
import { matrix, type Matrix } from "../../matrix/index.ts";
import { mapped } from "../../matrix/internal.ts";
import { acceleration } from "../../optimize/internal.ts";
import { groupProblem, rowValues, type Hints } from "../path/hints.ts";
import { edgeTerms, gapUnit, proofOf } from "../solve/certificate.ts";
import { columnSizes } from "../solve/means.ts";
import type { ConvexProblem, ConvexSolution, Solve, SolveOptions } from "../solve/problem.ts";
import type { RccSolution } from "../solve/rcc.ts";

export interface HuberOptions extends SolveOptions {
  readonly beta: number;
  readonly start?: RccSolution | undefined;
  readonly hints?: Hints | undefined;
}

/** @param rows X has the rows; the graph is between them or, with hints, between must-link groups */
export function solveHuber(rows: ConvexProblem, options: HuberOptions, solve: Solve): RccSolution {
  const { gamma, beta, tolerance = 1e-6, start, hints, maxIterations = 5000 } = options;
  const { X } = rows;
  const run = acceleration(start?.outlying?.data ?? new Float64Array(X.data.length));
  let last: ConvexSolution | undefined = start;
  for (let iterations = 1; ; iterations++) {
    const shifted = mapped(X, (x, p) => x - run.ahead[p]);
    const { problem } = groupProblem({ ...rows, X: shifted }, hints);
    last = solve(problem, { gamma, tolerance: 1e-3 * tolerance, ...(last && { start: last }) });
    const centers = rowValues(last.U, hints);
    const residuals = mapped(X, (x, p) => x - centers.data[p]);
    const outlying = mapped(residuals, (r) => r - clipped(r, beta));
    const certificate = huberProof(problem, last, {
      rows,
      residuals,
      beta,
      gamma,
      group: hints?.constraints.group,
    });
    const converged = certificate.relativeGap <= tolerance;
    if (converged || iterations >= maxIterations) {
      const zeros = new Float64Array(X.cols);
      const sizes = columnSizes(residuals, undefined, zeros).norms;
      const robustShares = columnSizes(outlying, undefined, zeros).norms.map((own, f) => own / sizes[f] || 0);
      const gammas = new Float64Array(X.cols).fill(gamma);
      return { ...last, certificate, converged, iterations, beta, gammas, robustShares, outlying };
    }
    run.advance(outlying.data);
  }
}

function clipped(r: number, beta: number): number {
  return Math.max(-beta, Math.min(beta, r));
}

interface Cells extends Pick<HuberOptions, "beta" | "gamma"> {
  readonly rows: ConvexProblem;
  /** r. */
  readonly residuals: Matrix;
  readonly group: Int32Array | undefined;
}

function huberProof(
  problem: ConvexProblem,
  { U, Z }: ConvexSolution,
  { rows, residuals, beta, gamma, group }: Cells,
) {
  const d = U.cols;
  const slopes = residuals.data.map((r) => clipped(r, beta));
  const cell = (p: number): number => (group?.[Math.floor(p / d)] ?? Math.floor(p / d)) * d + (p % d);
  const lacking = edgeTerms(problem, gamma, U, Z).outflow;
  // Cells within beta take what is lacking, if there are any: it costs them its square, and others its size.
  const free = new Float64Array(lacking.length);
  slopes.forEach((slope, p) => {
    lacking[cell(p)] -= slope;
    if (Math.abs(slope) < beta) free[cell(p)]++;
  });
  const flows = slopes.map((slope, p) => {
    const at = cell(p);
    if (free[at] > 0) return slope + (Math.abs(slope) < beta ? lacking[at] / free[at] : 0);
    return slope + lacking[at] / (problem.masses?.[Math.floor(at / d)] ?? 1);
  });
  const share = beta / flows.reduce((most, flow) => Math.max(most, Math.abs(flow)), beta);
  const { penalty, slack } = edgeTerms(
    problem,
    gamma,
    U,
    matrix(
      Z.rows,
      d,
      Z.data.map((z) => share * z),
    ),
  );
  let [loss, gap] = [0, slack];
  residuals.data.forEach((r, p) => {
    const own = Math.abs(r) <= beta ? (r * r) / 2 : beta * Math.abs(r) - beta ** 2 / 2;
    const flow = share * flows[p];
    loss += own;
    gap += Math.max(0, own - flow * r + flow ** 2 / 2);
  });
  return proofOf(penalty + loss, gap, gapUnit({ ...rows, graph: problem.graph }));
}
