export { PAIR_RULES } from "../../data/internal.ts";
import { given, integer, isList, progressRule, seedRule } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";

/**
 * Options that methods with restarts and iterations declare in the same way; a method with other defaults
 * overrides them.
 */
export const RUN_RULES = {
  /** Runs from different starts, of which the best is returned. */
  restarts: integer({ min: 1, max: 10_000, default: 10, says: "independent starts; the best is kept" }),
  seed: seedRule,
  /** One weight >= 0 per row; a weight of 2 is the same as the row occurring twice. */
  weights: given<ArrayLike<number>>("an array of numbers", isList),
  /** Limit of the iterations of each start. */
  maxIterations: integer({ min: 1, default: 300, says: "maximum number of iterations of each start" }),
  onProgress: progressRule,
};

/** For methods that take the number of clusters or the starting centres; with the latter there is one run. */
export const START_RULES = {
  /** K; may be left out when `initialCenters` is given. */
  clusters: integer({ min: 1 }),
  /** K x d; cluster k of the result grows from row k. */
  initialCenters: given<Matrix>("a matrix", isMatrix),
  /** Runs from different seeded centres, of which the best is returned. 10 by default, 1 with `initialCenters`. */
  restarts: integer({
    min: 1,
    max: 10_000,
    says: "independent starts; the best is kept",
    usual: "10, or 1 from given centres",
  }),
};

function isMatrix(value: unknown): boolean {
  return typeof value === "object" && value !== null && "data" in value;
}
