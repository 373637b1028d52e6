import type { MatrixLike } from "../matrix/index.ts";
import { plain, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import type { Unit } from "./pairInformation.ts";
import type { LevelCounts } from "./discrete.ts";
import {
  startRanking,
  fromCounts,
  SELECT_RULES,
  countsProblem,
  selectionProblem,
  type Ranking,
  type FromCounts,
  type ResolvedCounts,
  type Selection,
  type SelectionProblem,
} from "./selectionProblem.ts";

export const mrmrOptions = {
  ...SELECT_RULES,
  form: rule.oneOf(["difference", "quotient"], "difference", {
    says: "relevance minus redundancy, or divided by it",
  }),
};

export type MrmrOptions = rule.OptionsOf<typeof mrmrOptions>;

export type MrmrForm = "difference" | "quotient";

/**
 * Minimum redundancy, maximum relevance (Peng, Long and Ding 2005; Sui 2018, (5.2), with the index of its sum corrected):
 *
 *     argmax_j  I(X_j; Y) - 1/|B| sum_{i in B} I(X_j; X_i)
 *
 * or, in the quotient form, I(X_j; Y) / (1/|B| sum_{i in B} I(X_j; X_i) + 0.01 bit), where the constant keeps a feature
 * that is independent of the selected ones from being divided by 0. As the mean dilutes the redundancy of a
 * single pair, the criterion alone would select exact copies after a few features; here a copy of a selected
 * feature, also a negated one, comes after all others.
 */
export function mrmr(X: MatrixLike, labels: Labeling, options: MrmrOptions = {}): Selection {
  const resolved = rule.resolveOptions("mrmr", options, mrmrOptions);
  return select(selectionProblem("mrmr", X, labels, resolved), resolved);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function mrmrFromCounts(counts: LevelCounts, options: FromCounts<MrmrOptions> = {}): Selection {
  const resolved = rule.resolveOptions("mrmrFromCounts", options, fromCounts(mrmrOptions));
  return select(countsProblem("mrmrFromCounts", counts, resolved), resolved);
}

function select(problem: SelectionProblem, options: ResolvedCounts & { readonly form: MrmrForm }): Selection {
  return problem.withPairs((pairs) => {
    const ranking = startRanking(problem, pairs);
    while (ranking.selected.length < problem.features) {
      const { feature, score } = nextByMrmr(ranking, options.form, options.unit);
      ranking.select(feature, score);
    }
    return plain({ method: "mrmr", ...ranking.result(options) });
  });
}

/** The next feature and its criterion. */
export function nextByMrmr(
  ranking: Ranking,
  form: MrmrForm,
  unit: Unit,
): { readonly feature: number; readonly score: number } {
  const { relevance, shared, selected } = ranking;
  const floor = unit === "bits" ? 0.01 : 0.01 * Math.LN2;
  const score = (i: number): number => {
    if (selected.length === 0) return relevance[i];
    const redundancy = shared[i] / selected.length;
    return form === "difference" ? relevance[i] - redundancy : relevance[i] / (redundancy + floor);
  };
  const feature = ranking.bestOriginal(score);
  return { feature, score: score(feature) };
}
