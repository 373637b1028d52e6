/** The two alternations of Sui (2018, chapter 4) to the letter, for `variant: "printed"`: plain code, and the ADMM for the U step. */
import type { Edges } from "../../src/graph/index.ts";
import { components } from "../../src/graph/index.ts";
import { admm } from "../../src/convex/index.ts";
import { matrix, pseudoInverse, symmetricEigen, type Matrix } from "../../src/matrix/index.ts";

const at = (M: Matrix, i: number, f: number): number => M.data[i * M.cols + f];
const sizeOf = (v: readonly number[]): number => Math.hypot(...v);

function solved(X: Matrix, graph: Edges, gamma: number, metric: Float64Array | Matrix) {
  const { U, fused } = admm({ X, graph, norm: 1, metric }, { gamma, tolerance: 1e-10, split: "complete" });
  return { U, labels: components(graph, fused).labels };
}

/** P(U) of Q'x in the metric Sigma. */
function objective(P: Matrix, U: Matrix, sigma: ArrayLike<number>, graph: Edges, gamma: number): number {
  let sum = 0;
  for (let p = 0; p < P.data.length; p++) sum += 0.5 * sigma[p % P.cols] * (P.data[p] - U.data[p]) ** 2;
  graph.weights.forEach((weight, e) => {
    for (let k = 0; k < P.cols; k++)
      sum += gamma * weight * Math.abs(at(U, graph.from[e], k) - at(U, graph.to[e], k));
  });
  return sum;
}

/**
 * (4.45): Q by LDA on the 75 % of each cluster nearest its mean, Sigma by (4.47) from the U before, U by (4.38). The signs of Q,
 * which the text leaves open but Sigma depends on, are those of `signs`.
 */
export function literalCcscml(
  X: Matrix,
  graph: Edges,
  start: Int32Array,
  gamma: number,
  signs: readonly Matrix[],
) {
  let labels = start;
  let U: Matrix | undefined;
  const s = signs[0].cols;
  return signs.map((like) => {
    const Q = fisher(X, labels, s).map((q, k) => {
      const along = q.reduce((sum, value, f) => sum + value * at(like, f, k), 0);
      return q.map((value) => Math.sign(along) * value);
    });
    const P = matrix(X.rows, s);
    for (let i = 0; i < X.rows; i++)
      for (let k = 0; k < s; k++) for (let f = 0; f < X.cols; f++) P.data[i * s + k] += at(X, i, f) * Q[k][f];
    const centers = U ?? means(P, labels);
    const A = Array.from({ length: s }, (_, k) => {
      let sum = 0;
      for (let i = 0; i < X.rows; i++) sum += 0.5 * (at(P, i, k) - at(centers, i, k)) ** 2;
      return sum;
    });
    const product = A.reduce((a, b) => a * b, 1) ** (1 / s);
    const sigma = Float64Array.from(A, (a) => product / a);
    const before = objective(P, centers, sigma, graph, gamma);
    const next = solved(P, graph, gamma, sigma);
    ({ U, labels } = next);
    return { sigma, before, after: objective(P, next.U, sigma, graph, gamma), labels };
  });
}

/** Each row's cluster mean. */
function means(P: Matrix, labels: Int32Array): Matrix {
  const M = matrix(P.rows, P.cols);
  for (let i = 0; i < P.rows; i++) {
    const own = Array.from(labels.keys()).filter((j) => labels[j] === labels[i]);
    for (let k = 0; k < P.cols; k++)
      M.data[i * P.cols + k] = own.reduce((sum, j) => sum + at(P, j, k), 0) / own.length;
  }
  return M;
}

/** The s leading eigenvectors of S_W^-1 S_B, by S_W^(-1/2) S_B S_W^(-1/2), made orthonormal one after the other. */
function fisher(X: Matrix, labels: Int32Array, s: number): number[][] {
  const d = X.cols;
  const K = Math.max(...labels) + 1;
  const whole = means(X, labels);
  const far = (i: number): number =>
    sizeOf(Array.from({ length: d }, (_, f) => at(X, i, f) - at(whole, i, f)));
  const core = Array.from({ length: K }, (_, c) => {
    const own = Array.from(labels.keys()).filter((i) => labels[i] === c);
    return own
      .toSorted((a, b) => far(a) - far(b) || a - b)
      .slice(0, Math.max(1, Math.ceil(0.75 * own.length)));
  });
  const mean = (rows: readonly number[]): number[] =>
    Array.from({ length: d }, (_, f) => rows.reduce((sum, i) => sum + at(X, i, f), 0) / rows.length);
  const [W, B] = [matrix(d, d), matrix(d, d)];
  const all = mean(core.flat());
  for (const rows of core) {
    const own = mean(rows);
    for (let f = 0; f < d; f++) {
      for (let g = 0; g < d; g++) {
        B.data[f * d + g] += (own[f] - all[f]) * (own[g] - all[g]);
        for (const i of rows) W.data[f * d + g] += (at(X, i, f) - own[f]) * (at(X, i, g) - own[g]);
      }
    }
  }
  const { values, vectors } = symmetricEigen(W);
  const root = (f: number, g: number): number =>
    values.reduce((sum, value, k) => sum + (at(vectors, f, k) * at(vectors, g, k)) / Math.sqrt(value), 0);
  const R = Array.from({ length: d }, (_, f) => Array.from({ length: d }, (_, g) => root(f, g)));
  const M = matrix(d, d);
  for (let f = 0; f < d; f++)
    for (let g = 0; g < d; g++)
      for (let a = 0; a < d; a++)
        for (let b = 0; b < d; b++) M.data[f * d + g] += R[f][a] * at(B, a, b) * R[b][g];
  const leading = symmetricEigen(M).vectors;
  const basis: number[][] = [];
  for (let k = 0; k < s; k++) {
    let q = R.map((row) => row.reduce((sum, value, a) => sum + value * at(leading, a, k), 0));
    for (const known of basis) {
      const along = q.reduce((sum, value, f) => sum + value * known[f], 0);
      q = q.map((value, f) => value - along * known[f]);
    }
    basis.push(q.map((value) => value / sizeOf(q)));
  }
  return basis;
}

/** The alternation of (4.8) with B = det(A) A^-1 (4.34), at one gamma. */
export function literalCcml(X: Matrix, graph: Edges, gamma: number, rounds: number) {
  const d = X.cols;
  let { U, labels } = solved(X, graph, gamma, new Float64Array(d).fill(1));
  const counts = [Math.max(...labels) + 1];
  const logDets: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const A = matrix(d, d);
    for (let i = 0; i < X.rows; i++)
      for (let f = 0; f < d; f++)
        for (let g = 0; g < d; g++)
          A.data[f * d + g] += (at(X, i, f) - at(U, i, f)) * (at(X, i, g) - at(U, i, g));
    const det = symmetricEigen(A).values.reduce((product, value) => product * value, 1);
    const B = pseudoInverse(A).inverse;
    for (let p = 0; p < d * d; p++) B.data[p] *= det;
    logDets.push((d - 1) * Math.log(det));
    ({ U, labels } = solved(X, graph, gamma, B));
    counts.push(Math.max(...labels) + 1);
  }
  return { counts, logDets };
}
