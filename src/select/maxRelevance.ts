import type { MatrixLike } from "../matrix/index.ts";
import { plain, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import type { LevelCounts } from "./discrete.ts";
import {
  startRanking,
  fromCounts,
  SELECT_RULES,
  countsProblem,
  selectionProblem,
  type FromCounts,
  type ResolvedCounts,
  type Selection,
  type SelectOptions,
  type SelectionProblem,
} from "./selectionProblem.ts";

export const maxRelevanceOptions = SELECT_RULES;

/**
 * The features with the largest I(X_j; Y), each judged alone: the baseline for every method that considers
 * redundancy. (It is also Sui 2018, (5.2), as printed.)
 */
export function maxRelevance(X: MatrixLike, labels: Labeling, options: SelectOptions = {}): Selection {
  const resolved = rule.resolveOptions("maxRelevance", options, maxRelevanceOptions);
  return select(selectionProblem("maxRelevance", X, labels, resolved), resolved);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function maxRelevanceFromCounts(
  counts: LevelCounts,
  options: FromCounts<SelectOptions> = {},
): Selection {
  const resolved = rule.resolveOptions("maxRelevanceFromCounts", options, fromCounts(maxRelevanceOptions));
  return select(countsProblem("maxRelevanceFromCounts", counts, resolved), resolved);
}

function select(problem: SelectionProblem, options: ResolvedCounts): Selection {
  return problem.withPairs((pairs) => {
    const ranking = startRanking(problem, pairs);
    while (ranking.selected.length < problem.features) {
      const next = ranking.best((i) => ranking.relevance[i]);
      ranking.select(next, ranking.relevance[next]);
    }
    return plain({ method: "max-relevance", ...ranking.result(options) });
  });
}
