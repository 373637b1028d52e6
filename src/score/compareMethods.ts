import { inputError, meanOf, rule } from "../core/internal.ts";
import { tTest, type TTest } from "./tTest.ts";

/**
 * A score of many methods on one data set ("Unsupervised metric learning via nonlinear feature space transformations",
 * section 3.2): against each opponent a method gets 1 if it is significantly better, 0.5 if there is no significant
 * difference and 0 if it is significantly worse (Student's t-test over the repetitions). Scores of several data sets
 * are added.
 */
export interface Tournament {
  readonly methods: readonly string[];
  /** The mean result of each method. */
  readonly means: Float64Array;
  /** The points of each method, at most methods - 1. */
  readonly points: Float64Array;
  /** `table[i][j]`: the points of method i against method j; its own column is 0. */
  readonly table: readonly (readonly number[])[];
}

const RULES = {
  /** Significance level of the two-sided test. */
  alpha: rule.real({ above: 0, below: 1, default: 0.05 }),
  /** The t-test: `student` (independent runs, as in the text), `welch`, or `paired` (the same splits or seeds). */
  kind: rule.oneOf<TTest["kind"]>(["student", "welch", "paired"], "student"),
  /** False for losses, where less is better. */
  higherIsBetter: rule.flag(true),
};

export type TournamentOptions = rule.OptionsOf<typeof RULES>;

export function compareMethods(
  results: Readonly<Record<string, ArrayLike<number>>>,
  options: TournamentOptions = {},
): Tournament {
  const { alpha, kind, higherIsBetter } = rule.resolveOptions("compareMethods", options, RULES);
  const methods = Object.keys(results);
  if (methods.length < 2) throw inputError(`compareMethods: needs at least 2 methods, got ${methods.length}`);
  const table = methods.map(() => methods.map(() => 0));
  for (let i = 0; i < methods.length; i++) {
    for (let j = 0; j < i; j++) {
      const test = tTest(results[methods[i]], results[methods[j]], { kind });
      const better = test.difference > 0 === higherIsBetter ? 1 : 0;
      table[i][j] = test.p < alpha ? better : 0.5;
      table[j][i] = 1 - table[i][j];
    }
  }
  return {
    methods,
    means: Float64Array.from(methods, (name) => meanOf(results[name])),
    points: Float64Array.from(table, (row) => row.reduce((sum, points) => sum + points, 0)),
    table,
  };
}
