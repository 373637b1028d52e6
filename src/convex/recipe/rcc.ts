import { identity, type Matrix } from "../../matrix/index.ts";
import { rule } from "../../core/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { rowValues } from "../path/hints.ts";
import { COMMON, type Common, type Setting, warnComponents } from "../path/setting.ts";
import { columnSizes } from "../solve/means.ts";
import { type RccSolution, solveRcc } from "../solve/rcc.ts";
import { centersStep, diagonal, lossOf, type Outcome, spread } from "./loss.ts";

/** Robust convex clustering has the L1 norm and one solver. */
export const rccOptions = {
  ...rule.without(COMMON, "norm", "solver"),
  /**
   * beta; a feature whose residual exceeds it counts as an outlier. 0.7 of the median ||x_f - mean|| unless
   * given.
   */
  beta: rule.real({
    above: 0,
    says: "norm of the residuals above which a feature is an outlier",
    usual: "0.7 of the median spread of the columns",
  }),
};

export type RobustCcOptions = rule.OptionsOf<typeof rccOptions>;

export interface Robust {
  readonly beta: number;
  /** Share of each given feature's residual in the robust component; 0 for trusted features. */
  readonly robustShares: Float64Array;
}

/**
 * Robust convex clustering (Q. Wang et al., 2016; Sui et al. 2018, (6)): each feature may put a residual that
 * is too large for the others' scale into a robust component, and is then smoothed more. solve/rcc.ts has the
 * problem and its proof.
 */
export function rccRecipe(
  setting: Setting<Common & rule.ResolvedOptions<typeof rccOptions>>,
): Outcome<RccSolution, Robust> {
  warnComponents(setting);
  const { scaled, graph, hints, options, judge, X } = setting;
  const Z = scaled.X;
  const spreads = columnSizes(Z, undefined).norms;
  const beta = options.beta ?? 0.7 * spreads.toSorted()[spreads.length >> 1];
  // gamma_f lies between gamma and gamma max(1, spread_f / beta).
  const most = spreads.reduce((largest, size) => Math.max(largest, size / beta), 1);
  const loss = lossOf<RccSolution>({ X: Z, graph, norm: 1 }, hints, ({ problem }) => {
    const { lower, upper } = fusionBounds(problem);
    const scattered = hints === undefined ? undefined : residualSquares(Z, rowValues(problem.X, hints));
    const fixed = { beta, tolerance: options.tolerance, scatter: scattered };
    return {
      bounds: { lower: lower / most, upper },
      solve: (gamma, start) => solveRcc(problem, { ...fixed, gamma, start }),
    };
  });
  const fit = fitPath(loss, options, judge);
  const { robustShares } = fit.solution;
  const trusted = robustShares.map((share) => 1 - share);
  const none = trusted.every((share) => share === 0);
  return {
    setting,
    fit,
    B: none ? identity(Z.cols) : diagonal(trusted),
    history: [centersStep(fit)],
    ...(none && {
      warnings: [`beta ${beta} makes every feature an outlier, so nothing separates the rows`],
    }),
    more: { beta, robustShares: spread(robustShares, scaled.kept, X.cols) },
  };
}

/** ||z_f - y_f||^2 for each column. */
function residualSquares(Z: Matrix, Y: Matrix): Float64Array {
  const squares = new Float64Array(Z.cols);
  for (let p = 0; p < Z.data.length; p++) squares[p % Z.cols] += (Z.data[p] - Y.data[p]) ** 2;
  return squares;
}
