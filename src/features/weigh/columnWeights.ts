/**
 * Weights without labels: a part is weighted by its relation to the others. With the dependence of
 * dependence.ts,
 *
 *     S_ij = 1 - exp(-2 (max(E_ij, 0) + I_ij / 10))   where significant, else 0,
 *     w = sqrt(v / max v),   S v = lambda v,   lambda the largest eigenvalue,
 *
 * so parts related to other well-related parts have the largest weight. Significant: a test of independence
 * at .01 divided by the number of tests, two for each pair. Parts with many features (vectors, texts) can also be related to
 * themselves.
 */
import type { Dependence } from "./dependence.ts";
import { normalQuantile } from "../encode/quantile.ts";

const LEVEL = 0.01;
const FORGOTTEN = 0.001;

export interface Weights {
  readonly weights: Float64Array;
  /** For each part its related parts, the strongest first. */
  readonly tells: readonly (readonly number[])[];
  /** Whether any part is related to another; if none is, all have the same weight. */
  readonly found: boolean;
}

/** `own`: S_ii of parts with many features. `out`: parts with weight 0. */
export function columnWeights(
  { size, information, excess, score }: Dependence,
  own: ReadonlyMap<number, number>,
  out: ReadonlySet<number>,
): Weights {
  const bar = significance(size);
  const S = new Float64Array(size * size);
  const tells: number[][] = Array.from({ length: size }, () => []);
  let found = 0;
  for (let i = 0; i < size; i++) {
    if (out.has(i)) continue;
    for (let j = 0; j < size; j++) {
      const p = i * size + j;
      if (i === j || out.has(j) || !(score[p] > bar)) continue;
      S[p] = strength(information[p], excess[p]);
      if (S[p] > 0) tells[i].push(j);
    }
    tells[i].sort((a, b) => S[i * size + b] - S[i * size + a]);
    const self = own.get(i) ?? 0;
    S[i * size + i] = self;
    if (tells[i].length > 0 || self > 0) found++;
  }
  if (found === 0) return { weights: new Float64Array(size), tells, found: false };
  const v = perron(S, size);
  const most = v.reduce((a, b) => Math.max(a, b), 0);
  const weights = v.map((value, i) => {
    const share = value / most;
    const counts = tells[i].length > 0 || (own.get(i) ?? 0) > 0;
    return share > FORGOTTEN && counts ? Math.sqrt(share) : 0;
  });
  return { weights, tells, found: true };
}

/** The normal score that a pair of `size` parts must exceed. */
export function significance(size: number): number {
  return -normalQuantile(LEVEL / Math.max(1, size * (size - 1)));
}

export function strength(information: number, excess: number): number {
  return -Math.expm1(-2 * (Math.max(0, excess) + 0.1 * Math.max(0, information)));
}

/** The eigenvector of the largest eigenvalue of a symmetric matrix of numbers at least 0, by its powers. */
function perron(S: Float64Array, n: number): Float64Array {
  let v = new Float64Array(n).fill(1);
  for (let iteration = 0; iteration < 2000; iteration++) {
    const next = new Float64Array(n);
    let norm = 0;
    for (let i = 0; i < n; i++) {
      // Half of the identity prevents oscillation on bipartite graphs.
      let sum = 0.5 * v[i];
      for (let j = 0; j < n; j++) sum += S[i * n + j] * v[j];
      next[i] = sum;
      norm = Math.max(norm, sum);
    }
    let change = 0;
    for (let i = 0; i < n; i++) {
      next[i] /= norm;
      change = Math.max(change, Math.abs(next[i] - v[i]));
    }
    v = next;
    if (change < 1e-12) break;
  }
  return v;
}
