import type { Random } from "../../core/index.ts";
import { meanOf, softmax } from "../../core/internal.ts";
import type { CheckedConstraints } from "../../data/index.ts";
import {
  gram,
  identity,
  multiplyTransposeB,
  multiplyTransposeVector,
  solveTriangular,
  squaredNorms,
  tryCholesky,
  type Matrix,
} from "../../matrix/index.ts";
import { centered, columnMeans, columnVariances } from "../../matrix/internal.ts";

/**
 * A Gaussian mixture under pairs (N. Shental, A. Bar-Hillel, T. Hertz and D. Weinshall, 2003, "Computing Gaussian mixture
 * models with EM using equivalence constraints"), on weighted rows. A must-link group chooses its component once,
 *
 *     q_g(k)  ~  pi_k prod_{i in g} N(x_i; mu_k, S_k) exp(-sum_{g' cannot-linked} q_g'(k) cost)
 *
 * the last factor being a mean field instead of the exact sum over a graph of cannot-links, which is
 * exponential. All components share the ridge that keeps their covariances positive definite.
 */
export type ConstrainedMixture = ReturnType<typeof mixture>;

export interface Component {
  readonly share: number;
  readonly mean: Float64Array;
  /** Inverse of the Cholesky factor of the covariance, row by row. */
  readonly whitener: Matrix;
  readonly logDeterminant: number;
}

/** Strength of a cannot-link between its groups, in units of log probability. */
const COST = 4;

export function constrainedMixture(
  rows: Matrix,
  weights: Float64Array,
  constraints: CheckedConstraints,
  components: number,
  iterations: number,
  stream: Random,
): ConstrainedMixture {
  const { group, groups, cannotLink } = constraints;
  const K = components;
  const q = new Float64Array(groups * K);
  const scores = new Float64Array(groups * K);
  // Relative to the means of the columns: far from the origin the differences within a component would be
  // lost in its mean.
  const center = columnMeans(rows);
  const X = centered(rows, center);
  const ridge = 0.05 * (meanOf(columnVariances(X)) || 1);
  let model = initial(X, weights, K, ridge, stream);
  for (let t = 0; t < iterations; t++) {
    const logs = logDensities(X, model);
    scores.fill(0);
    for (let i = 0; i < X.rows; i++) {
      for (let k = 0; k < K; k++) scores[group[i] * K + k] += logs[i * K + k];
    }
    // The prior counts once for a group.
    for (let g = 0; g < groups; g++) {
      for (let k = 0; k < K; k++) scores[g * K + k] += Math.log(model[k].share);
    }
    softmax(scores, K, q);
    for (let sweep = 0; sweep < 3; sweep++) {
      const pushed = scores.slice();
      for (const [i, j] of cannotLink) {
        for (let k = 0; k < K; k++) {
          pushed[group[i] * K + k] -= COST * q[group[j] * K + k];
          pushed[group[j] * K + k] -= COST * q[group[i] * K + k];
        }
      }
      softmax(pushed, K, q);
    }
    model = maximise(X, weights, group, q, K, ridge);
  }
  return mixture(
    model.map((component) => ({ ...component, mean: component.mean.map((value, f) => value + center[f]) })),
  );
}

export function mixture(components: readonly Component[]) {
  const K = components.length;
  return {
    components,
    /** The most probable component of each row of Y and its probability. */
    classify(Y: Matrix) {
      const logs = logDensities(Y, components);
      const component = new Int32Array(Y.rows);
      const confidence = new Float64Array(Y.rows);
      const posterior = new Float64Array(K);
      for (let i = 0; i < Y.rows; i++) {
        const own = logs.subarray(i * K, (i + 1) * K).map((log, k) => log + Math.log(components[k].share));
        softmax(own, K, posterior);
        for (let k = 1; k < K; k++) if (posterior[k] > posterior[component[i]]) component[i] = k;
        confidence[i] = posterior[component[i]];
      }
      return { component, confidence };
    },
  };
}

/** Random rows as means, one covariance for all. */
function initial(X: Matrix, weights: Float64Array, K: number, ridge: number, stream: Random): Component[] {
  const n = X.rows;
  const everything = new Float64Array(n * K).fill(1 / K);
  const rows = new Int32Array(n).map((_, i) => i);
  const pooled = maximise(X, weights, rows, everything, K, ridge);
  const chosen = stream.sample(K, n);
  return pooled.map((component, k) => ({
    ...component,
    mean: X.data.slice(chosen[k] * X.cols, (chosen[k] + 1) * X.cols),
  }));
}

function maximise(
  X: Matrix,
  weights: Float64Array,
  group: Int32Array,
  q: Float64Array,
  K: number,
  ridge: number,
): Component[] {
  const d = X.cols;
  const fitted = Array.from({ length: K }, (_, k) => {
    const own = weights.map((weight, i) => weight * q[group[i] * K + k]);
    const mass = own.reduce((sum, weight) => sum + weight, 1e-9);
    const mean = multiplyTransposeVector(X, own).map((sum) => sum / mass);
    const C = centered(X, mean);
    for (let i = 0, p = 0; i < X.rows; i++) {
      const root = Math.sqrt(own[i] / mass);
      for (let f = 0; f < d; f++, p++) C.data[p] *= root;
    }
    const S = gram(C);
    for (let f = 0; f < d; f++) S.data[f * (d + 1)] += ridge;
    const { L, logDeterminant } = tryCholesky(S)!;
    return { share: mass, mean, whitener: solveTriangular(L, identity(d)), logDeterminant };
  });
  const total = fitted.reduce((sum, { share }) => sum + share, 0);
  return fitted.map((component) => ({ ...component, share: component.share / total }));
}

/** log N(x_i; mu_k, S_k) without the constant. */
function logDensities(X: Matrix, model: readonly Component[]): Float64Array {
  const K = model.length;
  const logs = new Float64Array(X.rows * K);
  model.forEach(({ mean, whitener, logDeterminant }, k) => {
    const squares = squaredNorms(multiplyTransposeB(centered(X, mean), whitener));
    for (let i = 0; i < X.rows; i++) logs[i * K + k] = -(squares[i] + logDeterminant) / 2;
  });
  return logs;
}
