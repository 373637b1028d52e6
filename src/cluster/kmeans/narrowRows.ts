import type { Matrix } from "../../matrix/index.ts";
import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";

/**
 * Rows as 16-bit integers beside those in double precision, for products that exclude most centres
 * (matrix/kernel/_short.as.ts).
 */
export interface NarrowRows {
  /** Bytes for K centres, and for their facts. */
  centerBytes(K: number): number;
  /** Writes integers and facts of K centres, with the stride of the rows, to `address`. */
  narrow(centers: number, K: number, address: number): void;
  /** The common arguments of the kernel's functions, from the number of columns to the facts of the centres. */
  args(K: number, X: number, first: number, centers: number, narrowed: number): NarrowArgs;
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
const LEAST_COLUMNS = 24;
export const NARROW_CENTERS = 4;
/** Limit for the integers. */
const MOST_BYTES = 2 ** 30;
/** Bytes of the facts of a row, and of four centres. */
const FACTS = 16;
const FACTS4 = 48;

function narrowPays({ rows, cols }: KernelRows): boolean {
  return cols >= LEAST_COLUMNS && rows * bytesOf(cols) <= MOST_BYTES;
}

function bytesOf(cols: number): number {
  return 2 * Math.ceil(cols / 16) * 16;
}

/** Allocated in the open scope; undefined if they would not pay. */
export function narrowRows(X: Matrix, rows: KernelRows): NarrowRows | undefined {
  if (!narrowPays(rows)) return undefined;
  const { kernel, rows: n, cols: d, stride } = rows;
  const bytes = bytesOf(d);
  const w = bytes / 2;
  const centerAt = kernel.reserve(8 * stride);
  const narrowed = kernel.reserve(bytes * n);
  const facts = kernel.reserve(FACTS * n);
  const { center, factor } = centerAndFactor(X, rows);
  rows.store(center, 1, centerAt);
  rows.forEachBlock(0, n, (first, count, X) => {
    const to = [narrowed + bytes * first, facts + FACTS * first] as const;
    const args = [count, SPAN, d, stride, w, X, centerAt, factor, ...to] as const;
    kernel.run("narrowRows", Math.ceil(count / SPAN), 0, args);
  });
  const fours = (K: number): number => Math.ceil(K / 4);
  return {
    factor,
    centerBytes: (K) => fours(K) * (4 * bytes + FACTS4),
    narrow: (centers, K, address) =>
      kernel.exports.narrowCenters(
        d,
        stride,
        w,
        K,
        centers,
        centerAt,
        factor,
        address,
        address + 4 * bytes * fours(K),
      ),
    args: (K, X, first, centers, at) => [
      d,
      stride,
      w,
      K,
      X,
      centers,
      narrowed + bytes * first,
      facts + FACTS * first,
      at,
      at + 4 * bytes * fours(K),
      factor,
    ],
  };
}

/** The mean of some rows, and the power of two that brings their largest deviation to between 1/2 and 1. */
export function centerAndFactor(
  X: Matrix,
  { kernel, rows: n, cols: d, stride, base, resident }: KernelRows,
): { center: Float64Array; factor: number } {
  const [data, between] = resident ? [kernel.f64(base, n * stride), stride] : [X.data, d];
  const step = Math.ceil(n / SAMPLE);
  const count = Math.ceil(n / step);
  const center = new Float64Array(d);
  for (let i = 0; i < n; i += step) for (let f = 0; f < d; f++) center[f] += data[i * between + f] / count;
  let largest = 0;
  for (let i = 0; i < n; i += step) {
    for (let f = 0; f < d; f++) largest = Math.max(largest, Math.abs(data[i * between + f] - center[f]));
  }
  const factor = largest > 0 ? 2 ** -Math.ceil(Math.log2(largest)) : 1;
  return { center, factor: factor > 0 && factor < Infinity ? factor : 1 };
}

/**
 * Number of rows that estimate the position of the others; rows outside that range are left to double
 * precision.
 */
const SAMPLE = 512;
