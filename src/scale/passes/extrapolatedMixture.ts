/**
 * Extrapolation of EM after D. G. Anderson (1965), with the restarts of N. Henderson and R. Varadhan (Damped Anderson
 * acceleration with restarts and monotonicity control, 2019). A mixture is a vector p: logarithms of weights, means, and
 * covariances by their Cholesky factors with logarithms of the diagonal, so every vector is a mixture. With g_i = EM(p_i),
 * f_i = g_i - p_i and the last differences of both as columns of G and F,
 *
 *     p_(i+1) = g_i - G gamma,     gamma = argmin |f_i - F gamma|^2.
 *
 * Where components overlap, EM creeps, and each of its steps is a pass over all rows; this takes a fifth of the passes.
 */
import type { Mixture } from "../../cluster/internal.ts";
import { matrix, tryCholesky, type Matrix } from "../../matrix/index.ts";

/** Differences that are kept. */
const KEPT = 6;
/** Of the largest square in the equations of gamma, added to their diagonal. */
const DAMPED = 1e-8;

export interface Extrapolation {
  /** The mixture to try after a step of EM; undefined if there is none but the step itself. */
  after(from: Mixture, to: Mixture): Mixture | undefined;
  /** Forgets the steps before. */
  restart(): void;
}

export function extrapolation(): Extrapolation {
  let steps: { readonly g: Float64Array; readonly f: Float64Array }[] = [];
  return {
    after(from, to) {
      const [p, g] = [vectorOf(from), vectorOf(to)];
      if (p === undefined || g === undefined || p.length !== g.length) {
        steps = [];
        return undefined;
      }
      const f = g.map((value, j) => value - p[j]);
      steps = [...steps, { g, f }].slice(-KEPT - 1);
      if (steps.length < 2) return undefined;
      const differences = steps.slice(1).map((step, i) => ({
        g: step.g.map((value, j) => value - steps[i].g[j]),
        f: step.f.map((value, j) => value - steps[i].f[j]),
      }));
      const gamma = leastSquares(
        differences.map((difference) => difference.f),
        f,
      );
      if (gamma === undefined) return undefined;
      const next = g.slice();
      differences.forEach((difference, i) => {
        for (let j = 0; j < next.length; j++) next[j] -= gamma[i] * difference.g[j];
      });
      return next.every(Number.isFinite) ? mixtureOf(next, to) : undefined;
    },
    restart() {
      steps = [];
    },
  };
}

function leastSquares(F: readonly Float64Array[], f: Float64Array): Float64Array | undefined {
  const k = F.length;
  const A = matrix(k, k);
  const product = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
    return sum;
  };
  F.forEach((a, i) => F.forEach((b, j) => (A.data[i * k + j] = product(a, b))));
  const largest = Math.max(...F.map((_, i) => A.data[i * (k + 1)]));
  for (let i = 0; i < k; i++) A.data[i * (k + 1)] += DAMPED * largest;
  const right = F.map((column) => product(column, f));
  return tryCholesky(A)?.solve(matrix(k, 1, Float64Array.from(right))).data;
}

function vectorOf({ kind, weights, means, covariances }: Mixture): Float64Array | undefined {
  const logs = weights.map(Math.log);
  if (kind === "diagonal" || kind === "spherical") {
    return Float64Array.of(...logs, ...means, ...covariances[0].data.map(Math.log));
  }
  const factors = covariances.map((S) => tryCholesky(S)?.L);
  if (factors.includes(undefined)) return undefined;
  return Float64Array.of(...logs, ...means, ...factors.flatMap((L) => triangle(L!)));
}

function triangle({ rows: d, data }: Matrix): number[] {
  const values: number[] = [];
  for (let a = 0; a < d; a++) {
    for (let b = 0; b < a; b++) values.push(data[a * d + b]);
    values.push(Math.log(data[a * (d + 1)]));
  }
  return values;
}

function mixtureOf(vector: Float64Array, { kind, weights, means, covariances }: Mixture): Mixture {
  const K = weights.length;
  const largest = Math.max(...vector.subarray(0, K));
  const shares = vector.slice(0, K).map((value) => Math.exp(value - largest));
  const total = shares.reduce((sum, share) => sum + share, 0);
  let at = K + means.length;
  const own = covariances.map(({ rows, cols }) => {
    const S = matrix(rows, cols);
    if (kind === "diagonal" || kind === "spherical") {
      for (let p = 0; p < S.data.length; p++) S.data[p] = Math.exp(vector[at++]);
      return S;
    }
    const L = matrix(rows, rows);
    for (let a = 0; a < rows; a++) {
      for (let b = 0; b < a; b++) L.data[a * rows + b] = vector[at++];
      L.data[a * (rows + 1)] = Math.exp(vector[at++]);
    }
    for (let a = 0; a < rows; a++) {
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let c = 0; c <= b; c++) sum += L.data[a * rows + c] * L.data[b * rows + c];
        S.data[a * rows + b] = S.data[b * rows + a] = sum;
      }
    }
    return S;
  });
  return {
    kind,
    weights: shares.map((share) => share / total),
    means: vector.slice(K, K + means.length),
    covariances: own,
  };
}
