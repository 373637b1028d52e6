import { asMatrix, type Matrix, type MatrixLike } from "../../matrix/index.ts";
import { extended, flag, integer, optionError, resolveOptions, type RulesOf } from "../../core/internal.ts";
import { inValueOrder } from "../../matrix/internal.ts";
import { recovery } from "../path/recovery.ts";
import { rowsAsGiven } from "../path/rowsAsGiven.ts";
import { compressedCc } from "./compressedCc.ts";
import { convexFamily } from "./convexFamily.ts";
import { type Fit, fitPath } from "../path/fit.ts";
import type { ConvexProblem, ConvexSolution } from "../solve/problem.ts";
import { type ConvexClustering, convexClustering } from "../path/result.ts";
import {
  COMMON,
  type ConvexOptions,
  makeSetting,
  type ResolvedOptions,
  type Setting,
  warnComponents,
} from "../path/setting.ts";

export interface CcOptions extends ConvexOptions {
  /**
   * Clusters at most this many weighted points instead of rows (compressedCc.ts); default: none up to 50000
   * rows, or if pairs or a graph are given, and 20000 beyond. A number at or above the row count means the
   * rows themselves.
   */
  readonly representatives?: number;
  /** Keeps the centres U and the edge duals Z of the chosen gamma in the result; they are large. */
  readonly solution?: boolean;
}

export const ccOptions: RulesOf<CcOptions> = {
  ...COMMON,
  representatives: integer({
    min: 2,
    says: "clusters at most this many weighted points instead of the rows",
    usual: "20000 beyond 50000 rows, else all rows",
  }),
  solution: flag(false),
};
/** Number of rows above which representatives replace them, and their number. */
export const ROWS_SOLVED = 50_000;
export const REPRESENTATIVES = 20_000;

/**
 * Convex clustering (E. C. Chi and K. Lange, 2015; Sui et al. 2018, (1)):
 *
 *     min_U 1/2 sum_i ||x_i - u_i||^2 + gamma sum_l w_l ||u_i - u_j||_q
 *
 * over a path of gammas; rows with equal centres along edges are one cluster. Deterministic.
 */
export function cc(input: MatrixLike, options?: CcOptions): ConvexClustering {
  const X = asMatrix(input, "cc");
  return inValueOrder(
    X,
    resolveOptions("cc", options, ccOptions) as Resolved,
    ["batch"],
    fitted,
    rowsAsGiven,
  );
}

type Resolved = ResolvedOptions & Pick<CcOptions, "representatives" | "solution">;

function fitted(X: Matrix, { representatives: asked, solution: keep, ...given }: Resolved): ConvexClustering {
  const between = given.mustLink ?? given.cannotLink ?? given.graph;
  const count = asked ?? (X.rows > ROWS_SOLVED && between === undefined ? REPRESENTATIVES : X.rows);
  if (keep === true && count < X.rows) {
    throw optionError(
      `cc: "solution" is of all rows, but ${count} representatives stand for ${X.rows}; give representatives: ${X.rows}`,
    );
  }
  if (count < X.rows) return compressedCc(X, count, given);
  const setting = makeSetting("cc", X, given);
  warnComponents(setting);
  const fit = fitCc(setting);
  const { gamma, certificate } = fit.step;
  const { U, Z } = fit.solution;
  const result = convexClustering({
    setting,
    fit,
    history: [{ step: "centers", gamma, objective: certificate.primal }],
    ...(keep === true && { solution: { U, Z } }),
  });
  if (setting.hints !== undefined || result.clusters < 2) return result;
  const problem: ConvexProblem = { X: setting.scaled.X, graph: setting.graph, norm: setting.options.norm };
  return extended(result, { recovery: recovery(problem, result.labels) });
}

/** The path in the metric I, and the choice from it. */
export function fitCc({ scaled, graph, options, hints, judge }: Setting): Fit<ConvexSolution> {
  const problem: ConvexProblem = { X: scaled.X, graph, norm: options.norm };
  return fitPath(convexFamily(problem, options, hints), options, judge);
}
