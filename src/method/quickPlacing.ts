/**
 * The rule that places very many rows after a fit on a sample of them. A rule that compares each of them with all rows that
 * were fitted is replaced by a compact one (`heldOutRule`), where that does as well.
 */
import { storeMatrix, type Matrix } from "../matrix/index.ts";
import { heldOutRule, MOST_POINTS } from "./heldOutRule.ts";
import { labelRows, placingRule, type PlacingRule } from "./placing.ts";

/** Pairs of rows that kernels are computed for, in about two minutes. */
const MOST_KERNELS = 3e9;

export interface QuickPlacing {
  readonly rule: PlacingRule;
  /** What is to be said of it; absent: the rule is the method's own. */
  readonly told?: string;
}

/**
 * @param Y the rows that were fitted, with their labels
 * @param rows how many there are to place
 */
export function quickPlacing(rule: PlacingRule, Y: Matrix, labels: Int32Array, rows: number): QuickPlacing {
  const own: PlacingRule =
    rule.kind === "kernel-kmeans" && Y.rows * rows > MOST_KERNELS
      ? placingRule(Y, labels, rule.means.rows, { kind: "rows" })
      : rule;
  // Under a map, distances between rows are not those between their features.
  if (own.kind !== "rows" || own.map !== undefined || own.rows.rows <= MOST_POINTS) return { rule: own };
  const quick = heldOutRule(Y, labels, own.means.rows, (of, queries) =>
    labelRows({ ...own, rows: storeMatrix(of.X), labels: Array.from(of.labels) }, queries),
  );
  if (quick === undefined) return { rule: own };
  return { rule: { ...quick.rule, means: own.means }, told: `rows are placed ${quick.told}` };
}
