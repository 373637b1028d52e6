import type { Matrix } from "../../matrix/index.ts";
import type { Label } from "../../score/index.ts";

/**
 * f of every pair of classes from the kernel values of new rows and support vectors, written to the rows of F from
 * `first` on. Support vectors are ordered by class, so a pair reads two runs of them.
 */
export function pairDecisions(
  values: Matrix,
  supportCounts: readonly number[],
  coefficients: readonly Float64Array[],
  intercepts: readonly number[],
  F: Matrix,
  first: number,
): void {
  const K = supportCounts.length;
  const starts = new Int32Array(K);
  for (let c = 1; c < K; c++) starts[c] = starts[c - 1] + supportCounts[c - 1];
  for (let i = 0; i < values.rows; i++) {
    const at = i * values.cols;
    for (let a = 0, pair = 0; a < K; a++) {
      for (let b = a + 1; b < K; b++, pair++) {
        const own = coefficients[pair];
        let sum = intercepts[pair];
        let q = 0;
        for (let p = at + starts[a]; q < supportCounts[a]; p++, q++) sum += own[q] * values.data[p];
        for (let p = at + starts[b]; q < own.length; p++, q++) sum += own[q] * values.data[p];
        F.data[(first + i) * F.cols + pair] = sum;
      }
    }
  }
}

/**
 * The class with most votes of its pairs; the first one in a tie. A decision of exactly 0 votes for the
 * second class.
 */
export function pairVotes(F: Matrix, classes: readonly Label[]): Label[] {
  const K = classes.length;
  const votes = new Int32Array(K);
  return Array.from({ length: F.rows }, (_, i) => {
    votes.fill(0);
    for (let a = 0, p = i * F.cols; a < K; a++) {
      for (let b = a + 1; b < K; b++, p++) votes[F.data[p] > 0 ? a : b]++;
    }
    let best = 0;
    for (let c = 1; c < K; c++) if (votes[c] > votes[best]) best = c;
    return classes[best];
  });
}
