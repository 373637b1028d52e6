import type { Matrix } from "../matrix/matrix.ts";
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

/** Collects trees as they are grown; the grower reuses their arrays. */
export function forestBuilder(
  cuts: BinnedRows["cuts"],
  K: number,
): {
  add(tree: GrownTree): void;
  finish(): ForestTrees;
  /** Row of `distributions` that a training row reaches in the tree added last. */
  leafOf(data: BinnedRows, i: number): number;
  distribution(index: number): readonly number[];
} {
  const roots: number[] = [];
  const feature: number[] = [];
  const threshold: number[] = [];
  const bin: number[] = [];
  const left: number[] = [];
  const distributions: number[][] = Array.from({ length: K }, (_, k) =>
    Array.from({ length: K }, (__, l) => Number(k === l)),
  );
  const leafIndex = ({ counts }: GrownTree, v: number): number => {
    let total = 0;
    let last = 0;
    let present = 0;
    for (let k = 0; k < K; k++) {
      const count = counts[v * K + k];
      total += count;
      if (count > 0) {
        present++;
        last = k;
      }
    }
    if (present === 1) return last;
    distributions.push(Array.from({ length: K }, (_, k) => counts[v * K + k] / total));
    return distributions.length - 1;
  };
  return {
    add(tree) {
      const root = feature.length;
      roots.push(root);
      for (let v = 0; v < tree.nodes; v++) {
        const f = tree.feature[v];
        feature.push(f);
        bin.push(tree.bin[v]);
        threshold.push(f < 0 ? 0 : cuts[f][tree.bin[v]]);
        left.push(f < 0 ? leafIndex(tree, v) : root + tree.left[v]);
      }
    },
    leafOf({ bins, rows }, i) {
      let v = roots[roots.length - 1];
      while (feature[v] >= 0) v = left[v] + Number(bins[feature[v] * rows + i] > bin[v]);
      return left[v];
    },
    distribution: (index) => distributions[index],
    finish: () => ({
      roots: Int32Array.from(roots),
      feature: Int32Array.from(feature),
      threshold: Float64Array.from(threshold),
      left: Int32Array.from(left),
      distributions: Float64Array.from(distributions.flat()),
    }),
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
