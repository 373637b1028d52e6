import { flag, integer, real, resolveOptions } from "../core/options.ts";
import type { Edges } from "../graph/edges.ts";
import type { Matrix } from "../matrix/matrix.ts";
import { multiply } from "../matrix/multiply.ts";
import { convexFamily } from "./cc.ts";
import { primalObjective } from "./certificate.ts";
import { type Fit, fitPath } from "./fit.ts";
import { firstMetric, type MetricStep, metricStep } from "./metricStep.ts";
import type { ConvexProblem, ConvexSolution } from "./problem.ts";
import { type ConvexClustering, convexClustering, type HalfStep, squareRoot } from "./result.ts";
import {
  COMMON,
  type ConvexOptions,
  makeSetting,
  type ResolvedOptions,
  type Setting,
  warnComponents,
  weightGraph,
} from "./setting.ts";

/**
 * Convex clustering with metric learning (P0 (8); P1 4.4):
 *
 *     min_{U, B} 1/2 sum_i (x_i - u_i)' B (x_i - u_i) + gamma sum_l w_l ||u_i - u_j||_q   s.t. det B >= 1
 *
 * by alternation. The U step is a path in the metric B, from which gamma is chosen anew (METHODS 1, step 6); with
 * `gamma` given it is one convex problem, and then every half step lowers the objective or leaves it. The B step is in
 * closed form (metricStep.ts). The model degenerates at small gamma, where directions are fitted exactly and B grows
 * without bound: hence ridge, condition and few iterations.
 */
export interface CcmlOptions extends ConvexOptions {
  /** Alternations at most, after the start with B = I. */
  readonly iterations?: number;
  /** A + ridge diag(A) takes the place of A. */
  readonly ridge?: number;
  /** Bound on cond(B). */
  readonly condition?: number;
  /** Takes neighbours and weights in the learned metric; this is what rescues data with noisy features. */
  readonly rebuildGraph?: boolean;
}

export interface Ccml extends ConvexClustering {
  /** The state after the start and after each alternation, as far as they were reached. */
  readonly rounds: readonly CcmlRound[];
}

export interface CcmlRound {
  /** The metric that the round's centres were found in; absent at the start. */
  readonly B?: Matrix;
  readonly condition: number;
  readonly fit: Pick<Fit<ConvexSolution>, "chosen" | "candidates">;
}

const RULES = {
  ...COMMON,
  iterations: integer({ min: 1, max: 100, default: 3 }),
  ridge: real({ min: 0, max: 1, default: 1e-3 }),
  condition: real({ min: 1, max: 1e12, default: 1e6 }),
  rebuildGraph: flag(false),
};

interface CcmlResolved extends ResolvedOptions {
  readonly iterations: number;
  readonly ridge: number;
  readonly condition: number;
  readonly rebuildGraph: boolean;
}

export function ccml(X: Matrix, options?: CcmlOptions): Ccml {
  const resolved = resolveOptions("ccml", options, RULES) as CcmlResolved;
  const setting = makeSetting("ccml", X, resolved);
  warnComponents(setting, resolved.clusters);
  const Z = setting.scaled.X;
  const warnings: string[] = [];
  const history: HalfStep[] = [];
  const rounds: CcmlRound[] = [];

  let graph = setting.graph;
  let learned: MetricStep | undefined;
  let fit = fitMetric(setting, graph, firstMetric(Z.cols, resolved.ridge), resolved);
  history.push(halfStep("centers", fit));
  rounds.push({ condition: 1, fit });
  for (let round = 1; round <= resolved.iterations; round++) {
    const next = metricStep(Z, fit.solution.U, resolved);
    if (next === undefined) {
      warnings.push(
        `round ${round}: the centres fit the rows exactly, so there is nothing to learn a metric from`,
      );
      break;
    }
    learned = next;
    const { gamma, U } = fit.solution;
    const problem = { X: Z, graph, norm: resolved.norm, metric: next.penalized };
    history.push({ step: "metric", gamma, objective: primalObjective(problem, gamma, U) });
    if (resolved.rebuildGraph) graph = rebuiltGraph(setting, next.B, warnings);
    // At one gamma the alternation goes on from the present centres; a new graph or a new path starts afresh.
    const start = resolved.gamma !== undefined && !resolved.rebuildGraph ? fit.solution : undefined;
    fit = fitMetric(setting, graph, next.penalized, resolved, start);
    history.push(halfStep("centers", fit));
    rounds.push({ B: next.B, condition: next.condition, fit });
  }
  if (learned?.bounded === true) {
    warnings.push(
      `cond(B) is held at ${resolved.condition}: some direction of the data is fitted all but exactly`,
    );
  }
  const result = convexClustering({
    setting: { ...setting, graph },
    fit,
    ...(learned !== undefined && { B: learned.B }),
    history,
    warnings,
  });
  return { ...result, rounds };
}

/** The U step: the whole path in the metric, or the one gamma given. */
function fitMetric(
  setting: Setting,
  graph: Edges,
  metric: Matrix,
  options: CcmlResolved,
  start?: ConvexSolution,
): Fit<ConvexSolution> {
  const problem: ConvexProblem = { X: setting.scaled.X, graph, norm: options.norm, metric };
  const family = convexFamily(problem, options);
  const solve = (gamma: number, previous?: ConvexSolution): ConvexSolution =>
    family.solve(gamma, previous ?? start);
  return fitPath({ ...family, solve }, options, setting.judge);
}

/** The neighbour graph of B^(1/2) x. */
export function rebuiltGraph(setting: Setting, B: Matrix, warnings: string[]): Edges {
  const mapped = multiply(setting.scaled.X, squareRoot(B));
  return weightGraph(setting.method, mapped, setting.options, warnings);
}

function halfStep(step: HalfStep["step"], { step: { gamma, certificate } }: Fit<ConvexSolution>): HalfStep {
  return { step, gamma, objective: certificate.primal };
}
