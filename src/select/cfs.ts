import type { MatrixLike } from "../matrix/index.ts";
import { oneOf, plain, resolveOptions, type OptionsOf } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { uncertainty } from "./information.ts";
import type { LevelCounts } from "./levelCounts.ts";
import { largestRelevances, type Ranking, startRanking } from "./ranking.ts";
import { bestFirst } from "./bestFirst.ts";
import {
  fromCounts,
  type FromCounts,
  type ResolvedCounts,
  SELECT_RULES,
  type Selection,
  type SelectionCertificate,
} from "./selection.ts";
import { countsProblem, type SelectionProblem, selectionProblem } from "./selectionProblem.ts";

export const cfsOptions = {
  ...SELECT_RULES,
  search: oneOf(["forward", "best-first"], "forward", {
    says: "forward steps, or best-first search with backtracking",
  }),
};

export type CfsOptions = OptionsOf<typeof cfsOptions>;

export type CfsSearch = "forward" | "best-first";

export interface CfsSelection extends Selection {
  readonly gains: Float64Array;
  readonly certificate: SelectionCertificate;
}

/**
 * Correlation based feature selection (Hall 1999; Sui 2018, (5.3) to (5.5), with the candidate counted in the redundancy):
 *
 *     merit(B) = sum_{i in B} r_iy / sqrt(|B| + 2 sum_{i < j in B} r_ij) ,     r = 2 I / (H + H)  (symmetric uncertainty).
 *
 * `forward` adds the feature with the largest merit until there are enough, even when the merit falls (a
 * warning gives its maximum); `best-first` is Hall's search, which can return to earlier sets and chooses the
 * size itself, at most `features`.
 */
export function cfs(X: MatrixLike, labels: Labeling, options: CfsOptions = {}): CfsSelection {
  const resolved = resolveOptions("cfs", options, cfsOptions);
  return select(selectionProblem("cfs", X, labels, resolved), resolved);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function cfsFromCounts(counts: LevelCounts, options: FromCounts<CfsOptions> = {}): CfsSelection {
  const resolved = resolveOptions("cfsFromCounts", options, fromCounts(cfsOptions));
  return select(countsProblem("cfsFromCounts", counts, resolved), resolved);
}

function select(
  problem: SelectionProblem,
  options: ResolvedCounts & { readonly search: CfsSearch },
): CfsSelection {
  return problem.withPairs((pairs) => {
    const ranking = startRanking(problem, pairs);
    const d = problem.target;
    const { entropies } = pairs;
    const toClass = ranking.relevance.map((I, i) => uncertainty(I, entropies[i], entropies[d]));
    const uncertainties = (row: Float64Array, f: number): Float64Array =>
      row.subarray(0, d).map((I, i) => uncertainty(I, entropies[i], entropies[f]));
    const merits =
      options.search === "forward"
        ? forward(ranking, toClass, uncertainties, problem.features)
        : bestFirst(toClass, problem.candidates, problem.features, (f) => uncertainties(pairs.row(f), f)).map(
            ({ feature, merit }) => {
              ranking.select(feature, merit);
              return merit;
            },
          );
    const score = merits[merits.length - 1];
    const k = merits.length;
    // r_ij >= 0, so no set of k features has a larger merit than independent ones of the largest r_iy.
    const upperBound = Math.max(score, largestRelevances(toClass, problem.candidates, k) / Math.sqrt(k));
    return plain({
      method: "cfs",
      ...ranking.result(options),
      gains: Float64Array.from(merits, (merit, r) => merit - (r === 0 ? 0 : merits[r - 1])),
      certificate: { score, upperBound, gap: upperBound - score },
      warnings: [...problem.warnings, ...(options.search === "forward" ? fallen(merits) : [])],
    });
  });
}

function forward(
  ranking: Ranking,
  toClass: Float64Array,
  uncertainties: (row: Float64Array, f: number) => Float64Array,
  features: number,
): number[] {
  const links = new Float64Array(toClass.length);
  const merits: number[] = [];
  let sum = 0;
  let pairSum = 0;
  while (merits.length < features) {
    const size = merits.length + 1;
    const merit = (i: number): number => (sum + toClass[i]) / Math.sqrt(size + 2 * (pairSum + links[i]));
    const next = ranking.best(merit);
    merits.push(merit(next));
    sum += toClass[next];
    pairSum += links[next];
    ranking.select(next, merits[merits.length - 1]);
    uncertainties(ranking.rows[ranking.rows.length - 1], next).forEach((r, i) => (links[i] += r));
  }
  return merits;
}

function fallen(merits: readonly number[]): string[] {
  const top = merits.indexOf(Math.max(...merits));
  if (top === merits.length - 1) return [];
  return [`the merit is largest, ${merits[top].toFixed(4)}, with ${top + 1} features, and falls after that`];
}
