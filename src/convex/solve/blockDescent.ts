/**
 * Convex clustering with the L1 norm and a full metric B, by exact block coordinate descent over the
 * features: with the others fixed, feature k is the graph total variation
 *
 *     min_u 1/2 sum_i m_i (v_i - u_i)^2 + (gamma / B_kk) sum_l w_l |u_i - u_j| ,     v = u_k - G_k / B_kk ,
 *
 * G = (U - X) B. The nonsmooth part is a sum over features, so the descent ends at the optimum (Tseng 2001), and no
 * step raises the objective. Its convergence is slow at the end when B is ill-conditioned; since by then the
 * levels are settled and only their values move, each sweep is followed by a joint step of all level values
 * (levelStep.ts).
 *
 * Inside, matrices are stored feature by feature: u_k is u[k n .. (k + 1) n].
 */
import type { TotalVariation } from "../../graph/index.ts";
import { withTotalVariation } from "../../graph/internal.ts";
import { matrix, multiply, transpose, type Matrix } from "../../matrix/index.ts";
import { certificate, gapUnit } from "./certificate.ts";
import { applyLevelStep, levelStep, levelSums, type BlockState } from "./levelStep.ts";
import type { ConvexProblem, ConvexSolution, SolveOptions } from "./problem.ts";
import { solutionOf } from "./solution.ts";

export function blockDescent(problem: ConvexProblem, B: Matrix, options: SolveOptions): ConvexSolution {
  const { gamma, tolerance = 1e-6, start, maxIterations = 500 } = options;
  const unit = gapUnit(problem);
  return withTotalVariation(problem.graph, problem.masses, 1, (tv) => {
    const state = blockState(problem, B, gamma, start);
    let settled = false;
    for (let iterations = 1; ; iterations++) {
      sweep(state, tv, start !== undefined || iterations > 1);
      // While levels still merge and split, the step is cut short anyway, so a rough one suffices.
      const step = levelStep(state, settled ? 1e-5 : 0.1);
      // The expected gain of the joint step is part of the gap, so a proof before it is useless.
      const last = iterations >= maxIterations;
      if (last || step.gain <= tolerance * Math.max(unit, step.fidelity)) {
        const { U, Z } = rowMajor(state);
        const proof = certificate(problem, gamma, U, Z);
        if (last || proof.relativeGap <= tolerance) {
          return solutionOf(problem, { gamma, U, Z, iterations, proof }, tolerance);
        }
        refreshGradient(state);
      }
      settled = applyLevelStep(state, step);
    }
  });
}

function blockState(
  problem: ConvexProblem,
  B: Matrix,
  gamma: number,
  start: ConvexSolution | undefined,
): BlockState {
  const { X, graph } = problem;
  const [n, d, m] = [X.rows, X.cols, graph.from.length];
  const x = transpose(X).data;
  const u = start === undefined ? x.slice() : transpose(start.U).data;
  const flows = start === undefined ? new Float64Array(d * m) : transpose(start.Z).data;
  for (let k = 0; k < d; k++) scaleRow(flows, k, m, 1 / B.data[k * d + k]);
  const state = {
    problem,
    B,
    gamma,
    x,
    u,
    gradient: new Float64Array(d * n),
    flows,
    levels: new Int32Array(d * n),
    counts: new Int32Array(d),
    pulls: [],
  };
  refreshGradient(state);
  return state;
}

/** Recomputes (U - X) B: the sweeps update it, and their rounding accumulates. */
function refreshGradient({ problem, B, x, u, gradient }: BlockState): void {
  const difference = matrix(problem.X.cols, problem.X.rows);
  for (let p = 0; p < u.length; p++) difference.data[p] = u[p] - x[p];
  gradient.set(multiply(B, difference).data);
}

/** Minimises over each feature in turn. */
function sweep(state: BlockState, tv: TotalVariation, warm: boolean): void {
  const { problem, B, gamma, u, gradient, flows, levels, counts, pulls } = state;
  const [n, d, m] = [problem.X.rows, problem.X.cols, problem.graph.from.length];
  const v = new Float64Array(n);
  const change = new Float64Array(n);
  for (let k = 0; k < d; k++) {
    const b = B.data[k * d + k];
    const values = u.subarray(k * n, (k + 1) * n);
    for (let i = 0; i < n; i++) {
      v[i] = values[i] - gradient[k * n + i] / b;
      change[i] = -values[i];
    }
    [counts[k]] = tv.solve({
      y: v,
      gammas: Float64Array.of(gamma / b),
      u: values,
      flows: flows.subarray(k * m, (k + 1) * m),
      warm,
      levels: levels.subarray(k * n, (k + 1) * n),
    });
    for (let i = 0; i < n; i++) change[i] += values[i];
    for (let l = 0; l < d; l++) {
      const c = B.data[l * d + k];
      for (let i = 0; i < n; i++) gradient[l * n + i] += c * change[i];
    }
    pulls[k] = levelSums(state, k);
    for (let c = 0; c < counts[k]; c++) pulls[k][c] = -pulls[k][c];
  }
}

function rowMajor({ problem, B, u, flows }: BlockState) {
  const { X, graph } = problem;
  const [d, m] = [X.cols, graph.from.length];
  const Z = matrix(m, d);
  for (let k = 0; k < d; k++) {
    const scale = B.data[k * (d + 1)];
    for (let e = 0; e < m; e++) Z.data[e * d + k] = scale * flows[k * m + e];
  }
  return { U: transpose(matrix(d, X.rows, u)), Z };
}

function scaleRow(values: Float64Array, row: number, length: number, factor: number): void {
  for (let p = row * length; p < (row + 1) * length; p++) values[p] *= factor;
}
