import { optionError } from "../../core/errors.ts";
import { integer, oneOf, required, resolveOptions, type RulesOf } from "../../core/options.ts";
import { random, type Random } from "../../core/random.ts";
import {
  checkConstraints,
  type CheckedConstraints,
  type Constraints,
  type Pair,
} from "../../data/constraints.ts";
import { requireFinite, type Matrix } from "../../matrix/matrix.ts";
import { constrainedKmeans } from "./constrainedKmeans.ts";
import { PAIR_RULES } from "../kmeans/runOptions.ts";

/**
 * Which pairs to ask a person about. All strategies begin with "explore" of S. Basu, A. Banerjee and R. J. Mooney
 * (2004, "Active semi-supervision for pairwise constrained clustering"): the row farthest from all rows placed so far is
 * compared with one row of each known cluster, until K clusters are known. Further rows are then placed by comparing
 * them with the clusters, nearest first; which row comes next is the strategy:
 *
 *     explore   a random row (their "consolidate")
 *     min-max   the row farthest from all placed rows (P. K. Mallapragada, R. Jin and A. K. Jain, 2008)
 *     margin    the row between two centres of constrained k-means under the answers so far
 */
export interface AskPairsOptions {
  /** K. */
  clusters: number;
  /** The number of questions. */
  budget: number;
  strategy?: "explore" | "min-max" | "margin";
  /** Answers of earlier rounds: what they say, or what follows from them, is not asked again. */
  mustLink?: readonly Pair[];
  cannotLink?: readonly Pair[];
  seed?: number;
}

export interface Question {
  readonly pair: Pair;
  /** 1, 2, ... */
  readonly number: number;
  readonly phase: "explore" | "consolidate";
}

/** true: the two belong together; false: they do not; null: not known. */
export type Answer = boolean | null;

export const askPairsOptions: RulesOf<AskPairsOptions> = {
  ...PAIR_RULES,
  clusters: required(integer({ min: 1 })),
  budget: required(integer({ min: 1 })),
  strategy: oneOf(["explore", "min-max", "margin"] as const, "min-max", { says: "which pairs to ask for" }),
  seed: integer({ min: 0, default: 0 }),
};

/** Yields questions, takes answers by `next(answer)` and returns the pairs that were answered now. */
export function* askPairs(X: Matrix, options: AskPairsOptions): Generator<Question, Constraints, Answer> {
  const resolved = resolveOptions<AskPairsOptions, typeof askPairsOptions>(
    "askPairs",
    options,
    askPairsOptions,
  );
  const { clusters: K, budget, strategy, seed } = resolved;
  const n = X.rows;
  requireFinite(X);
  if (K > n) throw optionError(`askPairs: cannot make ${K} clusters of ${n} rows`);
  const stream = random(seed);
  const earlier = checkConstraints(n, { mustLink: resolved.mustLink, cannotLink: resolved.cannotLink });
  const mustLink: Pair[] = [];
  const cannotLink: Pair[] = [];
  const all = (): Constraints => ({
    mustLink: [...earlier.mustLink, ...mustLink],
    cannotLink: [...earlier.cannotLink, ...cannotLink],
  });
  const known: number[][] = [];
  const excludes = exclusions(earlier);
  const done = new Uint8Array(n);
  /** Squared distance to the nearest placed row. */
  const apart = new Float64Array(n).fill(Infinity);
  let asked = 0;

  const place = (row: number, cluster: number): void => {
    if (cluster === known.length) known.push([]);
    known[cluster].push(row);
    done[row] = 1;
    for (let i = 0; i < n; i++) apart[i] = Math.min(apart[i], squared(X, i, row));
  };

  knownClusters(earlier, K).forEach((rows, c) => rows.forEach((row) => place(row, c)));
  if (known.length === 0) place(stream.integer(n), 0);
  while (asked < budget) {
    const phase = known.length < K ? "explore" : "consolidate";
    const row = phase === "explore" ? farthest(apart, done) : next();
    if (row < 0) break;
    const order = known
      .map((members, c) => ({ c, member: nearestMember(X, row, members) }))
      .filter(({ c }) => !known[c].some((member) => excludes(row, member)))
      .sort((a, b) => squared(X, row, a.member) - squared(X, row, b.member));
    let unsure = false;
    let found = -1;
    for (const [tried, { c, member }] of order.entries()) {
      // Not in any other of K clusters: in the last one, which the cannot-links say already.
      if (phase === "consolidate" && tried === order.length - 1 && !unsure) {
        found = c;
        break;
      }
      if (asked === budget) {
        unsure = true;
        break;
      }
      const pair: Pair = [row, member];
      const answer = yield { pair, number: ++asked, phase };
      if (answer === true) {
        mustLink.push(pair);
        found = c;
        break;
      }
      if (answer === false) cannotLink.push(pair);
      else unsure = true;
    }
    done[row] = 1;
    // Rows that earlier answers link to this one go where it goes.
    const cluster = found < 0 && !unsure && known.length < K ? known.length : found;
    if (cluster >= 0) for (const i of linked(earlier, row)) place(i, cluster);
  }
  return { mustLink, cannotLink };

  function next(): number {
    if (strategy === "min-max") return farthest(apart, done);
    if (strategy === "margin") return leastMargin(X, K, all(), done, seed);
    return anyOf(done, stream);
  }
}

