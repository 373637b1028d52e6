import type { Matrix } from "../../matrix/matrix.ts";
import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";

/**
 * Rows in single precision beside those in double precision, for products that exclude most centres
 * (kernel/_narrow.as.ts).
 */
export interface NarrowRows {
  /** Centres in the kernel's layout: K rounded up to eights. */
  padded(K: number): number;
  /** Bytes for K centres in panels, and for their lengths. */
  centerBytes(K: number): number;
  /** Writes panels and lengths of K centres, with the stride of the rows, to `address`. */
  narrow(centers: number, K: number, address: number): void;
  /** The common arguments of the kernel's functions, from the number of columns to the factor. */
  args(K: number, X: number, first: number, centers: number, narrowed: number): NarrowArgs;
}

/** d, s, w, K, padded, X, C, Xf, norms, Cf, normsC, factor. */
type NarrowArgs = readonly [
  ...shape: readonly [number, number, number, number, number],
  ...rows: readonly [number, number, number, number],
  ...centers: readonly [number, number, number],
];

/**
 * Number of columns from which products in single precision are so much faster than differences that
 * filtering pays.
 */
const LEAST_COLUMNS = 24;
export const NARROW_CENTERS = 4;

export function narrowPays({ cols }: Matrix, { resident }: KernelRows): boolean {
  return cols >= LEAST_COLUMNS && resident;
}

/** Allocated in the open scope; undefined if they would not pay. */
export function narrowRows(X: Matrix, rows: KernelRows): NarrowRows | undefined {
  if (!narrowPays(X, rows)) return undefined;
  const { rows: n, cols: d } = X;
  const { kernel, stride } = rows;
  const w = Math.ceil(d / 4) * 4;
  const { center, factor } = centerAndFactor(rows);
  const centerAt = kernel.reserve(8 * d);
  const narrowed = kernel.reserve(4 * n * w);
  const norms = kernel.reserve(8 * n);
  kernel.f64(centerAt, d).set(center);
  rows.forEachBlock(0, n, (_, count, X) => {
    const args = [count, SPAN, d, stride, w, X, centerAt, factor, narrowed, norms] as const;
    kernel.run("narrowRows", Math.ceil(count / SPAN), 0, args);
  });
  const padded = (K: number): number => Math.ceil(K / 8) * 8;
  return {
    padded,
    centerBytes: (K) => padded(K) * (4 * w + 8),
    narrow: (centers, K, address) =>
      kernel.exports.narrowAll(
        d,
        w,
        stride,
        K,
        padded(K),
        centers,
        centerAt,
        factor,
        address,
        address + 4 * w * padded(K),
      ),
    args: (K, X, first, centers, at) => [
      d,
      stride,
      w,
      K,
      padded(K),
      X,
      centers,
      narrowed + 4 * w * first,
      norms + 8 * first,
      at,
      at + 4 * w * padded(K),
      factor,
    ],
  };
}

/**
 * The mean of some rows, and the power of two that brings their largest deviation to between 1/2 and 1; all rows must be
 * in the kernel's memory.
 */
export function centerAndFactor({ kernel, rows: n, cols: d, stride, base }: KernelRows): {
  center: Float64Array;
  factor: number;
} {
  const data = kernel.f64(base, n * stride);
  const step = Math.ceil(n / SAMPLE);
  const count = Math.ceil(n / step);
  const center = new Float64Array(d);
  for (let i = 0; i < n; i += step) for (let f = 0; f < d; f++) center[f] += data[i * stride + f] / count;
  let largest = 0;
  for (let i = 0; i < n; i += step) {
    for (let f = 0; f < d; f++) largest = Math.max(largest, Math.abs(data[i * stride + f] - center[f]));
  }
  const factor = largest > 0 ? 2 ** -Math.ceil(Math.log2(largest)) : 1;
  return { center, factor: factor > 0 && factor < Infinity ? factor : 1 };
}

/**
 * Number of rows that estimate the position of the others; rows outside that range are left to double
 * precision.
 */
const SAMPLE = 512;
