// Approximate neighbours: rows are compared with the rows of the cells near them (graph/approximate/approximateNeighbors.ts).
//
// A space is a set of f32 rows: `bytes` between rows, of which the first `depth` bytes count (multiples of 16). A row has
// a max-heap of the `size` (a multiple of four) nearest rows so far.
//
// Rows are compared as 16-bit integers, with a unit for each row, whose products are twice as fast as those of floats:
// |x - y|^2 = |x|^2 + |y|^2 - 2 x'y comes from products of four rows, read where they are, with panels of eight rows.
// `shrink` makes the integers, as many as floats; `weave` puts them in panels, two integers of each row after the other. The
// rows y of a cell are taken less its centre c, so that small cells are told apart as well as large ones: for any row x
//
//     |x - y|^2 = |x - c|^2 + |y - c|^2 + 2 c'(y - c) - 2 x'(y - c).
import { int, single } from "../../matrix/kernel/_memory.as";
import { bits, madd, t00, t01, t10, t11, t20, t21, t30, t31 } from "../../matrix/kernel/_single.as";

let rows: usize = 0;
let bytes: usize = 0;
let depth: usize = 0;

let size: i32 = 0;
let heapD: usize = 0;
let heapI: usize = 0;

export function useSpace(X: usize, between: i32, used: i32): void {
  rows = X;
  bytes = <usize>between;
  depth = <usize>used;
}

/** Empties the heaps of the rows 0 .. count - 1. */
export function useHeaps(neighbors: i32, count: i32, distances: usize, entries: usize): void {
  size = neighbors;
  heapD = distances;
  heapI = entries;
  const end = <usize>count * <usize>size;
  for (let p: usize = 0; p < end; p++) {
    store<f32>(heapD + (p << 2), Infinity);
    store<i32>(heapI + (p << 2), -1);
  }
}

// @ts-ignore: decorator
@inline
function sum(a: v128): f32 {
  const b = f32x4.add(a, v128.shuffle<i32>(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(b, 0) + f32x4.extract_lane(b, 1);
}

// @ts-ignore: decorator
@inline
function pointer(i: i32): usize {
  return rows + <usize>i * bytes;
}

// @ts-ignore: decorator
@inline
function putTile(o0: usize, o1: usize, o2: usize, o3: usize, at: usize): void {
  v128.store(o0 + at, t00);
  v128.store(o0 + at, t01, 16);
  v128.store(o1 + at, t10);
  v128.store(o1 + at, t11, 16);
  v128.store(o2 + at, t20);
  v128.store(o2 + at, t21, 16);
  v128.store(o3 + at, t30);
  v128.store(o3 + at, t31, 16);
}

/** The mean of the listed rows, `depth` bytes. */
export function centerOf(list: usize, count: i32, to: usize): void {
  memory.fill(to, 0, depth);
  for (let p = 0; p < count; p++) {
    const x = pointer(int(list, p));
    for (let at: usize = 0; at < depth; at += 16) {
      v128.store(to + at, f32x4.add(v128.load(to + at), v128.load(x + at)));
    }
  }
  const share = f32x4.splat(<f32>1 / <f32>count);
  for (let at: usize = 0; at < depth; at += 16) v128.store(to + at, f32x4.mul(share, v128.load(to + at)));
}

/** A row of integers is at most so long, and none larger than 32767: the product of two is below 2^31. */
const LENGTH: f32 = 46000;
/** Adding it rounds to an integer, in the lowest bits of the sum. */
const ROUND: f32 = 12582912;

/**
 * The listed rows y less a centre c as integers, depth / 2 bytes each, with their units; `squares` gets
 * |y - c|^2 + 2 c'(y - c), and `limits`, if it is not 0, the distances to beat minus these.
 */
export function shrink(
  list: usize, count: i32, center: usize, to: usize, units: usize, squares: usize, limits: usize,
): void {
  const magic = f32x4.splat(ROUND);
  for (let p = 0; p < count; p++) {
    const i = int(list, p), x = pointer(i), at4 = <usize>p << 2;
    let s = f32x4.splat(0), most = s, along = s;
    for (let at: usize = 0; at < depth; at += 16) {
      const c = v128.load(center + at), v = f32x4.sub(v128.load(x + at), c);
      s = f32x4.add(s, f32x4.mul(v, v));
      along = f32x4.add(along, f32x4.mul(v, c));
      most = f32x4.max(most, f32x4.abs(v));
    }
    most = f32x4.max(most, v128.shuffle<i32>(most, most, 2, 3, 0, 1));
    const length = sum(s), square = length + 2 * sum(along);
    let scale = min(
      LENGTH / sqrt(length),
      <f32>32767 / max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 1)),
    );
    if (!(scale < 1e36)) scale = 0;
    const scales = f32x4.splat(scale);
    for (let at: usize = 0; at < depth; at += 16, to += 8) {
      const v = f32x4.sub(v128.load(x + at), v128.load(center + at));
      const whole = i32x4.sub(f32x4.add(f32x4.mul(v, scales), magic), magic);
      v128.store_lane<i64>(to, i16x8.narrow_i32x4_s(whole, whole), 0);
    }
    store<f32>(units + at4, scale > 0 ? 1 / scale : 0);
    store<f32>(squares + at4, square);
    if (limits != 0) store<f32>(limits + at4, worstOf(i) - square);
  }
}

