/**
 * Sequential minimal optimisation for the dual of one two-class support vector machine, with the working set chosen by
 * second-order information (Fan, Chen and Lin, JMLR 6, 2005, WSS 2):
 *
 *     max  sum_t |b_t| - 1/2 b'K b     subject to  sum_t b_t = 0,   0 <= y_t b_t <= C
 *
 * in the signed coefficients b_t = y_t alpha_t, so that f(x) = sum_t b_t K(x_t, x) + intercept. g_t = y_t - (K b)_t is
 * kept up to date; b is optimal when no g of I_up (b_t may grow) exceeds one of I_low (b_t may fall).
 */
import {
  loadKernel,
  multiplyTransposeB,
  squaredDistances,
  squaredNorms,
  type Matrix,
} from "../../matrix/index.ts";
import * as binary from "../kernel/svm.wasm.ts";
import { form } from "../../core/internal.ts";

interface SmoProblem {
  /** +1 or -1. */
  readonly y: Float64Array;
  readonly state: SmoState;
  /** C. */
  readonly cost: number;
  /** Allowed violation of optimality, max g over I_up - min g over I_low. */
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Called from time to time; false stops. */
  readonly report: (violation: number) => boolean;
}

export interface SmoSolution {
  readonly coefficients: Float64Array;
  readonly intercept: number;
  /** Objective of the dual, to be maximised. */
  readonly objective: number;
  /**
   * Primal minus dual objective, at least 0 up to rounding: a bound on the distance of both from the
   * optimum.
   */
  readonly gap: number;
  readonly violation: number;
  readonly iterations: number;
  readonly converged: boolean;
}

export function smo(problem: SmoProblem): SmoSolution {
  const { state, tolerance, maxIterations, report } = problem;
  const { b, g, lower, upper } = state;
  let violation = Infinity;
  let iterations = 0;
  let converged = false;
  let i = largestIn(g, b, upper);
  for (;;) {
    // j: the largest second-order gain (g_i - g_j)^2 / (K_ii + K_jj - 2 K_ij) over I_low.
    const j = state.partner(i);
    violation = Math.max(0, g[i] - state.least());
    converged = violation <= tolerance;
    if (converged || iterations === maxIterations) break;
    if ((iterations & 1023) === 1023 && !report(violation)) break;

    const roomUp = upper[i] - b[i];
    const roomDown = b[j] - lower[j];
    const step = Math.min((g[i] - g[j]) / state.curvature(i, j), roomUp, roomDown);
    // A reached bound is met exactly: the sets I_up and I_low compare with it.
    b[i] = step === roomUp ? upper[i] : b[i] + step;
    b[j] = step === roomDown ? lower[j] : b[j] - step;
    iterations++;
    i = state.advance(i, j, step);
  }
  return { ...certify(problem), coefficients: b.slice(), violation, iterations, converged };
}

function largestIn(g: Float64Array, b: Float64Array, upper: Float64Array): number {
  let best = -1;
  for (let t = 0; t < g.length; t++) {
    if (b[t] < upper[t] && (best < 0 || g[t] > g[best])) best = t;
  }
  return best;
}

/** The intercept is the mean g of free coefficients, or the middle of the interval that optimality allows. */
function certify({
  y,
  cost,
  state: { b, g, lower, upper },
}: SmoProblem): Pick<SmoSolution, "intercept" | "objective" | "gap"> {
  let free = 0;
  let sum = 0;
  let above = Infinity;
  let below = -Infinity;
  for (let t = 0; t < b.length; t++) {
    if (b[t] > lower[t] && b[t] < upper[t]) {
      free++;
      sum += g[t];
    } else if (b[t] <= lower[t]) below = Math.max(below, g[t]);
    else above = Math.min(above, g[t]);
  }
  const intercept = free > 0 ? sum / free : (above + below) / 2;
  let norm = 0; // b'K b
  let total = 0;
  let slack = 0;
  for (let t = 0; t < b.length; t++) {
    norm += b[t] * (y[t] - g[t]);
    total += Math.abs(b[t]);
    slack += Math.max(0, y[t] * (g[t] - intercept)); // 1 - y f(x)
  }
  return { intercept, objective: total - norm / 2, gap: norm + cost * slack - total };
}

