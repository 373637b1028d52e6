import { matrix, type Matrix } from "../matrix/index.ts";

/** Minimum number of columns, and minimum share of zeros, for comparing rows of counts by angle. */
const LEAST_COLUMNS = 50;
const ZEROS = 0.8;

/**
 * Whether rows look like word counts: many columns, no negative number, almost all zeros. A z-score gives a
 * word that occurs once the largest weight; the angle between rows depends on shared words.
 */
export function byAngle({ rows, cols, data }: Matrix): boolean {
  if (cols < LEAST_COLUMNS) return false;
  let zeros = 0;
  for (let p = 0; p < data.length; p++) {
    if (data[p] < 0) return false;
    if (data[p] === 0) zeros++;
  }
  return zeros > ZEROS * rows * cols;
}

/** ln((n + 1) / m): the weight of a column that is not 0 in m of n rows. */
export function rarity(n: number, m: number): number {
  return Math.log((n + 1) / Math.max(m, 1));
}

/** Rows of counts as directions: of length 1, log(1 + x) times the rarity of the column. */
export function countRows(X: Matrix): Matrix {
  const { rows, cols, data } = X;
  const present = new Float64Array(cols);
  for (let p = 0; p < data.length; p++) if (data[p] !== 0) present[p % cols]++;
  const weights = present.map((m) => rarity(rows, m));
  const Y = matrix(rows, cols);
  for (let p = 0; p < data.length; p++) {
    if (data[p] !== 0) Y.data[p] = Math.log1p(data[p]) * weights[p % cols];
  }
  return unitRows(Y);
}

/** Rows of length 1; a zero row stays zero. */
export function unitRows({ rows, cols, data }: Matrix): Matrix {
  const Y = matrix(rows, cols);
  for (let i = 0; i < rows; i++) {
    // Divided by the largest first, because squares may overflow.
    let most = 0;
    for (let f = 0; f < cols; f++) most = Math.max(most, Math.abs(data[i * cols + f]));
    if (most === 0) continue;
    let sum = 0;
    for (let f = 0; f < cols; f++) sum += (data[i * cols + f] / most) ** 2;
    const norm = Math.sqrt(sum);
    for (let f = 0; f < cols; f++) Y.data[i * cols + f] = data[i * cols + f] / most / norm;
  }
  return Y;
}