/** `squares` gets |x - c|^2 for the listed rows, and `limits` the distances to beat minus these. */
export function measureFrom(list: usize, count: i32, center: usize, squares: usize, limits: usize): void {
  for (let p = 0; p < count; p++) {
    const i = int(list, p), square = difference(pointer(i), center);
    store<f32>(squares + (<usize>p << 2), square);
    store<f32>(limits + (<usize>p << 2), worstOf(i) - square);
  }
}

/** Rows of integers in panels of eight; those beyond the last are zeros. */
export function weave(count: i32, from: usize, to: usize): void {
  const pairs = depth >> 3;
  for (let p = 0; p < ((count + 7) & ~7); p++) {
    const panel = to + <usize>(p >> 3) * (depth << 2) + (<usize>(p & 7) << 2);
    for (let j: usize = 0; j < pairs; j++, from += 4) {
      store<i32>(panel + (j << 5), p < count ? load<i32>(from) : 0);
    }
  }
}

// @ts-ignore: decorator
@inline
function add2(a: v128, b: v128, c: v128): v128 {
  return i32x4.add(c, i32x4.dot_i16x8_s(a, b));
}

/** The products of four rows of integers with a panel of eight, times the units of both. */
// @ts-ignore: decorator
@inline
function shortTile(
  p0: usize, p1: usize, p2: usize, p3: usize, bp: usize, u0: v128, u1: v128, u2: v128, u3: v128, units: usize,
): void {
  let c00 = i32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (const end = p0 + (depth >> 1); p0 < end; p0 += 4, p1 += 4, p2 += 4, p3 += 4, bp += 32) {
    const b0 = v128.load(bp), b1 = v128.load(bp, 16);
    let a = v128.load_splat<i32>(p0);
    c00 = add2(a, b0, c00);
    c01 = add2(a, b1, c01);
    a = v128.load_splat<i32>(p1);
    c10 = add2(a, b0, c10);
    c11 = add2(a, b1, c11);
    a = v128.load_splat<i32>(p2);
    c20 = add2(a, b0, c20);
    c21 = add2(a, b1, c21);
    a = v128.load_splat<i32>(p3);
    c30 = add2(a, b0, c30);
    c31 = add2(a, b1, c31);
  }
  const v0 = v128.load(units), v1 = v128.load(units, 16);
  t00 = f32x4.mul(f32x4.mul(u0, v0), f32x4.convert_i32x4_s(c00));
  t01 = f32x4.mul(f32x4.mul(u0, v1), f32x4.convert_i32x4_s(c01));
  t10 = f32x4.mul(f32x4.mul(u1, v0), f32x4.convert_i32x4_s(c10));
  t11 = f32x4.mul(f32x4.mul(u1, v1), f32x4.convert_i32x4_s(c11));
  t20 = f32x4.mul(f32x4.mul(u2, v0), f32x4.convert_i32x4_s(c20));
  t21 = f32x4.mul(f32x4.mul(u2, v1), f32x4.convert_i32x4_s(c21));
  t30 = f32x4.mul(f32x4.mul(u3, v0), f32x4.convert_i32x4_s(c30));
  t31 = f32x4.mul(f32x4.mul(u3, v1), f32x4.convert_i32x4_s(c31));
}

