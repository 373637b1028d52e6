import { plain, rule } from "../core/internal.ts";
import type { MatrixLike } from "../matrix/index.ts";
import type { Labeling } from "../score/index.ts";
import type { LevelCounts } from "./discrete.ts";
import type { Unit } from "./pairInformation.ts";
import {
  SELECT_RULES,
  selectedFromCounts,
  selectedFromRows,
  type FromCounts,
  type Ranking,
  type Selection,
  type SelectOptions,
  type SelectionProblem,
} from "./selectionProblem.ts";

/** Features one by one, each with the criterion by which `next` takes it; `taken` follows. */
function ranked(
  method: string,
  ranking: Ranking,
  features: number,
  options: Pick<Selection, "estimator" | "unit">,
  next: (ranking: Ranking) => { readonly feature: number; readonly score: number },
  taken: (ranking: Ranking, feature: number) => void = () => {},
): Selection {
  while (ranking.selected.length < features) {
    const { feature, score } = next(ranking);
    ranking.select(feature, score);
    taken(ranking, feature);
  }
  return plain({ method, ...ranking.result(options) });
}

export const maxRelevanceOptions = SELECT_RULES;

/**
 * The features with the largest I(X_j; Y), each judged alone: the baseline for every method that considers
 * redundancy. (It is also Sui 2018, (5.2), as printed.)
 */
export function maxRelevance(X: MatrixLike, labels: Labeling, options: SelectOptions = {}): Selection {
  return selectedFromRows("maxRelevance", [X, labels, options], maxRelevanceOptions, byRelevance);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function maxRelevanceFromCounts(
  counts: LevelCounts,
  options: FromCounts<SelectOptions> = {},
): Selection {
  return selectedFromCounts("maxRelevanceFromCounts", [counts, options], maxRelevanceOptions, byRelevance);
}

function byRelevance(
  { features }: SelectionProblem,
  options: rule.ResolvedOptions<typeof SELECT_RULES>,
  ranking: Ranking,
): Selection {
  return ranked("max-relevance", ranking, features, options, ({ best, relevance }) => {
    const feature = best((i) => relevance[i]);
    return { feature, score: relevance[feature] };
  });
}

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
  return selectedFromRows("mrmr", [X, labels, options], mrmrOptions, byMrmr);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function mrmrFromCounts(counts: LevelCounts, options: FromCounts<MrmrOptions> = {}): Selection {
  return selectedFromCounts("mrmrFromCounts", [counts, options], mrmrOptions, byMrmr);
}

function byMrmr(
  { features }: SelectionProblem,
  options: rule.ResolvedOptions<typeof mrmrOptions>,
  ranking: Ranking,
): Selection {
  return ranked("mrmr", ranking, features, options, (at) => nextByMrmr(at, options.form, options.unit));
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
  return selectedFromRows("jmi", [X, labels, options], jmiOptions, (problem, resolved, start, pairs) => {
    const joint = new Float64Array(problem.target);
    return ranked(
      "jmi",
      start,
      problem.features,
      resolved,
      ({ bestOriginal, relevance, selected }) => {
        const m = selected.length;
        const score = (i: number): number => (m === 0 ? relevance[i] : joint[i] / m);
        const feature = bestOriginal(score);
        return { feature, score: score(feature) };
      },
      ({ relevance, rows }, feature) => {
        // I(X_j; X_b, Y) - I(X_j; X_b) = I(X_j; Y | X_b)
        const withClass = pairs.jointRow(feature, problem.target);
        const alone = rows[rows.length - 1];
        for (let i = 0; i < joint.length; i++) joint[i] += relevance[feature] + withClass[i] - alone[i];
      },
    );
  });
}
