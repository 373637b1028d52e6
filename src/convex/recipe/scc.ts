import { diagonal } from "../../matrix/internal.ts";
import { identity } from "../../matrix/index.ts";
import { rule } from "../../core/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { withConstant } from "../path/hints.ts";
import { COMMON, type Common, type Setting, warnComponents } from "../path/setting.ts";
import { columnSizes } from "../solve/means.ts";
import { sparseCenters, type SccSolution } from "../solve/scc.ts";
import { centersStep, lossOf, type Outcome, spread } from "./loss.ts";

/** Sparse convex clustering has one solver. */
export const sccOptions = {
  ...rule.without(COMMON, "solver"),
  /** gamma2; a feature vanishes when its centred centres have ||a_f||^2 <= gamma2. 2 % of the mean ||x_f||^2 unless given. */
  gamma2: rule.real({
    min: 0,
    says: "drops a feature whose centred centres have at most this sum of squares",
    usual: "2 % of the mean sum of squares of the columns",
  }),
};

export type SparseCcOptions = rule.OptionsOf<typeof sccOptions>;

export interface SparseFeatures {
  readonly gamma2: number;
  /** The remaining share of each given feature, 0 to 1; 0 for dropped features. */
  readonly factors: Float64Array;
}

/**
 * Sparse convex clustering (B. Wang et al., 2018; Sui 2018, (4.36)), adaptive: convex clustering that drops the features
 * whose centres hardly differ. solve/scc.ts has the problem and its closed form.
 */
export function sccRecipe(
  setting: Setting<Common & rule.ResolvedOptions<typeof sccOptions>>,
): Outcome<SccSolution, SparseFeatures> {
  warnComponents(setting);
  const { scaled, graph, hints, options, judge, solve, X } = setting;
  const Z = scaled.X;
  const { norms } = columnSizes(Z, undefined);
  const gamma2 = options.gamma2 ?? 0.02 * (norms.reduce((sum, norm) => sum + norm * norm, 0) / Z.cols);
  const rows = { X: Z, graph, norm: options.norm };
  const loss = lossOf<SccSolution>(rows, hints, ({ problem, constant }) => ({
    // Dropping features only fuses more.
    bounds: { lower: 0, upper: fusionBounds(problem).upper },
    solve: (gamma, start) =>
      withConstant(
        sparseCenters(problem, { gamma, gamma2, tolerance: options.tolerance, start }, solve),
        constant,
      ),
  }));
  const fit = fitPath(loss, options, judge);
  const { factors } = fit.solution;
  const all = factors.every((factor) => factor === 0);
  return {
    setting,
    fit,
    B: all ? identity(Z.cols) : diagonal(factors),
    history: [centersStep(fit)],
    ...(all && { warnings: [`gamma2 ${gamma2} drops every feature, so nothing separates the rows`] }),
    more: { gamma2, factors: spread(factors, scaled.kept, X.cols) },
  };
}
