/**
 * The state of smo.ts for the dual of one pair of classes, and its two passes over all coefficients: in
 * WebAssembly, with the cached rows of the kernel matrix in the same memory, and in TypeScript.
 */
import { kernelBuild, loadKernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/svm.wasm.ts";
import { kernelCache } from "./kernelCache.ts";
import { kernelDiagonal, kernelMatrix, kernelRow, type SvmKernel } from "./svmKernel.ts";

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
/** Rows and kernel values in the kernel's memory. */
const MOST_BYTES = 2 ** 30;

/** Makes the state of a pair of classes: `members` are rows of X, y +1 or -1. It replaces the one made before. */
export type MakeState = (members: Int32Array, y: Float64Array, cost: number) => SmoState;

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
  const values = Math.max(3 * wide, Math.min(Math.floor(bytes / 8), most * wide));
  if (kernelBuild() === undefined || 8 * (values + 2 * wide * X.cols) > MOST_BYTES) {
    const memory = new Float64Array(values);
    return work((members, y, cost) =>
      plainState(kernel, X, members, whole, diagonal, memory, start(y, cost)),
    );
  }
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

function plainState(
  kernel: SvmKernel,
  X: Matrix,
  members: Int32Array,
  whole: Matrix | undefined,
  ofAll: Float64Array,
  memory: Float64Array,
  from: Start,
): SmoState {
  const { b, lower, upper, g } = from;
  const n = b.length;
  const diagonal = Float64Array.from(members, (i) => ofAll[i]);
  const rowAt = (place: number): Float64Array => memory.subarray(place * n, (place + 1) * n);
  const cache = kernelCache(n, Math.floor(memory.length / n), (i, place) => {
    if (whole === undefined) kernelRow(kernel, X, members[i], members, rowAt(place));
    else rowWithin(whole, members, i, rowAt(place));
  });
  const row = (i: number): Float64Array => rowAt(cache(i));
  let least = Infinity;
  return {
    ...from,
    least: () => least,
    curvature: (i, j) => positive(diagonal[i] + diagonal[j] - 2 * row(i)[j]),
    partner(i) {
      const Ki = row(i);
      let gain = -Infinity;
      let j = -1;
      least = Infinity;
      for (let t = 0; t < n; t++) {
        if (b[t] <= lower[t]) continue;
        if (g[t] < least) least = g[t];
        const difference = g[i] - g[t];
        if (difference <= 0) continue;
        const value = (difference * difference) / positive(diagonal[i] + diagonal[t] - 2 * Ki[t]);
        if (value > gain) {
          gain = value;
          j = t;
        }
      }
      return j;
    },
    advance(i, j, length) {
      const Ki = row(i);
      const Kj = row(j);
      let highest = -Infinity;
      let top = -1;
      for (let t = 0; t < n; t++) {
        const value = g[t] - length * (Ki[t] - Kj[t]);
        g[t] = value;
        if (value > highest && b[t] < upper[t]) {
          highest = value;
          top = t;
        }
      }
      return top;
    },
  };
}

function positive(curvature: number): number {
  return curvature > FLAT ? curvature : FLAT;
}

function rowWithin(whole: Matrix, members: Int32Array, i: number, target: Float64Array): void {
  const from = members[i] * whole.cols;
  for (let t = 0; t < members.length; t++) target[t] = whole.data[from + members[t]];
}
