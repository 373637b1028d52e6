import { takeRows, type Matrix } from "../matrix/index.ts";
import { adjustedRand } from "../score/index.ts";
import { borders } from "./evidence/border.ts";
import type { Judged } from "./found.ts";
import { partitionIcl, weakest } from "./evidence/judge.ts";
import { partition, rowCodes } from "./partition.ts";
import { type Rule, selectPartition } from "./search.ts";
import { judgedSpace } from "./space.ts";
import type { Spread } from "./spreadOut.ts";

/** Rows that judge again. */
const ROWS = 9000;
/** Agreement from which two partitions show the same clusters and differ in the course of their borders. */
const ALIKE = 0.8;
/** Partitions that are judged again. */
const MOST = 6;

/**
 * Of partitions of the clustered rows that show the same clusters as the chosen one, the best on more rows: evidence grows
 * with the rows, so borders that hardly differ are told apart by likelihood, not by chance.
 */
export function judgedAgain(
  scaled: Matrix,
  order: Int32Array,
  judged: readonly Judged[],
  chosen: Judged,
  spread: Spread,
  { rule, seed }: { readonly rule: Rule; readonly seed: number },
): Judged {
  const K = chosen.partition.clusters.length;
  const rivals = judged
    .filter(
      (one) =>
        one !== chosen &&
        one.partition.clusters.length === K &&
        adjustedRand(one.partition.labels, chosen.partition.labels) >= ALIKE,
    )
    .toSorted((a, b) => b.icl - a.icl)
    .slice(0, MOST - 1);
  if (K < 2 || rivals.length === 0) return chosen;
  const rows = order.subarray(0, ROWS);
  const space = judgedSpace(takeRows(scaled, rows), seed);
  const judges = borders(space);
  const codes = rowCodes(rows.length);
  const again = new Map<Judged, Judged>();
  for (const one of [chosen, ...rivals]) {
    const all = spread.labels(one);
    const found = partition(
      rows.map((i) => all[i]),
      codes,
    );
    if (found.clusters.length !== K) continue;
    const icl = partitionIcl(judges, found, space.spread);
    again.set({ partition: found, made: one.made, weakest: weakest(judges, found), icl }, one);
  }
  const best = selectPartition([...again.keys()], rule);
  return best === undefined ? chosen : again.get(best)!;
}
