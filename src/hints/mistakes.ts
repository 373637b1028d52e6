import type { HintLinks, Hints, PairHint } from "../data/index.ts";
import { clusterName } from "../data/internal.ts";
import { evidence, NO_PAIRS, pairsIn, sameIn, sumOf, type PairTable } from "./evidence.ts";
import { softmax } from "./posterior.ts";
import { SHARE, type Candidate } from "./shelf.ts";

/**
 * A hint that is more likely a mistake than not. Nothing was learned from it, and it is kept only on the rows that it names.
 */
export interface SuspiciousHint {
  readonly code: "suspicious";
  /** The row that it is about and, if it compares it with one row, that row. */
  readonly rows: readonly number[];
  /** Whether it says that they belong together. */
  readonly same: boolean;
  /** The share of the posterior that agrees with it, without having learned it. */
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
  /** Of a label: the rows with other labels, with which the row does not belong. */
  readonly apartFrom?: readonly number[];
}

export interface Suspect {
  readonly statement: Statement;
  readonly likely: number;
}

/** Number of rows, evenly spaced, with which a row of a large group is compared. */
const COMPARED = 20;
/** Beta priors by their mean and the answers that they are worth: of mistakes, and of rows that follow no partition. */
const ERROR = { mean: 0.03, strength: 33 } as const;
const FREE = { mean: 0.01, strength: 33 } as const;
const ROUNDS = 30;

/**
 * Hints that are likely mistakes. What a person says of a row is explained in one of three ways: it follows the partition that
 * is meant, of which the posterior without this hint gives the probability v; the row follows no partition, and is as likely
 * the same as different; or it is a mistake, the opposite of the first two:
 *
 *     p(said) = (1 - e) [(1 - c) v + c / 2] + e [(1 - c) (1 - v) + c / 2]
 *
 * The shares e of mistakes and c of free rows are estimated with the hints (expectation maximisation). So hints are not
 * overruled one by one: where the partitions miss many, they are the ones that are wrong. Only what was said counts here, not
 * what follows from it, as one mistake can join or separate whole groups.
 *
 * @param inside whether something is known of a row
 * @param placeOf the places of such rows in the candidates
 */
export function mistakes(
  hints: Hints,
  inside: (row: number) => boolean,
  candidates: readonly Candidate[],
  placeOf: (row: number) => number,
): Suspect[] {
  const all = statements(hints, inside);
  if (all.length === 0) return [];
  const votes = votesOn(all, candidates, placeOf);
  const repeats = repeatsIn(all);
  // Few free rows, or many: the likelier explanation is taken.
  const [few, many] = [FREE.mean, 1 / 2].map((free) => explained(votes, repeats, free));
  const { wrong } = many.likelihood > few.likelihood ? many : few;
  return all.flatMap((statement, s) => (wrong[s] > 0.5 ? [{ statement, likely: votes[s] }] : []));
}

/** The probability that each statement is wrong, by expectation maximisation from a share of free rows. */
function explained(
  votes: readonly number[],
  repeats: readonly number[],
  start: number,
): { wrong: number[]; likelihood: number } {
  let error: number = ERROR.mean;
  let free = start;
  let wrong: number[] = [];
  let likelihood = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let loose = 0;
    likelihood = 0;
    wrong = votes.map((v, s) => {
      // Who says the same again is less likely to be wrong.
      const slip = error ** repeats[s];
      const right = (1 - slip) * ((1 - free) * v + free / 2);
      const not = slip * ((1 - free) * (1 - v) + free / 2);
      loose += free / 2 / (right + not);
      likelihood += Math.log(right + not);
      return not / (right + not);
    });
    const mistaken = wrong.reduce((sum, share) => sum + share, 0);
    error = (ERROR.mean * ERROR.strength + mistaken) / (ERROR.strength + votes.length);
    free = (FREE.mean * FREE.strength + loose) / (FREE.strength + votes.length);
  }
  return { wrong, likelihood: likelihood + logPrior(ERROR, error) + logPrior(FREE, free) };
}

/** ln of the density of a Beta prior, up to a constant. */
function logPrior({ mean, strength }: { mean: number; strength: number }, share: number): number {
  return strength * (mean * Math.log(share) + (1 - mean) * Math.log(1 - share));
}

/** The share of the posterior that agrees with each statement, with weights that do not know it. */
function votesOn(
  all: readonly Statement[],
  candidates: readonly Candidate[],
  placeOf: (row: number) => number,
): number[] {
  const rows = all.map(({ row, others, apartFrom = [] }) => ({
    place: placeOf(row),
    compared: spaced(others, COMPARED).map(placeOf),
    apartFrom: spaced(apartFrom, COMPARED).map(placeOf),
    // The rows of a group stay together when one of them is held out: the row in question must be that one.
    first: others.length > 1,
  }));
  const judged = candidates.map(({ together, prior }) => {
    const withEach = (p: number, others: readonly number[]): number =>
      others.reduce((sum, other) => sum + together(rows[p].place, other, rows[p].first), 0) / others.length;
    const shares = rows.map(({ compared }, s) => withEach(s, compared));
    const beside = rows.map(({ apartFrom }, s) => (apartFrom.length === 0 ? 0 : withEach(s, apartFrom)));
    let table = NO_PAIRS;
    all.forEach(({ same }, s) => {
      // Of a group or label, each two rows are compared twice.
      const weight = rows[s].first ? 1 / 2 : 1;
      table = sumOf(table, same ? sameAt(shares[s]) : differentAt(shares[s]), weight);
      if (rows[s].apartFrom.length > 0) table = sumOf(table, differentAt(beside[s]), 1 / 2);
    });
    const said = sameIn(table);
    const agreed = all.map(({ same }, s) => (same ? shares[s] * (1 - beside[s]) : 1 - shares[s]));
    return { agreed, said, log: prior + evidence(table), pairs: pairsIn(table) };
  });
  // That no partition tells anything of the answers has the prior of each kind of partitions.
  const weights = softmax([...judged.map(({ log }) => log), Math.log(SHARE) - Math.LN2 * judged[0].pairs]);
  return all.map(({ same }, s) => {
    let total = weights[judged.length];
    let sum = total / 2;
    judged.forEach(({ agreed, said }, m) => {
      const [yes, no] = same ? [said.together, said.apart] : [1 - said.apart, 1 - said.together];
      // Relative to what chance predicts.
      const weight = weights[m] / 2 / (agreed[s] * yes + (1 - agreed[s]) * no);
      sum += weight * agreed[s];
      total += weight;
    });
    return sum / total;
  });
}

function sameAt(share: number): PairTable {
  return { ...NO_PAIRS, togetherSame: share, apartSame: 1 - share };
}

function differentAt(share: number): PairTable {
  return { ...NO_PAIRS, togetherDifferent: share, apartDifferent: 1 - share };
}

function repeatsIn(all: readonly Statement[]): number[] {
  const key = ({ row, others, same, part }: Statement): string =>
    `${part} ${[row, ...others].sort((a, b) => a - b).join(" ")} ${same}`;
  const counts = new Map<string, number>();
  for (const one of all) if (one.part === "pairs") counts.set(key(one), (counts.get(key(one)) ?? 0) + 1);
  return all.map((one) => counts.get(key(one)) ?? 1);
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
      apartFrom: labels
        .filter((other) => clusterName(other.label) !== clusterName(label))
        .map((other) => other.row),
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
      ...(one.apartFrom !== undefined && { apartFrom: one.apartFrom.filter(inside).sort((a, b) => a - b) }),
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
