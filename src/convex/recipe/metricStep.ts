import { gram, identity, symmetricEigen, type Matrix, matrix } from "../../matrix/index.ts";
import { mapped, spectral } from "../../matrix/internal.ts";
import { goldenSection } from "../../optimize/internal.ts";

/**
 * The metric half step of CCML: B for fixed U (Sui et al. 2018, (26)-(34), with (34) corrected).
 *
 *     min_B 1/2 tr(A B) + ridge/2 tr(diag(A) B)   s.t. det B >= 1, cond(B) <= condition ,     A = (X - U)'(X - U)
 *
 * Without the bound on cond(B) the minimiser is B = det(C)^(1/d) C^-1, C = A + ridge diag(A). The text prints
 * det(A) A^-1, whose determinant is det(A)^(d-1): with it the alternation flips between n clusters and 1. With the
 * bound, C's eigenvalues c_i are first clipped to [t, condition t] at the best t. A is singular whenever a direction
 * is fitted exactly, so both safeguards are needed.
 *
 * The ridge is part of the model: tr(diag(A) B) = tr(A diag(B)), so the same objective as a function of U is
 * convex clustering in the metric B + ridge diag(B), and no half step can raise it.
 */
export interface MetricStep {
  readonly B: Matrix;
  /** B + ridge diag(B): the metric of the U step. */
  readonly penalized: Matrix;
  readonly condition: number;
  /** The bound on cond(B) was reached. */
  readonly bounded: boolean;
}

export interface MetricLimits {
  readonly ridge: number;
  readonly condition: number;
}

/** Undefined when U fits X exactly: all metrics are then equally good. */
export function metricStep(X: Matrix, U: Matrix, limits: MetricLimits): MetricStep | undefined {
  const d = X.cols;
  const C = gram(mapped(X, (x, p) => x - U.data[p]));
  for (let f = 0; f < d; f++) C.data[f * d + f] *= 1 + limits.ridge;
  const { values, vectors } = symmetricEigen(C);
  if (!(values[0] > 0)) return undefined;
  const clipped = clip(values, limits.condition);
  const logScale = clipped.reduce((sum, c) => sum + Math.log(c), 0) / d;
  const B = matrix(d, d);
  for (let i = 0; i < d; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < d; k++) {
        sum += vectors.data[i * d + k] * vectors.data[j * d + k] * Math.exp(logScale - Math.log(clipped[k]));
      }
      B.data[i * d + j] = B.data[j * d + i] = sum;
    }
  }
  const condition = clipped[0] / clipped[d - 1];
  return {
    B,
    penalized: addRidge(B, limits.ridge),
    condition,
    bounded: values[d - 1] < values[0] / limits.condition,
  };
}

/**
 * B = det(A) A^-1 as the text prints it (Sui et al. 2018, (34)), without ridge or bound; `logDet` is log det B = (d - 1) log
 * det A, which is 0 only if det A = 1. Undefined where A is singular or B leaves the number range.
 */
export function printedMetric(X: Matrix, U: Matrix): (MetricStep & { readonly logDet: number }) | undefined {
  const { values, vectors } = symmetricEigen(gram(mapped(X, (x, p) => x - U.data[p])));
  const d = X.cols;
  const logDetA = values.reduce((sum, value) => sum + Math.log(value), 0);
  if (!(values[d - 1] > 1e-14 * values[0]) || Math.abs(logDetA) > 600) return undefined;
  const B = spectral(vectors, (k) => Math.exp(logDetA - Math.log(values[k])));
  const condition = values[0] / values[d - 1];
  return { B, penalized: B, condition, bounded: false, logDet: (d - 1) * logDetA };
}

/** The start: B = I, with the same ridge. */
export function firstMetric(d: number, ridge: number): Matrix {
  return addRidge(identity(d), ridge);
}

function addRidge(B: Matrix, ridge: number): Matrix {
  return mapped(B, (value, p) => (p % (B.cols + 1) === 0 ? value * (1 + ridge) : value));
}

/**
 * Descending eigenvalues clipped to [t, condition t] with the t that minimises tr(C B). In s = log t the cost
 * is unimodal (it comes from a convex problem in the eigenvalues of B).
 */
function clip(values: Float64Array, condition: number): Float64Array {
  const least = values[values.length - 1];
  if (least >= values[0] / condition) return values;
  const at = (s: number): Float64Array => {
    const low = Math.exp(s);
    return values.map((c) => Math.min(Math.max(c, low), condition * low));
  };
  /** tr(C B), B = det^(1/d) V clipped^-1 V'. */
  const cost = (s: number): number => {
    const clipped = at(s);
    const logScale = clipped.reduce((sum, c) => sum + Math.log(c), 0) / clipped.length;
    return values.reduce((sum, c, k) => sum + Math.max(0, c) * Math.exp(logScale - Math.log(clipped[k])), 0);
  };
  const high = Math.log(values[0]);
  const low = high - 2 * Math.log(condition);
  return at(goldenSection(cost, low, high, 1e-12 * Math.max(1, Math.abs(low))));
}
