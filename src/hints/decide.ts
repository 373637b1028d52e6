import { expectedAgreement, voteInto } from "./consensus.ts";
import { balance, NO_PAIRS, sumOf, type PairTable } from "./evidence.ts";
import type { Prepared, Said } from "./fit.ts";
import type { Known } from "./known.ts";
import { leaderOf } from "./leader.ts";
import type { Suspect } from "./mistakes.ts";
import { heaviest, spreadOut, type Member } from "./posterior.ts";

/** The posterior over partitions after the answers, and the one that agrees most with it. */
export interface Fit {
  /** With the number of clusters that was asked for, or of all numbers. */
  readonly members: readonly Member[];
  readonly usual: Member;
  readonly labels: Int32Array;
  /** What the result keeps, and the statements that it does not. */
  readonly known: Known;
  readonly accused: readonly Suspect[];
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
const STRONG = 10;
/** Members that are compared with each other, and that vote. */
const HEARD = 60;

/**
 * The member with the largest expected agreement tells the number of clusters and whether the partition without hints is left.
 * If it is, all members vote (consensus.ts). The answers are enforced.
 */
export function decided(
  { shelf, clusters, chosen }: Prepared,
  said: Said,
  members: readonly Member[],
  accused: readonly Suspect[],
): Fit {
  const usual = members.find(({ labels }) => labels === shelf.usual.labels)!;
  const { known, colorable } = said.without(accused);
  const told = said.statements.length > 0;
  const heard = heaviest(members, HEARD);
  const leader = told || !chosen ? leaderOf(heard, usual) : usual;
  const guarded = told && leader === usual;
  const K = clusters ?? colorable(leader.clusters);
  const voters = leader === usual ? [{ ...usual, weight: 1 }] : spreadOut(heard);
  const voted = voteInto(voters, known, K);
  // A vote may leave a cluster that was asked for without rows.
  const alone = voteInto([{ ...leader, weight: 1 }], known, K);
  const labels = new Set(voted).size < new Set(alone).size ? alone : voted;
  const table = guarded
    ? usual.table
    : members.reduce((sum, one) => sumOf(sum, one.table, one.weight), NO_PAIRS);
  return {
    members,
    usual,
    labels,
    known,
    accused,
    expected: expectedAgreement(labels, heard),
    table,
    balance: told ? balance(table) : 0.5,
    guarded,
    undecided: told && !guarded && usual.weight * STRONG > 1 - usual.weight,
  };
}
