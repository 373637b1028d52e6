import type { Dendrogram } from "../linkage/dendrogram.ts";

/**
 * The condensed tree of HDBSCAN*: the components that hold at least `minClusterSize` rows as the distance falls, with
 * lambda = 1 / distance. Edges of one distance are removed at once, as Campello et al. (2013, section 4)
 * require, so the tree does not depend on the order of ties. Among the remaining components,
 *
 *     two or more are large enough:  the cluster ends, each of them is a new cluster
 *     one is:                        it is the same cluster, smaller
 *     none is:                       the cluster ends,
 *
 * and rows of components that are too small leave the cluster at that lambda. If the cluster splits into
 * others, such rows count to the new one that they are joined to first, and leave it as it begins. The
 * stability of a cluster, the excess of mass, is
 *
 *     S(C) = sum over its rows of (lambda at which the row leaves C - lambda at which C begins).
 *
 * Equal rows have distance 0; its lambda counts as that of the smallest positive distance.
 */
export interface CondensedTree {
  /**
   * The parent of each cluster; -1 for cluster 0, which holds all rows. Parents come before their children.
   */
  readonly parents: Int32Array;
  /** Lambda at which each cluster begins; 0 for all rows. */
  readonly births: Float64Array;
  /** The largest lambda at which a row, or a part, leaves the cluster. */
  readonly deaths: Float64Array;
  /** Rows when it begins. */
  readonly sizes: Int32Array;
  /** S(C). */
  readonly stabilities: Float64Array;
  /** For each row, the cluster that it leaves to become noise, and the lambda of that event. */
  readonly rowClusters: Int32Array;
  readonly rowLambdas: Float64Array;
}

export function condensedTree(tree: Dendrogram, minClusterSize: number): CondensedTree {
  const { rows: n, merges, heights, sizes: mergeSizes } = tree;
  const smallest = heights.find((height) => height > 0) ?? 1;
  const lambdaOf = (height: number): number => 1 / Math.max(height, smallest);
  const sizeOf = (node: number): number => (node < n ? 1 : mergeSizes[node - n]);
  const parents = [-1];
  const births = [0];
  const deaths = [0];
  const sizes = [n];
  const stabilities = [0];
  const rowClusters = new Int32Array(n);
  const rowLambdas = new Float64Array(n);

  /** Nodes of the dendrogram in cluster `of`, to be split. */
  const open: { node: number; of: number }[] = [{ node: n === 1 ? 0 : 2 * n - 2, of: 0 }];
  const stack: number[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node, of } = at;
    if (node < n) {
      // A single row is large enough to be a cluster only if minClusterSize is 1.
      leave(node, of, lambdaOf(0));
      continue;
    }
    const height = heights[node - n];
    const lambda = lambdaOf(height);
    const large: number[] = [];
    const small: number[] = [];
    /** Merges at this height, parents first. */
    const level: number[] = [];
    stack.push(node);
    for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
      if (part >= n && heights[part - n] === height) {
        level.push(part);
        stack.push(merges[2 * (part - n) + 1], merges[2 * (part - n)]);
      } else (sizeOf(part) >= minClusterSize ? large : small).push(part);
    }
    if (large.length < 2) {
      for (const part of small) leaveAll(part, of, lambda);
      if (large.length === 1) open.push({ node: large[0], of });
      continue;
    }
    const made = new Map<number, number>();
    for (const part of large) {
      deaths[of] = Math.max(deaths[of], lambda);
      stabilities[of] += sizeOf(part) * (lambda - births[of]);
      made.set(part, parents.length);
      open.push({ node: part, of: parents.length });
      parents.push(of);
      births.push(lambda);
      deaths.push(lambda);
      sizes.push(sizeOf(part));
      stabilities.push(0);
    }
    for (const [part, joined] of firstJoined(level, small, made)) {
      stabilities[of] += sizeOf(part) * (lambda - births[of]);
      leaveAll(part, joined, lambda);
    }
  }
  return {
    parents: Int32Array.from(parents),
    births: Float64Array.from(births),
    deaths: Float64Array.from(deaths),
    sizes: Int32Array.from(sizes),
    stabilities: Float64Array.from(stabilities),
    rowClusters,
    rowLambdas,
  };

  /**
   * For each small part, the cluster that it is joined to first, the larger one if two are already joined.
   */
  function firstJoined(level: number[], small: number[], made: Map<number, number>): [number, number][] {
    const owners = new Map<number, number>(made);
    const waiting = new Map<number, number[]>(small.map((part) => [part, [part]]));
    const found: [number, number][] = [];
    for (const node of level.toReversed()) {
      const sides = [merges[2 * (node - n)], merges[2 * (node - n) + 1]];
      const owned = sides.flatMap((side) => owners.get(side) ?? []);
      const left = sides.flatMap((side) => waiting.get(side) ?? []);
      if (owned.length === 0) waiting.set(node, left);
      else {
        const owner = owned.reduce((a, b) => (sizes[b] > sizes[a] ? b : a));
        owners.set(node, owner);
        for (const part of left) found.push([part, owner]);
      }
    }
    return found;
  }

  function leave(row: number, of: number, lambda: number): void {
    rowClusters[row] = of;
    rowLambdas[row] = lambda;
    deaths[of] = Math.max(deaths[of], lambda);
    stabilities[of] += lambda - births[of];
  }

  function leaveAll(part: number, of: number, lambda: number): void {
    const inside = [part];
    for (let next = inside.pop(); next !== undefined; next = inside.pop()) {
      if (next < n) leave(next, of, lambda);
      else inside.push(merges[2 * (next - n) + 1], merges[2 * (next - n)]);
    }
  }
}