/**
 * The `wanted` nearest of `count` others for each listed row, nearest first, as numbers at `found`. The others are woven
 * integers; `units` and `lengths` are theirs, with room up to a multiple of eight. `zeros` is a row of zeros. `work`
 * has room for four rows of products (count rounded up to 8), for `wanted` values, and for four rows of integers.
 */
export function nearestWoven(
  list: usize, length: i32, count: i32, woven: usize, units: usize, lengths: usize, zeros: usize, wanted: i32, found: usize,
  work: usize,
): void {
  const between = <usize>((count + 7) & ~7) << 2, bytes = depth >> 1;
  const values = work + 4 * between, facts = values + (<usize>wanted << 2), p0 = facts + 32;
  for (let p = 0; p < length; p += 4, list += 16) {
    const rows = min(4, length - p);
    shrink(list, rows, zeros, p0, facts, facts + 16, 0);
    const p1 = rows > 1 ? p0 + bytes : p0, p2 = rows > 2 ? p1 + bytes : p0, p3 = rows > 3 ? p2 + bytes : p0;
    const u0 = v128.load_splat<f32>(facts), u1 = v128.load_splat<f32>(facts, 4);
    const u2 = v128.load_splat<f32>(facts, 8), u3 = v128.load_splat<f32>(facts, 12);
    for (let j = 0; j < count; j += 8) {
      const at = <usize>j << 2;
      shortTile(p0, p1, p2, p3, woven + <usize>(j >> 3) * (depth << 2), u0, u1, u2, u3, units + at);
      putTile(work, work + between, work + 2 * between, work + 3 * between, at);
    }
    for (let q = 0; q < rows; q++) {
      choose(work + <usize>q * between, count, lengths, wanted, found + <usize>(p + q) * (<usize>wanted << 2), values);
    }
  }
}

function choose(product: usize, count: i32, lengths: usize, wanted: i32, found: usize, values: usize): void {
  let held = 0;
  let worst: f32 = Infinity;
  const minusTwo = f32x4.splat(-2);
  for (let j = 0; j < count; j += 4) {
    const at = <usize>j << 2;
    const four = madd(minusTwo, v128.load(product + at), v128.load(lengths + at));
    let passed = i32x4.bitmask(f32x4.lt(four, f32x4.splat(worst)));
    if (passed == 0) continue;
    v128.store(product + at, four);
    for (; passed != 0; passed &= passed - 1) {
      const center = j + ctz(passed);
      const value = single(product, center);
      if (center >= count || !(value < worst)) continue;
      let place = held < wanted ? held++ : wanted - 1;
      for (; place > 0 && value < single(values, place - 1); place--) {
        store<f32>(values + (<usize>place << 2), single(values, place - 1));
        store<i32>(found + (<usize>place << 2), int(found, place - 1));
      }
      store<f32>(values + (<usize>place << 2), value);
      store<i32>(found + (<usize>place << 2), center);
      if (held == wanted) worst = single(values, held - 1);
    }
  }
}

/**
 * Compares every row of list L with every one of list R and offers each to the other's heap. `rowsL` and `unitsL` are the
 * integers and units of all rows; those of R are woven at `panels`. `squares` and `limits` are in the order of the lists,
 * with room up to a multiple of eight. With `same` the lists are equal, and each pair is compared once.
 */
