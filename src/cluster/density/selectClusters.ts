import type { CondensedTree } from "./condensedTree.ts";

export interface Selection {
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
