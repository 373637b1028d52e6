import { gram, matrix, topEigen } from "../../matrix/index.ts";

/**
 * Whether columns are related jointly but not in pairs: clusters in a hundred columns may shift each of them
 * too little for a test of pairs. The largest eigenvalue of the correlations of n rows of p independent
 * columns is (Johnstone 2001)
 *
 *     lambda = mu + sigma W,   mu = (sqrt(n - 1) + sqrt p)^2 / n,
 *     sigma = (sqrt(n - 1) + sqrt p) (1 / sqrt(n - 1) + 1 / sqrt p)^(1/3) / n,
 *
 * W the distribution of Tracy and Widom, above 3 once in a thousand times.
 */
export function tellTogether(columns: readonly Float64Array[]): boolean {
  const p = columns.length;
  const n = columns[0]?.length ?? 0;
  if (p < 2 || n < 3) return false;
  const Z = matrix(n, p);
  columns.forEach((column, f) => {
    let mean = 0;
    let squares = 0;
    column.forEach((value, i) => {
      const from = value - mean;
      mean += from / (i + 1);
      squares += from * (value - mean);
    });
    const deviation = Math.sqrt(squares);
    for (let i = 0; i < n; i++) Z.data[i * p + f] = deviation > 0 ? (column[i] - mean) / deviation : 0;
  });
  const [largest] = topEigen(gram(Z), 1, { tolerance: 1e-4 }).values;
  const [a, b] = [Math.sqrt(n - 1), Math.sqrt(p)];
  return largest > ((a + b) ** 2 + RARE * (a + b) * Math.cbrt(1 / a + 1 / b)) / n;
}

const RARE = 3;
