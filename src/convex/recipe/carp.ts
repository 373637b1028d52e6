/**
 * The algorithmic regularisation path of convex clustering, CARP (M. Weylandt, J. Nagorski and G. I. Allen, 2020, "Dynamic
 * visualization and fast computation for convex clustering via algorithmic regularization", Algorithm 1): one iteration of
 * the ADMM (solve/admm.ts) at each gamma of a geometric sequence,
 *
 *     (U, V, Z) <- one step of the ADMM at gamma ,   gamma <- ratio gamma ,
 *
 * from U = X, where nothing is fused, until every difference v_l is zero. As ratio -> 1 this tends to the exact path (their
 * Theorem 1), at first order: a step keeps a share of its error and adds the movement of the path, which is O(ratio - 1).
 * Z is feasible after each step, so each has a certificate, and ||U - U*|| <= sqrt(2 gap) without any limit.
 *
 * As printed the steps lag where whole clusters move: their gap is of the size of the objective. The default balances the penalty
 * as the ADMM does, and repeats a step whose gap is above the tolerance.
 */
import { edgeDifferences } from "../../matrix/index.ts";
import { progressGate, rule } from "../../core/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { withConstant } from "../path/hints.ts";
import type { Solved } from "../path/path.ts";
import { COMMON, type Common, type Setting, variantRule, warnComponents } from "../path/setting.ts";
import { admmSteps, zeroRows } from "../solve/admm.ts";
import { dualNorm, gapParts, gapUnit, proofOf } from "../solve/certificate.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import { centersStep, lossOf, type Outcome } from "./loss.ts";

export const carpOptions = {
  ...rule.without(COMMON, "gamma", "gammas", "solver"),
  /** Nearer to 1 the path is nearer to the exact one, and longer. */
  ratio: rule.real({ above: 1, max: 2, default: 1.05, says: "ratio of neighbouring gammas" }),
  /** Relative duality gap that a step may have; as printed, above which it counts as unproven. */
  tolerance: rule.real({ above: 0, max: 1, default: 0.001, says: "relative duality gap of every step" }),
  /** "printed": exactly one step at each gamma, with a fixed penalty. */
  variant: variantRule,
};

export type CarpOptions = rule.OptionsOf<typeof carpOptions>;

export function carpRecipe(
  setting: Setting<Common & rule.ResolvedOptions<typeof carpOptions>>,
): Outcome<Solved> {
  warnComponents(setting);
  const { scaled, graph, hints, options, judge } = setting;
  const { ratio, tolerance, variant, norm } = options;
  const progress = progressGate(options.onProgress);
  const steps = new Map<number, Solved>();
  const rows = { X: scaled.X, graph, norm, masses: judge.masses };
  const loss = lossOf<Solved>(rows, hints, ({ problem, constant }) => {
    const bounds = fusionBounds(problem);
    const first = firstGamma(problem);
    const span = Math.log(bounds.upper / first) || 1;
    carpPath(
      problem,
      { ratio, tolerance, variant },
      ({ gamma, certificate, converged, iterations, fused }) => {
        // U and Z of all steps would not fit in memory.
        steps.set(gamma, withConstant({ gamma, certificate, converged, iterations, fused }, constant));
        const fraction = Math.min(0.99, Math.log(gamma / first) / span);
        return progress({ fraction, label: `path, ${steps.size} gammas` });
      },
    );
    return { bounds, solve: (gamma) => steps.get(gamma)! };
  });
  const fit = fitPath(loss, { ...options, gammas: [...steps.keys()] }, judge);
  return { setting, fit, history: [centersStep(fit)] };
}

/** Iterations at one gamma: a budget. */
const MOST_STEPS = 5000;

/**
 * The steps of the path in the order of gamma; `visit` gets each, with U and Z that hold until it returns, and ends the path
 * by returning false.
 */
export function carpPath(
  problem: Omit<ConvexProblem, "metric">,
  { ratio, tolerance, variant }: { ratio: number; tolerance: number; variant: "repaired" | "printed" },
  visit: (step: ConvexSolution) => boolean | void,
): void {
  const unit = gapUnit(problem);
  let gamma = firstGamma(problem);
  const { Z, V, step, balance } = admmSteps(problem, { gamma });
  for (let iterations = 1; gamma < Infinity; iterations++) {
    const U = step(gamma);
    const { primal, nodes, edges } = gapParts(problem, gamma, U, Z);
    const proof = proofOf(primal, nodes + edges, unit);
    const converged = proof.relativeGap <= tolerance;
    if (variant === "repaired") {
      balance(nodes, edges);
      if (!converged && iterations < MOST_STEPS) continue;
    }
    const fused = zeroRows(V);
    const going = visit({ gamma, U, Z, certificate: proof, converged, iterations, fused });
    if (going === false || !fused.includes(0)) return;
    gamma *= ratio;
    iterations = 0;
  }
}

/**
 * Below this gamma no edge between different points is fused: the outflow of node i is at most gamma times its weights, so it
 * moves by at most that over m_i.
 */
function firstGamma({ X, graph: { from, to, weights }, masses, norm }: ConvexProblem): number {
  const d = X.cols;
  const reach = new Float64Array(X.rows);
  for (let e = 0; e < from.length; e++) {
    for (const i of [from[e], to[e]]) reach[i] += weights[e] / (masses?.[i] ?? 1);
  }
  const between = edgeDifferences(X, from, to).data;
  let first = Infinity;
  for (let e = 0; e < from.length; e++) {
    const size = dualNorm(between, e * d, d, norm);
    if (size > 0) first = Math.min(first, size / (reach[from[e]] + reach[to[e]]));
  }
  return first < Infinity ? first : 1;
}
