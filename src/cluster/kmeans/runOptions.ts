export { PAIR_RULES, type PairRules } from "../../data/internal.ts";
import type { OnProgress } from "../../core/index.ts";
import { given, integer, isList, type Rule } from "../../core/internal.ts";
import type { Matrix } from "../../matrix/index.ts";

/**
 * Options that methods with restarts and iterations declare in the same way; a method with other defaults
 * overrides them.
 */
export interface RunRules {
  readonly restarts: Rule<number>;
  readonly seed: Rule<number>;
  readonly weights: Rule<ArrayLike<number>>;
  readonly maxIterations: Rule<number>;
  readonly onProgress: Rule<OnProgress>;
}

export const RUN_RULES: RunRules = {
  restarts: integer({ min: 1, max: 10_000, default: 10, says: "independent starts; the best is kept" }),
  seed: integer({ min: 0, default: 0 }),
  weights: given<ArrayLike<number>>("an array of numbers", isList),
  maxIterations: integer({ min: 1, default: 300, says: "maximum number of iterations of each start" }),
  onProgress: given<OnProgress>("a function", (value) => typeof value === "function"),
};

/** For methods that take the number of clusters or the starting centres; with the latter there is one run. */
export interface StartRules {
  readonly clusters: Rule<number>;
  readonly initialCenters: Rule<Matrix>;
  readonly restarts: Rule<number>;
}

export const START_RULES: StartRules = {
  clusters: integer({ min: 1 }),
  initialCenters: given<Matrix>("a matrix", isMatrix),
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
