import { takeRows, type Matrix } from "../matrix/matrix.ts";
import { nearestRows } from "../matrix/nearest.ts";
import type { Partition } from "./partition.ts";
import type { JudgedSpace } from "./space.ts";

/** Nearest rows of the sample that place another row. */
const VOTERS = 5;

/**
 * Extends the labels of the clustered rows to all rows: the others follow the votes of their nearest rows.
 */
export interface Spread {
  /** Cluster numbers by decreasing size for the chosen partition; other partitions keep their own. */
  labels(partition: Partition): Int32Array;
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
  return {
    labels(partition) {
      const own = bySize(partition);
      const labels = new Int32Array(n);
      for (let p = 0; p < size; p++) labels[order[p]] = own[p];
      for (let q = 0; q < rest.length; q++) {
        const votes = new Map<number, number>();
        let best = own[indices[q * count]];
        for (let p = q * count; p < (q + 1) * count; p++) {
          const label = own[indices[p]];
          votes.set(label, (votes.get(label) ?? 0) + 1);
          if ((votes.get(label) as number) > (votes.get(best) as number)) best = label;
        }
        labels[rest[q]] = best;
      }
      return labels;
    },
    ...(rest.length > 0 && { votes: { indices, count } }),
  };
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

/** Per row: the share of its nearest rows in its own cluster minus the largest share in another. */
export function rowMargins(
  { neighbors }: JudgedSpace,
  { labels, clusters }: Partition,
  { votes }: Spread,
  order: Int32Array,
  size: number,
): Float64Array {
  const margins = new Float64Array(order.length);
  const counts = new Int32Array(clusters.length);
  const margin = (own: number, indices: Int32Array, from: number, count: number): number => {
    counts.fill(0);
    for (let p = from; p < from + count; p++) counts[labels[indices[p]]]++;
    let other = 0;
    for (let k = 0; k < counts.length; k++) if (k !== own) other = Math.max(other, counts[k]);
    return count === 0 ? 1 : (counts[own] - other) / count;
  };
  for (let p = 0; p < size; p++) {
    margins[order[p]] = margin(labels[p], neighbors.indices, p * neighbors.count, neighbors.count);
  }
  if (votes === undefined) return margins;
  for (let q = 0; q < order.length - size; q++) {
    const from = q * votes.count;
    let best = labels[votes.indices[from]];
    const tally = new Map<number, number>();
    for (let p = from; p < from + votes.count; p++) {
      const label = labels[votes.indices[p]];
      tally.set(label, (tally.get(label) ?? 0) + 1);
      if ((tally.get(label) as number) > (tally.get(best) as number)) best = label;
    }
    margins[order[size + q]] = margin(best, votes.indices, from, votes.count);
  }
  return margins;
}
