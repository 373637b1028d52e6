import { gram, isSparse, transpose, type Matrix, type Sparse } from "../../matrix/index.ts";
import { centered, mapped, symmetricEigenvalues } from "../../matrix/internal.ts";
import type { LloydRun } from "./lloyd.ts";
import type { Points } from "./points.ts";

/** The proof about a partition found by k-means. */
export interface KmeansCertificate {
  /**
   * `local optimum`: each centre is the mean of its cluster, and no row has a nearer centre. `global
   * optimum`: in addition, the objective meets the lower bound. `none`: the run ended before a local optimum.
   */
  readonly kind: "global optimum" | "local optimum" | "none";
  /** Rows with a centre nearer than their own by more than rounding (1e-12 of the squared distance). */
  readonly reassigned: number;
  /** E, recomputed from labels and centres. */
  readonly objective: number;
  /**
   * No partition into as many clusters has a smaller E. Absent for sparse or wide data, where it would cost more than
   * the clustering.
   */
  readonly lowerBound?: number;
}

export function certify(
  X: Matrix | Sparse,
  points: Points,
  weights: Float64Array | undefined,
  run: LloydRun,
  scale: number,
): KmeansCertificate {
  const { labels, centers } = run;
  const K = centers.length / points.cols;
  const sum = points.ownDistances(centers, labels, weights);
  const objective = sum / scale / scale;
  const reassigned = countReassigned(points, centers, K, labels);
  const bound =
    isSparse(X) || Math.min(X.rows, X.cols) > WIDEST ? undefined : lowerBound(X, points, weights, K);
  const met = bound !== undefined && sum <= bound * (1 + 1e-9);
  const kind = met ? "global optimum" : reassigned === 0 ? "local optimum" : "none";
  const known = bound !== undefined && { lowerBound: Math.min(bound / scale / scale, objective) };
  return { kind, reassigned, objective, ...known };
}

/** Eigenvalues of matrices up to this size take less time than the clustering. */
const WIDEST = 256;

/** Rows that have these labels now. */
function countReassigned(points: Points, C: Float64Array, K: number, labels: Int32Array): number {
  if (points.nearest(C, K, true) === 0) return 0;
  const [own, least] = [new Float64Array(points.rows), new Float64Array(points.rows)];
  points.ownDistances(C, undefined, undefined, least);
  points.ownDistances(C, labels, undefined, own);
  let count = 0;
  for (let i = 0; i < own.length; i++) if (least[i] < own[i] * (1 - 1e-12)) count++;
  return count;
}

/**
 * H. Zha, C. Ding, M. Gu, X. He and H. Simon (2001), "Spectral relaxation for k-means clustering"; C. Ding and X. He
 * (2004): E = tr S - tr Y'SY for an orthonormal Y of K - 1 columns, S = AA' with a_i = sqrt(w_i) (x_i - mean), so
 *
 *     E >= sum of all but the K - 1 largest eigenvalues of S,
 *
 * minus a bound on their rounding. The smaller of A'A and AA' has all of them.
 */
function lowerBound(X: Matrix, points: Points, weights: Float64Array | undefined, K: number): number {
  const { rows: n, cols: d } = X;
  const scatter = n >= d ? points.scatter?.(weights) : undefined;
  const tall = (A: Matrix): Matrix => (n < d ? transpose(A) : A);
  const values = symmetricEigenvalues(scatter ?? gram(tall(deviations(X, points, weights))));
  let sum = 0;
  for (let k = values.length - 1; k >= K - 1; k--) sum += Math.max(0, values[k]);
  const rounding = 4 * values.length * Math.max(n, d) * Number.EPSILON * Math.max(0, values[0]);
  return K === 1 ? sum : Math.max(0, sum - rounding);
}

/** A: the rows sqrt(w_i) (x_i - mean). */
function deviations(X: Matrix, points: Points, weights: Float64Array | undefined): Matrix {
  const { rows, cols: d } = X;
  const mass = weights === undefined ? rows : weights.reduce((sum, weight) => sum + weight, 0);
  const mean = new Float64Array(d);
  for (let i = 0; i < rows; i++) points.add(i, (weights === undefined ? 1 : weights[i]) / mass, mean, 0);
  const A = centered(X, mean);
  if (weights === undefined) return A;
  return mapped(A, (value, p) => value * Math.sqrt(weights[Math.floor(p / d)]));
}
