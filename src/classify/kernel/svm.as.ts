// Rows of a kernel matrix (smo.ts). The training rows lie in panels of four, depth after depth, with an
// even number of panels; rows beyond the last are zeros.
import { exp2lanes } from "../../matrix/kernel/_exp.as";
import { madd, pack4 } from "../../matrix/kernel/_micro.as";

/** The smallest exponent whose power is a normal number; smaller powers are 0. */
const LEAST: f64 = -700;

/** Packs n rows at X; `packed` has room for n rounded up to eights. */
export function prepare(n: i32, d: i32, X: usize, packed: usize): void {
  pack4(n, d, X, d, 1, packed);
  const used = ((n + 3) >> 2) << 5, all = ((n + 7) >> 3) << 6;
  memory.fill(packed + <usize>used * <usize>d, 0, <usize>(all - used) * <usize>d);
}

// @ts-ignore: decorator
@inline
function step(linear: bool, x: v128, z: v128, sum: v128): v128 {
  if (linear) return madd(x, z, sum);
  const difference = f64x2.sub(x, z);
  return madd(difference, difference, sum);
}

// @ts-ignore: decorator
@inline
function power(minusGamma: v128, squared: v128): v128 {
  const x = f64x2.mul(minusGamma, squared), least = f64x2.splat(LEAST);
  return v128.and(exp2lanes(f64x2.pmax(x, least)), f64x2.ge(x, least));
}

// @ts-ignore: decorator
@inline
function fill(linear: bool, n: i32, d: i32, packed: usize, i: i32, minusGamma: f64, out: usize): void {
  const panel = <usize>d << 5, g = f64x2.splat(minusGamma);
  const own = packed + <usize>(i >> 2) * panel + (<usize>(i & 3) << 3);
  for (let j = 0; j < n; j += 8, packed += 2 * panel, out += 64) {
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let z = packed;
    const end = own + panel;
    for (let x = own; x < end; x += 32, z += 32) {
      const v = v128.load_splat<f64>(x);
      s0 = step(linear, v, v128.load(z), s0);
      s1 = step(linear, v, v128.load(z, 16), s1);
      s2 = step(linear, v, v128.load(z + panel), s2);
      s3 = step(linear, v, v128.load(z + panel, 16), s3);
    }
    v128.store(out, linear ? s0 : power(g, s0));
    v128.store(out, linear ? s1 : power(g, s1), 16);
    v128.store(out, linear ? s2 : power(g, s2), 32);
    v128.store(out, linear ? s3 : power(g, s3), 48);
  }
}

/** out (n rounded up to eights) := exp(minusGamma |x_i - x_t|^2) of all rows t. */
export function rbf(n: i32, d: i32, packed: usize, i: i32, minusGamma: f64, out: usize): void {
  fill(false, n, d, packed, i, minusGamma, out);
}

/** out (n rounded up to eights) := x_i'x_t of all rows t. */
export function linear(n: i32, d: i32, packed: usize, i: i32, out: usize): void {
  fill(true, n, d, packed, i, 0, out);
}

/** Replaces a curvature that is not positive, for example of two equal rows. */
const FLAT: f64 = 1e-12;

// The steps of smo.ts over n coefficients, n a multiple of 4; padding has lower = b = upper. Two pairs of
// lanes each search every second pair, and the first among equals is taken, as in a sequential search.

/**
 * The row t of I_low with the largest second-order gain together with row i, or -1; the smallest g of I_low
 * goes to `least`.
 */
