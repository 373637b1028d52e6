import type { Matrix } from "../matrix/matrix.ts";
import type { Placed } from "../method/placing.ts";

/** Rows that show what a cluster is: the most typical ones, and those that nearly belong elsewhere. */
export interface Representatives {
  readonly cluster: number;
  /** Row numbers, the most typical first. */
  readonly typical: readonly number[];
  /** Row numbers, the least certain first. */
  readonly borderline: readonly number[];
}

/** How many of each are kept. */
const MOST = 5;

/**
 * Typical rows are nearest to the mean of their cluster; borderline rows have the least margin, the distance to the
 * next cluster less the distance to their own, over their sum.
 */
export function representativesOf(
  X: Matrix,
  labels: ArrayLike<number>,
  clusters: number,
  placed: Placed,
): Representatives[] {
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
  const borderline: Ranking[] = Array.from({ length: clusters }, ranking);
  for (let i = 0; i < X.rows; i++) {
    const k = labels[i];
    if (k < 0) continue;
    let distance = 0;
    for (let f = 0; f < cols; f++) distance += (data[i * cols + f] - means[k * cols + f]) ** 2;
    typical[k].offer(i, distance);
    if (Number.isFinite(placed.nextDistances[i])) borderline[k].offer(i, margin(placed, i, k));
  }
  return Array.from({ length: clusters }, (_, cluster) => ({
    cluster,
    typical: typical[cluster].rows(),
    borderline: borderline[cluster].rows(),
  }));
}

/** From -1 (wholly in the next cluster) through 0 (on the border) to 1 (wholly in its own). */
export function margin(
  { labels, distances, nextDistances }: Placed,
  i: number,
  own: number = labels[i],
): number {
  const sum = distances[i] + nextDistances[i];
  if (sum === 0) return 0;
  const value = Number.isFinite(sum) ? (nextDistances[i] - distances[i]) / sum : 1;
  return labels[i] === own ? value : -value;
}

interface Ranking {
  offer(row: number, value: number): void;
  rows(): number[];
}

/** The few rows of least value; the first row among equals. */
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
