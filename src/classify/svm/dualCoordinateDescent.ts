/**
 * Dual coordinate descent for one linear two-class machine (Hsieh, Chang, Lin, Keerthi and Sundararajan, ICML 2008):
 *
 *     primal  P(w) = 1/2 w'w + C sum_i l(1 - y_i w'x_i),        l(z) = max(0, z) or its square
 *     dual    D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2 - 1/2 s sum_i a_i^2,   0 <= a_i <= U
 *
 * with U = C, s = 0 for the hinge and U = infinity, s = 1 / (2 C) for its square. An intercept is the weight of one more
 * feature that is 1 everywhere. Each step is exact in one a_i and keeps w = sum_i a_i y_i x_i; coordinates
 * that stayed at a bound in the last pass are skipped until the others are done. Every few passes all free
 * coordinates take Newton steps together (`faceStep`). P(w) - D(a) bounds the distance of both from the
 * optimum, and ends the search.
 */
import type { Random } from "../../core/index.ts";
import {
  gram,
  matrix,
  multiplyTransposeVector,
  multiplyVector,
  tryCholesky,
  multiplyTransposeB,
  squaredNorms,
  takeRows,
  type Matrix,
} from "../../matrix/index.ts";

interface LinearProblem {
  readonly rows: RowProducts;
  /** +1 or -1. */
  readonly y: Float64Array;
  readonly cost: number;
  readonly squared: boolean;
  /** a to start from; default 0. */
  readonly start?: Float64Array;
  /** Duality gap relative to the primal objective at which to stop. */
  readonly tolerance: number;
  readonly maxIterations: number;
  readonly random: Random;
  readonly report: (fraction: number) => boolean;
}

export interface LinearSolution {
  /** a_i y_i, so that w = sum_i coefficients_i x_i. */
  readonly coefficients: Float64Array;
  /** P(w). */
  readonly objective: number;
  /** P(w) - D(a). */
  readonly gap: number;
  /** Passes over the rows. */
  readonly iterations: number;
  readonly converged: boolean;
}

/** Passes between two visits to the face. */
const FACE_EVERY = 10;

export function dualCoordinateDescent(problem: LinearProblem): LinearSolution {
  const { rows, y, cost, squared, tolerance, maxIterations, random, report } = problem;
  const { norms } = rows;
  const n = y.length;
  const shift = squared ? 1 / (2 * cost) : 0;
  const bound = squared ? Infinity : cost;
  const a = problem.start ?? new Float64Array(n);
  const w = rows.start();
  if (problem.start !== undefined) restart(w, a, y);
  const gradient = (i: number): number => y[i] * w.product(i) - 1 + shift * a[i];
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let active = n;
  // A pass uses projected gradients: their spread in the last pass decides what is skipped, `wanted` when to
  // measure.
  let highest = Infinity;
  let lowest = -Infinity;
  let wanted = 0.1;
  let iterations = 0;
  let reached = { objective: Infinity, gap: Infinity };
  while (iterations < maxIterations) {
    random.shuffle(order.subarray(0, active));
    let largest = -Infinity;
    let smallest = Infinity;
    for (let s = 0; s < active; s++) {
      const i = order[s];
      const slope = gradient(i);
      if ((a[i] === 0 && slope > highest) || (a[i] === bound && slope < lowest)) {
        order[s--] = order[--active];
        order[active] = i;
        continue;
      }
      const atBound = (a[i] === 0 && slope > 0) || (a[i] === bound && slope < 0);
      const projected = atBound ? 0 : slope;
      if (projected > largest) largest = projected;
      if (projected < smallest) smallest = projected;
      const curvature = norms[i] + shift;
      if (projected === 0 || curvature === 0) continue;
      const moved = Math.min(bound, Math.max(0, a[i] - slope / curvature));
      w.move(i, (moved - a[i]) * y[i]);
      a[i] = moved;
    }
    iterations++;
    highest = largest > 0 ? largest : Infinity;
    lowest = smallest < 0 ? smallest : -Infinity;
    let everyRow = false;
    if (active === 0 || largest - smallest <= wanted) {
      if (active === n) {
        reached = measure(problem, a, w, shift);
        if (reached.gap <= tolerance * reached.objective) break;
        wanted /= 10;
      }
      everyRow = true;
    }
    if (iterations % FACE_EVERY === 0)
      everyRow = visitFace(problem, a, w, shift, bound, gradient) || everyRow;
    if (everyRow) {
      active = n;
      highest = Infinity;
      lowest = -Infinity;
    }
    if (!report(iterations / maxIterations)) break;
  }
  restart(w, a, y); // what single moves have lost to rounding
  const { objective, gap } = measure(problem, a, w, shift);
  return {
    coefficients: a.map((value, i) => value * y[i]),
    objective,
    gap,
    iterations,
    converged: gap <= tolerance * objective,
  };
}

