import { unionFind } from "../../graph/index.ts";
import type { PathStep } from "./path.ts";

/** One fusion: clusters `a` and `b` (rows are 0 .. n - 1, the m-th fusion makes cluster n + m) are one from gamma on. */
export interface Fusion {
  readonly a: number;
  readonly b: number;
  readonly gamma: number;
  /** Rows in the new cluster. */
  readonly size: number;
}

/** A range of gammas with the same number of clusters. */
export interface Gap {
  readonly clusters: number;
  readonly from: number;
  readonly to: number;
  /** log(to / from): how persistent the partition is. */
  readonly length: number;
}

/**
 * The path as a merge table, the input of dendrograms. A fusion has the smallest gamma of the path at which
 * it was seen; rows that fuse between two gammas share that value, lowest rows first.
 */
export function fusionTree(steps: readonly PathStep[], rows: number) {
  const sets = unionFind(rows);
  const names = new Int32Array(rows);
  for (let i = 0; i < rows; i++) names[i] = i;
  const fusions: Fusion[] = [];
  const contradicted = new Uint8Array(rows);
  for (const { gamma, labels, clusters } of [...steps].reverse()) {
    const first = new Int32Array(clusters).fill(-1);
    for (let i = 0; i < rows; i++) {
      const other = first[labels[i]];
      if (other < 0) {
        first[labels[i]] = i;
        continue;
      }
      const a = names[sets.find(other)];
      const b = names[sets.find(i)];
      if (!sets.union(other, i)) continue;
      names[sets.find(i)] = rows + fusions.length;
      fusions.push({ a: Math.min(a, b), b: Math.max(a, b), gamma, size: sets.size(i) });
    }
    for (let i = 0; i < rows; i++) {
      if (labels[i] !== labels[sets.find(i)]) contradicted[i] = 1;
    }
  }
  return {
    /** In the order of gamma; n minus the number of graph components where the path runs to complete fusion. */
    fusions,
    /**
     * Rows that were fused at a smaller gamma and are apart at a larger one: with general weights a clusterpath may
     * split. The tree keeps the first fusion; this many rows contradict it somewhere.
     */
    splits: contradicted.reduce((sum, one) => sum + one, 0),
  };
}

/** Runs of equal `level` along the path, from large to small gamma. */
export function gaps(
  steps: readonly PathStep[],
  level: (step: PathStep) => number = (step) => step.clusters,
): Gap[] {
  const found: Gap[] = [];
  let start = 0;
  for (let s = 1; s <= steps.length; s++) {
    if (s < steps.length && level(steps[s]) === level(steps[start])) continue;
    const to = steps[start].gamma;
    const from = steps[s - 1].gamma;
    found.push({ clusters: level(steps[start]), from, to, length: from > 0 ? Math.log(to / from) : 0 });
    start = s;
  }
  return found;
}
