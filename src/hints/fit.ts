import { identity, type Matrix } from "../matrix/index.ts";
import { affinity, diffuser, normalized } from "./affinity.ts";
import { decided, type Fit } from "./decide.ts";
import { grain, grainIn } from "./grain.ts";
import type { Known } from "./known.ts";
import { learnedCandidates } from "./learned.ts";
import type { Partition } from "./library.ts";
import type { Ground } from "./members.ts";
import { mergedCandidates } from "./merged.ts";
import { mistakes, type Suspect } from "./mistakes.ts";
import { numbersOf, posterior, type Member } from "./posterior.ts";
import { shelfOf, type Candidate, type Shelf } from "./shelf.ts";
import type { Statement } from "./statements.ts";
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
/** Rows without which there are no views and nothing is learned. */
const FEWEST = 8;

export interface PrepareOptions {
  readonly clusters?: number;
  /** The number of clusters without hints. */
  readonly without?: number;
  readonly given?: readonly (Partition & { readonly weight?: number })[];
  readonly seed: number;
}

export function prepareFit(X: Matrix, { clusters, without, given = [], seed }: PrepareOptions): Prepared {
  const n = X.rows;
  const looks = n < FEWEST ? views(X).slice(0, 1) : views(X);
  const { Z } = looks[0];
  const from = clusters ?? 0;
  const wanted =
    clusters === undefined
      ? [...COUNTS, ...(without === undefined || without < 2 ? [] : [without])]
      : Array.from({ length: FINER + 1 }, (_, k) => from + k);
  const counts = [...new Set(wanted)].filter((K) => K === from || K <= Math.max(2, n / LEAST_ROWS));
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
    ground: {
      X,
      Z,
      G: grainIn(grain(X), looks[0].V ?? identity(X.cols)),
      reach: diffuser(normalized(affinity(Z))),
      seed,
    },
    ...(clusters !== undefined && { clusters }),
  };
}

/** What a person said. */
export interface Said {
  readonly statements: readonly Statement[];
  /** What follows from it for the rows that are learned from, without these statements. */
  readonly without: (accused: readonly Suspect[]) => {
    readonly known: Known;
    /** The number of clusters that can keep it, at least this one. */
    readonly colorable: (clusters: number) => number;
  };
  /** Nothing is a mistake. */
  readonly certain?: boolean;
}

/** Numbers of clusters for which members learn: those of nearly all of the posterior, but at most so many. */
const LEARNED_NUMBERS = 3;
const LEAST_NUMBER = 0.05;
/**
 * The posterior over the shelf, its merges and what learns from the answers; and the answers that are accused of being mistakes,
 * by what did not learn from them.
 */
function beliefAfter(
  { shelf, ground, clusters }: Prepared,
  { statements, without, certain }: Said,
  going: (label: string, fraction: number) => boolean,
): { members: Member[]; accused: readonly Suspect[] } {
  const allowed = (one: Candidate): boolean =>
    clusters === undefined || one.clusters === clusters || one === shelf.usual;
  const free = posterior(shelf.all, statements, shelf.usual);
  if (statements.length === 0)
    return { members: posterior(shelf.all.filter(allowed), statements, shelf.usual), accused: [] };
  const withMerged = (must: boolean): Candidate[] =>
    [...shelf.all, ...mergedCandidates(free, statements, clusters ?? 2, must)].filter(allowed);
  // Merges that no answer asks for accuse nobody.
  const told = posterior(withMerged(false), statements, shelf.usual);
  const accused = certain === true ? [] : mistakes(statements, told);
  const { known, colorable } = without(accused);
  const counts =
    clusters === undefined
      ? numbersOf(told)
          .filter(({ weight }, k) => k < LEARNED_NUMBERS && (k === 0 || weight > LEAST_NUMBER))
          .map((one) => colorable(one.clusters))
      : [clusters];
  const n = known.rows;
  const possible = [...new Set(counts)].filter((K) => K > 1 && n >= FEWEST && n > K + 2);
  const learned =
    possible.length === 0 ? [] : learnedCandidates(ground, shelf, statements, known, possible, going);
  const candidates = withMerged(clusters !== undefined);
  return { members: posterior([...candidates, ...learned], statements, shelf.usual), accused };
}

/** The posterior after the answers, and the choice. */
export function fitHints(
  prepared: Prepared,
  said: Said,
  going: (label: string, fraction: number) => boolean = () => true,
): Fit {
  const { members, accused } = beliefAfter(prepared, said, going);
  return decided(prepared, said, members, accused);
}
