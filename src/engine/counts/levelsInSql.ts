import { double } from "../../core/internal.ts";
import type { Label } from "../../score/index.ts";
import type { Discretization } from "../../select/index.ts";
import { levelsOf } from "../../select/internal.ts";
import { type Dialect } from "../dialect.ts";

/** A variable with levels 0 .. L - 1 as an expression. */
export interface SqlVariable {
  readonly levels: number;
  /** `weight` times the level of a row, a whole number; null if the value is not a level. */
  times(weight: number): string;
}

/** The levels of the features, whose values are the columns x0, x1, ..., as in `applyDiscretization`. */
export function featureVariables(discretization: Discretization): SqlVariable[] {
  const { kind, cuts } = discretization;
  const levels = levelsOf(discretization);
  return cuts.map((own, f) => ({
    levels: levels[f],
    times: (weight) =>
      kind === "sigma"
        ? `case when x${f} < ${double(own[0])} then 0 when x${f} > ${double(own[1])} then ${2 * weight} else ${weight} end`
        : kind === "given"
          ? between(
              `x${f}`,
              own.slice(1),
              (level) => `case when x${f} = ${double(own[level])} then ${weight * level} end`,
            )
          : between(`x${f}`, own, (level) => String(weight * level)),
  }));
}

/** The classes, whose texts are the column y. */
export function classVariable(classes: readonly Label[], { text }: Dialect): SqlVariable {
  return {
    levels: classes.length,
    times: (weight) =>
      `case y ${classes.map((label, c) => `when ${text(String(label))} then ${weight * c}`).join(" ")} end`,
  };
}

/** The result of `at` for the number of cuts <= x, by bisection. */
function between(x: string, cuts: readonly number[], at: (level: number) => string): string {
  const part = (low: number, high: number): string => {
    if (low === high) return at(low);
    const middle = (low + high) >> 1;
    return `case when ${x} < ${double(cuts[middle])} then ${part(low, middle)} else ${part(middle + 1, high)} end`;
  };
  return part(0, cuts.length);
}
