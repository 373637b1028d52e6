import { diagonal } from "../../matrix/internal.ts";
import { identity, type Matrix } from "../../matrix/index.ts";
import { rule } from "../../core/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { rowValues } from "../path/hints.ts";
import { COMMON, type Common, type Setting, warnComponents } from "../path/setting.ts";
import { columnSizes } from "../solve/means.ts";
import { type RccSolution, solveRcc } from "../solve/rcc.ts";
import { solveHuber } from "./huber.ts";
import { centersStep, lossOf, type Outcome, spread } from "./loss.ts";

/** Robust convex clustering has the L1 norm and one solver. */
export const rccOptions = {
  ...rule.without(COMMON, "norm", "solver"),
  /** "features": one robust component for each feature. "cells": the Huber loss of every cell (huber.ts). */
  outlying: rule.oneOf(["features", "cells"] as const, "features", {
    says: "what can be an outlier: a whole feature, or a single cell (Huber loss)",
  }),
  /**
   * beta; a feature, or a cell, whose residual exceeds it counts as an outlier. Unless given, 0.7 of the median
   * ||x_f - mean||; for cells 1.345 of the median standard deviation, which for normal cells loses 5 % of the efficiency
   * of the squares (P. J. Huber, 1964).
   */
  beta: rule.real({
    above: 0,
    says: "size of the residuals above which a feature, or a cell, is an outlier",
    usual: "0.7 of the median spread of the columns; for cells 1.345 of their standard deviation",
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
  const { scaled, graph, hints, options, judge, solve, X } = setting;
  const Z = scaled.X;
  const spreads = columnSizes(Z, undefined).norms;
  const cells = options.outlying === "cells";
  const unit = cells ? 1.345 / Math.sqrt(Z.rows) : 0.7;
  const beta = options.beta ?? unit * spreads.toSorted()[spreads.length >> 1];
  // gamma_f lies between gamma and gamma max(1, spread_f / beta).
  const most = spreads.reduce((largest, size) => Math.max(largest, size / beta), 1);
  const rows = { X: Z, graph, norm: 1 } as const;
  const loss = lossOf<RccSolution>(rows, hints, ({ problem }) => {
    const { lower, upper } = fusionBounds(problem);
    if (cells) {
      const { tolerance } = options;
      return {
        // Forgiven cells only fuse more.
        bounds: { lower: 0, upper },
        solve: (gamma, start) => solveHuber(rows, { gamma, beta, tolerance, start, hints }, solve),
      };
    }
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
