import { adjustedRand } from "../score/index.ts";
import { random } from "../core/index.ts";
import { relation, withoutRows, type Known } from "./known.ts";
import type { Partition } from "./library.ts";
import { stackedWeights, type ImpliedPairs } from "./stack.ts";

/**
 * The agreement of a partition with the hints, over all implied pairs of rows, scaled to the number of
 * answers.
 */
export interface PairTable {
  readonly togetherSame: number;
  readonly togetherDifferent: number;
  readonly apartSame: number;
  readonly apartDifferent: number;
}

/**
 * How often two rows are together: of a partition 0 or 1, of a learned member the share of the folds that hold out one of the
 * rows; with `first`, of those that hold out the first.
 */
export type Together = (i: number, j: number, first?: boolean) => number;

export interface Member extends Partition {
  /** Whether it was found with the hints; its table is then held out. */
  readonly learned: boolean;
  readonly table: PairTable;
  readonly together: Together;
  /** The prior score before the hints: agreement with the library and evenness of sizes. */
  readonly prior: number;
  readonly score: number;
  /** Share of the vote. */
  readonly weight: number;
  /** The same without the advantage of the default: what the answers say about the members. */
  readonly earned: number;
}

/** Weights of the agreement with the library and of the evenness of sizes, relative to the evidence. */
const AGREEMENT = 2;
const EVENNESS = 2;
/** Prior share of the vote for a default that the caller chose with more care than the members here are made. */
const DEFAULT_SHARE = 0.4;
const FOLDS = 5;
/** Parts of the hint graph of at most this many rows are held out together. */
const SMALL_PART = 3;

/** Counts over pairs of hinted rows; with `only`, over those of which at least one row is marked. */
export function pairTable(known: Known, labels: Int32Array, only?: Uint8Array): PairTable {
  const all = count(known, labels, () => true);
  if (only === undefined) return all;
  const rest = count(known, labels, (i) => only[i] === 0);
  return {
    togetherSame: all.togetherSame - rest.togetherSame,
    togetherDifferent: all.togetherDifferent - rest.togetherDifferent,
    apartSame: all.apartSame - rest.apartSame,
    apartDifferent: all.apartDifferent - rest.apartDifferent,
  };
}

function count(known: Known, labels: Int32Array, counts: (i: number) => boolean): PairTable {
  const shares = new Map<number, Map<number, number>>();
  for (const i of known.hinted) {
    if (!counts(i)) continue;
    const g = known.group[i];
    let own = shares.get(g);
    if (own === undefined) shares.set(g, (own = new Map()));
    own.set(labels[i], (own.get(labels[i]) ?? 0) + 1);
  }
  const size = (own: Map<number, number>): number => {
    let sum = 0;
    for (const value of own.values()) sum += value;
    return sum;
  };
  let [same, togetherSame, different, togetherDifferent] = [0, 0, 0, 0];
  for (const [g, own] of shares) {
    const total = size(own);
    same += (total * (total - 1)) / 2;
    for (const value of own.values()) togetherSame += (value * (value - 1)) / 2;
    for (const h of known.excluded[g]) {
      const other = g < h ? shares.get(h) : undefined;
      if (other === undefined) continue;
      different += total * size(other);
      for (const [k, value] of own) togetherDifferent += value * (other.get(k) ?? 0);
    }
  }
  return {
    togetherSame,
    togetherDifferent,
    apartSame: same - togetherSame,
    apartDifferent: different - togetherDifferent,
  };
}

function pairsIn(t: PairTable): number {
  return t.togetherSame + t.togetherDifferent + t.apartSame + t.apartDifferent;
}

function scaledTo(t: PairTable, most: number): PairTable {
  const total = pairsIn(t);
  const factor = total > most ? most / total : 1;
  return {
    togetherSame: t.togetherSame * factor,
    togetherDifferent: t.togetherDifferent * factor,
    apartSame: t.apartSame * factor,
    apartDifferent: t.apartDifferent * factor,
  };
}

/**
 * ln B(ts + 3/2, td + 1/2) + ln B(ad + 3/2, as + 1/2) - 2 ln B(3/2, 1/2): the evidence that rows in one
 * cluster of this partition are the same, and rows in different clusters are different, with a Beta(3/2, 1/2)
 * prior on both shares.
 */
