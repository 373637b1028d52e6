import { kmeansLabels } from "../cluster/internal.ts";
import { identity, matrix, takeColumns, type Matrix } from "../matrix/index.ts";
import { principalComponents } from "../matrix/internal.ts";
import { dense } from "./arrange.ts";
import { decided, type Fit } from "./decide.ts";
import { grain, grainIn } from "./grain.ts";
import type { Known } from "./known.ts";
import { learnedCandidates } from "./learned.ts";
import type { Ground } from "./members.ts";
import { mergedCandidates } from "./merged.ts";
import { mistakes, type Suspect } from "./mistakes.ts";
import { numbersOf, posterior, type Member } from "./posterior.ts";
import { shelfOf, type Candidate, type Partition, type Shelf } from "./shelf.ts";
import type { Statement } from "./statements.ts";

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

/** Number of columns above which members learn in the principal components, and the maximum number of these. */
const MANY_COLUMNS = 50;
const MOST_COMPONENTS = 40;
/** The components of white rows, at most; the numbers of clusters there, and rows for each cluster without which one is not tried. */
const MOST_WHITE = 30;
const COUNTS = [2, 3, 4, 5, 6, 7, 8, 10];
const LEAST_ROWS = 3;
/** Rows without which nothing is learned. */
const FEWEST = 8;

export interface PrepareOptions {
  readonly clusters?: number;
  /** The number of clusters without hints. */
  readonly without?: number;
  readonly given?: readonly (Partition & { readonly weight?: number })[];
  readonly seed: number;
}

export function prepareFit(X: Matrix, { clusters, without, given = [], seed }: PrepareOptions): Prepared {
  const few = X.cols > MANY_COLUMNS ? principalComponents(X, 0.999, MOST_COMPONENTS) : undefined;
  return {
    X,
    shelf: shelfOf(X.rows, given, whitePartitions(X, clusters, seed), clusters ?? without),
    chosen: given.some(({ weight }) => weight === undefined),
    ground: { X, Z: few?.scores ?? X, G: grainIn(grain(X), few?.V ?? identity(X.cols)), seed },
    ...(clusters !== undefined && { clusters }),
  };
}

/**
 * k-means in components of nearly the same scale, 1 / sqrt(lambda + a tenth of the mean), and without the first of them: what
 * differs most between rows may be what nobody means.
 */
function whitePartitions(X: Matrix, clusters: number | undefined, seed: number): Partition[] {
  const counts = clusters === undefined ? COUNTS.filter((K) => K <= X.rows / LEAST_ROWS) : [clusters];
  const { scores } = principalComponents(X, 0.95, MOST_WHITE);
  const { rows: n, cols: r } = scores;
  const variances = new Float64Array(r);
  for (let p = 0; p < scores.data.length; p++) variances[p % r] += scores.data[p] ** 2 / n;
  const ridge = (0.1 * variances.reduce((a, b) => a + b, 0)) / r || 1;
  const white = scores.data.map((value, p) => value / Math.sqrt(variances[p % r] + ridge));
  const all = matrix(n, r, white);
  const rest = Array.from({ length: r - 1 }, (_, c) => c + 1);
  const spaces = r < 3 ? [all] : [all, takeColumns(all, rest)];
  return counts.flatMap((K) =>
    spaces.map((Z, without) => ({
      name: without === 0 ? "k-means, white" : "k-means, white without the first component",
      labels: dense(kmeansLabels(Z, { clusters: K, restarts: 4, seed }).labels),
    })),
  );
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
