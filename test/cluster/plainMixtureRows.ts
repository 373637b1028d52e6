import { inCovarianceShape, type CovarianceKind } from "../../src/cluster/mixture/gaussianCovariance.ts";
import type { Density, MixtureRows } from "../../src/cluster/mixture/mixtureRows.ts";
import { matrix, takeColumns, type Matrix } from "../../src/matrix/index.ts";

/** The sums of EM, with the symbols of mixtureRows.ts, as they are written: the oracle of the kernel. */
export function plainMixtureRows(X: Matrix, kind: CovarianceKind, R: Float64Array): MixtureRows {
  const { rows: n, cols: d } = X;
  let shares = R;
  const rows: MixtureRows = {
    weigh() {
      const K = shares.length / n;
      const counts = new Float64Array(K);
      const sums = new Float64Array(K * d);
      shares.forEach((r, p) => {
        const [i, k] = [Math.floor(p / K), p % K];
        counts[k] += r;
        for (let f = 0; f < d; f++) sums[k * d + f] += r * X.data[i * d + f];
      });
      return { counts, sums };
    },
    scatter(means) {
      const K = shares.length / n;
      const S = Array.from({ length: K }, () => matrix(d, d));
      shares.forEach((r, p) => {
        const [i, k] = [Math.floor(p / K), p % K];
        const z = Array.from({ length: d }, (_, f) => X.data[i * d + f] - means[k * d + f]);
        z.forEach((a, f) => z.forEach((b, g) => (S[k].data[f * d + g] += r * a * b)));
      });
      if (kind === "full") return S;
      if (kind === "tied")
        return [
          matrix(
            d,
            d,
            S[0].data.map((_, p) => S.reduce((sum, { data }) => sum + data[p], 0)),
          ),
        ];
      const squares = S.flatMap(({ data }) => Array.from({ length: d }, (_, f) => data[f * (d + 1)]));
      return inCovarianceShape(kind, matrix(K, d, Float64Array.from(squares)));
    },
    expect(density, logs) {
      const K = shares.length / n;
      let logLikelihood = 0;
      for (let i = 0; i < n; i++) {
        const q = Array.from(
          { length: K },
          (_, k) => density.constants[k] - squaredLength(X, i, k, density, kind) / 2,
        );
        const most = Math.max(...q);
        const log = most + Math.log(q.reduce((sum, value) => sum + Math.exp(value - most), 0));
        q.forEach((value, k) => (shares[i * K + k] = Math.exp(value - log)));
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

/** |W_k (x_i - mu_k)|^2 with W_k lower triangular, or sum_f w_kf (x_if - mu_kf)^2. */
function squaredLength(
  X: Matrix,
  i: number,
  k: number,
  { means, whiteners }: Density,
  kind: CovarianceKind,
): number {
  const d = X.cols;
  const z = Array.from({ length: d }, (_, f) => X.data[i * d + f] - means[k * d + f]);
  if (kind === "diagonal" || kind === "spherical") {
    return z.reduce((sum, value, f) => sum + whiteners[0].data[k * d + f] * value * value, 0);
  }
  const W = whiteners[k % whiteners.length].data;
  return z.reduce(
    (sum, _, a) => sum + z.slice(0, a + 1).reduce((dot, v, b) => dot + W[a * d + b] * v, 0) ** 2,
    0,
  );
}