export function compare(
  L: usize, countL: i32, rowsL: usize, unitsL: usize, squaresL: usize, limitsL: usize,
  R: usize, countR: i32, panels: usize, unitsR: usize, squaresR: usize, limitsR: usize, same: i32,
): void {
  const bytes = depth >> 1;
  for (let a = 0; a < countL; a += 4) {
    const at = <usize>a << 2, last = countL - 1, n = v128.load(squaresL + at);
    const i0 = int(L, a), i1 = int(L, min(a + 1, last)), i2 = int(L, min(a + 2, last)), i3 = int(L, min(a + 3, last));
    const x0 = rowsL + <usize>i0 * bytes, x1 = rowsL + <usize>i1 * bytes, x2 = rowsL + <usize>i2 * bytes;
    const x3 = rowsL + <usize>i3 * bytes;
    const u0 = f32x4.splat(2 * single(unitsL, i0)), u1 = f32x4.splat(2 * single(unitsL, i1));
    const u2 = f32x4.splat(2 * single(unitsL, i2)), u3 = f32x4.splat(2 * single(unitsL, i3));
    const n0 = v128.shuffle<i32>(n, n, 0, 0, 0, 0), n1 = v128.shuffle<i32>(n, n, 1, 1, 1, 1);
    const n2 = v128.shuffle<i32>(n, n, 2, 2, 2, 2), n3 = v128.shuffle<i32>(n, n, 3, 3, 3, 3);
    for (let r = same ? a & ~7 : 0; r < countR; r += 8) {
      const to = <usize>r << 2;
      shortTile(x0, x1, x2, x3, panels + <usize>(r >> 3) * (depth << 2), u0, u1, u2, u3, unitsR + to);
      const m0 = v128.load(squaresR + to), m1 = v128.load(squaresR + to, 16);
      const l0 = v128.load(limitsR + to), l1 = v128.load(limitsR + to, 16);
      let t = v128.load_splat<f32>(limitsL + at);
      const c00 = near(f32x4.sub(m0, t00), t, f32x4.sub(n0, t00), l0);
      const c01 = near(f32x4.sub(m1, t01), t, f32x4.sub(n0, t01), l1);
      t = v128.load_splat<f32>(limitsL + at, 4);
      const c10 = near(f32x4.sub(m0, t10), t, f32x4.sub(n1, t10), l0);
      const c11 = near(f32x4.sub(m1, t11), t, f32x4.sub(n1, t11), l1);
      t = v128.load_splat<f32>(limitsL + at, 8);
      const c20 = near(f32x4.sub(m0, t20), t, f32x4.sub(n2, t20), l0);
      const c21 = near(f32x4.sub(m1, t21), t, f32x4.sub(n2, t21), l1);
      t = v128.load_splat<f32>(limitsL + at, 12);
      const c30 = near(f32x4.sub(m0, t30), t, f32x4.sub(n3, t30), l0);
      const c31 = near(f32x4.sub(m1, t31), t, f32x4.sub(n3, t31), l1);
      for (let passed = passing(c00, c01, c10, c11, c20, c21, c30, c31); passed != 0; passed &= passed - 1) {
        const bit = <i32>ctz(passed), p = a + (bit >> 3), q = r + (bit & 7);
        if (p >= countL || q >= countR || (same && p >= q)) continue;
        const i = int(L, p), j = int(R, q), squareI = single(squaresL, p), squareJ = single(squaresR, q);
        const distance = squareI + squareJ - load<f32>(KEPT + (<usize>bit << 2));
        offer(i, j, distance);
        offer(j, i, distance);
        store<f32>(limitsL + (<usize>p << 2), worstOf(i) - squareI);
        store<f32>(limitsR + (<usize>q << 2), worstOf(j) - squareJ);
      }
    }
  }
}

