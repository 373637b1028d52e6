/**
 * The convex problem of a Bregman distance (bregman.ts) in x = (a, b) >= 0, the weights of the points and the threshold:
 *
 *     minimise f = 1/2 x'Q x + C sum_p loss(1 + r_p'x),   Q = K with a row and a column of 0,   r_p = y_p (z_p, -1)
 *
 * where loss(s) = max(0, s)^2 (bregmanSquared.ts), or max(0, s) (bregmanInterior.ts).
 */
import { matrix, takeColumns, takeRows, parallelKernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/normal.wasm.ts";
import { placed } from "../../matrix/internal.ts";

export interface BregmanSystem {
  /** Order m + 1; K with mean diagonal 1. */
  readonly Q: Matrix;
  /** Pairs x (m + 1); the mean of all z is 1. */
  readonly R: Matrix;
  readonly C: number;
}

/** When a solver ends. */
export interface Stop {
  readonly tolerance: number;
  readonly maxIterations: number;
}

export interface BregmanSolution {
  readonly weights: Float64Array;
  readonly threshold: number;
  readonly objective: number;
  /** f after each round. */
  readonly history: readonly number[];
  /** Squared hinge: the KKT residual (`kktResidual`). Hinge: the duality gap relative to max(f, 1). */
  readonly residual: number;
  readonly converged: boolean;
  readonly iterations: number;
  readonly stopped: boolean;
}

/** @param y 1 for must-links, -1 for cannot-links */
export function bregmanSystem(K: Matrix, Z: Matrix, y: Int8Array, C: number): BregmanSystem {
  const m = K.rows;
  const w = m + 1;
  const R = matrix(y.length, w);
  for (let p = 0; p < y.length; p++) {
    for (let k = 0; k < m; k++) R.data[p * w + k] = y[p] * Z.data[p * m + k];
    R.data[p * w + m] = -y[p];
  }
  const Q = matrix(w, w);
  for (let k = 0; k < m; k++) Q.data.set(K.data.subarray(k * m, (k + 1) * m), k * w);
  return { Q, R, C };
}

/** The problem with only the variables of `set`, the others being 0. */
export function restricted({ Q, R, C }: BregmanSystem, set: ArrayLike<number>): BregmanSystem {
  return { Q: takeColumns(takeRows(Q, set), set), R: takeColumns(R, set), C };
}

export type SquaredPoint = ReturnType<typeof squaredPoint>;

/** A point with the squared hinge: f, its derivatives and the margins 1 + r_p'x. */
export function squaredPoint({ Q, R, C }: BregmanSystem, x: Float64Array) {
  const w = x.length;
  const support = Int32Array.from(x.keys()).filter((k) => x[k] > 0);
  const gradient = new Float64Array(w);
  for (const k of support) for (let i = 0, q = k * w; i < w; i++, q++) gradient[i] += x[k] * Q.data[q];
  let quadratic = 0;
  for (const k of support) quadratic += x[k] * gradient[k];
  const margins = new Float64Array(R.rows);
  let loss = 0;
  for (let p = 0; p < margins.length; p++) {
    let along = 0;
    for (const k of support) along += R.data[p * w + k] * x[k];
    const slack = (margins[p] = 1 + along);
    if (slack <= 0) continue;
    loss += slack * slack;
    const pull = 2 * C * slack;
    for (let i = 0, q = p * w; i < w; i++, q++) gradient[i] += pull * R.data[q];
  }
  return { x, value: quadratic / 2 + C * loss, gradient, margins };
}

/** max_k |g_k| max(x_k, 1) / max(f, 1); at x_k = 0 only a negative g_k counts. */
export function kktResidual({ x, value, gradient }: SquaredPoint): number {
  let largest = 0;
  for (let k = 0; k < x.length; k++) {
    const r = x[k] > 0 ? Math.abs(gradient[k]) : Math.max(0, -gradient[k]);
    largest = Math.max(largest, r * Math.max(1, x[k]));
  }
  return largest / Math.max(1, value);
}

/**
 * The linear systems of an interior point: H = Q + diag(d) + R' diag(weights) R, Q symmetric n x n, R pairs x
 * n. Q and R are the same for many weights, so they, H and its Cholesky factor stay in the memory of one
 * kernel, and only the needed triangle is computed.
 */

export interface NormalEquations {
  /** Factors H with its diagonal times 1 + shift; false if it is not positive definite. */
  factor(weights: Float64Array, diagonal: Float64Array, shift: number): boolean;
  /** H^-1 b, of the last H. */
  solve(b: Float64Array): Float64Array;
  /** R x and R'l. */
  multiply(x: Float64Array): Float64Array;
  multiplyTransposed(l: Float64Array): Float64Array;
}

/** Rows of H of one task, as in kernel/normal.as.ts. */
const SPAN = 96;
/** Pairs that are packed at a time: four rows of them fit the first-level cache beside four others. */
const DEPTH = 256;
/** Columns of the factor that are made at a time. */
const BLOCK = 64;
/** n^2 pairs from which several threads are faster than one. */
const PARALLEL = 1e7;

export function withNormalEquations<T>(Q: Matrix, R: Matrix, use: (equations: NormalEquations) => T): T {
  const n = Q.rows;
  const pairs = R.rows;
  const ldc = 8 * n;
  const kernel = parallelKernel<binary.Exports>("metric/normal", binary, n * n * pairs > PARALLEL);
  const { exports } = kernel;
  return kernel.scope(() => {
    const panels = 4 * Math.ceil(n / 4);
    const at = {
      R: placed(kernel, R.data),
      H: kernel.reserve(n * ldc),
      packed: kernel.reserve(8 * panels * Math.max(BLOCK, Math.min(DEPTH, pairs))),
      roots: kernel.reserve(8 * pairs), // and other vectors of this length
      diagonal: kernel.reserve(ldc),
      x: kernel.reserve(ldc),
    };
    const tasks = (rows: number): number => Math.ceil(rows / SPAN);
    const assemble = (weights: Float64Array, diagonal: Float64Array, shift: number): void => {
      kernel.f64(at.H, n * n).set(Q.data);
      const roots = kernel.f64(at.roots, pairs);
      for (let p = 0; p < pairs; p++) roots[p] = Math.sqrt(weights[p]);
      for (let p = 0; p < pairs; p += DEPTH) {
        const depth = Math.min(DEPTH, pairs - p);
        kernel.run("packWeighted", tasks(n), 0, [n, depth, at.R + p * ldc, at.roots + 8 * p, at.packed]);
        kernel.run("addRows", tasks(n), 128, [n, depth, 1, at.packed, at.H, ldc]);
      }
      const H = kernel.f64(at.H, n * n);
      const kept = kernel.f64(at.diagonal, n);
      for (let k = 0; k < n; k++) {
        kept[k] = (H[k * n + k] + diagonal[k]) * (1 + shift);
        H[k * n + k] = kept[k];
      }
    };
    const factored = (): boolean => {
      for (let k = 0; k < n; k += BLOCK) {
        const width = Math.min(BLOCK, n - k);
        const D = at.H + k * (ldc + 8);
        if (exports.factorBlock(k, width, D, ldc, at.diagonal + 8 * k) !== 0) return false;
        const below = n - k - width;
        if (below === 0) break;
        const P = D + width * ldc;
        kernel.run("solveRows", tasks(below), 0, [below, width, D, P, ldc, at.packed]);
        kernel.run("addRows", tasks(below), 128, [below, width, -1, at.packed, P + 8 * width, ldc]);
      }
      return true;
    };
    return use({
      factor(weights, diagonal, shift) {
        assemble(weights, diagonal, shift);
        return factored();
      },
      solve(b) {
        kernel.f64(at.x, n).set(b);
        exports.solveFactored(n, at.H, at.x);
        return kernel.f64(at.x, n).slice();
      },
      multiply(x) {
        kernel.f64(at.x, n).set(x);
        exports.multiply(pairs, n, at.R, at.x, at.roots);
        return kernel.f64(at.roots, pairs).slice();
      },
      multiplyTransposed(l) {
        kernel.f64(at.roots, pairs).set(l);
        exports.multiplyTransposed(pairs, n, at.R, at.roots, at.x);
        return kernel.f64(at.x, n).slice();
      },
    });
  });
}
