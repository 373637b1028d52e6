import { inValueOrder } from "../matrix/internal.ts";
import { solveConvex } from "../convex/index.ts";
import { makeSetting, type Common, type Outcome, type Setting, type Solved } from "../convex/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { pairsOf } from "./pairs.ts";
import { convexClustering, type ConvexClustering } from "./result.ts";
import { rowsAsGiven } from "./rowsAsGiven.ts";

/**
 * A recipe on rows in the order of their values, so that ties and sums do not depend on the order of the input.
 *
 * @param perRow options that have one entry for each row
 */
export function run<O extends Common, S extends Solved, M extends object>(
  method: string,
  input: MatrixLike,
  options: O,
  perRow: readonly (keyof O)[],
  recipe: (setting: Setting<O>) => Outcome<S, M>,
): ConvexClustering & M {
  return inValueOrder(
    asMatrix(input, method),
    options,
    perRow,
    (X, given) => convexClustering(recipe(settingOf(method, X, given))),
    rowsAsGiven,
  );
}

/** The start of a recipe, with its ingredients. */
export function settingOf<O extends Common>(
  method: string,
  X: Matrix,
  options: O,
  masses?: Float64Array,
): Setting<O> {
  const hints = pairsOf(method, X.rows, options);
  return makeSetting(method, X, options, { solve: solveConvex, hints, ...(masses && { masses }) });
}
