import { clusterName } from "../data/internal.ts";
import type { Hints } from "../data/index.ts";
import { evidenceOfNone, sameIn } from "./evidence.ts";
import { fitted } from "./fitted.ts";
import type { Member } from "./posterior.ts";
import { logPrior as priorOf } from "./shelf.ts";
import { keyOf, sharesOf, type Statement } from "./statements.ts";

/** A hint that is very likely a mistake. Nothing was learned from it. */
export interface SuspiciousHint {
  readonly code: "suspicious";
  /** The row that it is about and, if it compares it with one row, that row. */
  readonly rows: readonly number[];
  /** Whether it says that they belong together. */
  readonly same: boolean;
  /** The share of the posterior that agrees with it, without having learned it. */
  readonly likely: number;
  /** Whether it holds in the result all the same. */
  readonly kept: boolean;
  readonly message: string;
}

export interface Suspect {
  readonly statement: Statement;
  readonly likely: number;
}

/**
 * Hints that are more likely mistakes than not. With v the probability that the posterior without this hint gives it, and e that
 * a person is wrong, that is so where e (1 - v) > (1 - e) v; who says the same t times is wrong with probability e^t. The
 * share of answers that a partition misses is learned with it (evidence.ts), so answers that agree with each other are not
 * overruled one by one: they move the posterior instead.
 */
export function mistakes(said: readonly Statement[], members: readonly Member[]): Suspect[] {
  if (said.length === 0) return [];
  const votes = votesOn(said, members);
  return said.flatMap((statement, s) =>
    votes[s] < fitted.mistaken ** statement.times ? [{ statement, likely: votes[s] }] : [],
  );
}

/**
 * The share of the posterior that agrees with each statement, with weights that do not know it. That no partition tells anything
 * of the answers has as much prior as the partition without hints.
 */
function votesOn(said: readonly Statement[], members: readonly Member[]): number[] {
  const first = members.reduce((a, b) => (b.weight > a.weight ? b : a));
  const odds = Math.log(fitted.prior.usual) + evidenceOfNone(first.table) - priorOf(first) - first.evidence;
  // Each weight is relative to what it predicts, as it knows the statement.
  const none = first.weight * Math.exp(odds) * 2;
  const sums = said.map(() => ({ agreed: none / 2, total: none }));
  for (const { weight, together, table } of members) {
    const same = sameIn(table);
    said.forEach((one, s) => {
      const { with: share, beside } = sharesOf(one, together);
      const agreed = one.same ? share * (1 - beside) : 1 - share;
      const [yes, no] = one.same ? [same.together, same.apart] : [1 - same.apart, 1 - same.together];
      const own = weight / (agreed * yes + (1 - agreed) * no);
      sums[s].agreed += own * agreed;
      sums[s].total += own;
    });
  }
  return sums.map(({ agreed, total }) => agreed / total);
}

export function withoutSuspects(hints: Hints, found: readonly Suspect[]): Hints {
  const keys = new Set(found.map(({ statement }) => keyOf(statement)));
  const kept = (part: Statement["part"], at: number, row: number): boolean =>
    !keys.has(keyOf({ part, at, row, others: [], same: true }));
  const labels = hints.labels.filter(({ row }, at) => kept("labels", at, row));
  const names = new Set(labels.map(({ label }) => clusterName(label)));
  return {
    ...hints,
    pairs: hints.pairs.filter(
      ({ a, b, same }, at) => !keys.has(keyOf({ part: "pairs", at, row: a, others: [b], same })),
    ),
    groups: hints.groups.map((group, at) => group.filter((row) => kept("groups", at, row))),
    labels,
    // A label that no row is left with cannot be denied.
    not: hints.not.filter(
      ({ row, label }, at) => kept("not", at, row) && (label === undefined || names.has(clusterName(label))),
    ),
  };
}

/** The suspects for people and programs, each pair of rows once, by the rows that they are about. */
export function suspiciousHints(
  found: readonly Suspect[],
  labels: ArrayLike<number>,
  nameOf: (row: number) => string,
): SuspiciousHint[] {
  const all = new Map<string, SuspiciousHint>();
  for (const { statement, likely } of found) {
    const { row, others, same, label = "" } = statement;
    const rows = others.length === 1 ? [row, others[0]].sort((a, b) => a - b) : [row];
    const key = `${rows.join(" ")} ${same} ${rows.length === 1 ? `${label} ${others.join(" ")}` : ""}`;
    const kept = others.every((other) => (labels[row] === labels[other]) === same);
    const message =
      `${words(statement, rows, nameOf)}, but the data and the other hints speak against it: check this hint; ` +
      `nothing is learned from it${kept ? "" : ", and it is not used"}`;
    if (!all.has(key)) all.set(key, { code: "suspicious", rows, same, likely, kept, message });
  }
  return [...all]
    .sort(
      ([p, { rows: a }], [q, { rows: b }]) => a[0] - b[0] || (a[1] ?? -1) - (b[1] ?? -1) || (p < q ? -1 : 1),
    )
    .map(([, one]) => one);
}

function words(
  { others, same, label }: Statement,
  rows: readonly number[],
  nameOf: (row: number) => string,
): string {
  if (rows.length === 2) {
    return `rows ${nameOf(rows[0])} and ${nameOf(rows[1])} are said to ${same ? "belong together" : "be different"}`;
  }
  const row = `row ${nameOf(rows[0])} is said ${same ? "" : "not "}to `;
  if (label !== undefined) return `${row}be "${clusterName(label)}"`;
  return `${row}belong with ${nameOf(others[0])} and ${others.length - 1} more`;
}
