import { engine, matrix, takeColumns, type Matrix } from "../../matrix/index.ts";
import type { Density, MixtureRows } from "./mixtureRows.ts";

/** Rows that pass through the products at a time. */
const BLOCK = 1024;
/** Smaller responsibilities cannot change the sums. */
const NEGLIGIBLE = 1e-30;

/** The sums of EM by the products of the engine, for wide covariances; R is overwritten. */
export function wideMixtureRows(X: Matrix, kind: "full" | "tied", R: Float64Array): MixtureRows {
  const { rows: n, cols: d } = X;
  let shares = R;
  const rows: MixtureRows = {
    weigh() {
      const K = shares.length / n;
      const counts = new Float64Array(K);
      for (let p = 0; p < shares.length; p += K) for (let k = 0; k < K; k++) counts[k] += shares[p + k];
      const sums = new Float64Array(K * d);
      engine().product(K, d, n, 1, shares, true, X.data, false, sums);
      return { counts, sums };
    },
    scatter: (means) => products(X, shares, means, kind === "tied"),
    expect(density, logs) {
      const K = shares.length / n;
      whitenedSquares(X, density, shares);
      let logLikelihood = 0;
      for (let i = 0; i < n; i++) {
        const log = normalize(shares, i * K, density.constants);
        if (logs !== undefined) logs[i] = log;
        logLikelihood += log;
      }
      return { logLikelihood, ...rows.weigh() };
    },
    keep(components) {
      shares = takeColumns(matrix(n, shares.length / n, shares), components).data;
    },
    responsibilities: () => shares,
  };
  return rows;
}

/** R_k := exp(constants[k] - R_k / 2) from position `at` on, divided by their sum; returns the logarithm of that sum. */
function normalize(R: Float64Array, at: number, constants: Float64Array): number {
  const K = constants.length;
  let largest = -Infinity;
  for (let k = 0; k < K; k++) {
    R[at + k] = constants[k] - R[at + k] / 2;
    if (R[at + k] > largest) largest = R[at + k];
  }
  let sum = 0;
  for (let k = 0; k < K; k++) sum += R[at + k] = Math.exp(R[at + k] - largest);
  for (let k = 0; k < K; k++) R[at + k] /= sum;
  return largest + Math.log(sum);
}

function products(X: Matrix, R: Float64Array, means: Float64Array, tied: boolean): Matrix[] {
  const { rows: n, cols: d } = X;
  const K = means.length / d;
  const result = Array.from({ length: tied ? 1 : K }, () => matrix(d, d));
  const block = new Float64Array(BLOCK * d);
  for (let k = 0; k < K; k++) {
    const S = result[tied ? 0 : k];
    let filled = 0;
    const flush = (): void => {
      const rows = block.subarray(0, filled * d);
      engine().product(d, d, filled, 1, rows, true, rows, false, S.data);
      filled = 0;
    };
    for (let i = 0; i < n; i++) {
      const r = R[i * K + k];
      if (r < NEGLIGIBLE) continue;
      const root = Math.sqrt(r);
      for (let f = 0; f < d; f++) block[filled * d + f] = root * (X.data[i * d + f] - means[k * d + f]);
      if (++filled === BLOCK) flush();
    }
    flush();
  }
  return result;
}

/** out (n x K) := |W_k (x_i - mu_k)|^2 */
function whitenedSquares(X: Matrix, { means, whiteners }: Density, out: Float64Array): void {
  const d = X.cols;
  const K = means.length / d;
  const block = new Float64Array(BLOCK * d);
  const white = new Float64Array(BLOCK * d);
  for (let first = 0; first < X.rows; first += BLOCK) {
    const rows = Math.min(BLOCK, X.rows - first);
    for (let k = 0; k < K; k++) {
      for (let p = 0, q = first * d; p < rows * d; p++, q++) block[p] = X.data[q] - means[k * d + (p % d)];
      const used = white.subarray(0, rows * d).fill(0);
      const W = whiteners[k % whiteners.length].data;
      engine().product(rows, d, d, 1, block.subarray(0, rows * d), false, W, true, used);
      for (let i = 0, p = 0; i < rows; i++) {
        let sum = 0;
        for (let f = 0; f < d; f++, p++) sum += used[p] * used[p];
        out[(first + i) * K + k] = sum;
      }
    }
  }
}