export function partner(
  n: i32, i: i32, g: usize, b: usize, lower: usize, diagonal: usize, Ki: usize, least: usize,
): i32 {
  const top = v128.load_splat<f64>(g + (<usize>i << 3)), di = v128.load_splat<f64>(diagonal + (<usize>i << 3));
  const none = f64x2.splat(-1), infinity = f64x2.splat(Infinity);
  const four = f64x2.splat(4);
  let low0 = infinity, low1 = infinity, best0 = none, best1 = none, at0 = none, at1 = none;
  let t0 = f64x2(0, 1), t1 = f64x2(2, 3);
  for (let p: usize = 0; p < <usize>n << 3; p += 32) {
    const g0 = v128.load(g + p), g1 = v128.load(g + p, 16);
    const free0 = f64x2.gt(v128.load(b + p), v128.load(lower + p));
    const free1 = f64x2.gt(v128.load(b + p, 16), v128.load(lower + p, 16));
    low0 = f64x2.pmin(low0, v128.bitselect(g0, infinity, free0));
    low1 = f64x2.pmin(low1, v128.bitselect(g1, infinity, free1));
    const v0 = gain(top, g0, di, v128.load(diagonal + p), v128.load(Ki + p), free0);
    const v1 = gain(top, g1, di, v128.load(diagonal + p, 16), v128.load(Ki + p, 16), free1);
    const more0 = f64x2.gt(v0, best0), more1 = f64x2.gt(v1, best1);
    best0 = v128.bitselect(v0, best0, more0);
    best1 = v128.bitselect(v1, best1, more1);
    at0 = v128.bitselect(t0, at0, more0);
    at1 = v128.bitselect(t1, at1, more1);
    t0 = f64x2.add(t0, four);
    t1 = f64x2.add(t1, four);
  }
  low0 = f64x2.pmin(low0, low1);
  store<f64>(least, min(f64x2.extract_lane(low0, 0), f64x2.extract_lane(low0, 1)));
  return first(best0, at0, best1, at1);
}

// @ts-ignore: decorator
@inline
function gain(top: v128, g: v128, di: v128, dt: v128, K: v128, free: v128): v128 {
  const difference = f64x2.sub(top, g);
  const curvature = f64x2.sub(f64x2.add(di, dt), f64x2.add(K, K));
  const value = f64x2.div(f64x2.mul(difference, difference), f64x2.pmax(f64x2.splat(FLAT), curvature));
  const counts = v128.and(free, f64x2.gt(difference, f64x2.splat(0)));
  return v128.bitselect(value, f64x2.splat(-1), counts);
}

/** g -= length (Ki - Kj); returns the row of I_up with the largest g, or -1. */
export function advance(n: i32, length: f64, g: usize, b: usize, upper: usize, Ki: usize, Kj: usize): i32 {
  const minus = f64x2.splat(-Infinity), four = f64x2.splat(4), by = f64x2.splat(length);
  let best0 = minus, best1 = minus, at0 = f64x2.splat(-1), at1 = at0;
  let t0 = f64x2(0, 1), t1 = f64x2(2, 3);
  for (let p: usize = 0; p < <usize>n << 3; p += 32) {
    const g0 = f64x2.sub(v128.load(g + p), f64x2.mul(by, f64x2.sub(v128.load(Ki + p), v128.load(Kj + p))));
    const g1 = f64x2.sub(
      v128.load(g + p, 16), f64x2.mul(by, f64x2.sub(v128.load(Ki + p, 16), v128.load(Kj + p, 16))),
    );
    v128.store(g + p, g0);
    v128.store(g + p, g1, 16);
    const more0 = v128.and(f64x2.gt(g0, best0), f64x2.lt(v128.load(b + p), v128.load(upper + p)));
    const more1 = v128.and(f64x2.gt(g1, best1), f64x2.lt(v128.load(b + p, 16), v128.load(upper + p, 16)));
    best0 = v128.bitselect(g0, best0, more0);
    best1 = v128.bitselect(g1, best1, more1);
    at0 = v128.bitselect(t0, at0, more0);
    at1 = v128.bitselect(t1, at1, more1);
    t0 = f64x2.add(t0, four);
    t1 = f64x2.add(t1, four);
  }
  return first(best0, at0, best1, at1);
}

/** The position of the largest of four, the first one in a tie. */
function first(best0: v128, at0: v128, best1: v128, at1: v128): i32 {
  let value = f64x2.extract_lane(best0, 0), place = f64x2.extract_lane(at0, 0);
  for (let q = 1; q < 4; q++) {
    const v = q == 1 ? f64x2.extract_lane(best0, 1) : q == 2 ? f64x2.extract_lane(best1, 0) : f64x2.extract_lane(best1, 1);
    const t = q == 1 ? f64x2.extract_lane(at0, 1) : q == 2 ? f64x2.extract_lane(at1, 0) : f64x2.extract_lane(at1, 1);
    if (v > value || (v == value && t < place)) {
      value = v;
      place = t;
    }
  }
  return <i32>place;
}
