import { kmeansInOrder } from "../cluster/internal.ts";
import { consensus, type Voter } from "./consensus.ts";
import { affinity, diffuser, normalized } from "./affinity.ts";
import { grain, grainIn } from "./grain.ts";
import type { Known } from "./known.ts";
import { library, type Partition } from "./library.ts";
import { learnedMembers, type Ground } from "./members.ts";
import {
  balance,
  crossValidated,
  pairTable,
  rankShelf,
  weighMembers,
  type Member,
  type PairTable,
  type Together,
} from "./score.ts";
import { adjustedRand } from "../score/index.ts";
import { impliedPairs } from "./stack.ts";
import { FEW_ANSWERS } from "./trust.ts";
import { views, type View } from "./views.ts";
import { identity, type Matrix } from "../matrix/index.ts";

/** The part that does not depend on the hints. */
export interface Prepared {
  readonly X: Matrix;
  readonly looks: readonly View[];
  /** Partitions without hints, the default first. */
  readonly shelf: readonly Partition[];
  /** Whether the caller chose the default. */
  readonly chosen: boolean;
  readonly ground: Ground;
}

/** The result of learning from the hints. */
export interface Fit {
  readonly members: readonly Member[];
  /** Held-out agreement of the vote with the hints, 0 to 1; 1/2 is chance. */
  readonly balance: number;
  /** The same as a table, averaged over the vote. */
  readonly table: PairTable;
  /** The agreement of the members with the result, weighted by what they earned: 1 for equal partitions. */
  readonly concord: number;
  /** The answers did not support a change from the default partition with the hints enforced. */
  readonly guarded: boolean;
  /** All answers hold in the default that the caller chose, so they give no reason to leave it. */
  readonly content: boolean;
  /** The default was changed, although the answers hardly show that this is better. */
  readonly undecided: boolean;
  readonly labels: Int32Array;
  /** The share of the vote that puts two rows together, with the hints on them held out. */
  readonly together: Together;
}

/**
 * The default is kept if held-out balance and agreement of the members sum to less than 1.2 - answers / 150:
 * hints that are predicted by chance, by members that find different clusters, teach nothing. Up to 0.4 above
 * that, and 0.05 more for every answer below 15, the result is that of the vote, marked as undecided: luck
 * can also predict a few answers.
 */
const GUARD = { least: 1.2, perAnswer: 1 / 150, undecided: 0.4, perMissing: 0.05 } as const;

export function prepare(X: Matrix, K: number, seed: number, given: readonly Partition[] = []): Prepared {
  const looks = views(X);
  const own = tooFew(X, K)
    ? [{ name: "k-means, base", labels: kmeansInOrder(X, { clusters: Math.min(K, X.rows), seed }).labels }]
    : library(looks, K, seed);
  const Z = looks[0].Z;
  const shelf = [
    ...given,
    ...own.filter(({ labels }) => !given.some((one) => equalLabels(one.labels, labels))),
  ];
  const W = affinity(Z);
  const G = grainIn(grain(X), looks[0].V ?? identity(X.cols));
  return {
    X,
    looks,
    shelf,
    chosen: given.length > 0,
    ground: { X, Z, G, W, reach: diffuser(normalized(W)), K, seed },
  };
}

/** Number of rows below which there can be no library or members. */
function tooFew({ rows }: Matrix, K: number): boolean {
  return rows < 8 || rows <= K + 2;
}

/** What the result keeps, if that is more than what the members learn from. */
export interface Kept {
  readonly known: Known;
  /** At least as many as the members have. */
  readonly clusters: number;
}

/**
 * @param known what the members learn from
 * @param going checked before each part of the work; false skips the rest
 */
export function fitHints(
  { X, shelf, chosen, ground }: Prepared,
  known: Known,
  kept: Kept = { known, clusters: ground.K },
  going: (label: string, fraction: number) => boolean = () => true,
): Fit {
  const { K, seed } = ground;
  let done = 0;
  const pairs = impliedPairs(known);
  const learned =
    known.answers === 0 || tooFew(X, K)
      ? []
      : crossValidated(
          known,
          (part) =>
            going("learning from the hints", done++ / 7)
              ? learnedMembers(ground, part, shelf, rankShelf(part, shelf))
              : [],
          seed,
        );
  return vote(shelf, chosen, known, kept, weighMembers(known, pairs, shelf, learned, chosen));
}

/**
 * The consensus of weighted members, or the default if they do not explain the hints. Its prediction of hints
 * is the mean over the members, weighted by what they earned and by their agreement with the result.
 */
function vote(
  shelf: readonly Partition[],
  chosen: boolean,
  known: Known,
  kept: Kept,
  members: readonly Member[],
): Fit {
  const byDefault = pairTable(known, shelf[0].labels);
  const told = known.answers > 0;
  const content = told && chosen && byDefault.togetherDifferent + byDefault.apartSame === 0;
  const consent = (voters: readonly Voter[]): Int32Array => consensus(voters, kept.known, kept.clusters);
  const fallback = [{ labels: shelf[0].labels, weight: 1 }];
  const labels = consent(told && !content ? members : fallback);
  const agreement = members.map((member) => adjustedRand(member.labels, labels));
  const concord = members.reduce((sum, { earned }, m) => sum + earned * agreement[m], 0);
  const raw = members.map(({ earned }, m) => earned * Math.max(0, agreement[m]));
  const total = raw.reduce((a, b) => a + b, 0);
  const support = total > 0 ? raw.map((value) => value / total) : members.map(({ earned }) => earned);
  const mean = (of: (t: PairTable) => number): number =>
    members.reduce((sum, { table }, m) => sum + support[m] * of(table), 0);
  const held = told ? mean(balance) : 0.5;
  const above = held + concord - (GUARD.least - GUARD.perAnswer * known.answers);
  const guarded = !told || content || above < 0;
  return {
    members,
    balance: held,
    concord,
    table: guarded
      ? byDefault
      : {
          togetherSame: mean((t) => t.togetherSame),
          togetherDifferent: mean((t) => t.togetherDifferent),
          apartSame: mean((t) => t.apartSame),
          apartDifferent: mean((t) => t.apartDifferent),
        },
    guarded,
    content,
    undecided:
      !guarded && above < GUARD.undecided + GUARD.perMissing * Math.max(0, FEW_ANSWERS - known.answers),
    labels: guarded ? consent(fallback) : labels,
    together: (i, j, first) =>
      members.reduce((sum, { weight, together }) => sum + weight * together(i, j, first), 0),
  };
}

function equalLabels(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  const names = new Map<number, number>();
  const back = new Map<number, number>();
  for (let i = 0; i < a.length; i++) {
    if ((names.get(a[i]) ?? b[i]) !== b[i] || (back.get(b[i]) ?? a[i]) !== a[i]) return false;
    names.set(a[i], b[i]);
    back.set(b[i], a[i]);
  }
  return true;
}

/** The basis of the trust. */
export function supportOf({ balance: held, concord }: Fit): number {
  return (held + concord) / 2;
}