interface Selection {
  readonly selection: "excess" | "leaf";
  /** Clusters that begin at a smaller distance are joined. */
  readonly epsilon: number;
  /** All rows may be one cluster. */
  readonly allowSingle: boolean;
  /** Exactly this many, or any number. */
  readonly clusters?: number;
}

/**
 * Clusters of a condensed tree, none inside another:
 *
 *     excess    those of the largest total stability, the excess of mass (Campello et al. 2013, section 5)
 *     leaf      those without parts
 *     clusters  the K of the largest total stability
 *
 * With epsilon, a cluster that begins below that distance is replaced by its first ancestor that begins above
 * (C. Malzer and M. Baum, 2020).
 */
export function selectClusters(tree: CondensedTree, how: Selection): number[] {
  if (how.clusters !== undefined) return mostStable(tree, how.clusters);
  const chosen = how.selection === "leaf" ? leaves(tree) : excessOfMass(tree, how.allowSingle);
  return how.epsilon > 0 ? withEpsilon(tree, chosen, how) : chosen;
}

function childrenOf({ parents }: CondensedTree): number[][] {
  const children: number[][] = Array.from(parents, () => []);
  for (let c = 1; c < parents.length; c++) children[parents[c]].push(c);
  return children;
}

function leaves(tree: CondensedTree): number[] {
  return childrenOf(tree).flatMap((parts, c) => (parts.length === 0 && c > 0 ? [c] : []));
}

function excessOfMass(tree: CondensedTree, allowSingle: boolean): number[] {
  const { parents, stabilities } = tree;
  /** The best total below each cluster. */
  const below = new Float64Array(parents.length);
  const kept = new Uint8Array(parents.length);
  for (let c = parents.length - 1; c >= 0; c--) {
    kept[c] = below[c] > stabilities[c] || (c === 0 && !allowSingle) ? 0 : 1;
    if (c > 0) below[parents[c]] += kept[c] === 1 ? stabilities[c] : below[c];
  }
  return topmost(parents, kept);
}

/** The marked clusters that are inside no other marked one. */
function topmost(parents: Int32Array, marked: Uint8Array): number[] {
  const covered = new Uint8Array(parents.length);
  const chosen: number[] = [];
  for (let c = 0; c < parents.length; c++) {
    const inside = c > 0 && covered[parents[c]] === 1;
    if (!inside && marked[c] === 1) chosen.push(c);
    covered[c] = inside || marked[c] === 1 ? 1 : 0;
  }
  return chosen;
}

function withEpsilon(tree: CondensedTree, chosen: readonly number[], how: Selection): number[] {
  const { parents, births } = tree;
  const marked = new Uint8Array(parents.length);
  for (let c of chosen) {
    if (c > 0 && 1 / births[c] < how.epsilon) {
      while (parents[c] > 0 && 1 / births[c] <= how.epsilon) c = parents[c];
      if (parents[c] === 0 && 1 / births[c] <= how.epsilon && how.allowSingle) c = 0;
    }
    marked[c] = 1;
  }
  return topmost(parents, marked);
}

/**
 * K clusters, all rows not among them, by dynamic programming: most(c, j) is the largest total stability of j clusters
 * inside c, which for j = 1 may be c itself.
 */
function mostStable(tree: CondensedTree, K: number): number[] {
  const { parents, stabilities } = tree;
  const children = childrenOf(tree);
  const most: Float64Array[] = [];
  /** How many clusters are taken inside each child, for every j, child after child. */
  const shares: Int32Array[][] = Array.from(parents, () => []);
  for (let c = parents.length - 1; c >= 0; c--) {
    let sum = Float64Array.of(0);
    for (const part of children[c]) {
      const length = Math.min(K, sum.length - 1 + most[part].length - 1) + 1;
      const next = new Float64Array(length).fill(-Infinity);
      const share = new Int32Array(length);
      for (let a = 0; a < sum.length; a++) {
        for (let b = 0; b < most[part].length && a + b < length; b++) {
          if (sum[a] + most[part][b] <= next[a + b]) continue;
          next[a + b] = sum[a] + most[part][b];
          share[a + b] = b;
        }
      }
      shares[c].push(share);
      sum = next;
    }
    if (c > 0 && sum.length === 1) sum = Float64Array.of(0, stabilities[c]);
    else if (c > 0 && stabilities[c] >= sum[1]) {
      sum[1] = stabilities[c];
      // Marks that the one cluster is c itself.
      shares[c].forEach((share) => (share[1] = -1));
    }
    most[c] = sum;
  }
  const chosen: number[] = [];
  const open = [{ c: 0, j: Math.min(K, most[0].length - 1) }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { c, j } = at;
    if (j === 0) continue;
    const own = children[c].length === 0 || (j === 1 && shares[c][0][1] === -1);
    if (own) {
      chosen.push(c);
      continue;
    }
    for (let p = children[c].length - 1, left = j; p >= 0; p--) {
      const share = shares[c][p][left];
      open.push({ c: children[c][p], j: share });
      left -= share;
    }
  }
  return chosen.sort((a, b) => a - b);
}
