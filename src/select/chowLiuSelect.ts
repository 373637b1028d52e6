import type { MatrixLike } from "../matrix/index.ts";
import { plain, rule } from "../core/internal.ts";
import type { Labeling } from "../score/index.ts";
import { CLASS, dependenceTree, growingTree, type ChowLiuTree, type GrowingTree } from "./chowLiuTree.ts";
import type { LevelCounts } from "./discrete.ts";
import { nextByMrmr } from "./mrmr.ts";
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

export const chowLiuSelectOptions = {
  ...SELECT_RULES,
  fill: rule.oneOf(["mrmr", "none"], "mrmr", {
    says: "how to rank the features when no gain is left",
  }),
};

export type ChowLiuSelectOptions = rule.OptionsOf<typeof chowLiuSelectOptions>;

export type ChowLiuFill = "mrmr" | "none";

export interface ChowLiuSelection extends Selection {
  readonly gains: Float64Array;
  readonly tree: ChowLiuTree;
  readonly certificate: SelectionCertificate;
}

/**
 * Feature selection by Chow-Liu trees (Sui, dissertation, 2018, (6.14) and Algorithm 3): the next feature is
 * the one with the largest
 *
 *     score(B + i) = MST(X_B, X_i, Y) - MST(X_B, X_i) ,
 *
 * MST the weight of a maximum spanning tree under mutual information. Line 11 of the algorithm stores
 * weight(T1) - weight(T2); as printed the last feature always wins, so weight(T2) - weight(T1) is meant. The score is
 * a difference of two lower bounds and not a mutual information (it may exceed H(Y)). Both trees are kept, and a
 * candidate costs O(|B|) (`growingTree`).
 *
 * Eventually no feature has a positive gain: every remaining one is joined to a selected feature by the same
 * edge in both trees, the gains tie at 0, and index order would decide. From there on features are chosen by
 * mRMR, and `filledFrom` gives the rank, or the selection ends (`fill: "none"`).
 */
export function chowLiuSelect(
  X: MatrixLike,
  labels: Labeling,
  options: ChowLiuSelectOptions = {},
): ChowLiuSelection {
  return selectedFromRows("chowLiuSelect", [X, labels, options], chowLiuSelectOptions, select);
}

/** The same from counts (`levelCounts`), of rows that need not be in memory. */
export function chowLiuSelectFromCounts(
  counts: LevelCounts,
  options: FromCounts<ChowLiuSelectOptions> = {},
): ChowLiuSelection {
  return selectedFromCounts("chowLiuSelectFromCounts", [counts, options], chowLiuSelectOptions, select);
}

function select(
  problem: SelectionProblem,
  options: rule.ResolvedOptions<typeof chowLiuSelectOptions>,
  ranking: Ranking,
): ChowLiuSelection {
  const trees = startTrees(ranking, problem.target);
  const gains: number[] = [];
  let score = 0;
  let filledFrom: number | undefined;
  while (ranking.selected.length < problem.features) {
    const gain = trees.gains();
    let next = ranking.best((i) => gain[i]);
    if (filledFrom === undefined && gain[next] <= 0) {
      if (options.fill === "none") break;
      filledFrom = ranking.selected.length;
    }
    if (filledFrom !== undefined) next = nextByMrmr(ranking, "difference", options.unit).feature;
    gains.push(gain[next]);
    score += gain[next];
    trees.add(next);
    ranking.select(next, score);
  }
  const { selected } = ranking;
  // T2 without the class is a forest on X_B, whose weight is at most that of T1. So score(B) <= sum of I(X_i; Y) over the
  // neighbours of the class, and no set of |B| features can score more than the sum of the |B| largest relevances.
  const most = largestRelevances(ranking.relevance, problem.candidates, selected.length);
  const upperBound = Math.max(score, most);
  const vertices = [problem.target, ...selected];
  const tree = dependenceTree(problem.tables, vertices, trees.withClass.edges, {
    names: [CLASS, ...selected.map((f) => problem.names[f])],
    columns: Int32Array.of(-1, ...selected),
    root: 0,
    unit: options.unit,
  });
  return plain({
    method: "chow-liu",
    ...ranking.result(options),
    gains: Float64Array.from(gains),
    tree,
    ...(filledFrom !== undefined && { filledFrom }),
    certificate: { score, upperBound, gap: upperBound - score },
    warnings: [...problem.warnings, ...remark(selected.length, problem.features, filledFrom)],
  });
}

/** Gains are sums of differences of informations; values within rounding are 0. */
const ROUNDING = 1e-12;

interface Trees {
  /** T2, with the class as vertex 0 and the features by rank after it. */
  readonly withClass: GrowingTree;
  /** score(B + i) - score(B) of every feature. */
  gains(): Float64Array;
  add(feature: number): void;
}

function startTrees(ranking: Ranking, d: number): Trees {
  const alone = growingTree();
  const withClass = growingTree();
  withClass.grow([]);
  const gain = new Float64Array(d);
  const increase = new Float64Array(d);
  return {
    withClass,
    gains() {
      withClass.increases([ranking.relevance, ...ranking.rows], gain);
      alone.increases(ranking.rows, increase);
      for (let i = 0; i < d; i++) {
        gain[i] -= increase[i];
        if (Math.abs(gain[i]) <= ROUNDING) gain[i] = 0;
      }
      return gain;
    },
    add(feature) {
      const links = ranking.rows.map((row) => row[feature]);
      alone.grow(links);
      withClass.grow([ranking.relevance[feature], ...links]);
    },
  };
}

function remark(selected: number, wanted: number, filledFrom: number | undefined): string[] {
  if (filledFrom !== undefined) {
    return [
      `after ${filledFrom} feature${filledFrom === 1 ? "" : "s"} no other adds to the score; the rest was chosen by mRMR`,
    ];
  }
  return selected < wanted
    ? [
        `after ${selected} feature${selected === 1 ? "" : "s"} no other adds to the score; the selection ends there`,
      ]
    : [];
}
