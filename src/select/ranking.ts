import type { PairInformation } from "./pairInformation.ts";
import type { ResolvedCounts, Selection } from "./selection.ts";
import type { SelectionProblem } from "./selectionProblem.ts";

/**
 * The state of a greedy selection: the selected features, the candidates, and the information of the selected
 * ones about each of the others. Rows of mutual information are computed when a feature is selected, so k
 * features cost k rows.
 */
export interface Ranking {
  /** Columns of X, the first choice first. */
  readonly selected: readonly number[];
  /** I(i; class) of every feature. */
  readonly relevance: Float64Array;
  /** sum_b I(i; b) over the selected b, of every feature. */
  readonly shared: Float64Array;
  /** Rows of mutual information of the selected, by rank. */
  readonly rows: readonly Float64Array[];
  /**
   * The candidate with the largest value; values within 1e-12 are a tie, broken by relevance and then by
   * order.
   */
  best(value: (i: number) => number): number;
  /** The same, but copies of selected features, possibly with renamed levels (for example negated), come last. */
  bestOriginal(value: (i: number) => number): number;
  select(feature: number, score: number): void;
  /** The common parts of a `Selection`. */
  result(options: ResolvedCounts): Omit<Selection, "method" | "toJSON">;
}

const TIE = 1e-12;

export function startRanking(problem: SelectionProblem, pairs: PairInformation): Ranking {
  const d = problem.target;
  const relevance = pairs.row(problem.target).subarray(0, d);
  const open = problem.candidates.slice();
  const copies = new Uint8Array(d);
  const shared = new Float64Array(d);
  const selected: number[] = [];
  const rows: Float64Array[] = [];
  const scores: number[] = [];
  const redundancy: number[] = [];
  const best = (value: (i: number) => number): number => {
    let first = -1;
    let highest = -Infinity;
    for (let i = 0; i < d; i++) {
      if (open[i] === 0) continue;
      const v = value(i);
      const level = Math.abs(v - highest) <= TIE;
      if (first >= 0 && (level ? relevance[i] <= relevance[first] : v < highest)) continue;
      first = i;
      highest = v;
    }
    return first;
  };
  return {
    selected,
    relevance,
    shared,
    rows,
    best,
    bestOriginal(value) {
      const original = best((i) => (copies[i] === 1 ? -Infinity : value(i)));
      return copies[original] === 1 ? best(value) : original;
    },
    select(feature, score) {
      const row = pairs.row(feature);
      redundancy.push(selected.length === 0 ? 0 : shared[feature] / selected.length);
      selected.push(feature);
      rows.push(row);
      scores.push(score);
      open[feature] = 0;
      const own = pairs.entropies[feature];
      for (let i = 0; i < d; i++) {
        shared[i] += row[i];
        // Both are functions of each other. Sums of counts are exact, so a copy meets this with equality.
        if (row[i] >= own && row[i] >= pairs.entropies[i] && own > 0) copies[i] = 1;
      }
    },
    result: ({ estimator, unit }) => ({
      features: Int32Array.from(selected),
      names: selected.map((f) => problem.names[f]),
      scores: Float64Array.from(scores),
      relevance: Float64Array.from(selected, (f) => relevance[f]),
      redundancy: Float64Array.from(redundancy),
      constant: problem.constant,
      discretization: problem.discretization,
      estimator,
      unit,
      warnings: problem.warnings,
    }),
  };
}

/** The sum of the k largest relevances of the candidates. */
export function largestRelevances(relevance: Float64Array, candidates: Uint8Array, k: number): number {
  return relevance
    .filter((_, i) => candidates[i] === 1)
    .sort()
    .subarray(-k)
    .reduce((sum, value) => sum + value, 0);
}
