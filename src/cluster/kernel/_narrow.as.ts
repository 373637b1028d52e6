// Products of rows and centres in single precision, four rows by eight centres at a time. They only filter:
// undecided cases are measured in double precision, so no answer depends on them.
//
// Rows and centres, minus a common centre and times a power of two that brings most values below 1, are
// rounded to f32: rows with a stride of `w` floats, w a multiple of 4; centres in panels of eight, depth
// after depth. With u = 2^-24 the product of two vectors of length d has an error of at most (d + 4) u
// |x||c|, including the rounding of both (Higham 2002, section 3.1), plus underflow.
import { madd } from "../../matrix/kernel/_single.as";

/** More than the loss by underflow in a distance of values near 1. */
const TINY: f64 = 1e-30;
/** Centres of a panel. */
export const WIDTH: i32 = 8;

/** out (4 x padded, f32, padded = K rounded up to eights) := products of the rows x0 .. x3 with all centres. */
export function quad(w: i32, padded: i32, x0: usize, x1: usize, x2: usize, x3: usize, C: usize, out: usize): void {
  const line = <usize>padded << 2, bytes = <usize>w << 2;
  for (let k = 0; k < padded; k += WIDTH) {
    let a0 = f32x4.splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
    for (let j: usize = 0; j < bytes; j += 4, C += 32) {
      const p = v128.load(C), q = v128.load(C, 16);
      let x = v128.load_splat<f32>(x0 + j);
      a0 = madd(x, p, a0);
      a1 = madd(x, q, a1);
      x = v128.load_splat<f32>(x1 + j);
      b0 = madd(x, p, b0);
      b1 = madd(x, q, b1);
      x = v128.load_splat<f32>(x2 + j);
      c0 = madd(x, p, c0);
      c1 = madd(x, q, c1);
      x = v128.load_splat<f32>(x3 + j);
      d0 = madd(x, p, d0);
      d1 = madd(x, q, d1);
    }
    const to = out + (<usize>k << 2);
    v128.store(to, a0);
    v128.store(to, a1, 16);
    v128.store(to + line, b0);
    v128.store(to + line, b1, 16);
    v128.store(to + 2 * line, c0);
    v128.store(to + 2 * line, c1, 16);
    v128.store(to + 3 * line, d0);
    v128.store(to + 3 * line, d1, 16);
  }
}

/** One row: floats at `to`, w of them; returns the length in double precision. */
export function narrowRow(d: i32, w: i32, x: usize, center: usize, factor: f64, to: usize): f64 {
  let sum: f64 = 0;
  for (let j = 0; j < d; j++) {
    const value = (load<f64>(x + (<usize>j << 3)) - load<f64>(center + (<usize>j << 3))) * factor;
    sum += value * value;
    store<f32>(to + (<usize>j << 2), <f32>value);
  }
  for (let j = d; j < w; j++) store<f32>(to + (<usize>j << 2), 0);
  return sqrt(sum);
}

/** All centres in panels; lengths to `norms`, `padded` of them. */
export function narrowCenters(
  d: i32, w: i32, s: i32, K: i32, padded: i32, C: usize, center: usize, factor: f64, to: usize, norms: usize,
): void {
  for (let k = 0; k < padded; k++) {
    const panel = to + <usize>(k / WIDTH) * (<usize>w << 5) + (<usize>(k % WIDTH) << 2);
    const c = C + <usize>k * (<usize>s << 3);
    let sum: f64 = 0;
    for (let j = 0; j < w; j++) {
      let value: f64 = 0;
      if (k < K && j < d) value = (load<f64>(c + (<usize>j << 3)) - load<f64>(center + (<usize>j << 3))) * factor;
      sum += value * value;
      store<f32>(panel + (<usize>j << 5), <f32>value);
    }
    store<f64>(norms + (<usize>k << 3), sqrt(sum));
  }
}

/** Products of longer vectors may overflow. */
const MOST: f64 = 1e15;

/**
 * Error bound of |x|^2 + |c|^2 - 2 x'c, computed from lengths and rounded product, against ||x - c||^2.
 */
// @ts-ignore: decorator
@inline
export function doubt(d: i32, length: f64, c: f64): f64 {
  return <f64>(d + 8) * (1.1920928955078125e-7 * length * c + 1e-13 * (length * length + c * c)) + TINY;
}

/** Whether floats may overflow: then there is no bound. */
// @ts-ignore: decorator
@inline
export function huge(length: f64): bool {
  return !(length < MOST);
}
