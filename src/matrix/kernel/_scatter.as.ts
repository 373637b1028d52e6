// Sums of weighted products of deviations.
import { micro } from "./_micro.as";

/** Rows that are multiplied together. */
export const DEPTH: i32 = 256;
/** Smaller weights cannot change the sums. */
export const NEGLIGIBLE: f64 = 1e-30;

/**
 * S += sum_i r_i (x_i - mu)(x_i - mu)' over the rows from `first` to `last` - 1 of X, tiles on and above the diagonal. Rows
 * have a stride of s doubles, s even, those of S of s rounded up to fours; r has a stride of `step` bytes, or is 0 for
 * weights of 1. scratch: DEPTH rows of S.
 */
export function addScatter(
  first: i32, last: i32, s: i32, X: usize, r: usize, step: usize, mu: usize, S: usize, scratch: usize,
): void {
  const row = <usize>s << 3, panel = <usize>DEPTH << 5, w = (s + 3) & ~3, line = <usize>w << 3, none = f64x2.splat(0);
  let i = first;
  while (i < last) {
    let filled = 0;
    for (; i < last && filled < DEPTH; i++) {
      const weight = r == 0 ? 1 : load<f64>(r + <usize>i * step);
      if (weight < NEGLIGIBLE) continue;
      const root = f64x2.splat(sqrt(weight)), x = X + <usize>i * row;
      let to = scratch + (<usize>filled << 5), at: usize = 0;
      for (; at + 32 <= row; at += 32, to += panel) {
        v128.store(to, f64x2.mul(root, f64x2.sub(v128.load(x + at), v128.load(mu + at))));
        v128.store(to, f64x2.mul(root, f64x2.sub(v128.load(x + at, 16), v128.load(mu + at, 16))), 16);
      }
      if (at < row) {
        v128.store(to, f64x2.mul(root, f64x2.sub(v128.load(x + at), v128.load(mu + at))));
        v128.store(to, none, 16);
      }
      filled++;
    }
    for (let a = 0; a < w; a += 4) {
      for (let b = a; b < w; b += 4) {
        micro(
          filled, scratch + <usize>(a >> 2) * panel, scratch + <usize>(b >> 2) * panel,
          S + <usize>a * line + (<usize>b << 3), line, 1,
        );
      }
    }
  }
}
