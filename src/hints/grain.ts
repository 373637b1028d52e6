import { matrix, type Matrix } from "../matrix/index.ts";

/**
 * What a column cannot tell: values that stand for an interval of width h, such as levels, grades and counts, have an
 * error of variance h^2 / 12 (W. F. Sheppard, 1898). h is the median over the rows of the distance to the nearest other
 * value, nearly 0 for measurements. Without it clusters that are the levels of a column have no spread in it, and every
 * volume is least there.
 */
export function grain({ rows: n, cols: d, data }: Matrix): Float64Array {
  const values = new Float64Array(n);
  const gaps = new Float64Array(n);
  return Float64Array.from({ length: d }, (_, f) => {
    for (let i = 0; i < n; i++) values[i] = data[i * d + f];
    values.sort();
    let below = Infinity;
    for (let from = 0, to = 0; from < n; from = to) {
      while (to < n && values[to] === values[from]) to++;
      const above = to < n ? values[to] - values[from] : Infinity;
      gaps.fill(Math.min(below, above), from, to);
      below = above;
    }
    const h = gaps.sort()[n >> 1];
    return Number.isFinite(h) ? (h * h) / 12 : 0;
  });
}

/** Its covariance in coordinates X V. */
export function grainIn(variances: Float64Array, { rows: d, cols: r, data }: Matrix): Matrix {
  const G = matrix(r, r);
  for (let f = 0; f < d; f++) {
    for (let a = 0; a < r; a++) {
      const scaled = variances[f] * data[f * r + a];
      for (let b = 0; b < r; b++) G.data[a * r + b] += scaled * data[f * r + b];
    }
  }
  return G;
}
