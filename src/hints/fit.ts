import { kmeansInOrder } from "../cluster/kmeans/kmeans.ts";
import { consensus } from "./consensus.ts";
import { affinity, normalized } from "./affinity.ts";
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
import { views, type View } from "./views.ts";
import type { Matrix } from "../matrix/index.ts";

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
  /** The answers did not support more than the default partition with the hints forced. */
  readonly guarded: boolean;
  readonly labels: Int32Array;
}

/**
 * The default is kept where the vote foresees the hints less well than this, and not clearly better than the default
 * does: by less than 0.3 / sqrt(answers).
 */
export const GUARD: { readonly balance: number; readonly gain: number } = { balance: 0.65, gain: 0.3 };

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
  return { X, looks, shelf, ground: { Z, S: normalized(affinity(Z)), K, seed } };
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
  return vote(shelf, known, K, weighMembers(known, shelf, learned));
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
  const raw = members.map((member) => member.weight * Math.max(0, adjustedRand(member.labels, labels)));
  const total = raw.reduce((a, b) => a + b, 0);
  const support = total > 0 ? raw.map((value) => value / total) : members.map(({ weight }) => weight);
  const mean = (of: (t: PairTable) => number): number =>
    members.reduce((sum, { table }, m) => sum + support[m] * of(table), 0);
  const held = known.answers === 0 ? 0.5 : mean(balance);
  const needed = balance(members[0].table) + GUARD.gain / Math.sqrt(known.answers);
  const guarded = known.answers === 0 || (held < GUARD.balance && held < needed);
  return {
    members,
    balance: held,
    table: guarded
      ? pairTable(known, shelf[0].labels)
      : {
          togetherSame: mean((t) => t.togetherSame),
          togetherDifferent: mean((t) => t.togetherDifferent),
          apartSame: mean((t) => t.apartSame),
          apartDifferent: mean((t) => t.apartDifferent),
        },
    guarded,
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
