import { inputError } from "../core/internal.ts";
import { neighborGraph } from "../graph/index.ts";
import {
  cholesky,
  identity,
  multiply,
  multiplyTransposeA,
  multiplyTransposeB,
  topEigen,
  type Matrix,
  type Operator,
} from "../matrix/index.ts";
import { centered, columnMeans, mapped, scaledColumns } from "../matrix/internal.ts";
import { principalAxes } from "./principalAxes.ts";

/**
 * FME with W and b eliminated: tr(F'AF) with A = L + mu gamma (H - N), N = Xc (Xc'Xc + I / gamma)^-1 Xc', H centring.
 * Centring belongs in both terms; then A1 = 0, and A is positive definite on everything else, for any graph.
 */
export type FmeProblem = ReturnType<typeof fmeProblem>;

/** Up to this many rows A is factored, and its smallest eigenvalues come from its inverse. */
const DENSE_ROWS = 2000;
/**
 * Added to A before inversion; the graph's eigenvalues are of order 1, so small ones stay separate and the
 * inverse is bounded.
 */
const SHIFT = 0.01;
/** Beyond this many rows the linear system of the labels does not fit. */
const MANY_ROWS = 8000;

export function fmeProblem(
  X: Matrix,
  { neighbors, mu, gamma }: { readonly neighbors: number; readonly mu: number; readonly gamma: number },
) {
  const n = X.rows;
  const { graph, components, warnings } = neighborGraph(X, { neighbors, kind: "union" });
  const degrees = new Float64Array(n);
  for (let e = 0; e < graph.weights.length; e++) {
    degrees[graph.from[e]] += graph.weights[e];
    degrees[graph.to[e]] += graph.weights[e];
  }
  const meanDegree = degrees.reduce((sum, degree) => sum + degree / n, 0);
  if (meanDegree === 0) throw inputError("fme: no two rows are neighbours");
  const mean = columnMeans(X);
  const { Z, solveRidge, Xc } = ridge(X, mean, gamma);
  const strength = mu * gamma;

  /** y = A x. */
  const apply = (x: Float64Array, y: Float64Array): void => {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += x[i] / n;
    for (let i = 0; i < n; i++) y[i] = (degrees[i] / meanDegree) * x[i] + strength * (x[i] - sum);
    const { from, to, weights } = graph;
    for (let e = 0; e < weights.length; e++) {
      const w = weights[e] / meanDegree;
      y[from[e]] -= w * x[to[e]];
      y[to[e]] -= w * x[from[e]];
    }
    const z = new Float64Array(Z.cols);
    for (let i = 0, p = 0; i < n; i++) for (let r = 0; r < Z.cols; r++, p++) z[r] += Z.data[p] * x[i];
    for (let i = 0, p = 0; i < n; i++) {
      let along = 0;
      for (let r = 0; r < Z.cols; r++, p++) along += Z.data[p] * z[r];
      y[i] -= strength * along;
    }
  };
  /** A + shift 11'. */
  const dense = (shift: number): Matrix => {
    const A = multiplyTransposeB(Z, Z);
    for (let p = 0; p < A.data.length; p++) A.data[p] = shift - strength * (A.data[p] + 1 / n);
    for (let i = 0; i < n; i++) A.data[i * n + i] += degrees[i] / meanDegree + strength;
    for (let e = 0; e < graph.weights.length; e++) {
      const [i, j, w] = [graph.from[e], graph.to[e], graph.weights[e] / meanDegree];
      A.data[i * n + j] -= w;
      A.data[j * n + i] -= w;
    }
    return A;
  };
  const largestDegree = degrees.reduce((most, degree) => Math.max(most, degree / meanDegree), 0);
  const bound = 2 * largestDegree + strength;

  return {
    warnings:
      components > 1
        ? [...warnings, `the graph of neighbours has ${components} parts; the affine term joins them`]
        : warnings,
    /** The eigenvectors of A with the smallest eigenvalues, without the constant one. */
    smoothest(dims: number, seed: number) {
      // The constant vector is moved to the other end of the spectrum.
      const { vectors, converged, iterations } =
        n <= DENSE_ROWS
          ? topEigen(inverse(dense(bound / n), SHIFT), dims, { seed })
          : topEigen(liftedOperator(n, apply, bound), dims, { which: "smallest", seed, tolerance: 1e-9 });
      return { F: vectors, ...rayleigh(vectors, apply, bound), converged, iterations };
    },
    /** (U + A)^-1 U Y, U = trust where `codes` is not negative. */
    followLabels(codes: Int32Array, Y: Matrix, trust: number) {
      if (n > MANY_ROWS) {
        throw inputError(
          `fme: labels with ${n} rows need a system of ${n} unknowns; at most ${MANY_ROWS} are possible`,
        );
      }
      const A = dense(0);
      codes.forEach((code, i) => {
        if (code >= 0) A.data[i * n + i] += trust;
      });
      const right = mapped(Y, (value) => trust * value);
      const F = cholesky(A).solve(right);
      const AF = multiply(A, F);
      let residual = 0;
      let objective = 0;
      for (let p = 0; p < F.data.length; p++) {
        residual = Math.max(residual, Math.abs(AF.data[p] - right.data[p]));
        // At the solution tr(F'AF) + |F - Y|_U^2 = tr(Y'U(Y - F)).
        objective += right.data[p] * (Y.data[p] - F.data[p]);
      }
      return { F, objective, residual: residual / (trust + bound) };
    },
    /** The affine function closest to F: (x - mean) map + offset. */
    affine(F: Matrix) {
      const map = solveRidge(multiplyTransposeA(Xc, F));
      return { map, offset: columnMeans(F), mean };
    },
  };
}

