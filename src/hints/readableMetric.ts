import { cholesky, matrix, multiply, solveTriangular, transpose, type Matrix } from "../matrix/index.ts";
import { principalComponents } from "../matrix/internal.ts";
import { clusterMeans } from "../method/internal.ts";

/** What the hints taught about the columns. */
export interface ReadableMetric {
  /** Mean share of each column in the squared distance of two rows, before and after. */
  readonly columns: readonly ColumnWeight[];
  /** Rows nearest to the centre of their own cluster under the metric, and before. */
  readonly agreement: number;
  readonly agreementBefore: number;
}

export interface ColumnWeight {
  readonly column: number;
  readonly before: number;
  readonly after: number;
}

/** A smaller loss of agreement counts as none: columns that add less are left out. */
const NOTHING = 0.002;
/** Share of a column's variance that is added to the within-cluster variance. */
const LEAST_WITHIN = 0.02;
/** Columns that are left out keep this share of their weight, to separate otherwise equal rows. */
const TIES = 0.01;
/**
 * A metric fitted to a partition, in the scaled columns. Weights of columns are 1 / s_f, s_f the variance
 * within clusters, for the columns that separate the clusters: in the order of decreasing (variance between)
 * / (variance within), as few as possible for the same accuracy.
 *
 * It also returns the maps for placing rows: by these weights, and by the inverse of the within-cluster
 * covariance in principal components.
 */
export function readableMetric(
  X: Matrix,
  labels: Int32Array,
  K: number,
): { readable: ReadableMetric; maps: Matrix[] } {
  const { rows: n, cols: d } = X;
  const means = clusterMeans(X, labels, K);
  const total = new Float64Array(d);
  const within = new Float64Array(d);
  const grand = new Float64Array(d);
  for (let p = 0; p < X.data.length; p++) grand[p % d] += X.data[p] / n;
  for (let i = 0; i < n; i++) {
    for (let f = 0; f < d; f++) {
      within[f] += (X.data[i * d + f] - means.data[labels[i] * d + f]) ** 2 / n;
      total[f] += (X.data[i * d + f] - grand[f]) ** 2 / n;
    }
  }
  // A column that is constant within clusters, for example one that only isolates a single row, must not get
  // all the weight.
  for (let f = 0; f < d; f++) within[f] = Math.min(total[f], within[f] + LEAST_WITHIN * total[f]);
  const ratio = within.map((s, f) => (total[f] - s) / Math.max(s, 1e-300));
  const order = Array.from(ratio.keys()).sort((a, b) => ratio[b] - ratio[a] || a - b);
  const weight = (f: number): number => 1 / Math.max(within[f], 1e-300);
  const diagonal = (columns: readonly number[], part: (c: number) => number = () => 1): Matrix => {
    const map = matrix(d, columns.length);
    columns.forEach((f, c) => (map.data[f * columns.length + c] = Math.sqrt(part(c) * weight(f))));
    return map;
  };
  const counts: number[] = [];
  for (let c = 1; c < d; c = Math.max(c + 1, Math.round(c * 1.25))) counts.push(c);
  counts.push(d);
  const tried = counts.map((count) => {
    const columns = order.slice(0, count);
    return { columns, agreement: centreAgreement(multiply(X, diagonal(columns)), labels, K) };
  });
  const best = Math.max(...tried.map(({ agreement }) => agreement));
  const sparse = tried.find(({ agreement }) => agreement >= best - NOTHING)!;
  const chosen = new Set(sparse.columns);
  const after = total.map((v, f) => (chosen.has(f) ? weight(f) * v : 0));
  const sum = (values: Float64Array): number => values.reduce((a, b) => a + b, 0) || 1;
  const [allBefore, allAfter] = [sum(total), sum(after)];
  const weights = diagonal(order, (c) => (c < sparse.columns.length ? 1 : TIES));
  return {
    maps: d > 1 ? [weights, fullMap(X, labels, K)] : [weights],
    readable: {
      columns: Array.from({ length: d }, (_, f) => ({
        column: f,
        before: total[f] / allBefore,
        after: after[f] / allAfter,
      })),
      agreement: sparse.agreement,
      agreementBefore: centreAgreement(X, labels, K),
    },
  };
}

/** Share of rows whose nearest centre is that of their own cluster. */
function centreAgreement(Z: Matrix, labels: Int32Array, K: number): number {
  const { rows: n, cols: d, data } = Z;
  const means = clusterMeans(Z, labels, K).data;
  let right = 0;
  for (let i = 0; i < n; i++) {
    let best = -1;
    let least = Infinity;
    for (let k = 0; k < K; k++) {
      let distance = 0;
      for (let f = 0; f < d; f++) distance += (data[i * d + f] - means[k * d + f]) ** 2;
      if (distance < least) {
        least = distance;
        best = k;
      }
    }
    if (best === labels[i]) right++;
  }
  return right / n;
}

/** V L'^-1 with S = L L' the covariance within clusters of at most 40 components, shrunk towards its mean variance. */
function fullMap(X: Matrix, labels: Int32Array, K: number): Matrix {
  const { scores, V } = principalComponents(X, 0.999, 40);
  const { rows: n, cols: r, data } = scores;
  const means = clusterMeans(scores, labels, K).data;
  const S = matrix(r, r);
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < r; a++) {
      const e = data[i * r + a] - means[labels[i] * r + a];
      for (let b = 0; b < r; b++) S.data[a * r + b] += (e * (data[i * r + b] - means[labels[i] * r + b])) / n;
    }
  }
  let trace = 0;
  for (let a = 0; a < r; a++) trace += S.data[a * r + a] / r;
  const shrink = Math.min(1, r / n);
  for (let p = 0; p < S.data.length; p++) {
    S.data[p] *= 1 - shrink;
    if (p % (r + 1) === 0) S.data[p] += (shrink + 1e-6) * trace + 1e-300;
  }
  const { L } = cholesky(S);
  // Rows z map to L^-1 z: as a map on the right, L'^-1.
  return multiply(V, transpose(solveTriangular(L, identityOf(r))));
}

function identityOf(r: number): Matrix {
  const I = matrix(r, r);
  for (let a = 0; a < r; a++) I.data[a * r + a] = 1;
  return I;
}
