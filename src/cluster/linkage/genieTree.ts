import { unionFind } from "../../graph/index.ts";

/** A minimum spanning tree of the rows, cheapest edge first. */
interface SpanningEdges {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Genie (genie.ts): the merges of all numbers of clusters. */
export function genieTree({ from, to }: SpanningEdges, gini: number): (clusters: number) => Int32Array {
  const n = from.length + 1;
  const sets = unionFind(n);
  const used = new Uint8Array(n);
  const merges: number[] = [];
  const bySize = new Int32Array(n + 1);
  bySize[1] = n;
  let first = 0;
  for (let count = n; count > 1; count--) {
    while (used[first] === 1) first++;
    let edge = first;
    if (giniIndex(bySize, count, n) > gini) {
      let least = 1;
      while (bySize[least] === 0) least++;
      while (used[edge] === 1 || (sets.size(from[edge]) !== least && sets.size(to[edge]) !== least)) edge++;
    }
    used[edge] = 1;
    merges.push(edge);
    const [a, b] = [sets.size(from[edge]), sets.size(to[edge])];
    bySize[a]--;
    bySize[b]--;
    bySize[a + b]++;
    sets.union(from[edge], to[edge]);
  }
  return (clusters) => {
    const own = unionFind(n);
    for (let m = 0; m < n - clusters; m++) own.union(from[merges[m]], to[merges[m]]);
    return own.labels();
  };
}

/** Of `count` sizes that sum to n, given how many have each size: 0 all equal, 1 all rows in one. */
function giniIndex(bySize: Int32Array, count: number, n: number): number {
  let sum = 0;
  let rank = 0;
  for (let size = 1; rank < count; size++) {
    const own = bySize[size];
    // sum of (2 rank - count - 1) size over these ranks.
    if (own > 0) sum += own * size * (2 * rank + own - count);
    rank += own;
  }
  return count < 2 ? 0 : sum / ((count - 1) * n);
}
