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
import { sizesOf } from "./evidence.ts";

/** Nearest labelled rows that place another row. */
const VOTERS = 5;

export interface Spread {
  readonly labels: Int32Array;
  /** The rule that gave the labels of all rows; undefined: votes. */
  readonly rule?: HeldOutRule;
}

/**
 * Extends the labels of the first rows of an order to all of them: by a rule that does better on rows held out than the
 * votes of the nearest rows, or else by these votes for the other rows. Labels are numbered by decreasing size.
 *
 * @param gaussian EM continues from the clusters of a mixture with more rows
 */
export function spreadOut(X: Matrix, order: Int32Array, known: Int32Array, isMixture: boolean): Spread {
  const size = known.length;
  const first = bySize(known);
  const labels = new Int32Array(X.rows);
  const K = first.reduce((most, label) => Math.max(most, label + 1), 1);
  for (let p = 0; p < size; p++) labels[order[p]] = first[p];
  if (size === order.length) return { labels };
  const Z = takeRows(X, order.subarray(0, size));
  const found = K < 2 ? undefined : heldOutRule(Z, first, K, byNearest);
  if (found !== undefined) {
    const rule = isMixture ? continued(found.rule, takeRows(X, order.subarray(0, CONTINUED))) : found.rule;
    const placed = labelRows(rule, X);
    // A cluster that the rule leaves empty would be lost.
    if (new Set(placed).size === K) return { labels: placed, rule: { ...found, rule } };
  }
  const rest = order.subarray(size);
  byNearest({ X: Z, labels: first }, takeRows(X, rest)).forEach((label, q) => (labels[rest[q]] = label));
  return { labels };
}

/** Rows with which a mixture is continued, and steps at most. */
const CONTINUED = 20_000;
const STEPS = 40;

function continued(rule: PlacingRule, X: Matrix): PlacingRule {
  if (rule.kind !== "mixture") return rule;
  const { covariance, responsibilities } = loadGaussianMixture(rule.mixture);
  const mixture = gaussiansFrom(X, covariance, responsibilities(X).data, STEPS);
  return mixture === undefined ? rule : { ...rule, mixture };
}

/** For every query the cluster of most of its nearest rows; among equals the one whose last row is nearer. */
export function byNearest({ X, labels }: LabelledRows, queries: Matrix): Int32Array {
  return nearestVotes(X, queries)(labels);
}

/** For every query the cluster of most of its nearest rows of X, by their labels. */
export function nearestVotes(X: Matrix, queries: Matrix): (labels: Int32Array) => Int32Array {
  const count = Math.min(VOTERS, X.rows);
  const { indices } = nearestRows(X, count, { queries });
  return (labels) => {
    const votes = new Int32Array(1 + labels.reduce((most, label) => Math.max(most, label), 0));
    return Int32Array.from({ length: queries.rows }, (_, q) => {
      const voters = indices.subarray(q * count, (q + 1) * count);
      let best = labels[voters[0]];
      for (const voter of voters) if (++votes[labels[voter]] > votes[best]) best = labels[voter];
      for (const voter of voters) votes[labels[voter]] = 0;
      return best;
    });
  };
}

/** Numbered by decreasing size, ties in the order of the numbers. */
export function bySize(labels: Int32Array): Int32Array {
  const sizes = sizesOf(labels);
  const ranks = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
  const number = new Int32Array(sizes.length);
  ranks.forEach((k, rank) => (number[k] = rank));
  return labels.map((label) => number[label]);
}
