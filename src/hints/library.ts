import { cutDendrogram, type CovarianceKind, type Dendrogram } from "../cluster/index.ts";
import { gaussianEm, kmeansLabels, wardTree } from "../cluster/internal.ts";
import { principalComponents } from "../matrix/internal.ts";
import type { Matrix } from "../matrix/index.ts";
import { affinity, leadingVectors, normalized, unitRows } from "./affinity.ts";
import { dense } from "./arrange.ts";
import type { View } from "./views.ts";

/** A partition that was found without hints. */
export interface Partition {
  readonly name: string;
  readonly labels: Int32Array;
}

/**
 * Partitions from different views, into each of these numbers of clusters: k-means in every view, mixtures, spectral
 * clustering, Ward's tree. The first of each number is k-means in the base space.
 */
export function library(looks: readonly View[], counts: readonly number[], seed: number): Partition[] {
  const n = looks[0].Z.rows;
  const parts = looks.map((look) => partsOf(look, Math.min(n - 2, Math.max(...counts))));
  return counts.flatMap((K) => {
    const found: Partition[] = [];
    looks.forEach(({ name, Z }, v) => {
      const { tree, embedded } = parts[v];
      const centres = kmeansLabels(Z, { clusters: K, restarts: v === 0 ? 10 : 4, seed }).labels;
      const add = (method: string, labels: Int32Array): void => {
        found.push({ name: `${method}, ${name}`, labels });
      };
      add("k-means", centres);
      const base = name === "base";
      const white = name === "white";
      if (base || white || name.startsWith("columns"))
        add("mixture", mixture(Z, K, white ? "diagonal" : "full", centres));
      if (base) add("tied mixture", mixture(Z, K, "tied", centres));
      if (embedded !== undefined && n > K + 1) {
        const rows = unitRows(embedded, K);
        add("spectral", kmeansLabels(rows, { clusters: K, restarts: 5, seed }).labels);
      }
      if (tree !== undefined) add("Ward", cutDendrogram(tree, { clusters: K }));
    });
    return found.map(({ name, labels }) => ({ name, labels: dense(labels) }));
  });
}

/** What all numbers of clusters share: Ward's tree, and eigenvectors of the neighbour graph. */
function partsOf({ name, Z }: View, most: number): { tree?: Dendrogram; embedded?: Matrix } {
  return {
    ...((name === "base" || name === "white") && { tree: wardTree(Z) }),
    ...(!name.startsWith("columns") &&
      most > 0 && { embedded: leadingVectors(normalized(affinity(Z)), most) }),
  };
}

/** EM from a partition; in at most 20 dimensions. */
export function mixture(Z: Matrix, K: number, kind: CovarianceKind, start: Int32Array): Int32Array {
  const X = Z.cols > 20 ? principalComponents(Z, 1, 20).scores : Z;
  const n = X.rows;
  const R = new Float64Array(n * K);
  for (let i = 0; i < n; i++) R[i * K + start[i]] = 1;
  const settings = { ridge: 0.01, strength: n / K, maxIterations: 150, tolerance: 1e-4, report: () => true };
  const run = gaussianEm(X, kind, R, settings);
  const left = run.R.length / n;
  const labels = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    for (let k = 1; k < left; k++) if (run.R[i * left + k] > run.R[i * left + labels[i]]) labels[i] = k;
  }
  return labels;
}
