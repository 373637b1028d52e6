import type { HintLinks, Hints, PairHint } from "../data/index.ts";
import { clusterName } from "../data/internal.ts";
import { softmax, temperature, type Together } from "./score.ts";

/**
 * A hint that the data and the other hints speak strongly against. Nothing was learned from it, and it is kept only on the
 * rows that it names.
 */
export interface SuspiciousHint {
  readonly code: "suspicious";
  /** The row that it is about and, if it compares it with one row, that row. */
  readonly rows: readonly number[];
  /** Whether it says that they belong together. */
  readonly same: boolean;
  /** The share of the vote that agrees with it, without having learned it. */
  readonly likely: number;
  /** Whether the result keeps it. */
  readonly kept: boolean;
  readonly message: string;
}

/** What a hint says about one row: it belongs with these others, or with none of them. */
interface Statement {
  readonly part: "pairs" | "groups" | "labels" | "not";
  /** The place in this part of the hints. */
  readonly at: number;
  readonly row: number;
  readonly others: readonly number[];
  readonly same: boolean;
  readonly label?: string;
}

export interface Suspect {
  readonly statement: Statement;
  readonly likely: number;
}

/** The share of the vote below which a hint is suspicious. */
const LEAST = 0.1;
/** The mean share that the other hints need for this; four more count as chance, so that few hints accuse none. */
const RELIABLE = 0.75;
const CHANCE = { hints: 4, share: 0.5 } as const;
/** Number of rows, evenly spaced, with which a row of a large group is compared. */
const COMPARED = 20;
/** Certainty of a hint by a single partition. */
const SURE = 0.9;

/**
 * Hints that hardly any member predicts when they are held out, although the members predict the other hints. One wrong
 * hint joins or separates whole groups and so can spoil the vote. So the partitions without hints, each by weights
 * that the other hints give, are judges too, of which those count that predict as many hints as the other, or as surely.
 *
 * @param inside whether something is known of a row
 * @param vote the share that puts two such rows together, with the hints on them held out
 * @param library the partitions without hints
 */
export function suspects(
  hints: Hints,
  inside: (row: number) => boolean,
  vote: Together,
  library: readonly Together[],
): Suspect[] {
  const all = statements(hints, inside);
  const voted = likelyBy(vote, all);
  const unhinted = heldOut(
    library.map((together) => likelyBy(together, all)),
    all.length,
  );
  const judges = [voted, unhinted].filter(
    (own, j, both) => agreed(own) >= agreed(both[1 - j]) || sumOf(own) >= sumOf(both[1 - j]),
  );
  const others = all.length - 1 + CHANCE.hints;
  return all.flatMap((statement, s) => {
    const against = judges
      .filter((own) => sumOf(own) - own[s] + CHANCE.hints * CHANCE.share >= RELIABLE * others)
      .map((own) => own[s])
      .filter((share) => share < LEAST);
    return against.length === 0 ? [] : [{ statement, likely: Math.min(...against) }];
  });
}

/** The number of hints that most of the vote agrees with, apart from the suspects. */
export function predicted(
  hints: Hints,
  inside: (row: number) => boolean,
  vote: Together,
  found: readonly Suspect[],
): number {
  const keys = new Set(found.map(keyOf));
  const others = statements(hints, inside).filter((statement) => !keys.has(keyOf({ statement })));
  return agreed(likelyBy(vote, others));
}

function agreed(likely: readonly number[]): number {
  return likely.filter((share) => share > 0.5).length;
}

function likelyBy(together: Together, all: readonly Statement[]): number[] {
  return all.map(({ row, others, same }) => {
    const compared = spaced(others, COMPARED);
    // The rows of a group stay together when one of them is held out: the row in question must be that one.
    const mean = sumOf(compared.map((other) => together(row, other, others.length > 1))) / compared.length;
    return same ? mean : 1 - mean;
  });
}

