import { matrix, type Matrix } from "../../matrix/index.ts";

/** Certain memberships: R_ik = 1 if row i has label k. */
export function indicators(labels: Int32Array, K: number): Matrix {
  const R = matrix(labels.length, K);
  for (let i = 0; i < labels.length; i++) R.data[i * K + labels[i]] = 1;
  return R;
}

/** The most probable component of each row, the first among equals, and how many rows each has. */
export function mostProbable({ rows, cols: K, data }: Matrix) {
  const labels = new Int32Array(rows);
  const sizes = new Int32Array(K);
  for (let i = 0; i < rows; i++) {
    for (let k = 1; k < K; k++) if (data[i * K + k] > data[i * K + labels[i]]) labels[i] = k;
    sizes[labels[i]]++;
  }
  return { labels, sizes };
}

/** Of components without rows. */
export function unusedWarning(sizes: ArrayLike<number>): string[] {
  const empty = Array.from(sizes).filter((size) => size === 0).length;
  if (empty === 0) return [];
  return [`${empty} of ${sizes.length} components ${empty === 1 ? "is" : "are"} the most probable of no row`];
}
