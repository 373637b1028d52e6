import type { FeatureRecord } from "../features/index.ts";
import { takeRows, type Matrix } from "../matrix/index.ts";
import { attempt, makersOver } from "./members.ts";
import { SOFTNESS } from "./plausibility.ts";
import type { Member } from "./pool.ts";
import { countOf, type SampleBelief } from "./sampleBelief.ts";
import { spacesOf, type Spaces } from "./spaces.ts";
import { bySize, byNearest, nearestVotes, spreadOut, type Spread } from "./spreadOut.ts";

/** Rows that are clustered, and place the others; fewer in many columns, so that these take the same time. */
const MOST_ROWS = 3000;
const MOST_NUMBERS = 2e6;
const ROWS_PER_CLUSTER = 40;

export interface Extended extends Spread {
  /** The labels of the rows that were clustered, the first of the order, and their spaces. */
  readonly clustered: Clustered;
}

interface Clustered {
  readonly labels: Int32Array;
  readonly spaces: Spaces;
}

/**
 * A member's partition of the sample becomes one of all rows. Its method clusters more rows; if the result is not what the
 * belief expects, or there are still more rows, the nearest rows or a rule place them (spreadOut.ts).
 *
 * @param most the largest number of clusters of these members, which share spaces, trees and eigenvectors
 */
export function ontoAllRows(
  X: Matrix,
  record: FeatureRecord | undefined,
  belief: SampleBelief,
  most: number,
  seed: number,
): (member: Member) => Extended {
  const { order, places, rows: n } = belief;
  const size = Math.min(order.length, sampleSize(X, most));
  const spaces = size <= n ? belief.spaces : spacesOf(takeRows(X, order.subarray(0, size)), record, seed);
  const all = makersOver(spaces, most);
  const clustered = ({ method, space, clusters, labels }: Member): Int32Array => {
    const K = countOf(labels);
    if (size <= n) return labels;
    if (K < 2) return new Int32Array(size);
    const maker = all.find((one) => one.space === space)?.makers.find((one) => one.method === method);
    const again = maker && attempt(maker, clusters);
    if (again !== undefined && countOf(again) === K) {
      const expected = belief.expectedOf(again.subarray(0, n));
      if (expected >= belief.expectedOf(labels) - SOFTNESS) return again;
    }
    const Z = takeRows(X, order.subarray(0, n));
    const placed = new Int32Array(size);
    placed.set(labels);
    placed.set(byNearest({ X: Z, labels }, takeRows(X, order.subarray(n, size))), n);
    return placed;
  };
  return (member) => {
    const own = clustered(member);
    const { labels, rule } = spreadOut(X, order, own, member.method.startsWith("gmm"));
    // Rows that were left out as copies have the cluster of their twin.
    const ofAll = order.length === X.rows ? labels : labels.map((_, i) => labels[order[places[i]]]);
    return { labels: ofAll, clustered: { labels: own, spaces }, ...(rule !== undefined && { rule }) };
  };
}

/** The labels of the sample for all rows, by the nearest rows alone, which is cheaper. */
export function byVotes(
  X: Matrix,
  { order, places, rows: n }: SampleBelief,
): (labels: Int32Array) => Int32Array {
  const Z = takeRows(X, order.subarray(0, n));
  const rest = order.subarray(n);
  const vote = rest.length > 0 ? nearestVotes(Z, takeRows(X, rest)) : undefined;
  return (labels) => {
    const first = bySize(labels);
    const all = new Int32Array(X.rows);
    for (let p = 0; p < n; p++) all[order[p]] = first[p];
    vote?.(first).forEach((label, q) => (all[rest[q]] = label));
    return order.length === X.rows ? all : all.map((_, i) => all[order[places[i]]]);
  };
}

/** Number of clustered rows; at least 40 for each requested cluster. */
function sampleSize({ rows, cols }: Matrix, clusters: number = 0): number {
  const affordable = Math.max(1000, Math.min(MOST_ROWS, Math.floor(MOST_NUMBERS / cols)));
  return Math.min(rows, Math.max(affordable, ROWS_PER_CLUSTER * clusters));
}
