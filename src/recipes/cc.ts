import { ccRecipe, ccRules } from "../convex/internal.ts";
import { optionError, rule } from "../core/internal.ts";
import { inValueOrder } from "../matrix/internal.ts";
import { asMatrix, type Matrix, type MatrixLike } from "../matrix/index.ts";
import { compressedCc, REPRESENTATIVES, ROWS_SOLVED } from "./compressedCc.ts";
import { convexClustering, type ConvexClustering } from "./result.ts";
import { rowsAsGiven } from "./rowsAsGiven.ts";
import { settingOf } from "./run.ts";

export const ccOptions = {
  ...ccRules,
  /**
   * Clusters at most this many weighted points instead of rows (compressedCc.ts); default: none up to 50000
   * rows, or if pairs or a graph are given, and 20000 beyond. A number at or above the row count means the
   * rows themselves.
   */
  representatives: rule.integer({
    min: 2,
    says: "clusters at most this many weighted points instead of the rows",
    usual: "20000 beyond 50000 rows, else all rows",
  }),
};

export type CcOptions = rule.OptionsOf<typeof ccOptions>;

/** Convex clustering (E. C. Chi and K. Lange, 2015): convex/recipe/cc.ts. Deterministic. */
export function cc(input: MatrixLike, options?: CcOptions): ConvexClustering {
  const X = asMatrix(input, "cc");
  return inValueOrder(X, rule.resolveOptions("cc", options, ccOptions), ["batch"], clustered, rowsAsGiven);
}

function clustered(
  X: Matrix,
  { representatives, ...given }: rule.ResolvedOptions<typeof ccOptions>,
): ConvexClustering {
  const between = given.mustLink ?? given.cannotLink ?? given.graph;
  const count = representatives ?? (X.rows > ROWS_SOLVED && between === undefined ? REPRESENTATIVES : X.rows);
  if (count >= X.rows) return convexClustering(ccRecipe(settingOf("cc", X, given)));
  if (given.solution) {
    throw optionError(
      `cc: "solution" is of all rows, but ${count} representatives stand for ${X.rows}; give representatives: ${X.rows}`,
    );
  }
  return compressedCc(X, count, given);
}