function linked({ group }: CheckedConstraints, row: number): number[] {
  return Array.from(group.keys()).filter((i) => group[i] === group[row]);
}

/** Whether a cannot-link separates the must-link groups of two rows. */
function exclusions({ group, groups, cannotLink }: CheckedConstraints): (i: number, j: number) => boolean {
  const apart = new Set<number>();
  for (const [i, j] of cannotLink) {
    apart.add(group[i] * groups + group[j]);
    apart.add(group[j] * groups + group[i]);
  }
  return (i, j) => apart.has(group[i] * groups + group[j]);
}

/**
 * Where earlier answers leave off: must-link groups that all exclude each other are clusters that are known; those of most
 * rows and then of most cannot-links are taken first.
 */
function knownClusters(earlier: CheckedConstraints, K: number): number[][] {
  const { group, groups, mustLink, cannotLink } = earlier;
  const members: number[][] = Array.from({ length: groups }, () => []);
  group.forEach((g, i) => members[g].push(i));
  const links = new Int32Array(groups);
  for (const pair of [...mustLink, ...cannotLink]) for (const i of pair) links[group[i]]++;
  const excludes = exclusions(earlier);
  const known: number[][] = [];
  const order = Array.from(links.keys()).filter((g) => links[g] > 0);
  order.sort((a, b) => members[b].length - members[a].length || links[b] - links[a] || a - b);
  for (const g of order) {
    const rows = members[g];
    if (known.length < K && known.every(([first]) => excludes(first, rows[0]))) known.push(rows);
  }
  return known;
}

function squared(X: Matrix, i: number, j: number): number {
  const d = X.cols;
  let sum = 0;
  for (let c = 0; c < d; c++) sum += (X.data[i * d + c] - X.data[j * d + c]) ** 2;
  return sum;
}

function farthest(apart: Float64Array, done: Uint8Array): number {
  let best = -1;
  for (let i = 0; i < apart.length; i++) {
    if (done[i] === 0 && (best < 0 || apart[i] > apart[best])) best = i;
  }
  return best;
}

function anyOf(done: Uint8Array, stream: Random): number {
  const left = Array.from(done.keys()).filter((i) => done[i] === 0);
  return left.length === 0 ? -1 : left[stream.integer(left.length)];
}

function nearestMember(X: Matrix, row: number, members: readonly number[]): number {
  return members.reduce((best, i) => (squared(X, row, i) < squared(X, row, best) ? i : best));
}

/** The row whose two nearest centres are most nearly equally far. */
function leastMargin(X: Matrix, K: number, pairs: Constraints, done: Uint8Array, seed: number): number {
  const { centers } = constrainedKmeans(X, { clusters: K, ...pairs, distances: "plain", restarts: 3, seed });
  const d = X.cols;
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < X.rows; i++) {
    if (done[i] === 1) continue;
    let first = Infinity;
    let second = Infinity;
    for (let k = 0; k < K; k++) {
      let sum = 0;
      for (let c = 0; c < d; c++) sum += (X.data[i * d + c] - centers.data[k * d + c]) ** 2;
      if (sum < first) [first, second] = [sum, first];
      else second = Math.min(second, sum);
    }
    const margin = K === 1 ? 0 : Math.sqrt(second) - Math.sqrt(first);
    if (margin < least) {
      least = margin;
      best = i;
    }
  }
  return best;
}
