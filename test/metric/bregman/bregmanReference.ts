/** Learning a Bregman distance in plain loops (Wu et al. 2009), for src/metric/bregman/bregman.ts. */
import type { Constraints } from "../../../src/data/index.ts";
import type { Matrix } from "../../../src/matrix/index.ts";
import type { BregmanFunction } from "../../../src/metric/index.ts";
import { lbfgs } from "../../../src/optimize/index.ts";

const H: Record<string, { value: (z: number) => number; slope: (z: number) => number }> = {
  exp: { value: (z) => Math.exp(z) - 1, slope: Math.exp },
  square: { value: (z) => (z * z) / 2, slope: (z) => z },
  "4": { value: (z) => z ** 4, slope: (z) => 4 * z ** 3 },
  shifted4: { value: (z) => Math.abs(z + 1) ** 4 - 1, slope: (z) => 4 * (z + 1) ** 3 },
};

/** K with mean diagonal 1, the z of the pairs with mean 1 and their signs, over all points of the pairs. */
function terms(
  X: Matrix,
  { mustLink, cannotLink }: Constraints,
  h: BregmanFunction,
  raw = false,
): { K: number[][]; Z: number[][]; y: number[] } {
  const d = X.cols;
  const { value, slope } = H[String(h)];
  const pairs = [...mustLink, ...cannotLink];
  const used = [...new Set(pairs.flat())].sort((a, b) => a - b);
  const m = used.length;
  let norm = 0;
  for (const cell of X.data) norm += cell ** 2 / X.rows;
  const inner = (i: number, k: number): number => {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += X.data[i * d + f] * X.data[k * d + f];
    return sum / norm / 4;
  };
  const K = used.map((i) => used.map((k) => value(inner(i, k))));
  const diagonal = K.reduce((sum, row, i) => sum + row[i] / m, 0);
  const Z = pairs.map(([i, j]) =>
    used.map((k) => (slope(inner(i, k)) - slope(inner(j, k))) * (inner(i, k) - inner(j, k))),
  );
  const mean = Z.flat().reduce((sum, z) => sum + z, 0) / (pairs.length * m);
  const y = pairs.map((_, p) => (p < mustLink.length ? 1 : -1));
  if (raw) return { K, Z, y };
  return {
    K: K.map((row) => row.map((value) => value / diagonal)),
    Z: Z.map((row) => row.map((value) => value / mean)),
    y,
  };
}

/** The minimum of the problem as it is written, by bounded L-BFGS. */
export function reference(X: Matrix, given: Constraints, h: BregmanFunction, C: number): number {
  const { K, Z, y } = terms(X, given, h);
  const m = K.length;
  const { value: least } = lbfgs(
    (x, gradient) => {
      gradient.fill(0);
      let f = 0;
      for (let i = 0; i < m; i++) {
        for (let k = 0; k < m; k++) gradient[i] += K[i][k] * x[k];
        f += (x[i] * gradient[i]) / 2;
      }
      for (let p = 0; p < y.length; p++) {
        let distance = 0;
        for (let k = 0; k < m; k++) distance += Z[p][k] * x[k];
        const slack = Math.max(0, 1 - y[p] * (x[m] - distance));
        f += C * slack ** 2;
        for (let k = 0; k < m; k++) gradient[k] += 2 * C * slack * y[p] * Z[p][k];
        gradient[m] -= 2 * C * slack * y[p];
      }
      return f;
    },
    new Float64Array(m + 1),
    { lower: 0, maxIterations: 5000, tolerance: 1e-9 },
  );
  return least;
}

/**
 * Algorithm 1 of Wu et al. (2009) with the plain hinge, the sign put right and steps C / sqrt(t) in place of C / t, along the
 * unit subgradient. Returns the least value that it has seen.
 */
export function algorithm1(X: Matrix, given: Constraints, h: BregmanFunction, C: number): number {
  const { K, Z, y } = terms(X, given, h);
  const m = K.length;
  const x = new Float64Array(m + 1);
  let least = Infinity;
  for (let t = 1; t <= 10_000; t++) {
    const slope = new Float64Array(m + 1);
    let value = 0;
    for (let i = 0; i < m; i++) {
      for (let k = 0; k < m; k++) slope[i] += K[i][k] * x[k];
      value += (x[i] * slope[i]) / 2;
    }
    for (let p = 0; p < y.length; p++) {
      let distance = 0;
      for (let k = 0; k < m; k++) distance += Z[p][k] * x[k];
      const slack = 1 - y[p] * (x[m] - distance);
      if (slack <= 0) continue;
      value += C * slack;
      for (let k = 0; k < m; k++) slope[k] += C * y[p] * Z[p][k];
      slope[m] -= C * y[p];
    }
    least = Math.min(least, value);
    const size = Math.hypot(...slope);
    for (let k = 0; k <= m; k++) x[k] = Math.max(0, x[k] - slope[k] / (size * Math.sqrt(t)));
  }
  return least;
}

/** Algorithm 1 of Wu et al. (2009) to the letter: (13) to (17), steps C / t, from 0. */
export function literal1(X: Matrix, given: Constraints, h: BregmanFunction, C: number, steps: number) {
  const { K, Z, y } = terms(X, given, h, true);
  let alpha = K.map(() => 0);
  let b = 0;
  const dot = (u: readonly number[], v: readonly number[]): number =>
    u.reduce((sum, one, k) => sum + one * v[k], 0);
  for (let t = 1; t <= steps; t++) {
    const violated = y.flatMap((sign, p) => (sign * (dot(Z[p], alpha) - b) < 1 ? [p] : []));
    const slope = K.map(
      (row, k) => dot(row, alpha) - C * violated.reduce((sum, p) => sum + y[p] * Z[p][k], 0),
    );
    const slopeB = C * violated.reduce((sum, p) => sum + y[p], 0);
    alpha = alpha.map((a, k) => Math.max(0, a - (C / t) * slope[k]));
    b -= (C / t) * slopeB;
  }
  const loss = y.reduce((sum, sign, p) => sum + Math.max(0, 1 - sign * (dot(Z[p], alpha) - b)), 0);
  return {
    alpha,
    b,
    objective:
      dot(
        K.map((row) => dot(row, alpha)),
        alpha,
      ) /
        2 +
      C * loss,
  };
}
