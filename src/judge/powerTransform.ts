/**
 * The power transform of Yeo and Johnson (2000), which makes a skewed number nearly normal,
 *
 *     psi(t) = ((t + 1)^a - 1) / a            for t >= 0   (ln(t + 1) at a = 0),
 *     psi(t) = -((1 - t)^(2 - a) - 1) / (2 - a)   for t < 0   (-ln(1 - t) at a = 2),
 *
 * with the a that maximises the likelihood of a normal distribution,
 *
 *     -n/2 ln var(psi(t)) + (a - 1) sum_i sign(t_i) ln(|t_i| + 1).
 */

import { goldenSection } from "../optimize/internal.ts";

/** psi at power a. */
export function power(t: number, a: number): number {
  if (t >= 0) return a === 0 ? Math.log1p(t) : Math.expm1(a * Math.log1p(t)) / a;
  return a === 2 ? -Math.log1p(-t) : -Math.expm1((2 - a) * Math.log1p(-t)) / (2 - a);
}

/** The likeliest power of sorted values in standard units, from at most QUANTILES of them at even distances. */
export function likeliestPower(sorted: Float64Array): number {
  const n = Math.min(sorted.length, QUANTILES);
  const t = Float64Array.from({ length: n }, (_, i) => sorted[Math.floor(((i + 0.5) * sorted.length) / n)]);
  const stretch = t.reduce((sum, x) => sum + Math.sign(x) * Math.log1p(Math.abs(x)), 0);
  const loss = (a: number): number => {
    let mean = 0;
    let squares = 0;
    for (let i = 0; i < n; i++) {
      const y = power(t[i], a);
      const from = y - mean;
      mean += from / (i + 1);
      squares += from * (y - mean);
    }
    return (n / 2) * Math.log(squares / n) - (a - 1) * stretch;
  };
  return goldenSection(loss, ...POWERS, 1e-3);
}

/** Enough that the power hardly depends on the rows that are drawn. */
const QUANTILES = 512;
/** Beyond these, a few far values decide the power. */
const POWERS = [-3, 5] as const;
