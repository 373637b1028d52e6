// The mean hinge over triplets and the forces for its gradient: the loops of
// test/metric/neighbours/tripletReference.ts.
//
// X and Y are n x s row-major f64, s even, padding columns zero; pairs holds two row numbers each, groups four pair numbers.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

/** D_p = (x_i - x_j)'(y_i - y_j), not below 0. */
export function distances(count: i32, s: i32, X: usize, Y: usize, pairs: usize, D: usize): void {
  const bytes = <usize>s << 3;
  for (let p = 0; p < count; p++) {
    const i = <usize>load<i32>(pairs + (<usize>p << 3)) * bytes, j = <usize>load<i32>(pairs + (<usize>p << 3), 4) * bytes;
    let s0 = f64x2.splat(0), s1 = s0, f: usize = 0;
    for (; f + 32 <= bytes; f += 32) {
      s0 = madd(
        f64x2.sub(v128.load(X + i + f), v128.load(X + j + f)),
        f64x2.sub(v128.load(Y + i + f), v128.load(Y + j + f)),
        s0,
      );
      s1 = madd(
        f64x2.sub(v128.load(X + i + f, 16), v128.load(X + j + f, 16)),
        f64x2.sub(v128.load(Y + i + f, 16), v128.load(Y + j + f, 16)),
        s1,
      );
    }
    if (f < bytes) {
      s0 = madd(
        f64x2.sub(v128.load(X + i + f), v128.load(X + j + f)),
        f64x2.sub(v128.load(Y + i + f), v128.load(Y + j + f)),
        s0,
      );
    }
    store<f64>(D + (<usize>p << 3), Math.max(0, hsum(f64x2.add(s0, s1))));
  }
}

/**
 * W_p: the slope of the sum in D_p. Writes the sum of the hinge, smoothed over `width`, and of its slopes to
 * `sums`.
 */
export function hinge(groups: i32, count: i32, width: f64, lists: usize, D: usize, W: usize, sums: usize): void {
  memory.fill(W, 0, <usize>count << 3);
  let value: f64 = 0, slopes: f64 = 0;
  for (let g = 0; g < groups; g++) {
    const at = lists + (<usize>g << 4);
    const first = load<i32>(at), last = load<i32>(at, 4), end = load<i32>(at, 12);
    let farthest: f64 = 0;
    for (let p = first; p < last; p++) farthest = Math.max(farthest, load<f64>(D + (<usize>p << 3)));
    for (let q = load<i32>(at, 8); q < end; q++) {
      const spare = 1 - load<f64>(D + (<usize>q << 3));
      if (spare + farthest <= 0) continue;
      let total: f64 = 0;
      for (let p = first; p < last; p++) {
        const z = spare + load<f64>(D + (<usize>p << 3));
        if (z <= 0) continue;
        const slope = z < width ? z / width : 1;
        value += z < width ? z * z / (2 * width) : z - width / 2;
        total += slope;
        const w = W + (<usize>p << 3);
        store<f64>(w, load<f64>(w) + slope);
      }
      slopes += total;
      const w = W + (<usize>q << 3);
      store<f64>(w, load<f64>(w) - total);
    }
  }
  store<f64>(sums, value);
  store<f64>(sums, slopes, 8);
}

/** F_i += W_p (x_i - x_j), F_j -= the same. */
export function forces(count: i32, n: i32, s: i32, X: usize, pairs: usize, W: usize, F: usize): void {
  const bytes = <usize>s << 3;
  memory.fill(F, 0, <usize>n * bytes);
  for (let p = 0; p < count; p++) {
    const weight = load<f64>(W + (<usize>p << 3));
    if (weight == 0) continue;
    const w = f64x2.splat(weight);
    const i = <usize>load<i32>(pairs + (<usize>p << 3)) * bytes, j = <usize>load<i32>(pairs + (<usize>p << 3), 4) * bytes;
    for (let f: usize = 0; f < bytes; f += 16) {
      const step = f64x2.mul(w, f64x2.sub(v128.load(X + i + f), v128.load(X + j + f)));
      v128.store(F + i + f, f64x2.add(v128.load(F + i + f), step));
      v128.store(F + j + f, f64x2.sub(v128.load(F + j + f), step));
    }
  }
}