/** Shares of the partitions for each hint, weighted by how well they predict all other hints. */
function heldOut(shares: readonly (readonly number[])[], count: number): number[] {
  const logs = shares.map((own) => own.map((share) => Math.log(SURE * share + (1 - SURE) * (1 - share))));
  const totals = logs.map(sumOf);
  return Array.from({ length: count }, (_, s) => {
    const weights = softmax(totals.map((total, m) => (total - logs[m][s]) / temperature(count)));
    return shares.reduce((sum, own, m) => sum + weights[m] * own[s], 0);
  });
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function spaced(rows: readonly number[], most: number): readonly number[] {
  if (rows.length <= most) return rows;
  return Array.from({ length: most }, (_, r) => rows[Math.floor((r * rows.length) / most)]);
}

export function sameSuspects(a: readonly Suspect[], b: readonly Suspect[]): boolean {
  return a.map(keyOf).join() === b.map(keyOf).join();
}

function keyOf({ statement: { part, at, row } }: Pick<Suspect, "statement">): string {
  return `${part} ${at} ${row}`;
}

export function withoutSuspects(hints: Hints, found: readonly Suspect[]): Hints {
  const keys = new Set(found.map(keyOf));
  const kept = (part: Statement["part"], at: number, row: number): boolean =>
    !keys.has(`${part} ${at} ${row}`);
  const labels = hints.labels.filter(({ row }, at) => kept("labels", at, row));
  const names = new Set(labels.map(({ label }) => clusterName(label)));
  return {
    ...hints,
    pairs: hints.pairs.filter(({ a }, at) => kept("pairs", at, a)),
    groups: hints.groups.map((group, at) => group.filter((row) => kept("groups", at, row))),
    labels,
    // A label that no row is left with cannot be denied.
    not: hints.not.filter(
      ({ row, label }, at) => kept("not", at, row) && (label === undefined || names.has(clusterName(label))),
    ),
  };
}

/** The statements that compare rows of which something is known. */
function statements({ pairs, groups, labels, not }: Hints, inside: (row: number) => boolean): Statement[] {
  const byName = new Map<string, number[]>();
  for (const { row, label } of labels) {
    const name = clusterName(label);
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name)!.push(row);
  }
  const named = (label: string | undefined): readonly number[] =>
    label === undefined ? [] : byName.get(clusterName(label))!;
  const all: Statement[] = [
    ...pairs.map(({ a, b, same }, at): Statement => ({ part: "pairs", at, row: a, others: [b], same })),
    ...groups.flatMap((group, at) =>
      group.map((row): Statement => ({ part: "groups", at, row, others: group, same: true })),
    ),
    ...labels.map(({ row, label }, at): Statement => ({
      part: "labels",
      at,
      row,
      others: named(label),
      same: true,
      label,
    })),
    ...not.map(({ row, label, rows = [] }, at): Statement => ({
      part: "not",
      at,
      row,
      others: [...named(label), ...rows],
      same: false,
      ...(label !== undefined && { label }),
    })),
  ];
  return all
    .filter(({ row, label }) => inside(row) && label?.trim() !== "")
    .map((one) => ({
      ...one,
      others: [...new Set(one.others)]
        .filter((other) => other !== one.row && inside(other))
        .sort((a, b) => a - b),
    }))
    .filter(({ others }) => others.length > 0);
}

/** The links, and those of suspects that move no row but one that no other hint places. */
export function withFreeSuspects(links: HintLinks, found: readonly Suspect[]): HintLinks {
  const placed = new Set([...links.same, ...links.different].flatMap(({ a, b }) => [a, b]));
  const added: PairHint[] = [];
  for (const { rows, statement } of inOrder(found)) {
    if (rows.every((row) => placed.has(row))) continue;
    const { row, others, same } = statement;
    const against = same ? [others.find((other) => placed.has(other)) ?? others[0]] : others;
    for (const other of against) added.push({ a: Math.min(row, other), b: Math.max(row, other), same });
    for (const one of [row, ...against]) placed.add(one);
  }
  return {
    ...links,
    same: [...links.same, ...added.filter(({ same }) => same)],
    different: [...links.different, ...added.filter(({ same }) => !same)],
  };
}

/** Suspects by the rows that they are about, each pair of rows once. */
function inOrder(found: readonly Suspect[]): (Suspect & { readonly rows: readonly number[] })[] {
  const all = new Map<string, Suspect & { readonly rows: readonly number[] }>();
  for (const one of found) {
    const { row, others, same, label = "" } = one.statement;
    const rows = others.length === 1 ? [row, others[0]].sort((a, b) => a - b) : [row];
    const key = `${rows.join(" ")} ${same} ${rows.length === 1 ? `${label} ${others.join(" ")}` : ""}`;
    if (!all.has(key)) all.set(key, { ...one, rows });
  }
  return [...all]
    .sort(
      ([p, { rows: a }], [q, { rows: b }]) => a[0] - b[0] || (a[1] ?? -1) - (b[1] ?? -1) || (p < q ? -1 : 1),
    )
    .map(([, one]) => one);
}

/**
 * The suspects for people and programs.
 *
 * @param labels the clusters of the rows
 */
export function suspiciousHints(
  found: readonly Suspect[],
  labels: ArrayLike<number>,
  nameOf: (row: number) => string,
): SuspiciousHint[] {
  const all = inOrder(found);
  const alone = new Set(all.filter(({ rows }) => rows.length === 1).map(({ rows }) => rows[0]));
  return all.map(({ statement, likely, rows }) => {
    const { row, others, same } = statement;
    // Where another suspicious row of the same group is says nothing about this one.
    const kept = others
      .filter((other) => rows.length === 2 || !alone.has(other))
      .every((other) => (labels[row] === labels[other]) === same);
    const message =
      `${said(statement, rows, nameOf)}, but the data and the other hints speak against it: check this hint; ` +
      (kept
        ? "it is kept, but nothing is learned from it"
        : "it is not used, as it would move rows that other hints place");
    return { code: "suspicious", rows, same, likely, kept, message };
  });
}

function said(
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
