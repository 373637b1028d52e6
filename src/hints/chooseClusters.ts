import { cutDendrogram } from "../cluster/index.ts";
import { kmeansInOrder, wardTree } from "../cluster/internal.ts";
import { adjustedRand } from "../score/index.ts";
import type { Matrix } from "../matrix/index.ts";
import { exclusiveGroups, type Known } from "./known.ts";
import { mixture, type Partition } from "./library.ts";
import { evidence, shelfTable } from "./score.ts";
import { views } from "./views.ts";

/** Maximum number of clusters to try, unless more groups exclude each other. */
const MOST = 12;
/** The penalty for leaving the number that the data alone suggest, in total and for each step. */
const LEAVE = 1.5;
const STEP = 0.25;

/**
 * The number of clusters: of 2 to 12, and of those given, the one whose partitions have most support from the hints, and
 * at least the number of groups that exclude each other. The support is the evidence averaged over several partitions of
 * that number, as for any model with unknown parts: the best of many partitions fits any few answers by luck. Without
 * hints the number of the default partition or, if there is none, the one at which k-means and Ward's tree, in two views,
 * agree best.
 *
 * @param without the number of clusters of the default, also if it is 1 and `given` is empty
 */
export function chooseClusters(
  X: Matrix,
  known: Known,
  seed: number,
  given: readonly Partition[],
  without?: number,
): number {
  const n = X.rows;
  const least = Math.max(1, exclusiveGroups(known).length);
  const low = Math.min(n, Math.max(2, least));
  const high = Math.max(low, Math.min(MOST, Math.floor(n / 3)));
  if (n < 4) return Math.min(n, Math.max(least, given.length > 0 ? count(given[0].labels) : 1));
  const looks = views(X).slice(0, 3);
  const trees = looks.slice(0, 2).map(({ Z }) => wardTree(Z));
  const values: { K: number; evidence: number; agreement: number }[] = [];
  const told = without ?? (given.length > 0 ? count(given[0].labels) : undefined);
  const own = told === undefined ? undefined : Math.min(n, Math.max(low, told));
  const numbers = Array.from({ length: high - low + 1 }, (_, at) => low + at);
  for (const K of own !== undefined && own > high ? [...numbers, own] : numbers) {
    const base = kmeansInOrder(looks[0].Z, { clusters: K, restarts: 5, seed }).labels;
    const candidates = [base, ...trees.map((tree) => cutDendrogram(tree, { clusters: K }))];
    if (known.answers > 0) {
      for (const { Z } of looks.slice(1))
        candidates.push(kmeansInOrder(Z, { clusters: K, restarts: 3, seed }).labels);
      candidates.push(mixture(looks[0].Z, K, "full", base));
      for (const { labels } of given) if (count(labels) === K) candidates.push(labels);
    }
    values.push({
      K,
      evidence: logMeanExp(candidates.map((labels) => evidence(shelfTable(known, labels)))),
      agreement: own === undefined ? meanAgreement(candidates.slice(0, 4)) : 0,
    });
  }
  const usual = own ?? values.reduce((a, b) => (b.agreement > a.agreement + 1e-9 ? b : a)).K;
  if (known.answers === 0) return usual;
  const value = (one: { K: number; evidence: number }): number =>
    one.evidence - (one.K === usual ? 0 : LEAVE) - STEP * Math.abs(one.K - usual);
  return values.reduce((a, b) => (value(b) > value(a) + 1e-9 ? b : a)).K;
}

function logMeanExp(values: readonly number[]): number {
  const most = Math.max(...values);
  return most + Math.log(values.reduce((sum, value) => sum + Math.exp(value - most), 0) / values.length);
}

function meanAgreement(partitions: readonly Int32Array[]): number {
  let sum = 0;
  let pairs = 0;
  partitions.forEach((a, p) => {
    for (const b of partitions.slice(0, p)) {
      sum += adjustedRand(a, b);
      pairs++;
    }
  });
  return sum / pairs;
}

function count(labels: Int32Array): number {
  return new Set(labels).size;
}
