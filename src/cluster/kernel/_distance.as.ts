// Distances of rows to centres: sums of squared differences, never ||x||^2 - 2 x'c + ||c||^2, so data far from the origin
// lose no digits. Rows and centres are row-major f64 with a stride of `s` doubles, s even, the columns beyond d being zeros
// in both.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

/** A bound must hold despite rounding: distances are rounded outwards by this share, which covers d up to 1e5. */
const SLACK: f64 = 1e-11;

// @ts-ignore: decorator
@inline
function step(x: v128, c: v128, sum: v128): v128 {
  const difference = f64x2.sub(x, c);
  return madd(difference, difference, sum);
}

// @ts-ignore: decorator
@inline
export function above(squared: f64): f64 {
  return sqrt(squared) * (1 + SLACK);
}

// @ts-ignore: decorator
@inline
export function below(squared: f64): f64 {
  return sqrt(squared) * (1 - SLACK);
}

/** ||x - c||^2 */
export function distance(s: i32, x: usize, c: usize): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, j = 0;
  for (; j + 8 <= s; j += 8) {
    s0 = step(v128.load(x), v128.load(c), s0);
    s1 = step(v128.load(x, 16), v128.load(c, 16), s1);
    s2 = step(v128.load(x, 32), v128.load(c, 32), s2);
    s3 = step(v128.load(x, 48), v128.load(c, 48), s3);
    x += 64;
    c += 64;
  }
  for (; j < s; j += 2) {
    s0 = step(v128.load(x), v128.load(c), s0);
    x += 16;
    c += 16;
  }
  return hsum(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
}

/**
 * Distances of one row to K centres; the order of summation is that of `pair`, so both give the same bits.
 */
export function single(s: i32, K: i32, x: usize, C: usize, out: usize): void {
  const row = <usize>s << 3;
  let k = 0;
  for (; k + 4 <= K; k += 4) {
    const c0 = C + <usize>k * row, c1 = c0 + row, c2 = c1 + row, c3 = c2 + row;
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let j: usize = 0; j < row; j += 16) {
      const v = v128.load(x + j);
      s0 = step(v, v128.load(c0 + j), s0);
      s1 = step(v, v128.load(c1 + j), s1);
      s2 = step(v, v128.load(c2 + j), s2);
      s3 = step(v, v128.load(c3 + j), s3);
    }
    const to = out + (<usize>k << 3);
    store<f64>(to, hsum(s0));
    store<f64>(to, hsum(s1), 8);
    store<f64>(to, hsum(s2), 16);
    store<f64>(to, hsum(s3), 24);
  }
  for (; k < K; k++) {
    const c = C + <usize>k * row;
    let sum = f64x2.splat(0);
    for (let j: usize = 0; j < row; j += 16) sum = step(v128.load(x + j), v128.load(c + j), sum);
    store<f64>(out + (<usize>k << 3), hsum(sum));
  }
}

/** Distances of two consecutive rows to K centres, at out and out + 8 K: eight sums in registers. */
export function pair(s: i32, K: i32, x: usize, C: usize, out: usize): void {
  const row = <usize>s << 3, y = x + row, second = out + (<usize>K << 3);
  let k = 0;
  for (; k + 4 <= K; k += 4) {
    const c0 = C + <usize>k * row, c1 = c0 + row, c2 = c1 + row, c3 = c2 + row;
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, t0 = s0, t1 = s0, t2 = s0, t3 = s0;
    for (let j: usize = 0; j < row; j += 16) {
      const v = v128.load(x + j), w = v128.load(y + j);
      let c = v128.load(c0 + j);
      s0 = step(v, c, s0);
      t0 = step(w, c, t0);
      c = v128.load(c1 + j);
      s1 = step(v, c, s1);
      t1 = step(w, c, t1);
      c = v128.load(c2 + j);
      s2 = step(v, c, s2);
      t2 = step(w, c, t2);
      c = v128.load(c3 + j);
      s3 = step(v, c, s3);
      t3 = step(w, c, t3);
    }
    const at = <usize>k << 3;
    store<f64>(out + at, hsum(s0));
    store<f64>(out + at, hsum(s1), 8);
    store<f64>(out + at, hsum(s2), 16);
    store<f64>(out + at, hsum(s3), 24);
    store<f64>(second + at, hsum(t0));
    store<f64>(second + at, hsum(t1), 8);
    store<f64>(second + at, hsum(t2), 16);
    store<f64>(second + at, hsum(t3), 24);
  }
  if (k < K) {
    const rest = C + <usize>k * row, at = <usize>k << 3;
    single(s, K - k, x, rest, out + at);
    single(s, K - k, y, rest, second + at);
  }
}