/** Newton steps on the face of `a` and on the smaller faces that bounds cut off, a few at a time. */
function visitFace(
  { rows, y }: LinearProblem,
  a: Float64Array,
  w: MovingWeights,
  shift: number,
  bound: number,
  gradient: (i: number) => number,
): boolean {
  let moved = false;
  for (let steps = 0; steps < FACE_EVERY; steps++) {
    const step = faceStep({ rows, y, shift, bound, gradient }, a);
    if (step === "none") break;
    moved = true;
    restart(w, a, y);
    if (step === "whole") break;
  }
  return moved;
}

function restart(w: MovingWeights, a: Float64Array, y: Float64Array): void {
  w.clear();
  for (let i = 0; i < a.length; i++) if (a[i] !== 0) w.move(i, a[i] * y[i]);
}

function measure(
  { y, cost, squared }: LinearProblem,
  a: Float64Array,
  w: MovingWeights,
  shift: number,
): { objective: number; gap: number } {
  let norm = 0; // w'w
  let loss = 0;
  let total = 0;
  let squares = 0;
  for (let i = 0; i < a.length; i++) {
    const margin = y[i] * w.product(i);
    const slack = Math.max(0, 1 - margin);
    norm += a[i] * margin;
    loss += squared ? slack * slack : slack;
    total += a[i];
    squares += a[i] * a[i];
  }
  const objective = norm / 2 + cost * loss;
  return { objective, gap: objective - (total - norm / 2 - (shift * squares) / 2) };
}

/**
 * One Newton step on a face of the dual of a linear machine (dualCoordinateDescent.ts): for the coordinates F between
 * their bounds, with Z the rows y_i x_i of F,
 *
 *     max over a_F of D(a):   (Z Z' + s I) step = - gradient_F of -D
 *
 * is one linear system, of the size of F or, by Woodbury's identity, of the number of features. If the
 * solution is outside the bounds, a moves to its projection or as far towards it as the bounds allow,
 * whichever raises D more. Coordinate descent finds the face within a few passes but may need thousands on it
 * where rows are nearly dependent.
 */

interface Face {
  readonly rows: RowProducts;
  readonly y: Float64Array;
  /** s. */
  readonly shift: number;
  /** U. */
  readonly bound: number;
  /** For -D at the current a. */
  gradient(i: number): number;
}

/** The outcome for `a`: optimal on its face, stopped by bounds, or not moved. */
type FaceStep = "whole" | "blocked" | "none";

/** Larger systems cost more than the passes they save. */
const LARGEST = 1000;
/** Relative to the mean x'x, instead of s if s is 0: with more free rows than features Z Z' is singular. */
const RIDGE = 1e-7;