export function evidence(t: PairTable): number {
  return (
    logBeta(t.togetherSame + 1.5, t.togetherDifferent + 0.5) +
    logBeta(t.apartDifferent + 1.5, t.apartSame + 0.5) -
    2 * logBeta(1.5, 0.5)
  );
}

/**
 * Mean of the shares of "same" put together and of "different" put apart, each shrunk towards 1/2 by half an
 * answer.
 */
export function balance(t: PairTable): number {
  return (
    ((t.togetherSame + 0.5) / (t.togetherSame + t.apartSame + 1) +
      (t.apartDifferent + 0.5) / (t.apartDifferent + t.togetherDifferent + 1)) /
    2
  );
}

/** Partitions of the library, best first by the evidence alone. */
export function rankShelf(known: Known, shelf: readonly Partition[]): number[] {
  const value = shelf.map(({ labels }, s) => evidence(shelfTable(known, labels)) + (s === 0 ? 2 : 0));
  return Array.from(shelf.keys()).sort((a, b) => value[b] - value[a] || a - b);
}

export function togetherIn({ labels }: Partition): Together {
  return (i, j) => Number(labels[i] === labels[j]);
}

/** A partition learned from hints, and its predictions of held-out hints. */
export type HeldOut = Pick<Member, "name" | "labels" | "table" | "together">;

/** The learned members, with their predictions of held-out hints. */
export function crossValidated(known: Known, learn: (part: Known) => Partition[], seed: number): HeldOut[] {
  const full = learn(known);
  const runs = folds(known, seed)
    .map((held) => ({ held, part: withoutRows(known, held) }))
    .filter(({ part }) => part.answers > 0)
    .map(({ held, part }) => ({
      held,
      found: new Map(learn(part).map(({ name, labels }) => [name, labels])),
    }));
  return full.map(({ name, labels }) => {
    const own = runs.flatMap(({ held, found }) =>
      found.has(name) ? [{ held, labels: found.get(name)! }] : [],
    );
    const tables = own.map((run) => pairTable(known, run.labels, run.held));
    const sum = (of: (t: PairTable) => number): number => tables.reduce((total, t) => total + of(t), 0);
    const table = {
      togetherSame: sum((t) => t.togetherSame),
      togetherDifferent: sum((t) => t.togetherDifferent),
      apartSame: sum((t) => t.apartSame),
      apartDifferent: sum((t) => t.apartDifferent),
    };
    return {
      name,
      labels,
      table: scaledTo(table, known.answers),
      together: heldTogether(known, labels, own),
    };
  });
}

/** Without a fold that holds them out, what is known of the rows is no prediction. */
function heldTogether(
  known: Known,
  labels: Int32Array,
  runs: readonly { readonly held: Uint8Array; readonly labels: Int32Array }[],
): Together {
  return (i, j, first = false) => {
    let [asked, found] = [0, 0];
    for (const run of runs) {
      if (run.held[i] === 0 && (first || run.held[j] === 0)) continue;
      asked++;
      found += Number(run.labels[i] === run.labels[j]);
    }
    if (asked > 0) return found / asked;
    return relation(known, i, j) === 0 ? Number(labels[i] === labels[j]) : 0.5;
  };
}

function folds(known: Known, seed: number): Uint8Array[] {
  const part = new Map<number, number>();
  const find = (g: number): number => {
    while (part.get(g) !== g) g = part.get(g)!;
    return g;
  };
  for (const i of known.hinted) part.set(known.group[i], known.group[i]);
  for (const a of known.bound)
    for (const b of known.excluded[a]) part.set(find(Math.max(a, b)), find(Math.min(a, b)));
  const rows = new Map<number, number[]>();
  for (const i of known.hinted) {
    const root = find(known.group[i]);
    if (!rows.has(root)) rows.set(root, []);
    rows.get(root)!.push(i);
  }
  const units: number[][] = [];
  for (const inside of rows.values()) {
    if (inside.length <= SMALL_PART) units.push(inside);
    else for (const i of inside) units.push([i]);
  }
  const order = random(seed + 7).shuffle(Int32Array.from(units.keys()));
  const held = Array.from({ length: Math.min(FOLDS, units.length) }, () => new Uint8Array(known.rows));
  order.forEach((u, place) => {
    for (const i of units[u]) held[place % held.length][i] = 1;
  });
  return units.length < 2 ? [] : held;
}

