import { asMatrix, identity, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { extended, real, resolveOptions, without, type RulesOf } from "../../core/internal.ts";
import { inValueOrder } from "../../matrix/internal.ts";
import { fitPath } from "../path/fit.ts";
import { fusionBounds } from "../path/fusionBounds.ts";
import { rowsAsGiven } from "../path/rowsAsGiven.ts";
import { groupProblem, withConstant } from "../path/hints.ts";
import { type ConvexClustering, convexClustering } from "../path/result.ts";
import { diagonal, spread } from "./robustCc.ts";
import { type SccSolution, solveScc } from "../solve/scc.ts";
import {
  COMMON,
  type ConvexOptions,
  makeSetting,
  type ResolvedOptions,
  warnComponents,
} from "../path/setting.ts";

/** Sparse convex clustering has one solver. */
export interface SparseCcOptions extends Omit<ConvexOptions, "solver"> {
  /** gamma2; a feature vanishes when its centred centres have ||a_f||^2 <= gamma2. 2 % of the mean ||x_f||^2 unless given. */
  readonly gamma2?: number;
}

export interface SparseCc extends ConvexClustering {
  readonly gamma2: number;
  /** The remaining share of each given feature, 0 to 1; 0 for dropped features. */
  readonly factors: Float64Array;
}

export const sccOptions: RulesOf<SparseCcOptions> = {
  ...without(COMMON, "solver"),
  gamma2: real({
    min: 0,
    says: "drops a feature whose centred centres have at most this sum of squares",
    usual: "2 % of the mean sum of squares of the columns",
  }),
};

type Resolved = ResolvedOptions & { readonly gamma2?: number };

/**
 * Sparse convex clustering (B. Wang et al., 2018; Sui 2018, (4.36)), adaptive: convex clustering that drops the features
 * whose centres hardly differ. scc.ts has the problem and its closed form.
 */
export function scc(input: MatrixLike, options?: SparseCcOptions): SparseCc {
  const X = asMatrix(input, "scc");
  const checked = { ...resolveOptions("scc", options, sccOptions), solver: "default" } as Resolved;
  return inValueOrder(X, checked, ["batch"], fitted, rowsAsGiven);
}

function fitted(X: Matrix, checked: Resolved): SparseCc {
  const setting = makeSetting("scc", X, checked);
  const resolved = setting.options as Resolved;
  warnComponents(setting);
  const Z = setting.scaled.X;
  const { hints, graph } = setting;
  const { problem, constant } = groupProblem({ X: Z, graph, norm: resolved.norm }, hints);
  const gamma2 = resolved.gamma2 ?? 0.02 * meanSquare(Z);
  const fit = fitPath<SccSolution>(
    {
      graph,
      ...(hints !== undefined && { group: hints.constraints.group }),
      // Dropping features only fuses more.
      bounds: { lower: 0, upper: fusionBounds(problem).upper },
      solve: (gamma, start) =>
        withConstant(
          solveScc(problem, {
            gamma,
            gamma2,
            tolerance: resolved.tolerance,
            ...(start !== undefined && { start }),
          }),
          constant,
        ),
    },
    resolved,
    setting.judge,
  );
  const { gamma, certificate } = fit.step;
  const { factors } = fit.solution;
  const dropped = factors.filter((factor) => factor === 0).length;
  const all = dropped === factors.length;
  const result = convexClustering({
    setting,
    fit,
    B: all ? identity(Z.cols) : diagonal(factors),
    history: [{ step: "centers", gamma, objective: certificate.primal }],
    ...(all && { warnings: [`gamma2 ${gamma2} drops every feature, so nothing separates the rows`] }),
  });
  return extended(result, { gamma2, factors: spread(factors, setting.scaled.kept, X.cols) });
}

/** Mean over the features of ||x_f - mean||^2. */
function meanSquare(Z: Matrix): number {
  const d = Z.cols;
  const means = new Float64Array(d);
  for (let p = 0; p < Z.data.length; p++) means[p % d] += Z.data[p] / Z.rows;
  return Z.data.reduce((sum, x, p) => sum + (x - means[p % d]) ** 2, 0) / d;
}
