import { kmeansInOrder } from "../cluster/kmeans/kmeans.ts";
import { consensus } from "./consensus.ts";
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
} from "./score.ts";
import { adjustedRand } from "../score/index.ts";
import { impliedPairs } from "./stack.ts";
import { FEW_ANSWERS } from "./trust.ts";
import { views, type View } from "./views.ts";
import { identity, type Matrix } from "../matrix/index.ts";

/** What does not depend on the hints. */
export interface Prepared {
  readonly X: Matrix;
  readonly looks: readonly View[];
  /** Partitions without hints, the default first. */
  readonly shelf: readonly Partition[];
  readonly ground: Ground;
}

/** What was made of the hints. */
export interface Fit {
  readonly members: readonly Member[];
  /** Held-out agreement of the vote with the hints, 0 to 1; 1/2 is chance. */
  readonly balance: number;
  /** The same as a table, the mean over the vote. */
  readonly table: PairTable;
  /** How well the members agree with the result, weighted by their votes: 1 for partitions that are equal. */
  readonly concord: number;
  /** The answers did not support more than the default partition with the hints forced. */
  readonly guarded: boolean;
  /** The default was left, though the answers hardly say whether that is better. */
  readonly undecided: boolean;
  readonly labels: Int32Array;
}

/**
 * The default is kept where held-out balance and concord of the members sum to less than 1.2 - answers / 150: hints that
 * are foreseen by chance, by members that do not find the same clusters, teach nothing. Within 0.4 above, and within 0.05
 * more for every answer that 15 lack, the result is that of the vote, and said to be undecided: few answers are also
 * foreseen by luck.
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
  return { X, looks, shelf, ground: { X, Z, G, W, reach: diffuser(normalized(W)), K, seed } };
}

/** Rows that a library or members cannot be made of. */
function tooFew({ rows }: Matrix, K: number): boolean {
  return rows < 8 || rows <= K + 2;
}

/** @param going asked before each part of the work; false leaves out what is left */
export function fitHints(
  { X, shelf, ground }: Prepared,
  known: Known,
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
          pairs,
          (part) =>
            going("learning from the hints", done++ / 7)
              ? learnedMembers(ground, part, shelf, rankShelf(part, shelf))
              : [],
          seed,
        );
  return vote(shelf, known, K, weighMembers(known, pairs, shelf, learned));
}

/**
 * The consensus of weighted members, or the default where they do not explain the hints. How well it foresees hints is
 * the mean over the members, weighted by their votes and their agreement with the result.
 */
function vote(shelf: readonly Partition[], known: Known, K: number, members: readonly Member[]): Fit {
  const labels = consensus(
    known.answers === 0 ? [{ labels: shelf[0].labels, weight: 1 }] : members,
    known,
    K,
  );
  const agreement = members.map((member) => adjustedRand(member.labels, labels));
  const concord = members.reduce((sum, { weight }, m) => sum + weight * agreement[m], 0);
  const raw = members.map(({ weight }, m) => weight * Math.max(0, agreement[m]));
  const total = raw.reduce((a, b) => a + b, 0);
  const support = total > 0 ? raw.map((value) => value / total) : members.map(({ weight }) => weight);
  const mean = (of: (t: PairTable) => number): number =>
    members.reduce((sum, { table }, m) => sum + support[m] * of(table), 0);
  const held = known.answers === 0 ? 0.5 : mean(balance);
  const above = held + concord - (GUARD.least - GUARD.perAnswer * known.answers);
  const guarded = known.answers === 0 || above < 0;
  return {
    members,
    balance: held,
    concord,
    table: guarded
      ? pairTable(known, shelf[0].labels)
      : {
          togetherSame: mean((t) => t.togetherSame),
          togetherDifferent: mean((t) => t.togetherDifferent),
          apartSame: mean((t) => t.apartSame),
          apartDifferent: mean((t) => t.apartDifferent),
        },
    guarded,
    undecided:
      !guarded && above < GUARD.undecided + GUARD.perMissing * Math.max(0, FEW_ANSWERS - known.answers),
    labels: guarded ? consensus([{ labels: shelf[0].labels, weight: 1 }], known, K) : labels,
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

/** What trust is read from. */
export function supportOf({ balance: held, concord }: Fit): number {
  return (held + concord) / 2;
}
