import { diagonalOf, leadingColumns, squaredDistance } from "../../matrix/internal.ts";
import { optionError } from "../../core/internal.ts";
import { generalizedEigen, matrix, qr, type Matrix, row, rankOneUpdate } from "../../matrix/index.ts";
import { clusterMeans } from "../path/assignment.ts";

/**
 * Fisher's discriminant directions of a partition (Sui, dissertation, 2018, section 4.6.3), orthonormal:
 *
 *     S_B q = lambda S_W q ,   S_B = sum_k (mu_k - mu)(mu_k - mu)' ,   S_W = sum_j (x_j - mu_c(j))(x_j - mu_c(j))'
 *
 * over the rows closest to their cluster's mean (75 % of each cluster in the text). Errata: S_W^-1 S_B is not
 * symmetric, so the generalised symmetric problem is solved, with S_W + ridge diag(S_W) because S_W is
 * singular for collinear features and for d > n; its vectors are not orthogonal, so QR follows; and rank(S_B)
 * <= K - 1, so there are at most K - 1 directions: further ones would be arbitrary null vectors.
 */
export interface FisherOptions {
  readonly directions: number;
  /** Share of each cluster's rows that is used. */
  readonly fraction: number;
  readonly ridge: number;
  /** Allows up to d directions, those beyond K - 1 null vectors of S_B. */
  readonly literal?: boolean;
}

export function fisherDirections(X: Matrix, labels: Int32Array, clusters: number, options: FisherOptions) {
  const d = X.cols;
  const most = options.literal === true ? d : Math.min(clusters - 1, d);
  if (clusters < 2) throw optionError("Fisher directions need at least 2 clusters; there is only one");
  if (options.directions > most) {
    throw optionError(
      `${options.directions} directions were asked for, but ${clusters} clusters of ${d} features have ${most}`,
    );
  }
  const core = closestRows(X, labels, clusters, options.fraction);
  const { means } = clusterMeans(X, core, clusters);
  const S = matrix(d, d);
  const center = new Float64Array(d);
  let used = 0;
  const step = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, f) => value - b[f]);
  for (let i = 0; i < X.rows; i++) {
    if (core[i] < 0) continue;
    used++;
    for (let f = 0; f < d; f++) center[f] += X.data[i * d + f];
    rankOneUpdate(S, 1, step(row(X, i), row(means, core[i])));
  }
  for (let f = 0; f < d; f++) center[f] /= used;
  regularize(S, options.ridge);
  const between = matrix(d, d);
  for (let c = 0; c < clusters; c++) rankOneUpdate(between, 1, step(row(means, c), center));
  const { values, vectors } = generalizedEigen(between, S);
  return {
    /** d x s, orthonormal columns. */
    Q: qr(leadingColumns(vectors, options.directions)).Q,
    /** The s largest lambda, descending. */
    values: values.slice(0, options.directions),
  };
}

export type Fisher = ReturnType<typeof fisherDirections>;

/** Labels with -1 for the rows farthest from their cluster's mean. */
function closestRows(X: Matrix, labels: Int32Array, clusters: number, fraction: number): Int32Array {
  const { means, sizes } = clusterMeans(X, labels, clusters);
  const distances = Float64Array.from(labels, (c, i) => squaredDistance(X, i, means, c));
  const members: number[][] = Array.from({ length: clusters }, () => []);
  labels.forEach((c, i) => members[c].push(i));
  const core = new Int32Array(X.rows).fill(-1);
  members.forEach((rows, c) => {
    rows.sort((a, b) => distances[a] - distances[b] || a - b);
    for (const i of rows.slice(0, Math.max(1, Math.ceil(fraction * sizes[c])))) core[i] = c;
  });
  return core;
}

/** S + ridge diag(S), with a floor for features that do not vary inside clusters. */
function regularize(S: Matrix, ridge: number): void {
  const d = S.rows;
  const trace = diagonalOf(S).reduce((sum, value) => sum + value, 0);
  // Clusters of identical rows: all directions separate them equally well.
  const floor = trace > 0 ? (1e-9 * trace) / d : 1;
  for (let f = 0; f < d; f++) S.data[f * d + f] = (1 + ridge) * S.data[f * d + f] + floor;
}
