import { given, integer, oneOf, without, type OptionsOf, type ResolvedOptions } from "../core/internal.ts";
import type { ChowLiuTree } from "./chowLiuTree.ts";
import type { Discretization } from "./discretize.ts";
import { INFORMATION_RULES } from "./information.ts";
import type { Estimator, Unit } from "./informationTable.ts";

const COUNTS_RULES = {
  ...INFORMATION_RULES,
  /** Number of features to select; default 20, or all if there are fewer. */
  features: integer({ min: 1 }),
};

/** The common options of the selections. */
export const SELECT_RULES = {
  ...COUNTS_RULES,
  /** How values become levels; see `discretize`. */
  discretize: oneOf(["sigma", "width", "frequency", "given"], "sigma", {
    says: "how values become levels; sigma cuts at mean - sd and mean + sd",
  }),
  /** Number of intervals of the discretizations "width" and "frequency". */
  bins: integer({ min: 2, max: 256, says: "number of levels, for width and frequency", usual: "5" }),
  /** Column names; default c0, c1, ... */
  names: given<readonly string[]>("an array of names", Array.isArray),
};

export type SelectOptions = OptionsOf<typeof SELECT_RULES>;
export type ResolvedCounts = ResolvedOptions<typeof COUNTS_RULES>;
export type ResolvedSelect = ResolvedOptions<typeof SELECT_RULES>;

/** Options of a selection from counts, which fix levels and names. */
export type FromCounts<O extends SelectOptions> = Omit<O, "discretize" | "bins" | "names">;

/** Their rules. */
export function fromCounts<R extends typeof SELECT_RULES>(
  rules: R,
): Omit<R, "discretize" | "bins" | "names"> {
  return without(rules, "discretize", "bins", "names");
}

/** The selected features, the first choice first; arrays are by rank. */
export interface Selection {
  readonly method: string;
  /** Columns of X. */
  readonly features: Int32Array;
  readonly names: readonly string[];
  /** The criterion by which each was chosen. */
  readonly scores: Float64Array;
  /** The gain of each in the score, if the criterion concerns the whole set. */
  readonly gains?: Float64Array;
  /** I(feature; class). */
  readonly relevance: Float64Array;
  /** Mean of I(feature; feature selected before); 0 for the first. */
  readonly redundancy: Float64Array;
  /** Tree of the selected features and the class; only for `chowLiuSelect`. */
  readonly tree?: ChowLiuTree;
  /** Features from this rank on were chosen by mRMR because no gain was left; only of `chowLiuSelect`. */
  readonly filledFrom?: number;
  /**
   * No set with the same number of features has a higher score than `upperBound`; if the criterion concerns
   * the whole set.
   */
  readonly certificate?: SelectionCertificate;
  /** Columns with only one level, which were never candidates. */
  readonly constant: Int32Array;
  readonly discretization: Discretization;
  readonly estimator: Estimator;
  /** Unit of scores, relevance and redundancy. */
  readonly unit: Unit;
  readonly warnings: readonly string[];
  /** The JSON form: typed arrays as arrays. */
  toJSON(): object;
}

export interface SelectionCertificate {
  readonly score: number;
  readonly upperBound: number;
  readonly gap: number;
}
