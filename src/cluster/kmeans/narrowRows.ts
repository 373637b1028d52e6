import type { KernelRows } from "./kernelRows.ts";

/**
 * Rows as 16-bit integers beside those in double precision, for products that exclude most centres
 * (matrix/kernel/_short.as.ts).
 */
export interface NarrowRows {
  /** Bytes for K centres, and for their facts. */
  centerBytes(K: number): number;
  /** Writes integers and facts of K centres, with the stride of the rows, to `address`. */
  narrow(centers: number, K: number, address: number): void;
  /** The common arguments of the kernel's functions, from the number of columns to the factor. */
  args(K: number, centers: number, narrowed: number): NarrowArgs;
  /** The factor of the rows: a power of two. */
  readonly factor: number;
}

/** d, s, w, K, X, C, Q, facts, QC, factsC, factor. */
type NarrowArgs = readonly [
  ...shape: readonly [number, number, number, number],
  ...doubles: readonly [number, number],
  ...integers: readonly [number, number, number, number, number],
];

/** Number of columns from which products of integers are so much faster than differences that filtering pays. */
export const LEAST_COLUMNS = 24;
export const NARROW_CENTERS = 4;
/** Limit for the integers. */
const MOST_BYTES = 2 ** 30;
/** Bytes of the facts of a row, and of four centres. */
const FACTS = 16;
const FACTS4 = 48;

/** Allocated in the open scope; undefined if they would not pay. */
export function narrowRows(rows: KernelRows): NarrowRows | undefined {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const w = Math.ceil(d / 16) * 16;
  const bytes = 2 * w;
  if (d < LEAST_COLUMNS || n * bytes > MOST_BYTES) return undefined;
  const narrowed = kernel.reserve(bytes * n);
  const facts = kernel.reserve(FACTS * n);
  const { center, factor } = centerAndFactor(rows);
  const centerAt = rows.placed(center);
  rows.run("narrowRows", 0, [d, stride, w, base, centerAt, factor, narrowed, facts]);
  const factsOf = (K: number, address: number): number => address + 4 * bytes * Math.ceil(K / 4);
  return {
    factor,
    centerBytes: (K) => Math.ceil(K / 4) * (4 * bytes + FACTS4),
    narrow: (centers, K, to) =>
      kernel.exports.narrowCenters(d, stride, w, K, centers, centerAt, factor, to, factsOf(K, to)),
    args: (K, centers, at) => [d, stride, w, K, base, centers, narrowed, facts, at, factsOf(K, at), factor],
  };
}

/** The mean of some rows, and the power of two that brings their largest deviation to between 1/2 and 1. */
export function centerAndFactor({ kernel, rows: n, cols: d, stride, base }: KernelRows) {
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
