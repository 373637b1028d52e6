import { cutDendrogram, type CovarianceKind } from "../cluster/index.ts";
import { gaussianEm, kmeansInOrder, wardTree } from "../cluster/internal.ts";
import { principalComponents } from "../matrix/internal.ts";
import { random } from "../core/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import { affinity, normalized, spectralRows } from "./affinity.ts";
import { knownFrom } from "./known.ts";
import { pairedKmeans } from "./pairedLloyd.ts";
import type { View } from "./views.ts";

/** A partition that was found without hints. */
export interface Partition {
  readonly name: string;
  readonly labels: Int32Array;
}

/**
 * Partitions into K clusters from different views: k-means in every view, mixtures, spectral clustering,
 * Ward's tree. The first is the default: k-means in the base space.
 */
export function library(looks: readonly View[], K: number, seed: number): Partition[] {
  const found: Partition[] = [];
  for (const [v, { name, Z }] of looks.entries()) {
    const centres = kmeansInOrder(Z, { clusters: K, restarts: v === 0 ? 20 : 6, seed }).labels;
    const add = (method: string, labels: Int32Array): void => {
      found.push({ name: `${method}, ${name}`, labels });
    };
    add("k-means", centres);
    const base = name === "base";
    const white = name === "white";
    const columns = name.startsWith("columns");
    if (base || white || columns) add("mixture", mixture(Z, K, white ? "diagonal" : "full", centres));
    if (base) add("tied mixture", mixture(Z, K, "tied", centres));
    if (!columns && Z.rows > K + 1) {
      const rows = spectralRows(normalized(affinity(Z)), K);
      add("spectral", pairedKmeans(rows, knownFrom(Z.rows, [], []), K, 5, random(seed)).labels);
    }
    if (base || white) add("Ward", cutDendrogram(wardTree(Z), { clusters: K }));
  }
  found.push({ name: "vote of the library", labels: libraryVote(found, K, seed) });
  return found;
}

/** The partition closest to all others: k-means on their labels, with one column for each cluster of each. */
function libraryVote(found: readonly Partition[], K: number, seed: number): Int32Array {
  const widths = found.map(({ labels }) => labels.reduce((a, b) => Math.max(a, b), 0) + 1);
  const n = found[0].labels.length;
  const Z = matrix(
    n,
    widths.reduce((a, b) => a + b, 0),
  );
  let from = 0;
  found.forEach(({ labels }, m) => {
    for (let i = 0; i < n; i++) Z.data[i * Z.cols + from + labels[i]] = 1;
    from += widths[m];
  });
  return kmeansInOrder(Z, { clusters: K, restarts: 6, seed }).labels;
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
