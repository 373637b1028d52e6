// The description of a problem in memory that every part of the L2 kernel reads, and arithmetic on its rows. Matrices
// are n x d, row-major, with rows padded by zeros to an even number of doubles (`row` bytes each), so that every loop is
// in whole 128-bit lanes.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

/** The constant part: sizes and byte addresses, written by l2Layout.ts in this order. */
// @ts-ignore: decorator
@unmanaged
export class Problem {
  n: i32;
  m: i32;
  d: i32;
  /** Bytes of a row. */
  row: usize;
  /** Metric: IDENTITY, DIAGONAL (B and its inverse are vectors) or full (padded squares). */
  kind: i32;
  B: usize;
  inverse: usize;
  /** The diagonal of B, also of the identity. */
  diagonal: usize;
  X: usize;
  mass: usize;
  /** Ends (i32) and weights of each edge. */
  from: usize;
  to: usize;
  w: usize;
  /**
   * m x d: the multiplier y0 of each edge, in units of gamma w, if its byte in `held` is 1; otherwise zero.
   */
  Y: usize;
  held: usize;
  /** Entries offsets[i] to offsets[i + 1] of `links`, pairs of i32, are node i's neighbours and the edges to them. */
  offsets: usize;
  links: usize;
  /** Group of each node (i32); mass, number of nodes (i32) and stiffness of each group. */
  labels: usize;
  masses: usize;
  sizes: usize;
  group: usize;
  /** Stiffness of each node. */
  node: usize;
  /** Fused centres, n x d. */
  C: usize;
  /** Room for a row per group. */
  sums: usize;
  /** Room for two rows. */
  lines: usize;
}

/** A U with its derived quantities. */
// @ts-ignore: decorator
@unmanaged
export class Point {
  U: usize;
  /** Gradient. */
  G: usize;
  /**
   * For each edge, with y = y0 + (u_i - u_j) / eps: the length t = ||u_i - u_j||, the stiffness a = gamma w /
   * eps min(1, 1 / ||y||), and b = a / ||y||^2 if the edge is saturated, ||y|| > 1, else 0.
   */
  t: usize;
  a: usize;
  b: usize;
}

const IDENTITY: i32 = 0;
const DIAGONAL: i32 = 1;

// @ts-ignore: decorator
@inline
export function int(array: usize, index: usize): usize {
  return <usize>load<i32>(array + (index << 2));
}

// @ts-ignore: decorator
@inline
export function real(array: usize, index: usize): f64 {
  return load<f64>(array + (index << 3));
}

// @ts-ignore: decorator
@inline
export function add(array: usize, index: usize, value: f64): void {
  store<f64>(array + (index << 3), load<f64>(array + (index << 3)) + value);
}

/** out = scale B x for one row, B or its inverse. */
// @ts-ignore: decorator
@inline
export function applyMetric(kind: i32, row: usize, B: usize, scale: f64, x: usize, out: usize): void {
  const s = f64x2.splat(scale);
  if (kind == IDENTITY) {
    for (let k: usize = 0; k < row; k += 16) v128.store(out + k, f64x2.mul(s, v128.load(x + k)));
  } else if (kind == DIAGONAL) {
    for (let k: usize = 0; k < row; k += 16) {
      v128.store(out + k, f64x2.mul(f64x2.mul(s, v128.load(B + k)), v128.load(x + k)));
    }
  } else {
    memory.fill(out, 0, row);
    let line = B;
    for (let l: usize = 0; l < row; l += 8, line += row) {
      const factor = f64x2.splat(scale * load<f64>(x + l));
      for (let k: usize = 0; k < row; k += 16) {
        v128.store(out + k, madd(factor, v128.load(line + k), v128.load(out + k)));
      }
    }
  }
}

// @ts-ignore: decorator
@inline
export function rowDot(row: usize, x: usize, y: usize): f64 {
  let sum = f64x2.splat(0);
  for (let k: usize = 0; k < row; k += 16) sum = madd(v128.load(x + k), v128.load(y + k), sum);
  return hsum(sum);
}

// @ts-ignore: decorator
@inline
export function subtract(row: usize, x: usize, y: usize, out: usize): void {
  for (let k: usize = 0; k < row; k += 16) v128.store(out + k, f64x2.sub(v128.load(x + k), v128.load(y + k)));
}

/** One end of an edge gains what the other loses. */
// @ts-ignore: decorator
@inline
export function push(gain: usize, loss: usize, force: v128): void {
  v128.store(gain, f64x2.add(v128.load(gain), force));
  v128.store(loss, f64x2.sub(v128.load(loss), force));
}
