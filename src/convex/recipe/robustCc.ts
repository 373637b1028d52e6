import { asMatrix, identity, matrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { extended, real, resolveOptions, without, type RulesOf } from "../../core/internal.ts";
import { inValueOrder } from "../../matrix/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { rowsAsGiven } from "../path/rowsAsGiven.ts";
import { groupProblem, rowValues } from "../path/hints.ts";
import { type RccSolution, solveRcc } from "../solve/rcc.ts";
import { type ConvexClustering, convexClustering } from "../path/result.ts";
import {
  COMMON,
  type ConvexOptions,
  makeSetting,
  type ResolvedOptions,
  warnComponents,
} from "../path/setting.ts";

/** Robust convex clustering has the L1 norm and one solver. */
export interface RobustCcOptions extends Omit<ConvexOptions, "norm" | "solver"> {
  /**
   * beta; a feature whose residual exceeds it counts as an outlier. 0.7 of the median ||x_f - mean|| unless
   * given.
   */
  readonly beta?: number;
}

export interface RobustCc extends ConvexClustering {
  readonly beta: number;
  /** Share of each given feature's residual in the robust component; 0 for trusted features. */
  readonly robustShares: Float64Array;
}

export const rccOptions: RulesOf<RobustCcOptions> = {
  ...without(COMMON, "norm", "solver"),
  beta: real({
    above: 0,
    says: "norm of the residuals above which a feature is an outlier",
    usual: "0.7 of the median spread of the columns",
  }),
};

type Resolved = ResolvedOptions & { readonly beta?: number };

/**
 * Robust convex clustering (Q. Wang et al., 2016; Sui et al. 2018, (6)): each feature may put a residual that
 * is too large for the others' scale into a robust component, and is then smoothed more. rcc.ts has the
 * problem and its proof.
 */
export function rcc(input: MatrixLike, options?: RobustCcOptions): RobustCc {
  const X = asMatrix(input, "rcc");
  const checked = { ...resolveOptions("rcc", options, rccOptions), norm: 1, solver: "default" } as Resolved;
  return inValueOrder(X, checked, ["batch"], fitted, rowsAsGiven);
}

function fitted(X: Matrix, checked: Resolved): RobustCc {
  const setting = makeSetting("rcc", X, checked);
  const resolved = setting.options as Resolved;
  warnComponents(setting);
  const Z = setting.scaled.X;
  const { hints, graph } = setting;
  const { problem } = groupProblem({ X: Z, graph, norm: 1 }, hints);
  const scatter = hints === undefined ? undefined : featureScatter(Z, rowValues(problem.X, hints));
  const spreads = columnSpreads(Z);
  const beta = resolved.beta ?? 0.7 * median(spreads);
  const { lower, upper } = fusionBounds(problem);
  // gamma_f lies between gamma and gamma max(1, spread_f / beta).
  const most = spreads.reduce((largest, spread) => Math.max(largest, spread / beta), 1);
  const fit = fitPath<RccSolution>(
    {
      graph,
      ...(hints !== undefined && { group: hints.constraints.group }),
      bounds: { lower: lower / most, upper },
      solve: (gamma, start) =>
        solveRcc(problem, {
          gamma,
          beta,
          tolerance: resolved.tolerance,
          ...(scatter !== undefined && { scatter }),
          ...(start !== undefined && { start }),
        }),
    },
    resolved,
    setting.judge,
  );
  const { gamma, certificate } = fit.step;
  const { robustShares } = fit.solution;
  const history = [{ step: "centers" as const, gamma, objective: certificate.primal }];
  const trusted = robustShares.map((share) => 1 - share);
  const none = trusted.every((share) => share === 0);
  const result = convexClustering({
    setting,
    fit,
    B: none ? identity(Z.cols) : diagonal(trusted),
    history,
    ...(none && {
      warnings: [`beta ${beta} makes every feature an outlier, so nothing separates the rows`],
    }),
  });
  return extended(result, { beta, robustShares: spread(robustShares, setting.scaled.kept, X.cols) });
}

/** ||z_f - y_f||^2 for each column. */
function featureScatter(Z: Matrix, Y: Matrix): Float64Array {
  const squares = new Float64Array(Z.cols);
  for (let p = 0; p < Z.data.length; p++) squares[p % Z.cols] += (Z.data[p] - Y.data[p]) ** 2;
  return squares;
}

/** ||x_f - mean_f|| for each column. */
function columnSpreads(Z: Matrix): Float64Array {
  const d = Z.cols;
  const means = new Float64Array(d);
  const squares = new Float64Array(d);
  for (let p = 0; p < Z.data.length; p++) means[p % d] += Z.data[p] / Z.rows;
  for (let p = 0; p < Z.data.length; p++) squares[p % d] += (Z.data[p] - means[p % d]) ** 2;
  return squares.map(Math.sqrt);
}

function median(values: Float64Array): number {
  const sorted = values.toSorted();
  return sorted[sorted.length >> 1];
}

export function diagonal(values: Float64Array): Matrix {
  const d = values.length;
  const B = matrix(d, d);
  for (let f = 0; f < d; f++) B.data[f * d + f] = values[f];
  return B;
}

/** Values of the kept features at their positions among all; 0 for the others. */
export function spread(values: Float64Array, kept: readonly number[], features: number): Float64Array {
  const all = new Float64Array(features);
  kept.forEach((column, f) => (all[column] = values[f]));
  return all;
}
