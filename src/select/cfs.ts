import type { MatrixLike } from "../matrix/index.ts";
import { plain, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { uncertainty } from "./information.ts";
import type { LevelCounts } from "./discrete.ts";
import type { PairInformation } from "./pairInformation.ts";
import {
  largestRelevances,
  SELECT_RULES,
  selectedFromCounts,
  selectedFromRows,
  type Ranking,
  type FromCounts,
  type Selection,
  type SelectionCertificate,
  type SelectionProblem,
} from "./selectionProblem.ts";

export const cfsOptions = {
  ...SELECT_RULES,
  search: rule.oneOf(["forward", "best-first"], "forward", {
    says: "forward steps, or best-first search with backtracking",
  }),
};

export type CfsOptions = rule.OptionsOf<typeof cfsOptions>;

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
  return selectedFromRows("cfs", [X, labels, options], cfsOptions, select);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function cfsFromCounts(counts: LevelCounts, options: FromCounts<CfsOptions> = {}): CfsSelection {
  return selectedFromCounts("cfsFromCounts", [counts, options], cfsOptions, select);
}

function select(
  problem: SelectionProblem,
  options: rule.ResolvedOptions<typeof cfsOptions>,
  ranking: Ranking,
  pairs: PairInformation,
): CfsSelection {
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

/**
 * Hall's best-first search for the set with the largest merit (cfs.ts): the best unexamined set is extended
 * by every feature in turn; the search ends when five consecutive extensions have not improved on the best
 * set.
 */
const STALE = 5;

interface Addition {
  readonly feature: number;
  /** For the set up to and including this feature. */
  readonly merit: number;
}

interface Subset {
  readonly features: readonly Addition[];
  readonly merit: number;
  /** sum r_iy and sum_{i < j} r_ij. */
  readonly sum: number;
  readonly pairSum: number;
}

/** @param uncertainties r_fi of feature f with every i */
function bestFirst(
  toClass: Float64Array,
  candidates: Uint8Array,
  most: number,
  uncertainties: (f: number) => Float64Array,
): readonly Addition[] {
  const rows = new Map<number, Float64Array>();
  const rowOf = (f: number): Float64Array => {
    let row = rows.get(f);
    if (row === undefined) rows.set(f, (row = uncertainties(f)));
    return row;
  };
  let open: Subset[] = [{ features: [], merit: 0, sum: 0, pairSum: 0 }];
  let best = open[0];
  const seen = new Set<string>();
  for (let stale = 0; stale < STALE && open.length > 0;) {
    const [next] = open;
    open = open.slice(1);
    const extended = next.features.length < most ? extensions(next, toClass, candidates, rowOf, seen) : [];
    open = merged(open, extended);
    // A set without features is not an answer, even if no feature is informative.
    if (extended.length > 0 && (best.features.length === 0 || extended[0].merit > best.merit)) {
      best = extended[0];
      stale = 0;
    } else {
      stale++;
    }
  }
  return best.features;
}

/** The new sets with one more feature, the best first; in a tie the lower feature. */
function extensions(
  subset: Subset,
  toClass: Float64Array,
  candidates: Uint8Array,
  rowOf: (f: number) => Float64Array,
  seen: Set<string>,
): Subset[] {
  const links = new Float64Array(toClass.length);
  const members = subset.features.map(({ feature }) => feature);
  for (const f of members) {
    const row = rowOf(f);
    for (let i = 0; i < links.length; i++) links[i] += row[i];
  }
  const size = members.length + 1;
  const found: Subset[] = [];
  for (let i = 0; i < links.length; i++) {
    if (candidates[i] === 0 || members.includes(i)) continue;
    const key = [...members, i].sort((a, b) => a - b).join();
    if (seen.has(key)) continue;
    seen.add(key);
    const sum = subset.sum + toClass[i];
    const pairSum = subset.pairSum + links[i];
    const merit = sum / Math.sqrt(size + 2 * pairSum);
    found.push({ features: [...subset.features, { feature: i, merit }], merit, sum, pairSum });
  }
  return found.sort((a, b) => b.merit - a.merit);
}

/** Merges two descending lists; in a tie the set that was found first. */
function merged(a: readonly Subset[], b: readonly Subset[]): Subset[] {
  const all: Subset[] = [];
  let j = 0;
  for (const subset of a) {
    while (j < b.length && b[j].merit > subset.merit) all.push(b[j++]);
    all.push(subset);
  }
  return [...all, ...b.slice(j)];
}
