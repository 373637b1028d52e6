import { resolveOptions } from "../core/options.ts";
import type { Matrix } from "../matrix/matrix.ts";
import type { Labeling } from "../score/labels.ts";
import { withPairInformation } from "./pairInformation.ts";
import { startRanking } from "./ranking.ts";
import { SELECT_RULES, type Selection, selectionProblem, type SelectOptions } from "./selection.ts";

/**
 * The features of the largest I(X_j; Y), each looked at alone: the baseline that every method which minds redundancy
 * should beat. (It is also what P1 (5.2) does as printed.)
 */
export function maxRelevance(X: Matrix, labels: Labeling, options: SelectOptions = {}): Selection {
  const resolved = resolveOptions<SelectOptions, typeof SELECT_RULES>("maxRelevance", options, SELECT_RULES);
  const problem = selectionProblem("maxRelevance", X, labels, resolved);
  return withPairInformation(problem.variables, problem.table, false, (pairs) => {
    const ranking = startRanking(problem, pairs);
    while (ranking.selected.length < problem.features) {
      const next = ranking.best((i) => ranking.relevance[i]);
      ranking.select(next, ranking.relevance[next]);
    }
    return { method: "max-relevance", ...ranking.result(resolved) };
  });
}