/** (A + shift I)^-1: its largest eigenvalues belong to the smallest of A, and are well separated. */
function inverse(A: Matrix, shift: number): Matrix {
  const n = A.rows;
  for (let i = 0; i < n; i++) A.data[i * n + i] += shift;
  return cholesky(A).solve(identity(n));
}

/** f'Af of each column, and the largest |Af - (f'Af) f| in units of `size`. */
function rayleigh(F: Matrix, apply: (x: Float64Array, y: Float64Array) => void, size: number) {
  const { rows: n, cols } = F;
  const values = new Float64Array(cols);
  const y = new Float64Array(n);
  let residual = 0;
  for (let r = 0; r < cols; r++) {
    const x = Float64Array.from({ length: n }, (_, i) => F.data[i * cols + r]);
    apply(x, y);
    for (let i = 0; i < n; i++) values[r] += x[i] * y[i];
    let square = 0;
    for (let i = 0; i < n; i++) square += (y[i] - values[r] * x[i]) ** 2;
    residual = Math.max(residual, Math.sqrt(square) / size);
  }
  return { values, residual };
}

/** x -> A x + shift 1 (mean of x). */
function liftedOperator(
  n: number,
  apply: (x: Float64Array, y: Float64Array) => void,
  shift: number,
): Operator {
  return {
    size: n,
    apply(x, y) {
      apply(x, y);
      let mean = 0;
      for (let i = 0; i < n; i++) mean += x[i] / n;
      for (let i = 0; i < n; i++) y[i] += shift * mean;
    },
  };
}

/** Z with ZZ' = N, and (Xc'Xc + I / gamma)^-1, gamma in units of 1 / the mean eigenvalue. */
function ridge(X: Matrix, mean: Float64Array, gamma: number) {
  const Xc = centered(X, mean);
  const { V, values, meanValue } = principalAxes(Xc);
  if (V.cols === 0) throw inputError("fme: all rows are equal, so there is nothing to separate");
  const shift = meanValue / gamma;
  const inverted = scaledColumns(V, (r) => 1 / (values[r] + shift));
  return {
    Xc,
    Z: multiply(
      Xc,
      scaledColumns(V, (r) => 1 / Math.sqrt(values[r] + shift)),
    ),
    // Xc'F lies in the span of V, so the orthogonal part needs no solve.
    solveRidge: (B: Matrix) => multiply(inverted, multiplyTransposeA(V, B)),
  };
}