/**
 * The state of smo.ts for the dual of one pair of classes, and its two passes over all coefficients, with the cached rows
 * of the kernel matrix in the same memory. The same in plain loops: test/classify/plainSmo.ts.
 */
export interface SmoState {
  /** Coefficients, 0 at first, and their bounds. */
  readonly b: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  /** y - K b. */
  readonly g: Float64Array;
  /** K_ii + K_jj - 2 K_ij, or a tiny number if that is not positive. */
  curvature(i: number, j: number): number;
  /** The j with b_j > lower_j and the largest (g_i - g_j)^2 / curvature among those with g_j < g_i; -1 if there is none. */
  partner(i: number): number;
  /** The smallest g_j with b_j > lower_j, as found by the last `partner`. */
  least(): number;
  /** g -= length (K_i - K_j); the row t with b_t < upper_t and the largest g_t, or -1. */
  advance(i: number, j: number, length: number): number;
}

/** Replaces a curvature that is not positive, for example of two equal rows. */
const FLAT = 1e-12;
/**
 * With few rows nearly all kernel values are used, and one product computes them; with many, only the
 * requested rows are computed.
 */
const FEW_ROWS = 1000;
/** Rows and kernel values in the kernel's memory of 4 GiB. */
const MOST_BYTES = 3 * 2 ** 30;

/** Makes the state of a pair of classes: `members` are rows of X, y +1 or -1. It replaces the one made before. */
type MakeState = (members: Int32Array, y: Float64Array, cost: number) => SmoState;

/**
 * @param most members of the largest pair
 * @param bytes for kernel values
 */
export function withSmoStates<T>(
  kernel: SvmKernel,
  X: Matrix,
  most: number,
  bytes: number,
  work: (make: MakeState) => T,
): T {
  const whole = X.rows <= FEW_ROWS ? kernelMatrix(kernel, X) : undefined;
  const diagonal = kernelDiagonal(kernel, X);
  const wide = Math.ceil(most / 8) * 8;
  const room = Math.min(bytes, MOST_BYTES - 16 * wide * X.cols);
  const values = Math.max(3 * wide, Math.min(Math.floor(room / 8), most * wide));
  const wasm = loadKernel<binary.Exports>("classify/svm", binary);
  const { exports } = wasm;
  return wasm.scope(() => {
    const d = X.cols;
    const [rows, packed] = whole === undefined ? [0, 0].map(() => wasm.reserve(8 * wide * d)) : [0, 0];
    const [bAt, lowerAt, upperAt, gAt, diagonalAt] = Array.from({ length: 5 }, () => wasm.reserve(8 * wide));
    const leastAt = wasm.reserve(8);
    const cached = wasm.reserve(8 * values);
    return work((members, y, cost) => {
      const n = members.length;
      const stride = Math.ceil(n / 8) * 8;
      const from = start(y, cost);
      const put = (at: number, numbers: Float64Array): Float64Array => {
        wasm.f64(at, stride).fill(0).set(numbers);
        return wasm.f64(at, n);
      };
      const b = put(bAt, from.b);
      const own = put(
        diagonalAt,
        Float64Array.from(members, (i) => diagonal[i]),
      );
      if (whole === undefined) {
        const taken = wasm.f64(rows, n * d);
        for (let t = 0; t < n; t++) taken.set(X.data.subarray(members[t] * d, (members[t] + 1) * d), t * d);
        exports.prepare(n, d, rows, packed);
      }
      const cache = kernelCache(n, Math.floor(values / stride), (i, place) => {
        const at = cached + 8 * place * stride;
        if (whole !== undefined) rowWithin(whole, members, i, wasm.f64(at, n));
        else if (kernel.kind === "linear") exports.linear(n, d, packed, i, at);
        else exports.rbf(n, d, packed, i, -kernel.gamma, at);
      });
      const row = (i: number): number => cached + 8 * cache(i) * stride;
      return {
        b,
        lower: put(lowerAt, from.lower),
        upper: put(upperAt, from.upper),
        g: put(gAt, from.g),
        curvature: (i, j) => positive(own[i] + own[j] - 2 * wasm.heap()[row(i) / 8 + j]),
        partner: (i) => exports.partner(stride, i, gAt, bAt, lowerAt, diagonalAt, row(i), leastAt),
        least: () => wasm.heap()[leastAt / 8],
        advance: (i, j, length) => exports.advance(stride, length, gAt, bAt, upperAt, row(i), row(j)),
      };
    });
  });
}