/**
 * Scores (evidence, agreement with the library, evenness of sizes), and the weights from them and the pairs. A default
 * that the caller chose has a large share before all answers: answers that it predicts as well as others do are no
 * reason to leave it.
 *
 * @param chosen whether the caller chose the first partition of the shelf
 */
export function weighMembers(
  known: Known,
  pairs: ImpliedPairs,
  shelf: readonly Partition[],
  learned: readonly HeldOut[],
  chosen = false,
): Member[] {
  const all = [
    ...shelf.map((partition) => ({
      ...partition,
      learned: false,
      table: shelfTable(known, partition.labels),
      together: togetherIn(partition),
    })),
    ...learned.map((one) => ({ ...one, learned: true })),
  ];
  const scored = all.map((member) => {
    const others = shelf.filter(({ labels }) => labels !== member.labels);
    const agreement =
      others.length === 0
        ? 0
        : others.reduce((sum, { labels }) => sum + adjustedRand(member.labels, labels), 0) / others.length;
    const prior = AGREEMENT * agreement + EVENNESS * evenness(member.labels);
    return { ...member, prior, score: scoreOf({ ...member, prior }, known.answers) };
  });
  const together = all.map((member) => pairs.rows.map(([i, j]) => member.together(i, j)));
  const logs = scored.map(({ score }) => score / temperature(known.answers));
  const earned = stackedWeights(pairs, together, softmax(logs), known.answers);
  const ahead = Math.log((Math.max(1, scored.length - 1) * DEFAULT_SHARE) / (1 - DEFAULT_SHARE));
  const prior = softmax(logs.map((value, m) => value + (m === 0 ? ahead : 0)));
  const weights = chosen ? stackedWeights(pairs, together, prior, known.answers) : earned;
  return scored.map((member, m) => ({ ...member, weight: weights[m], earned: earned[m] }));
}

/**
 * The same members after further answers: new tables for the library, old ones for learned members. Weights
 * come from single scores, sharper than in the vote: a disagreement between a certain and a doubtful member
 * is worth a question.
 */
export function reweighed(known: Known, members: readonly Member[]): Member[] {
  const now = members.map((member) => {
    const table = member.learned ? member.table : shelfTable(known, member.labels);
    return { ...member, table, score: scoreOf({ ...member, table }, known.answers) };
  });
  const weights = softmax(now.map(({ score }) => score / LEAST_TEMPERATURE));
  return now.map((member, m) => ({ ...member, weight: weights[m] }));
}

export function shelfTable(known: Known, labels: Int32Array): PairTable {
  return scaledTo(pairTable(known, labels), known.answers);
}

function scoreOf(
  { table, learned, prior }: Pick<Member, "table" | "learned" | "prior">,
  answers: number,
): number {
  const pairs = pairsIn(table);
  let value = pairs > 0 ? evidence(table) : learned ? -0.7 * answers : 0;
  if (learned && pairs > 0 && pairs < answers) value *= answers / pairs;
  return value + prior;
}

/** Scores are divided by this before they become weights: the answers of one person are not independent. */
const LEAST_TEMPERATURE = 2;
export function temperature(answers: number): number {
  return Math.max(LEAST_TEMPERATURE, answers / 8);
}

/** exp(values), of sum 1. */
export function softmax(values: readonly number[]): number[] {
  const most = Math.max(...values);
  const raw = values.map((value) => Math.exp(value - most));
  const total = raw.reduce((a, b) => a + b, 0);
  return raw.map((value) => value / total);
}

/** Entropy of the sizes as a share of its maximum. */
function evenness(labels: Int32Array): number {
  const sizes = new Map<number, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  let sum = 0;
  for (const size of sizes.values()) sum -= (size / labels.length) * Math.log(size / labels.length);
  return sum / Math.log(Math.max(2, labels.reduce((a, b) => Math.max(a, b), 0) + 1));
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Lanczos' approximation, g = 7. */
function logGamma(x: number): number {
  const c = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  let sum = 0.9999999999998099;
  for (let i = 0; i < c.length; i++) sum += c[i] / (x + i);
  const t = x + c.length - 1.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}
