import {
  matrix,
  multiply,
  multiplyTransposeA,
  svd,
  symmetricEigen,
  transpose,
  type Matrix,
} from "../../matrix/index.ts";
import { kindOf, type CovarianceModel } from "./covarianceModels.ts";
import type { Covariances } from "./gaussianCovariance.ts";

/** Steps of the models without a closed form. Each lowers the objective, so EM needs few: of the axes, which are dear, fewer. */
const STEPS = 30;
const TURNS = 4;

/**
 * The covariances of the model that minimise sum_k n_k (log |S_k| + tr S_k^-1 C_k), C_k being those without constraints (section
 * 4; for EVE and VVE the minorisation of R. P. Browne and P. D. McNicholas, 2014). `before` is where EVE and VVE start.
 */
export function constrained(
  model: CovarianceModel,
  free: Covariances,
  counts: Float64Array,
  before: Covariances | undefined,
): Covariances {
  const K = counts.length;
  if (kindOf(model) === "diagonal") {
    const d = free[0].cols;
    const W = Array.from(counts, (count, k) =>
      free[0].data.slice(k * d, (k + 1) * d).map((value) => value * count),
    );
    const V = diagonalModel(model, W, counts);
    return [matrix(K, d, Float64Array.from(V.flatMap((own) => Array.from(own))))];
  }
  const W = free.map((C, k) => ({ ...C, data: C.data.map((value) => value * counts[k]) }));
  return fullModel(model, W, counts, before);
}

/** Diagonals of n_k S_k in, of S_k out; `W` are those of the scatter along fixed axes. */
function diagonalModel(model: string, W: readonly Float64Array[], counts: Float64Array): Float64Array[] {
  const d = W[0].length;
  const n = sumOf(counts);
  const pooled = W[0].map((_, f) => W.reduce((sum, own) => sum + own[f], 0));
  const [volume, shape] = model;
  if (shape === "I") return W.map(() => new Float64Array(d).fill(sumOf(pooled) / (n * d)));
  if (volume === "E" && shape === "E") return W.map(() => pooled.map((value) => value / n));
  if (volume === "V" && shape === "V") return W.map((own, k) => own.map((value) => value / counts[k]));
  if (shape === "V") {
    const lambda = sumOf(W.map(volumeOf)) / n;
    return W.map((own) => own.map((value) => (lambda * value) / volumeOf(own)));
  }
  // VE: the common shape and the volumes in turn.
  let lambdas = W.map((own, k) => sumOf(own) / (d * counts[k]));
  let A = pooled;
  for (let step = 0; step < STEPS; step++) {
    A = pooled.map((_, f) => W.reduce((sum, own, k) => sum + own[f] / lambdas[k], 0));
    const volumeOfA = volumeOf(A);
    A = A.map((value) => value / volumeOfA);
    const next = W.map((own, k) => own.reduce((sum, value, f) => sum + value / A[f], 0) / (d * counts[k]));
    const change = next.reduce((most, value, k) => Math.max(most, Math.abs(value / lambdas[k] - 1)), 0);
    lambdas = next;
    if (change < 1e-12) break;
  }
  return lambdas.map((lambda) => A.map((value) => lambda * value));
}

function fullModel(
  model: CovarianceModel,
  W: readonly Matrix[],
  counts: Float64Array,
  before: Covariances | undefined,
): Covariances {
  const d = W[0].rows;
  const n = sumOf(counts);
  const [volume, shape, orientation] = model;
  if (orientation === "V" && shape === "V") {
    // EVV
    const volumes = W.map((own) => volumeOf(symmetricEigen(own).values));
    const lambda = sumOf(volumes) / n;
    return W.map((own, k) => scaledBy(own, lambda / volumes[k]));
  }
  if (orientation === "V") {
    // EEV and VEV: each its own axes, along which the model is diagonal.
    const axes = W.map((own) => symmetricEigen(own));
    const V = diagonalModel(
      `${volume}EI`,
      axes.map(({ values }) => Float64Array.from(values)),
      counts,
    );
    return axes.map(({ vectors }, k) => along(vectors, V[k]));
  }
  if (shape === "E") {
    // VEE: the common shape and orientation, and the volumes in turn.
    let lambdas = W.map((own, k) => traceOf(own) / (d * counts[k]));
    let C = W[0];
    for (let step = 0; step < STEPS; step++) {
      C = added(W.map((own, k) => scaledBy(own, 1 / lambdas[k])));
      const { values, vectors } = symmetricEigen(C);
      const size = volumeOf(values);
      C = scaledBy(C, 1 / size);
      const inverse = along(
        vectors,
        values.map((value) => size / value),
      );
      const next = W.map((own, k) => productTrace(own, inverse) / (d * counts[k]));
      const change = next.reduce((most, value, k) => Math.max(most, Math.abs(value / lambdas[k] - 1)), 0);
      lambdas = next;
      if (change < 1e-12) break;
    }
    return lambdas.map((lambda) => scaledBy(C, lambda));
  }
  // EVE and VVE: common axes, D, and the diagonals along them in turn.
  let D = symmetricEigen(added(before ?? W)).vectors;
  const tops = W.map((own) => symmetricEigen(own).values[0]);
  let V = diagonals();
  for (let step = 0; step < TURNS; step++) {
    const F = matrix(d, d);
    W.forEach((own, k) => {
      const turned = multiplyTransposeA(D, own);
      for (let a = 0; a < d; a++) {
        for (let b = 0; b < d; b++)
          F.data[a * d + b] += (turned.data[a * d + b] - tops[k] * D.data[b * d + a]) / V[k][a];
      }
    });
    const { U, V: right } = svd(F);
    // F = D' (W - top): it is minus a product of axes, so the best new ones are minus those of the polar factor.
    const next = multiply(right, transpose(U));
    D = { ...next, data: next.data.map((value) => -value) };
    V = diagonals();
  }
  return V.map((own) => along(D, own));

  function diagonals(): Float64Array[] {
    const turned = W.map((own) => {
      const product = multiply(own, D);
      return Float64Array.from({ length: d }, (_, f) => {
        let sum = 0;
        for (let a = 0; a < d; a++) sum += D.data[a * d + f] * product.data[a * d + f];
        return sum;
      });
    });
    return diagonalModel(`${volume}VI`, turned, counts);
  }
}

const sumOf = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((sum, value) => sum + value, 0);

/** |diag(values)|^(1 / d) */
function volumeOf(values: Float64Array): number {
  return Math.exp(sumOf(values.map(Math.log)) / values.length);
}

function scaledBy(A: Matrix, factor: number): Matrix {
  return { ...A, data: A.data.map((value) => value * factor) };
}

function added(all: readonly Matrix[]): Matrix {
  const sum = matrix(all[0].rows, all[0].cols);
  for (const { data } of all) data.forEach((value, p) => (sum.data[p] += value));
  return sum;
}

function traceOf({ rows: d, data }: Matrix): number {
  let sum = 0;
  for (let f = 0; f < d; f++) sum += data[f * (d + 1)];
  return sum;
}

function productTrace(A: Matrix, B: Matrix): number {
  return A.data.reduce((sum, value, p) => sum + value * B.data[p], 0);
}

/** V diag(values) V' */
function along(V: Matrix, values: Float64Array): Matrix {
  const d = V.rows;
  const S = matrix(d, d);
  for (let a = 0; a < d; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = 0;
      for (let f = 0; f < d; f++) sum += V.data[a * d + f] * values[f] * V.data[b * d + f];
      S.data[a * d + b] = S.data[b * d + a] = sum;
    }
  }
  return S;
}