type Start = Pick<SmoState, "b" | "lower" | "upper" | "g">;

function start(y: Float64Array, cost: number): Start {
  return {
    b: new Float64Array(y.length),
    lower: y.map((sign) => (sign > 0 ? 0 : -cost)),
    upper: y.map((sign) => (sign > 0 ? cost : 0)),
    g: y.slice(),
  };
}

function positive(curvature: number): number {
  return curvature > FLAT ? curvature : FLAT;
}

function rowWithin(whole: Matrix, members: Int32Array, i: number, target: Float64Array): void {
  const from = members[i] * whole.cols;
  for (let t = 0; t < members.length; t++) target[t] = whole.data[from + members[t]];
}

/**
 * The rows of a kernel matrix: they are computed on request, and the most recently used ones stay in memory.
 *
 * @param capacity places, at least three
 * @param compute writes row i to a place
 * @returns the place of row i; it holds until two other rows have been asked for
 */
function kernelCache(
  n: number,
  capacity: number,
  compute: (i: number, place: number) => void,
): (i: number) => number {
  const placeOf = new Int32Array(n).fill(-1);
  // With room for all rows none leaves. Otherwise a map keeps the order in which they were used last.
  const lastUsed = new Map<number, number>();
  return (i) => {
    let place = placeOf[i];
    if (capacity >= n && place >= 0) return place;
    lastUsed.delete(i);
    if (place < 0) {
      place = lastUsed.size;
      if (place === capacity) {
        const [oldest, free] = lastUsed.entries().next().value!;
        lastUsed.delete(oldest);
        placeOf[oldest] = -1;
        place = free;
      }
      placeOf[i] = place;
      compute(i, place);
    }
    lastUsed.set(i, place);
    return place;
  };
}

/** The kernels of `svm`: linear, x'z, and Gaussian (RBF), exp(-gamma |x - z|^2). */
export const svmKernelForm = form.tagged("kind", { linear: {}, rbf: { gamma: form.number({ min: 0 }) } });
export type SvmKernel = form.StoredOf<typeof svmKernelForm>;

/** K(a, b) of all rows of A and B. */
export function kernelMatrix(kernel: SvmKernel, A: Matrix, B: Matrix = A): Matrix {
  if (kernel.kind === "linear") return multiplyTransposeB(A, B);
  const K = squaredDistances(A, B);
  for (let p = 0; p < K.data.length; p++) K.data[p] = Math.exp(-kernel.gamma * K.data[p]);
  return K;
}

/** K(x, x) of each row. */
function kernelDiagonal(kernel: SvmKernel, X: Matrix): Float64Array {
  return kernel.kind === "linear" ? squaredNorms(X) : new Float64Array(X.rows).fill(1);
}

/** 1 / (d times the variance of all cells), 1 if that is 0: scikit-learn's "scale". */
export function scaleGamma(X: Matrix): number {
  const { data } = X;
  let mean = 0;
  for (let p = 0; p < data.length; p++) mean += data[p] / data.length;
  let variance = 0;
  for (let p = 0; p < data.length; p++) variance += ((data[p] - mean) * (data[p] - mean)) / data.length;
  const gamma = 1 / (X.cols * variance);
  return gamma > 0 && gamma < Infinity ? gamma : 1;
}