function faceStep(face: Face, a: Float64Array): FaceStep {
  const { rows, shift, bound, gradient } = face;
  let free = Int32Array.from(a.keys()).filter((i) => a[i] > 0 && a[i] < bound);
  // With a system of the size of the features, coordinates that would leave their bound cost little, so they
  // join.
  if (free.length > rows.features) {
    const slopes = a.map((_, i) => gradient(i));
    free = Int32Array.from(a.keys()).filter(
      (i) => (a[i] > 0 || slopes[i] < 0) && (a[i] < bound || slopes[i] > 0),
    );
  }
  if (free.length === 0 || Math.min(free.length, rows.features) > LARGEST) return "none";
  const downhill = Float64Array.from(free, (i) => -gradient(i));
  const system = free.length <= rows.features ? byRows(face, free) : byFeatures(face, free);
  const step = system.solve(downhill);
  if (step === undefined) return "none";

  /** D(a + change) - D(a). */
  const rise = (change: Float64Array): number => {
    let linear = 0;
    let squares = 0;
    for (let p = 0; p < change.length; p++) {
      linear += downhill[p] * change[p];
      squares += change[p] * change[p];
    }
    return linear - (system.norm(change) + shift * squares) / 2;
  };
  const projected = step.map((value, p) => Math.min(bound, Math.max(0, a[free[p]] + value)) - a[free[p]]);
  let length = 1;
  for (let p = 0; p < step.length; p++) {
    const room = step[p] < 0 ? -a[free[p]] / step[p] : (bound - a[free[p]]) / step[p];
    if (room < length) length = room;
  }
  const shortened = length === 1 ? projected : step.map((value) => length * value);
  const [clipped, cut] = [rise(projected), length === 1 ? -Infinity : rise(shortened)];
  if (!(Math.max(clipped, cut) > 0)) return "none";
  const change = clipped >= cut ? projected : shortened;
  for (let p = 0; p < change.length; p++) {
    const moved = a[free[p]] + change[p];
    // A reached bound is met exactly: the next face is the smaller one.
    const low = step[p] < 0 && moved <= ROUNDING * a[free[p]];
    const high = step[p] > 0 && moved >= bound * (1 - ROUNDING);
    a[free[p]] = low ? 0 : high ? bound : moved;
  }
  return length === 1 ? "whole" : "blocked";
}

const ROUNDING = 1e-14;

interface System {
  /** (Z Z' + s I)^-1 r, or undefined if that is not positive definite. */
  solve(r: Float64Array): Float64Array | undefined;
  /** |Z'v|^2. */
  norm(v: Float64Array): number;
}

function byRows({ rows, y, shift }: Face, free: Int32Array): System {
  const size = free.length;
  const Q = rows.among(free);
  for (let p = 0; p < size; p++) {
    for (let q = 0; q < size; q++) Q.data[p * size + q] *= y[free[p]] * y[free[q]];
  }
  return {
    solve(r) {
      const factor = tryCholesky(raised(Q, shift)) ?? tryCholesky(raised(Q, ridge(rows, free)));
      return factor?.solve(matrix(size, 1, r)).data;
    },
    norm: (v) => {
      const Qv = multiplyVector(Q, v);
      return v.reduce((sum, value, p) => sum + value * Qv[p], 0);
    },
  };
}

function byFeatures({ rows, y, shift }: Face, free: Int32Array): System {
  const Z = rows.signed(free, y);
  return {
    solve(r) {
      const s = shift > 0 ? shift : ridge(rows, free);
      const factor = s > 0 ? tryCholesky(raised(gram(Z), s)) : undefined;
      if (factor === undefined) return undefined;
      const inner = factor.solve(matrix(Z.cols, 1, multiplyTransposeVector(Z, r))).data;
      const outer = multiplyVector(Z, inner);
      return r.map((value, p) => (value - outer[p]) / s);
    },
    norm: (v) => multiplyTransposeVector(Z, v).reduce((sum, value) => sum + value * value, 0),
  };
}

function ridge({ norms }: RowProducts, free: Int32Array): number {
  return (RIDGE * free.reduce((sum, i) => sum + norms[i], 0)) / free.length;
}

function raised(Q: Matrix, s: number): Matrix {
  const R = matrix(Q.rows, Q.cols, Q.data.slice());
  for (let p = 0; p < Q.rows; p++) R.data[p * Q.rows + p] += s;
  return R;
}

