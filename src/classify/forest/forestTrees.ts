import type { Matrix } from "../../matrix/index.ts";
import type { BinnedRows } from "./binning.ts";
import type { GrownTree } from "./growTree.ts";

/** The trees of a forest, one after the other in flat arrays. */
export interface ForestTrees {
  /** The first node of each tree. */
  readonly roots: Int32Array;
  /** Feature of a split, -1 for a leaf. */
  readonly feature: Int32Array;
  /** x <= threshold goes left. */
  readonly threshold: Float64Array;
  /** Split: the left child, which the right one follows. Leaf: its row of `distributions`. */
  readonly left: Int32Array;
  /** Class shares, K per row; the first K rows are the pure ones. */
  readonly distributions: Float64Array;
}

/** Collects copies of trees as they are grown. */
export function forestBuilder(
  cuts: BinnedRows["cuts"],
  K: number,
): {
  add(tree: GrownTree): void;
  finish(): ForestTrees;
} {
  const trees: GrownTree[] = [];
  return {
    add({ feature, bin, left, shares, importance }) {
      trees.push({
        feature: feature.slice(),
        bin: bin.slice(),
        left: left.slice(),
        shares: shares.slice(),
        importance,
      });
    },
    finish() {
      const nodes = trees.reduce((sum, { feature }) => sum + feature.length, 0);
      const shares = trees.reduce((sum, tree) => sum + tree.shares.length, 0);
      const forest = {
        roots: new Int32Array(trees.length),
        feature: new Int32Array(nodes),
        threshold: new Float64Array(nodes),
        left: new Int32Array(nodes),
        distributions: new Float64Array(K * K + shares),
      };
      for (let k = 0; k < K; k++) forest.distributions[k * (K + 1)] = 1;
      let [root, next] = [0, K * K];
      trees.forEach((tree, t) => {
        forest.roots[t] = root;
        forest.feature.set(tree.feature, root);
        forest.distributions.set(tree.shares, next);
        for (let v = 0, at = root; v < tree.feature.length; v++, at++) {
          const f = tree.feature[v];
          const to = tree.left[v];
          if (f >= 0) {
            forest.threshold[at] = cuts[f][tree.bin[v]];
            forest.left[at] = root + to;
          } else forest.left[at] = to < K ? to : next / K + to - K;
        }
        root += tree.feature.length;
        next += tree.shares.length;
      });
      return forest;
    },
  };
}

/** Mean class shares of the leaves that each row of Y reaches, added up tree by tree into `P`. */
export function addVotes(trees: ForestTrees, Y: Matrix, P: Matrix): void {
  const { roots, feature, threshold, left, distributions } = trees;
  const { rows, cols: d, data } = Y;
  const K = P.cols;
  for (const root of roots) {
    for (let i = 0; i < rows; i++) {
      let v = root;
      while (feature[v] >= 0) v = data[i * d + feature[v]] <= threshold[v] ? left[v] : left[v] + 1;
      const leaf = left[v];
      if (leaf < K) P.data[i * K + leaf]++;
      else for (let k = 0; k < K; k++) P.data[i * K + k] += distributions[leaf * K + k];
    }
  }
  for (let p = 0; p < P.data.length; p++) P.data[p] /= roots.length;
}
