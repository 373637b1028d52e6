/** Merges in the order in which they were found: clusters are named by one of their rows. */
export interface Merges {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly heights: Float64Array;
}

/** Clusters, named by one of their rows, with their distances. */
export interface ChainClusters {
  /**
   * Room for n numbers: the first `count` are the current clusters, in ascending order. The chain keeps it.
   */
  readonly active: Int32Array;
  /**
   * The nearest active cluster to x; `before`, at `distance`, if none is nearer. The lowest number wins a
   * tie.
   */
  nearest(x: number, before: number, distance: number, count: number): number;
  /** The distance of the last result of `nearest`. */
  found(): number;
  /** Joins `gone` and `kept`, at this distance, under the name `kept`; `active` no longer contains `gone`. */
  join(gone: number, kept: number, distance: number, count: number): void;
}

/**
 * The nearest-neighbour chain (Benzécri 1982, Juan 1982; reducible linkages by Murtagh 1983): walk from a
 * cluster to its nearest one until two are nearest to each other, merge these, and continue from the rest of
 * the walk. O(n) searches.
 *
 * In a tie the previous cluster of the chain is taken, then the one with the lowest number, and a merge keeps
 * the larger of the two numbers. This is scipy's order, so ties give the same result.
 */
export function nearestNeighborChain(n: number, clusters: ChainClusters): Merges {
  const { active } = clusters;
  for (let i = 0; i < n; i++) active[i] = i;
  let count = n;
  const chain = new Int32Array(n);
  const steps = new Float64Array(n); // steps[p]: distance of chain[p] and chain[p + 1]
  let length = 0;
  const from = new Int32Array(n - 1);
  const to = new Int32Array(n - 1);
  const heights = new Float64Array(n - 1);
  for (let merge = 0; merge < n - 1; merge++) {
    if (length === 0) chain[length++] = active[0];
    for (;;) {
      const before = length > 1 ? chain[length - 2] : -1;
      const known = length > 1 ? steps[length - 2] : Infinity;
      const next = clusters.nearest(chain[length - 1], before, known, count);
      if (next === before) break;
      steps[length - 1] = clusters.found();
      chain[length++] = next;
    }
    length -= 2;
    const gone = Math.min(chain[length], chain[length + 1]);
    const kept = Math.max(chain[length], chain[length + 1]);
    from[merge] = gone;
    to[merge] = kept;
    heights[merge] = steps[length];
    count = remove(active, count, gone);
    clusters.join(gone, kept, steps[length], count);
  }
  return { from, to, heights };
}

/** Removes `value` from an ascending list and returns the number of remaining entries. */
function remove(list: Int32Array, count: number, value: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  list.copyWithin(low, low + 1, count);
  return count - 1;
}