/**
 * w'x_i for w = sum_i c_i x_i under changes of single c_i: the inner loop of dual coordinate descent. Either
 * w is kept (a product or a change costs d), or, with few rows, all products through the rows' Gram matrix (a
 * product is free, a change costs n). With an intercept every x_i has one more feature, which is 1.
 */

interface RowProducts {
  /** x_i'x_i. */
  readonly norms: Float64Array;
  /** Features of a row, including the intercept. */
  readonly features: number;
  /** x_i'x_j of the given rows. */
  among(rows: Int32Array): Matrix;
  /** The given rows, each multiplied by its sign. */
  signed(rows: Int32Array, signs: Float64Array): Matrix;
  /** A separate w, initially 0. */
  start(): MovingWeights;
}

interface MovingWeights {
  /** w'x_i. */
  product(i: number): number;
  /** w += amount x_i. */
  move(i: number, amount: number): void;
  clear(): void;
}

/** Rows up to which the Gram matrix is kept: 72 MB. */
const MOST_ROWS = 3000;

export function rowProducts(X: Matrix, intercept: boolean): RowProducts {
  const one = Number(intercept);
  return X.rows <= Math.min(MOST_ROWS, 2 * X.cols) ? byGram(X, one) : byWeights(X, one);
}

function byWeights(X: Matrix, one: number): RowProducts {
  const { cols: d, data } = X;
  const even = d & ~3;
  return {
    norms: squaredNorms(X).map((norm) => norm + one),
    features: d + one,
    signed: (rows, signs) => signedRows(X, one, rows, signs),
    among: (rows) => innerProducts(takeRows(X, rows), one),
    start() {
      const w = new Float64Array(d);
      let w0 = 0;
      return {
        product(i) {
          const p = i * d;
          let s0 = w0 * one;
          let s1 = 0;
          let s2 = 0;
          let s3 = 0;
          for (let f = 0; f < even; f += 4) {
            s0 += w[f] * data[p + f];
            s1 += w[f + 1] * data[p + f + 1];
            s2 += w[f + 2] * data[p + f + 2];
            s3 += w[f + 3] * data[p + f + 3];
          }
          for (let f = even; f < d; f++) s0 += w[f] * data[p + f];
          return s0 + s1 + (s2 + s3);
        },
        move(i, amount) {
          const p = i * d;
          w0 += amount;
          for (let f = 0; f < d; f++) w[f] += amount * data[p + f];
        },
        clear() {
          w.fill(0);
          w0 = 0;
        },
      };
    },
  };
}

function byGram(X: Matrix, one: number): RowProducts {
  const G = innerProducts(X, one);
  const n = X.rows;
  return {
    norms: Float64Array.from({ length: n }, (_, i) => G.data[i * n + i]),
    features: X.cols + one,
    signed: (rows, signs) => signedRows(X, one, rows, signs),
    among(rows) {
      const m = rows.length;
      const Q = matrix(m, m);
      for (let p = 0; p < m; p++) {
        const at = rows[p] * n;
        for (let q = 0; q < m; q++) Q.data[p * m + q] = G.data[at + rows[q]];
      }
      return Q;
    },
    start() {
      const products = new Float64Array(n);
      return {
        product: (i) => products[i],
        move(i, amount) {
          const at = i * n;
          for (let j = 0; j < n; j++) products[j] += amount * G.data[at + j];
        },
        clear: () => products.fill(0),
      };
    },
  };
}

function innerProducts(X: Matrix, one: number): Matrix {
  const G = multiplyTransposeB(X, X);
  if (one !== 0) for (let p = 0; p < G.data.length; p++) G.data[p] += one;
  return G;
}

function signedRows(X: Matrix, one: number, rows: Int32Array, signs: Float64Array): Matrix {
  const d = X.cols;
  const Z = matrix(rows.length, d + one);
  for (let p = 0; p < rows.length; p++) {
    const sign = signs[rows[p]];
    for (let f = 0; f < d; f++) Z.data[p * Z.cols + f] = sign * X.data[rows[p] * d + f];
    if (one !== 0) Z.data[p * Z.cols + d] = sign;
  }
  return Z;
}
