import { rule } from "../../core/internal.ts";
import { type Fit, fitPath } from "../path/fit.ts";
import { recovery, type Recovery } from "../path/recovery.ts";
import { COMMON, type Setting, warnComponents } from "../path/setting.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import { centersStep, type Outcome, squareLoss } from "./loss.ts";

export const ccRules = {
  ...COMMON,
  /** Keeps the centres U and the edge duals Z of the chosen gamma in the result; they are large. */
  solution: rule.flag(false),
};

/**
 * Convex clustering (E. C. Chi and K. Lange, 2015; Sui et al. 2018, (1)):
 *
 *     min_U 1/2 sum_i ||x_i - u_i||^2 + gamma sum_l w_l ||u_i - u_j||_q
 *
 * over a path of gammas; rows with equal centres along edges are one cluster. Deterministic.
 */
export function ccRecipe(
  setting: Setting<rule.ResolvedOptions<typeof ccRules>>,
): Outcome<ConvexSolution, { solution?: Pick<ConvexSolution, "U" | "Z">; recovery?: Recovery }> {
  warnComponents(setting);
  const fit = fitCc(setting);
  const { U, Z } = fit.solution;
  const { labels, sizes } = fit.chosen;
  return {
    setting,
    fit,
    history: [centersStep(fit)],
    more: {
      ...(setting.options.solution && { solution: { U, Z } }),
      ...(setting.hints === undefined &&
        sizes.length > 1 && { recovery: recovery(problemOf(setting), labels) }),
    },
  };
}

/** The path in the metric I, and the choice from it. */
export function fitCc(setting: Setting): Fit<ConvexSolution> {
  return fitPath(squareLoss(problemOf(setting), setting), setting.options, setting.judge);
}

function problemOf({ scaled, graph, options, judge: { masses } }: Setting): ConvexProblem {
  return { X: scaled.X, graph, norm: options.norm, masses };
}