/** Centres in panels of eight, column after column; positions beyond K have infinite distance. */
export function panels(s: i32, K: i32, C: usize, to: usize): void {
  for (let first = 0; first < K; first += 8) {
    for (let j = 0; j < s; j++) {
      for (let k = first; k < first + 8; k++, to += 8) {
        store<f64>(to, k < K ? load<f64>(C + ((<usize>k * <usize>s + <usize>j) << 3)) : Infinity);
      }
    }
  }
}

/** Distances of one row to the centres of panels P, at out; padded beyond K to a multiple of four. */
export function across(s: i32, K: i32, x: usize, P: usize, out: usize): void {
  const end = x + (<usize>s << 3);
  for (let k = 0; k < K; k += 8, out += 64) {
    let s0 = f64x2.splat(0), s1 = s0;
    if (K - k <= 4) {
      for (let at = x; at < end; at += 8, P += 64) {
        const v = v128.load_splat<f64>(at);
        s0 = step(v, v128.load(P), s0);
        s1 = step(v, v128.load(P, 16), s1);
      }
      v128.store(out, s0);
      v128.store(out, s1, 16);
      break;
    }
    let s2 = s0, s3 = s0;
    for (let at = x; at < end; at += 8, P += 64) {
      const v = v128.load_splat<f64>(at);
      s0 = step(v, v128.load(P), s0);
      s1 = step(v, v128.load(P, 16), s1);
      s2 = step(v, v128.load(P, 32), s2);
      s3 = step(v, v128.load(P, 48), s3);
    }
    v128.store(out, s0);
    v128.store(out, s1, 16);
    v128.store(out, s2, 32);
    v128.store(out, s3, 48);
  }
}

/** The result of `nearestOf`: the smallest distance and the next one. */
export let least: f64 = 0;
export let next: f64 = 0;

/**
 * The position of the smallest of K numbers, the first one in a tie; without branches. The padding after K is
 * Infinity.
 */
export function nearestOf(K: i32, D: usize): i32 {
  let low = v128.load(D), second = f64x2.splat(f64.MAX_VALUE), at = i64x2(0, 1), place = at;
  const two = i64x2.splat(2), end = D + ((<usize>K + 1) >> 1 << 4);
  for (D += 16; D < end; D += 16) {
    const v = v128.load(D);
    at = i64x2.add(at, two);
    second = f64x2.pmin(second, f64x2.pmax(low, v));
    place = v128.bitselect(at, place, f64x2.lt(v, low));
    low = f64x2.pmin(low, v);
  }
  const a = f64x2.extract_lane(low, 0), b = f64x2.extract_lane(low, 1);
  const i = <i32>i64x2.extract_lane(place, 0), j = <i32>i64x2.extract_lane(place, 1);
  const rest = min(f64x2.extract_lane(second, 0), f64x2.extract_lane(second, 1));
  const first = a < b || (a == b && i < j);
  least = first ? a : b;
  next = min(rest, first ? b : a);
  return first ? i : j;
}

/** Returns the limit of row i, without a list, times its weight. */
export function taken(
  e: i32, i: usize, found: usize, count: i32, list: usize, limits: usize, labels: usize, weights: usize, first: i32, D: usize,
): f64 {
  let limit = load<f64>(limits + (i << 3));
  if (list != 0) {
    const to = D + ((<usize>e * <usize>count) << 3);
    for (let at: usize = 0; at < <usize>count << 3; at += 8) store<f64>(to + at, min(limit, load<f64>(found + at)));
    return 0;
  }
  const t = nearestOf(count, found);
  if (least < limit) {
    limit = least;
    store<f64>(limits + (i << 3), limit);
    store<i32>(labels + (i << 2), first + t);
  }
  return weights == 0 ? limit : limit * load<f64>(weights + (i << 3));
}
