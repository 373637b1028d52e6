import type { MatrixLike } from "../matrix/index.ts";
import { plain, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { withPairInformation } from "./pairInformation.ts";
import {
  startRanking,
  SELECT_RULES,
  selectionProblem,
  type Selection,
  type SelectOptions,
} from "./selectionProblem.ts";

export const jmiOptions = SELECT_RULES;

/**
 * Joint mutual information (Yang and Moody 1999; Brown et al. 2012):
 *
 *     argmax_j  1/|B| sum_{i in B} I(X_j, X_i; Y) ,     I(X_j, X_i; Y) = I(X_i; Y) + I(X_j; Y | X_i) ,
 *
 * which in contrast to mRMR finds features that are informative only together with another. Copies of
 * selected features come after all others. It needs the rows: I(X_j, X_i; Y) does not follow from counts of
 * pairs.
 */
export function jmi(X: MatrixLike, labels: Labeling, options: SelectOptions = {}): Selection {
  const resolved = rule.resolveOptions("jmi", options, jmiOptions);
  const problem = selectionProblem("jmi", X, labels, resolved);
  return withPairInformation(problem.variables, problem.table, false, (pairs) => {
    const ranking = startRanking(problem, pairs);
    const joint = new Float64Array(problem.target);
    const score = (i: number): number => {
      const m = ranking.selected.length;
      return m === 0 ? ranking.relevance[i] : joint[i] / m;
    };
    while (ranking.selected.length < problem.features) {
      const next = ranking.bestOriginal(score);
      ranking.select(next, score(next));
      // I(X_j; X_b, Y) - I(X_j; X_b) = I(X_j; Y | X_b)
      const withClass = pairs.jointRow(next, problem.target);
      const alone = ranking.rows[ranking.rows.length - 1];
      for (let i = 0; i < joint.length; i++) {
        joint[i] += ranking.relevance[next] + withClass[i] - alone[i];
      }
    }
    return plain({ method: "jmi", ...ranking.result(resolved) });
  });
}
