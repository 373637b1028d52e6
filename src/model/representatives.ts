import { form } from "../core/internal.ts";
import { nearestRows, type Matrix } from "../matrix/index.ts";
import type { Placed } from "../method/index.ts";

/** Rows that illustrate a cluster: the most typical ones, and the borderline ones. */
export const representativesForm = form.record({
  cluster: form.whole({ min: 0, below: "clusters" }),
  /** Row numbers, the most typical first. */
  typical: form.asStored(form.wholes(undefined, { min: 0 })),
  /** Row numbers, the least certain first. */
  borderline: form.asStored(form.wholes(undefined, { min: 0 })),
});

export interface Representatives extends form.StoredOf<typeof representativesForm> {}

/** Number of each to keep. */
const MOST = 5;

/**
 * Typical rows are nearest to the mean of their cluster; borderline rows have the smallest margin
 * (`margins`).
 */
export function representativesOf(
  X: Matrix,
  labels: ArrayLike<number>,
  clusters: number,
  placed: Placed,
): Representatives[] {
  const margin = margins(X, labels, placed);
  const borderline: Ranking[] = Array.from({ length: clusters }, ranking);
  if (clusters > 1) {
    for (let i = 0; i < X.rows; i++) if (labels[i] >= 0) borderline[labels[i]].offer(i, margin[i]);
  }
  return typicalRows(X, labels, clusters).map((typical, cluster) => ({
    cluster,
    typical,
    borderline: borderline[cluster].rows(),
  }));
}

/** The rows of each cluster that are nearest to its mean, the nearest first. */
export function typicalRows(X: Matrix, labels: ArrayLike<number>, clusters: number): number[][] {
  const { cols, data } = X;
  const means = new Float64Array(clusters * cols);
  const sizes = new Int32Array(clusters);
  for (let i = 0; i < X.rows; i++) {
    const k = labels[i];
    if (k < 0) continue;
    sizes[k]++;
    for (let f = 0; f < cols; f++) {
      means[k * cols + f] += (data[i * cols + f] - means[k * cols + f]) / sizes[k];
    }
  }
  const typical: Ranking[] = Array.from({ length: clusters }, ranking);
  for (let i = 0; i < X.rows; i++) {
    const k = labels[i];
    if (k < 0) continue;
    let distance = 0;
    for (let f = 0; f < cols; f++) distance += (data[i * cols + f] - means[k * cols + f]) ** 2;
    typical[k].offer(i, distance);
  }
  return typical.map((kept) => kept.rows());
}

/**
 * Number of neighbours for margins, and number of rows above which distances to clusters are used instead.
 */
const NEIGHBORS = 10;
const MOST_ROWS = 20_000;
/** Or this many multiplications. */
const MOST_PRODUCTS = 2e9;

/**
 * The certainty of each row's cluster, from -1 to 1: the share of its nearest rows in its own cluster minus
 * the largest share in another, so clusters of any shape are judged equally. For very many rows: the distance
 * to the next cluster minus that to the own one, over their sum. Distances decide ties.
 */
export function margins(X: Matrix, labels: ArrayLike<number>, placed: Placed): Float64Array {
  const byDistance = Float64Array.from({ length: X.rows }, (_, i) => {
    const sum = placed.distances[i] + placed.nextDistances[i];
    if (!(sum > 0) || !Number.isFinite(sum)) return sum > 0 ? 1 : 0;
    const value = (placed.nextDistances[i] - placed.distances[i]) / sum;
    return placed.labels[i] === labels[i] ? value : -value;
  });
  if (X.rows > MOST_ROWS || X.rows ** 2 * X.cols > MOST_PRODUCTS || X.rows < 3) return byDistance;
  const k = Math.min(NEIGHBORS, X.rows - 1);
  const { indices } = nearestRows(X, k);
  return byDistance.map((value, i) => {
    const shares = new Map<number, number>();
    for (let p = i * k; p < (i + 1) * k; p++) {
      const label = labels[indices[p]];
      shares.set(label, (shares.get(label) ?? 0) + 1 / k);
    }
    const own = shares.get(labels[i]) ?? 0;
    shares.delete(labels[i]);
    return own - Math.max(0, ...shares.values()) + 1e-3 * value;
  });
}

interface Ranking {
  offer(row: number, value: number): void;
  rows(): number[];
}

/** The few rows with the smallest value; the first row in a tie. */
function ranking(): Ranking {
  const kept: { row: number; value: number }[] = [];
  return {
    offer(row, value) {
      if (kept.length === MOST && value >= kept[MOST - 1].value) return;
      let at = kept.length;
      while (at > 0 && kept[at - 1].value > value) at--;
      kept.splice(at, 0, { row, value });
      if (kept.length > MOST) kept.pop();
    },
    rows: () => kept.map(({ row }) => row),
  };
}
