import type { FeatureRecord } from "../features/index.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { requireSquares } from "../matrix/internal.ts";
import { beliefOver, type Belief, type Supported } from "./belief.ts";
import { numbered } from "./members.ts";
import { poolOf, type Member, type Pool, type PoolOptions } from "./pool.ts";
import { distinctOrder } from "./rowOrder.ts";
import { spacesOf, type Spaces } from "./spaces.ts";

/** The belief over the partitions of some rows, which stand for all. */
export interface SampleBelief extends Belief {
  /** The first `rows` of an order of all rows; a place in it for every row. */
  readonly rows: number;
  readonly order: Int32Array;
  readonly places: Int32Array;
  readonly spaces: Spaces;
  readonly pool: Pool;
  /** Distinct rows among them. */
  readonly distinct: number;
  /** Seconds for the members and for their evidence. */
  readonly seconds: { readonly candidates: number; readonly judgement: number };
}

export interface BeliefOptions extends Pick<PoolOptions, "going"> {
  readonly seed: number;
  readonly clusters?: number;
}

/** Rows over which the belief is formed, and rows for each cluster that is asked for. */
const ROWS = 600;
const ROWS_PER_CLUSTER = 12;
/** Numbers of clusters of the pool; those between them are tried beside the best. */
const COUNTS = [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30];
/** Rows for each cluster without which the pool does not try a number. */
const LEAST_ROWS = 6;
/** Rows without which there are no neighbours and no parts. */
const FEWEST = 4;

/** @param record how the columns of X were made; absent: each is a number on a scale that counts */
export function sampleBelief(
  X: Matrix,
  record: FeatureRecord | undefined,
  options: BeliefOptions,
): SampleBelief {
  const { clusters = 0, seed, going } = options;
  requireSquares(X, "auto");
  const start = performance.now();
  const { order, places } = distinctOrder(X);
  const n = Math.min(order.length, Math.max(ROWS, ROWS_PER_CLUSTER * clusters));
  const spaces = spacesOf(takeRows(X, order.subarray(0, n)), record, seed);
  const counts = COUNTS.filter((K) => K === 2 || K <= n / LEAST_ROWS);
  const pool = poolOf(spaces, { most: Math.min(n, Math.max(2 * counts.at(-1)!, clusters)), going });
  const distinct = distinctRows(spaces.plain);
  const members = n < FEWEST || distinct < 2 ? [] : pool.members(counts);
  const between = performance.now();
  const belief = beliefOver(spaces, members);
  const seconds = {
    candidates: (between - start) / 1000,
    judgement: (performance.now() - between) / 1000,
  };
  return { ...belief, rows: n, order, places, spaces, pool, distinct, seconds };
}

function distinctRows({ rows, cols, data }: Matrix): number {
  return new Set(Array.from({ length: rows }, (_, i) => data.subarray(i * cols, (i + 1) * cols).join())).size;
}

/** With the number of clusters given; if no method finds that many, with the nearest number. */
export function bestInto(belief: SampleBelief, clusters: number): Supported {
  const K = Math.min(clusters, belief.distinct);
  const known = belief.supported().filter(({ member }) => member.clusters === K);
  const found = known.length > 0 ? known : belief.supported(belief.pool.members([K]));
  const miss = ({ member }: Supported): number => Math.abs(countOf(member.labels) - K);
  const least = Math.min(...found.map(miss));
  return mostSupported(found.filter((one) => miss(one) === least)) ?? unsupported(apart(belief.rows, K));
}

/** With any number up to `most`: first those of the pool, then those between the neighbours of the best one. */
export function bestOverall(belief: SampleBelief, most: number): Supported | undefined {
  const first = mostSupported(belief.supported().filter(({ member }) => member.clusters <= most));
  if (first === undefined) return undefined;
  const { clusters } = first.member;
  const counts = [...new Set(belief.members.map((member) => member.clusters))];
  const at = counts.indexOf(clusters);
  const low = counts[at - 1] ?? 1;
  const high = Math.min(most + 1, counts[at + 1] ?? 2 * clusters);
  const between = Array.from({ length: Math.max(0, high - low - 1) }, (_, k) => low + 1 + k).filter(
    (K) => K !== clusters,
  );
  const further = between.length === 0 ? [] : belief.supported(belief.pool.members(between));
  return mostSupported([first, ...further]);
}

export function mostSupported(all: readonly Supported[]): Supported | undefined {
  return all.reduce<Supported | undefined>(
    (best, one) => (best === undefined || one.support > best.support ? one : best),
    undefined,
  );
}

export function unsupported(member: Member): Supported {
  return { member, expected: 0, support: 0, terms: [] };
}

/** Where no method finds anything: one row in each cluster, the others in the last. */
function apart(rows: number, clusters: number): Member {
  const labels = Int32Array.from({ length: rows }, (_, i) => Math.min(i, clusters - 1));
  return { method: "kmeans", space: "own", clusters, labels: numbered(labels) };
}

export function countOf(labels: Int32Array): number {
  return labels.reduce((most, label) => Math.max(most, label + 1), 1);
}
