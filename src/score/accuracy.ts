import { matrix } from "../matrix/index.ts";
import { contingency, type Contingency, type LabelOptions } from "./contingency.ts";
import { hungarian } from "./hungarian.ts";
import type { Label, Labeling } from "./labels.ts";

/**
 * Clustering accuracy: the share of rows whose cluster is matched to their class under the one-to-one matching of
 * clusters and classes that makes it largest (Hungarian). With unequal numbers the remaining clusters or
 * classes count as errors.
 */
export function accuracy(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return accuracyOf(contingency(predicted, truth, options));
}

/**
 * Share of rows that belong to the largest class of their cluster. It rises with the number of clusters (1 when each
 * row is its own cluster): never report it alone.
 */
export function purity(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return purityOf(contingency(predicted, truth, options));
}

/** The matching behind `accuracy`: pairs of a predicted cluster and its class; the unmatched are not listed. */
export function matchClusters(
  predicted: Labeling,
  truth: Labeling,
  options?: LabelOptions,
): { cluster: Label | null; class: Label | null; rows: number }[] {
  const table = contingency(predicted, truth, options);
  return bestMatching(table).map((cell) => ({
    cluster: table.firstClasses[table.a[cell]],
    class: table.secondClasses[table.b[cell]],
    rows: table.counts[cell],
  }));
}

/**
 * M. Gagolewski (2023), "Normalised clustering accuracy": the mean over the classes of the share of their rows that is in the
 * matched cluster, under the matching that makes it largest, between 0 for 1 / K, what one cluster of all rows has, and 1.
 * Small classes count as much as large ones. Below 0 only with fewer clusters than classes.
 */
export function normalizedAccuracy(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return normalizedAccuracyOf(contingency(predicted, truth, options));
}

/**
 * M. Rezaei and P. Franti (2016), "Set matching measures for external cluster validity": the sum over matched pairs of
 * n_ab / max(n_a, n_b), less what sizes alone would give, at least 0; 1 for equal partitions.
 */
export function pairSets(predicted: Labeling, truth: Labeling, options?: LabelOptions): number {
  return pairSetsOf(contingency(predicted, truth, options));
}

export function normalizedAccuracyOf(table: Contingency): number {
  const { second, b, counts } = table;
  const K = second.length;
  if (K === 1) return accuracyOf(table);
  const share = (cell: number): number => counts[cell] / second[b[cell]];
  const mean = bestMatching(table, share).reduce((sum, cell) => sum + share(cell), 0) / K;
  return (mean - 1 / K) / (1 - 1 / K);
}

export function pairSetsOf(table: Contingency): number {
  const { rows, first, second, a, b, counts } = table;
  const most = Math.max(first.length, second.length);
  if (most === 1) return 1;
  const share = (cell: number): number => counts[cell] / Math.max(first[a[cell]], second[b[cell]]);
  const matched = bestMatching(table, share).reduce((sum, cell) => sum + share(cell), 0);
  // Expected for classes that are matched in the order of their sizes: n_a n_b / n / max(n_a, n_b).
  const [ours, theirs] = [first.toSorted().reverse(), second.toSorted().reverse()];
  let expected = 0;
  for (let k = 0; k < Math.min(ours.length, theirs.length); k++) {
    expected += Math.min(ours[k], theirs[k]) / rows;
  }
  return Math.max(0, (matched - expected) / (most - expected));
}

export function accuracyOf(table: Contingency): number {
  let correct = 0;
  for (const cell of bestMatching(table)) correct += table.counts[cell];
  return correct / table.rows;
}

export function purityOf(table: Contingency): number {
  const largest = new Float64Array(table.first.length);
  for (let c = 0; c < table.counts.length; c++) {
    if (table.counts[c] > largest[table.a[c]]) largest[table.a[c]] = table.counts[c];
  }
  let sum = 0;
  for (const count of largest) sum += count;
  return sum / table.rows;
}

/**
 * The cells of a largest matching. Only non-empty cells contribute, so each connected component of the
 * bipartite graph of cells is matched separately: n singleton clusters against K classes cost O(n), not O(n^2
 * K).
 */
function bestMatching(
  table: Contingency,
  gainOf: (cell: number) => number = (cell) => table.counts[cell],
): number[] {
  const { a, b, first, second } = table;
  const component = components(table);
  const members = new Map<number, number[]>();
  for (let c = 0; c < a.length; c++) {
    const root = component[a[c]];
    const list = members.get(root);
    if (list === undefined) members.set(root, [c]);
    else list.push(c);
  }
  const place1 = new Int32Array(first.length);
  const place2 = new Int32Array(second.length);
  const chosen: number[] = [];
  for (const cells of members.values()) {
    if (cells.length === 1) {
      chosen.push(cells[0]);
      continue;
    }
    const rows = number(place1, cells, a);
    const cols = number(place2, cells, b);
    const gain = matrix(rows, cols);
    for (const c of cells) gain.data[place1[a[c]] * cols + place2[b[c]]] = gainOf(c);
    const { columns } = hungarian(gain, { maximize: true });
    for (const c of cells) if (columns[place1[a[c]]] === place2[b[c]]) chosen.push(c);
  }
  return chosen;
}

/** Local numbers for the classes in `cells`, written to `place`; returns their number. */
function number(place: Int32Array, cells: readonly number[], classes: Int32Array): number {
  for (const c of cells) place[classes[c]] = -1;
  let next = 0;
  for (const c of cells) if (place[classes[c]] < 0) place[classes[c]] = next++;
  return next;
}

/** The component of each class of the first labeling, by union-find over both sides. */
function components(table: Contingency): Int32Array {
  const K1 = table.first.length;
  const parent = new Int32Array(K1 + table.second.length);
  for (let k = 0; k < parent.length; k++) parent[k] = k;
  const find = (k: number): number => {
    while (parent[k] !== k) {
      parent[k] = parent[parent[k]];
      k = parent[k];
    }
    return k;
  };
  for (let c = 0; c < table.counts.length; c++) parent[find(table.a[c])] = find(K1 + table.b[c]);
  return Int32Array.from({ length: K1 }, (_, k) => find(k));
}