/** The lanes of a tile that pass, as bits; the tile is kept if any does. */
// @ts-ignore: decorator
@inline
function passing(
  c00: v128, c01: v128, c10: v128, c11: v128, c20: v128, c21: v128, c30: v128, c31: v128,
): u32 {
  const passed = bits(c00, c01, c10, c11, c20, c21, c30, c31);
  if (passed != 0) putTile(KEPT, KEPT + 32, KEPT + 64, KEPT + 96, 0);
  return passed;
}

const KEPT: usize = memory.data(128, 16);

// @ts-ignore: decorator
@inline
function near(a: v128, limitA: v128, b: v128, limitB: v128): v128 {
  return v128.or(f32x4.lt(a, limitA), f32x4.lt(b, limitB));
}

// @ts-ignore: decorator
@inline
function worstOf(i: i32): f32 {
  return load<f32>(heapD + <usize>i * (<usize>size << 2));
}

/** Takes the place of the root, unless j is known. */
function offer(i: i32, j: i32, distance: f32): void {
  const D = heapD + <usize>i * (<usize>size << 2), I = heapI + <usize>i * (<usize>size << 2);
  if (!(distance < load<f32>(D))) return;
  const four = i32x4.splat(j);
  for (let p = 0; p < size; p += 4) {
    if (v128.any_true(i32x4.eq(v128.load(I + (<usize>p << 2)), four))) return;
  }
  let hole = 0;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= size) break;
    if (child + 1 < size && single(D, child + 1) > single(D, child)) child++;
    if (single(D, child) <= distance) break;
    store<f32>(D + (<usize>hole << 2), single(D, child));
    store<i32>(I + (<usize>hole << 2), int(I, child));
    hole = child;
  }
  store<f32>(D + (<usize>hole << 2), distance);
  store<i32>(I + (<usize>hole << 2), j);
}

function difference(x: usize, y: usize): f32 {
  let s0 = f32x4.splat(0), s1 = s0;
  let at: usize = 0;
  for (; at + 32 <= depth; at += 32) {
    const a = f32x4.sub(v128.load(x + at), v128.load(y + at));
    const b = f32x4.sub(v128.load(x + at, 16), v128.load(y + at, 16));
    s0 = madd(a, a, s0);
    s1 = madd(b, b, s1);
  }
  if (at < depth) {
    const a = f32x4.sub(v128.load(x + at), v128.load(y + at));
    s0 = madd(a, a, s0);
  }
  return sum(f32x4.add(s0, s1));
}

/**
 * Squared distances of the rows from .. to - 1 of d doubles to others, `each` (a multiple of four) numbers at `near` for each
 * row, -1 for none; features are summed in ascending order.
 */
export function exactDistances(d: i32, X: usize, from: i32, to: i32, each: i32, near: usize, out: usize): void {
  const bytes = <usize>d << 3;
  for (let i = from; i < to; i++) {
    const x = X + <usize>i * bytes;
    for (let p = 0; p < each; p += 4, near += 16, out += 32) {
      const a = X + <usize>max(0, int(near, 0)) * bytes, b = X + <usize>max(0, int(near, 1)) * bytes;
      const c = X + <usize>max(0, int(near, 2)) * bytes, e = X + <usize>max(0, int(near, 3)) * bytes;
      let s0 = f64x2.splat(0), s1 = s0;
      for (let at: usize = 0; at < bytes; at += 8) {
        const v = v128.load_splat<f64>(x + at);
        const u = f64x2.sub(v, v128.load_lane<f64>(b + at, v128.load64_zero(a + at), 1));
        const w = f64x2.sub(v, v128.load_lane<f64>(e + at, v128.load64_zero(c + at), 1));
        s0 = f64x2.add(s0, f64x2.mul(u, u));
        s1 = f64x2.add(s1, f64x2.mul(w, w));
      }
      v128.store(out, s0);
      v128.store(out, s1, 16);
    }
  }
}
