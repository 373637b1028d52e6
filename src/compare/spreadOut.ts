import { loadGaussianMixture } from "../cluster/index.ts";
import { nearestRows, takeRows, type Matrix } from "../matrix/index.ts";
import type { PlacingRule } from "../method/index.ts";
import {
  gaussiansFrom,
  heldOutRule,
  labelRows,
  type HeldOutRule,
  type LabelledRows,
} from "../method/internal.ts";
import type { Judged } from "./found.ts";
import type { Partition } from "./partition.ts";
import type { JudgedSpace } from "./space.ts";

/** Nearest rows of the sample that place another row. */
const VOTERS = 5;

/**
 * Extends the labels of the clustered rows to all rows: by a rule for all of them that does better on rows held out
 * than the votes of the nearest rows, or else by these votes for the rows that were not clustered.
 */
export interface Spread {
  /** Cluster numbers by decreasing size among the clustered rows. */
  labels(of: Judged): Int32Array;
  /** The labels by votes alone, which are cheaper. */
  byVotes(partition: Partition): Int32Array;
  /** The rule that gave the labels of all rows; undefined: votes. */
  rule(of: Judged): HeldOutRule | undefined;
  readonly votes?: { readonly indices: Int32Array; readonly count: number };
}

export function spreadOut(scaled: Matrix, order: Int32Array, Z: Matrix): Spread {
  const n = order.length;
  const size = Z.rows;
  const rest = order.subarray(size);
  const count = Math.min(VOTERS, size);
  const indices =
    rest.length === 0
      ? new Int32Array(0)
      : nearestRows(Z, count, { queries: takeRows(scaled, rest) }).indices;
  const byVotes = (partition: Partition): Int32Array => {
    const own = bySize(partition);
    const labels = new Int32Array(n);
    for (let p = 0; p < size; p++) labels[order[p]] = own[p];
    elected(own, indices, count).forEach((label, q) => (labels[rest[q]] = label));
    return labels;
  };
  const place = ({ partition, made }: Judged): Placed => {
    const K = partition.clusters.length;
    const found = rest.length === 0 || K < 2 ? undefined : heldOutRule(Z, bySize(partition), K, byNearest);
    if (found === undefined) return { labels: byVotes(partition) };
    const mixed = made.some(({ method }) => method === "gmm");
    const rule = mixed ? continued(found.rule, takeRows(scaled, order.subarray(0, CONTINUED))) : found.rule;
    const labels = labelRows(rule, scaled);
    // A cluster that the rule leaves empty would be lost.
    const filled = new Set(labels).size === K;
    return filled ? { labels, rule: { ...found, rule } } : { labels: byVotes(partition) };
  };
  const known = new Map<Judged, Placed>();
  const placed = (one: Judged): Placed => {
    const found = known.get(one) ?? place(one);
    known.set(one, found);
    return found;
  };
  return {
    labels: (one) => placed(one).labels.slice(),
    byVotes,
    rule: (one) => placed(one).rule,
    ...(rest.length > 0 && { votes: { indices, count } }),
  };
}

interface Placed {
  readonly labels: Int32Array;
  readonly rule?: HeldOutRule;
}

/** Rows with which a mixture is continued, and steps at most. */
const CONTINUED = 20_000;
const STEPS = 40;

/** A mixture made the partition of the clustered rows: EM goes on from its Gaussians with more rows. */
function continued(rule: PlacingRule, X: Matrix): PlacingRule {
  if (rule.kind !== "mixture") return rule;
  const { covariance, responsibilities } = loadGaussianMixture(rule.mixture);
  const mixture = gaussiansFrom(X, covariance, responsibilities(X).data, STEPS);
  return mixture === undefined ? rule : { ...rule, mixture };
}

function byNearest({ X, labels }: LabelledRows, queries: Matrix): Int32Array {
  const count = Math.min(VOTERS, X.rows);
  return elected(labels, nearestRows(X, count, { queries }).indices, count);
}

/** For every list of `count` rows, the cluster of most of them; among equals the one of the nearest. */
function elected(labels: Int32Array, indices: Int32Array, count: number): Int32Array {
  return Int32Array.from({ length: indices.length / count }, (_, q) => {
    const votes = new Map<number, number>();
    let best = labels[indices[q * count]];
    for (let p = q * count; p < (q + 1) * count; p++) {
      const label = labels[indices[p]];
      votes.set(label, (votes.get(label) ?? 0) + 1);
      if ((votes.get(label) as number) > (votes.get(best) as number)) best = label;
    }
    return best;
  });
}

/** Numbered by decreasing size, ties in the order of the rows. */
function bySize({ labels, clusters }: Partition): Int32Array {
  const number = new Int32Array(clusters.length);
  sizeOrder(clusters).forEach((k, rank) => (number[k] = rank));
  return labels.map((label) => number[label]);
}

export function sizeOrder(clusters: Partition["clusters"]): number[] {
  return [...clusters.keys()].sort((a, b) => clusters[b].rows.length - clusters[a].rows.length || a - b);
}

/**
 * Per row: the share of its nearest rows in its own cluster minus the largest share in another.
 *
 * @param all the cluster of every row, as `labels` of the spread gives them
 */
export function rowMargins(
  { neighbors }: JudgedSpace,
  partition: Partition,
  all: Int32Array,
  { votes }: Spread,
  order: Int32Array,
  size: number,
): Float64Array {
  const labels = bySize(partition);
  const counts = new Int32Array(partition.clusters.length);
  const margin = (own: number, indices: Int32Array, from: number, count: number): number => {
    counts.fill(0);
    for (let p = from; p < from + count; p++) counts[labels[indices[p]]]++;
    let other = 0;
    for (let k = 0; k < counts.length; k++) if (k !== own) other = Math.max(other, counts[k]);
    return count === 0 ? 1 : (counts[own] - other) / count;
  };
  const margins = new Float64Array(order.length);
  order.forEach((row, p) => {
    const { indices, count } = p < size || votes === undefined ? neighbors : votes;
    margins[row] = margin(all[row], indices, (p < size ? p : p - size) * count, count);
  });
  return margins;
}
