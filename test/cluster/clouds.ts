import { random } from "../../src/core/index.ts";
import { matrix, type Matrix } from "../../src/matrix/index.ts";

/** K Gaussian clouds of n / K rows each; `spread` of their centres against unit variance within. */
export function clouds(
  n: number,
  d: number,
  K: number,
  spread: number,
  seed: number,
): { X: Matrix; truth: Int32Array } {
  const { normal } = random(seed);
  const centers = Float64Array.from({ length: K * d }, () => spread * normal());
  const truth = Int32Array.from({ length: n }, (_, i) => i % K);
  const X = matrix(n, d);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < d; j++) X.data[i * d + j] = centers[truth[i] * d + j] + normal();
  }
  return { X, truth };
}
