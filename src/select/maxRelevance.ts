import { asMatrix, type MatrixLike } from "../matrix/index.ts";
import { plain, resolveOptions, type RulesOf } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import type { LevelCounts } from "./levelCounts.ts";
import { startRanking } from "./ranking.ts";
import {
  COUNTS_RULES,
  type FromCounts,
  type ResolvedCounts,
  SELECT_RULES,
  type Selection,
  type SelectOptions,
} from "./selection.ts";
import { countsProblem, type SelectionProblem, selectionProblem } from "./selectionProblem.ts";

/**
 * The features with the largest I(X_j; Y), each judged alone: the baseline for every method that considers
 * redundancy. (It is also Sui 2018, (5.2), as printed.)
 */
export function maxRelevance(input: MatrixLike, labels: Labeling, options: SelectOptions = {}): Selection {
  const X = asMatrix(input, "maxRelevance");
  const resolved = resolveOptions<SelectOptions, typeof SELECT_RULES>("maxRelevance", options, SELECT_RULES);
  return select(selectionProblem("maxRelevance", X, labels, resolved), resolved);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function maxRelevanceFromCounts(
  counts: LevelCounts,
  options: FromCounts<SelectOptions> = {},
): Selection {
  const resolved = resolveOptions<FromCounts<SelectOptions>, typeof COUNTS_RULES>(
    "maxRelevanceFromCounts",
    options,
    COUNTS_RULES,
  );
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

export const maxRelevanceOptions: RulesOf<SelectOptions> = SELECT_RULES;
