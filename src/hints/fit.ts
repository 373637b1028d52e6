import { identity, type Matrix } from "../matrix/index.ts";
import { affinity, diffuser, normalized } from "./affinity.ts";
import { expectedAgreement, voteInto } from "./consensus.ts";
import { balance, NO_PAIRS, sumOf, type PairTable } from "./evidence.ts";
import { grain, grainIn } from "./grain.ts";
import type { Known } from "./known.ts";
import { learnedCandidates } from "./learned.ts";
import type { Partition } from "./library.ts";
import type { Ground } from "./members.ts";
import { mergedCandidates } from "./merged.ts";
import { heaviest, numbersOf, oddsAgainst, posterior, type Member } from "./posterior.ts";
import { shelfOf, type Candidate, type Shelf } from "./shelf.ts";
import { views } from "./views.ts";

/** The part that does not depend on the hints. */
export interface Prepared {
  readonly X: Matrix;
  readonly shelf: Shelf;
  /** Whether the caller gave the partition without hints. */
  readonly chosen: boolean;
  readonly ground: Ground;
  /** The number of clusters that was asked for. */
  readonly clusters?: number;
}

/** The numbers of clusters that are looked for, and how many above a given one are merged. */
const COUNTS = [2, 3, 4, 5, 6, 7, 8, 10];
const FINER = 4;
/** Rows for each cluster without which a number is not tried. */
const LEAST_ROWS = 3;

export interface PrepareOptions {
  readonly clusters?: number;
  /** The number of clusters without hints. */
  readonly without?: number;
  readonly given?: readonly (Partition & { readonly weight?: number })[];
  readonly seed: number;
}

export function prepare(X: Matrix, { clusters, without, given = [], seed }: PrepareOptions): Prepared {
  const n = X.rows;
  const looks = n < 8 ? views(X).slice(0, 1) : views(X);
  const { Z } = looks[0];
  const from = clusters ?? 0;
  const wanted =
    clusters === undefined
      ? [...COUNTS, ...(without === undefined || without < 2 ? [] : [without])]
      : Array.from({ length: FINER + 1 }, (_, k) => from + k);
  const counts = [...new Set(wanted)].filter((K) => K === from || K <= Math.max(2, n / LEAST_ROWS));
  const W = affinity(Z);
  const G = grainIn(grain(X), looks[0].V ?? identity(X.cols));
  return {
    X,
    shelf: shelfOf(
      looks,
      counts.filter((K) => K <= n).sort((a, b) => a - b),
      given,
      clusters ?? without,
      seed,
    ),
    chosen: given.some(({ weight }) => weight === undefined),
    ground: { X, Z, G, W, reach: diffuser(normalized(W)), seed },
    ...(clusters !== undefined && { clusters }),
  };
}

/** The posterior over partitions after the answers, and the one that agrees most with it. */
export interface Fit {
  /** With the number of clusters that was asked for, or of all numbers. */
  readonly members: readonly Member[];
  readonly usual: Member;
  readonly labels: Int32Array;
  /** The expected agreement of the result: its mean adjusted Rand index over the posterior. */
  readonly expected: number;
  /** What the posterior predicted of the answers, of learned members held out. */
  readonly table: PairTable;
  readonly balance: number;
  /** The partition without hints was kept, with the answers enforced: they do not support another one. */
  readonly guarded: boolean;
  /** It was left, though the answers hardly say that another one is better. */
  readonly undecided: boolean;
}

/** Odds that are strong evidence (H. Jeffreys, 1961). */
const STRONG = Math.log(10);
/** Numbers of clusters for which members learn: those of nearly all of the posterior, but at most so many. */
const LEARNED_NUMBERS = 3;
const LEAST_NUMBER = 0.05;
/** Members that are compared with a result, and those that are candidates for it. */
const HEARD = 60;
const LEADING = 3;

/** What the result keeps: what the members learn from, or more. */
export interface Kept {
  readonly known: Known;
  /** The number of clusters that can keep it, at least this one. */
  readonly colorable: (clusters: number) => number;
}

/** The posterior over the shelf, its merges and what learns from the answers. */
function membersOf(
  { shelf, ground, clusters }: Prepared,
  known: Known,
  kept: Kept,
  going: (label: string, fraction: number) => boolean = () => true,
): Member[] {
  const allowed = (one: Candidate): boolean =>
    clusters === undefined || one.clusters === clusters || one === shelf.usual;
  if (known.answers === 0) return posterior(shelf.all.filter(allowed), known, shelf.usual);
  const free = posterior(shelf.all, known, shelf.usual);
  const candidates = [...shelf.all, ...mergedCandidates(free, known, clusters ?? 2)].filter(allowed);
  const told = posterior(candidates, known, shelf.usual);
  const counts =
    clusters === undefined
      ? numbersOf(told)
          .filter(({ weight }, k) => k < LEARNED_NUMBERS && (k === 0 || weight > LEAST_NUMBER))
          .map((one) => kept.colorable(one.clusters))
      : [clusters];
  const n = known.rows;
  const possible = [...new Set(counts)].filter((K) => K > 1 && n >= 8 && n > K + 2);
  const learned = possible.length === 0 ? [] : learnedCandidates(ground, shelf, known, possible, going);
  return posterior([...candidates, ...learned], known, shelf.usual);
}

/**
 * The number of clusters is the likeliest one. The result is the vote of all members into so many, one of the leading members
 * or the partition without hints, with the answers enforced: the one with the largest expected agreement.
 */
export function fitHints(
  prepared: Prepared,
  known: Known,
  kept: Kept,
  going: (label: string, fraction: number) => boolean = () => true,
): Fit {
  const { shelf, clusters } = prepared;
  const members = membersOf(prepared, known, kept, going);
  const usual = members.find(({ labels }) => labels === shelf.usual.labels)!;
  const told = known.answers > 0;
  const against = oddsAgainst(members, usual);
  const heard = heaviest(members, HEARD);
  const enforced = (voters: readonly Member[], K: number): Int32Array =>
    voteInto(voters, kept.known, clusters ?? kept.colorable(K));
  const unchanged = enforced([{ ...usual, weight: 1 }], usual.clusters);
  const stays = !told || (prepared.chosen && against < 0);
  const [{ clusters: likeliest }] = numbersOf(members);
  const leading = heard.filter((one) => one.clusters === likeliest).slice(0, LEADING);
  const options = stays
    ? []
    : [heard, ...leading.map((one) => [{ ...one, weight: 1 }])].map((voters) => enforced(voters, likeliest));
  const found = [unchanged, ...options].map((labels) => ({
    labels,
    // A vote may leave a cluster that was asked for without rows.
    fewer: clusters === undefined ? 0 : clusters - new Set(labels).size,
    expected: expectedAgreement(labels, heard),
  }));
  const least = Math.min(...found.map(({ fewer }) => fewer));
  const { labels, expected } = found
    .filter(({ fewer }) => fewer === least)
    .reduce((a, b) => (b.expected > a.expected + 1e-9 ? b : a));
  const guarded = labels === unchanged;
  const table = guarded
    ? usual.table
    : members.reduce((sum, one) => sumOf(sum, one.table, one.weight), NO_PAIRS);
  return {
    members,
    usual,
    labels,
    expected,
    table,
    balance: told ? balance(table) : 0.5,
    guarded,
    undecided: told && !guarded && against < STRONG,
  };
}

/** The basis of the trust. */
export function supportOf({ balance: held, expected }: Fit): number {
  return (held + expected) / 2;
}
