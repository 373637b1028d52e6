// Approximate neighbours: rows are compared with the rows of the cells near them (graph/approximateNeighbors.ts).
//
// A space is a set of f32 rows: `bytes` between rows, of which the first `depth` bytes count (multiples of 16),
// and their squared lengths, `norms`. |x - y|^2 = |x|^2 + |y|^2 - 2 x'y comes from products of four rows, read where
// they are, with panels of eight rows, packed depth after depth. A row has a max-heap of the `size` (a multiple of
// four) nearest rows so far; its bound is the distance to beat minus its norm. Heaps begin with row `first`.
import { madd } from "../../matrix/kernel/_single.as";

let rows: usize = 0;
let bytes: usize = 0;
let depth: usize = 0;
let norms: usize = 0;

let size: i32 = 0;
let first: i32 = 0;
let heapD: usize = 0;
let heapI: usize = 0;
let bounds: usize = 0;

export function useSpace(X: usize, between: i32, used: i32, squares: usize): void {
  rows = X;
  bytes = <usize>between;
  depth = <usize>used;
  norms = squares;
}

/** Empties the heaps of rows from .. to - 1. */
export function useHeaps(neighbors: i32, from: i32, to: i32, distances: usize, entries: usize, limits: usize): void {
  size = neighbors;
  first = from;
  heapD = distances;
  heapI = entries;
  bounds = limits;
  const end = <usize>(to - from) * <usize>size;
  for (let p: usize = 0; p < end; p++) {
    store<f32>(heapD + (p << 2), Infinity);
    store<i32>(heapI + (p << 2), -1);
  }
  for (let i = from; i < to; i++) store<f32>(bounds + (<usize>i << 2), Infinity);
}

/** Rows of doubles, minus the centre and scaled, as f32 rows of the space; padded with zeros. */
export function fill(count: i32, d: i32, source: usize, center: usize, scale: f64, at: i32): void {
  for (let i = 0; i < count; i++) {
    const to = rows + <usize>(at + i) * bytes;
    for (let f = 0; f < d; f++) {
      const value = (load<f64>(source) - load<f64>(center + (<usize>f << 3))) * scale;
      store<f32>(to + (<usize>f << 2), <f32>value);
      source += 8;
    }
    for (let p = <usize>d << 2; p < bytes; p += 4) store<f32>(to + p, 0);
  }
}

/** Squared lengths of the first `count` rows. */
export function measureNorms(count: i32): void {
  for (let i = 0; i < count; i++) {
    const x = pointer(i);
    let s = f32x4.splat(0);
    for (let at: usize = 0; at < depth; at += 16) {
      const v = v128.load(x + at);
      s = madd(v, v, s);
    }
    store<f32>(norms + (<usize>i << 2), sum(s));
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
function idAt(list: usize, p: i32): i32 {
  return load<i32>(list + (<usize>p << 2));
}

// @ts-ignore: decorator
@inline
function pointer(i: i32): usize {
  return rows + <usize>i * bytes;
}

// @ts-ignore: decorator
@inline
function floatAt(values: usize, i: i32): f32 {
  return load<f32>(values + (<usize>i << 2));
}

/** Packs the listed rows in panels of eight; the last panel is padded with zeros. */
export function pack(list: usize, count: i32, to: usize): void {
  const end = (count + 7) & ~7;
  for (let p = 0; p < end; p += 4) {
    let target = to + <usize>(p >> 3) * (depth << 3) + (<usize>(p & 4) << 2);
    if (p >= count) {
      for (let at: usize = 0; at < depth; at += 4, target += 32) v128.store(target, f32x4.splat(0));
      continue;
    }
    const last = count - 1;
    let x0 = pointer(idAt(list, p)), x1 = pointer(idAt(list, min(p + 1, last)));
    let x2 = pointer(idAt(list, min(p + 2, last))), x3 = pointer(idAt(list, min(p + 3, last)));
    const full = p + 4 <= count;
    const keep = full ? i32x4.splat(-1) : i32x4(-1, p + 1 < count ? -1 : 0, p + 2 < count ? -1 : 0, 0);
    for (const stop = x0 + depth; x0 < stop; x0 += 16, x1 += 16, x2 += 16, x3 += 16, target += 128) {
      const a = v128.load(x0), b = v128.load(x1), c = v128.load(x2), e = v128.load(x3);
      const ab0 = v128.shuffle<i32>(a, b, 0, 4, 1, 5), ab1 = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
      const ce0 = v128.shuffle<i32>(c, e, 0, 4, 1, 5), ce1 = v128.shuffle<i32>(c, e, 2, 6, 3, 7);
      v128.store(target, v128.and(keep, v128.shuffle<i64>(ab0, ce0, 0, 2)));
      v128.store(target, v128.and(keep, v128.shuffle<i64>(ab0, ce0, 1, 3)), 32);
      v128.store(target, v128.and(keep, v128.shuffle<i64>(ab1, ce1, 0, 2)), 64);
      v128.store(target, v128.and(keep, v128.shuffle<i64>(ab1, ce1, 1, 3)), 96);
    }
  }
}

/** The norms and bounds of the listed rows, in the order of the list. */
export function gather(list: usize, count: i32, normsTo: usize, boundsTo: usize): void {
  for (let p = 0; p < count; p++) {
    store<f32>(normsTo + (<usize>p << 2), floatAt(norms, idAt(list, p)));
    store<f32>(boundsTo + (<usize>p << 2), floatAt(bounds, idAt(list, p)));
  }
}

// The products of four rows with a panel of eight, left by `tile`.
let t00: v128 = f32x4.splat(0);
let t01: v128 = f32x4.splat(0);
let t10: v128 = f32x4.splat(0);
let t11: v128 = f32x4.splat(0);
let t20: v128 = f32x4.splat(0);
let t21: v128 = f32x4.splat(0);
let t30: v128 = f32x4.splat(0);
let t31: v128 = f32x4.splat(0);

// @ts-ignore: decorator
@inline
function tile(p0: usize, p1: usize, p2: usize, p3: usize, bp: usize): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (const end = p0 + depth; p0 < end; p0 += 4, p1 += 4, p2 += 4, p3 += 4, bp += 32) {
    const b0 = v128.load(bp), b1 = v128.load(bp, 16);
    let a = v128.load_splat<f32>(p0);
    c00 = madd(a, b0, c00);
    c01 = madd(a, b1, c01);
    a = v128.load_splat<f32>(p1);
    c10 = madd(a, b0, c10);
    c11 = madd(a, b1, c11);
    a = v128.load_splat<f32>(p2);
    c20 = madd(a, b0, c20);
    c21 = madd(a, b1, c21);
    a = v128.load_splat<f32>(p3);
    c30 = madd(a, b0, c30);
    c31 = madd(a, b1, c31);
  }
  t00 = c00;
  t01 = c01;
  t10 = c10;
  t11 = c11;
  t20 = c20;
  t21 = c21;
  t30 = c30;
  t31 = c31;
}

/** Products of rows 0 .. count - 1 with `columns` packed rows (a multiple of 8), at `to`, `between` bytes a row. */
export function products(count: i32, columns: i32, packed: usize, to: usize, between: i32): void {
  for (let i = 0; i < count; i += 4) {
    const last = count - 1;
    const i1 = min(i + 1, last), i2 = min(i + 2, last), i3 = min(i + 3, last);
    const o0 = to + <usize>i * <usize>between, o1 = to + <usize>i1 * <usize>between;
    const o2 = to + <usize>i2 * <usize>between, o3 = to + <usize>i3 * <usize>between;
    for (let j = 0; j < columns; j += 8) {
      tile(pointer(i), pointer(i1), pointer(i2), pointer(i3), packed + <usize>(j >> 3) * (depth << 3));
      putTile(o0, o1, o2, o3, <usize>j << 2);
    }
  }
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

/**
 * The `wanted` nearest of `count` centres for each listed row, nearest first, as numbers at `found`. Centres are packed;
 * `lengths` are their squared lengths. `work` has room for four rows of products (count rounded up to 8) and for `wanted`
 * values.
 */
export function nearestCenters(
  list: usize, length: i32, count: i32, packed: usize, lengths: usize, wanted: i32, found: usize, work: usize,
): void {
  const between = <usize>((count + 7) & ~7) << 2;
  const values = work + 4 * between;
  for (let p = 0; p < length; p += 4) {
    const last = length - 1;
    const p0 = pointer(idAt(list, p)), p1 = pointer(idAt(list, min(p + 1, last)));
    const p2 = pointer(idAt(list, min(p + 2, last))), p3 = pointer(idAt(list, min(p + 3, last)));
    for (let j = 0; j < count; j += 8) {
      tile(p0, p1, p2, p3, packed + <usize>(j >> 3) * (depth << 3));
      putTile(work, work + between, work + 2 * between, work + 3 * between, <usize>j << 2);
    }
    for (let q = p; q < min(p + 4, length); q++) {
      choose(work + <usize>(q - p) * between, count, lengths, wanted, found + <usize>q * (<usize>wanted << 2), values);
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
      const value = floatAt(product, center);
      if (center >= count || !(value < worst)) continue;
      let place = held < wanted ? held++ : wanted - 1;
      for (; place > 0 && value < floatAt(values, place - 1); place--) {
        store<f32>(values + (<usize>place << 2), floatAt(values, place - 1));
        store<i32>(found + (<usize>place << 2), idAt(found, place - 1));
      }
      store<f32>(values + (<usize>place << 2), value);
      store<i32>(found + (<usize>place << 2), center);
      if (held == wanted) worst = floatAt(values, held - 1);
    }
  }
}

/**
 * Compares every row of list L with every one of list R, which is packed, and offers each to the other's heap. The norms
 * of R are at `normsR`, its bounds at `boundsR`, in the order of the list, with room up to a multiple of eight. With
 * `same` the lists are equal, and each pair is compared once.
 */
export function compare(
  L: usize, countL: i32, R: usize, countR: i32, packed: usize, normsR: usize, boundsR: usize, same: i32,
): void {
  const minusTwo = f32x4.splat(-2);
  for (let a = 0; a < countL; a += 4) {
    const last = countL - 1;
    const i0 = idAt(L, a), i1 = idAt(L, min(a + 1, last)), i2 = idAt(L, min(a + 2, last)), i3 = idAt(L, min(a + 3, last));
    const n0 = f32x4.splat(floatAt(norms, i0)), n1 = f32x4.splat(floatAt(norms, i1));
    const n2 = f32x4.splat(floatAt(norms, i2)), n3 = f32x4.splat(floatAt(norms, i3));
    for (let r = same ? a & ~7 : 0; r < countR; r += 8) {
      tile(pointer(i0), pointer(i1), pointer(i2), pointer(i3), packed + <usize>(r >> 3) * (depth << 3));
      const m0 = v128.load(normsR + (<usize>r << 2)), m1 = v128.load(normsR + (<usize>r << 2), 16);
      const l0 = v128.load(boundsR + (<usize>r << 2)), l1 = v128.load(boundsR + (<usize>r << 2), 16);
      let t = v128.load_splat<f32>(bounds + (<usize>i0 << 2));
      const c00 = near(madd(minusTwo, t00, m0), t, madd(minusTwo, t00, n0), l0);
      const c01 = near(madd(minusTwo, t01, m1), t, madd(minusTwo, t01, n0), l1);
      t = v128.load_splat<f32>(bounds + (<usize>i1 << 2));
      const c10 = near(madd(minusTwo, t10, m0), t, madd(minusTwo, t10, n1), l0);
      const c11 = near(madd(minusTwo, t11, m1), t, madd(minusTwo, t11, n1), l1);
      t = v128.load_splat<f32>(bounds + (<usize>i2 << 2));
      const c20 = near(madd(minusTwo, t20, m0), t, madd(minusTwo, t20, n2), l0);
      const c21 = near(madd(minusTwo, t21, m1), t, madd(minusTwo, t21, n2), l1);
      t = v128.load_splat<f32>(bounds + (<usize>i3 << 2));
      const c30 = near(madd(minusTwo, t30, m0), t, madd(minusTwo, t30, n3), l0);
      const c31 = near(madd(minusTwo, t31, m1), t, madd(minusTwo, t31, n3), l1);
      const any = v128.or(
        v128.or(v128.or(c00, c01), v128.or(c10, c11)),
        v128.or(v128.or(c20, c21), v128.or(c30, c31)),
      );
      if (!v128.any_true(any)) continue;
      let passed: u32 = i32x4.bitmask(c00) | (i32x4.bitmask(c01) << 4) | (i32x4.bitmask(c10) << 8) |
        (i32x4.bitmask(c11) << 12) | (i32x4.bitmask(c20) << 16) | (i32x4.bitmask(c21) << 20) |
        (i32x4.bitmask(c30) << 24) | (i32x4.bitmask(c31) << 28);
      keepTile();
      for (; passed != 0; passed &= passed - 1) {
        const bit = <i32>ctz(passed), p = a + (bit >> 3), q = r + (bit & 7);
        if (p >= countL || q >= countR || (same && p >= q)) continue;
        meet(idAt(L, p), idAt(R, q), load<f32>(KEPT + (<usize>bit << 2)), boundsR + (<usize>q << 2));
      }
    }
  }
}

const KEPT: usize = memory.data(128, 16);

// @ts-ignore: decorator
@inline
function keepTile(): void {
  putTile(KEPT, KEPT + 32, KEPT + 64, KEPT + 96, 0);
}

// @ts-ignore: decorator
@inline
function near(a: v128, limitA: v128, b: v128, limitB: v128): v128 {
  return v128.or(f32x4.lt(a, limitA), f32x4.lt(b, limitB));
}

function meet(i: i32, j: i32, product: f32, boundR: usize): void {
  const normI = floatAt(norms, i), normJ = floatAt(norms, j);
  if (normJ - 2 * product < floatAt(bounds, i)) {
    offer(i, j, normI + normJ - 2 * product);
    store<f32>(bounds + (<usize>i << 2), worstOf(i) - normI);
  }
  if (normI - 2 * product < load<f32>(boundR)) {
    offer(j, i, normI + normJ - 2 * product);
    const bound = worstOf(j) - normJ;
    store<f32>(boundR, bound);
    store<f32>(bounds + (<usize>j << 2), bound);
  }
}

// @ts-ignore: decorator
@inline
function worstOf(i: i32): f32 {
  return load<f32>(heapD + <usize>(i - first) * (<usize>size << 2));
}

/** Takes the place of the root, unless j is known. */
function offer(i: i32, j: i32, distance: f32): void {
  const D = heapD + <usize>(i - first) * (<usize>size << 2), I = heapI + <usize>(i - first) * (<usize>size << 2);
  if (!(distance < load<f32>(D))) return;
  const four = i32x4.splat(j);
  for (let p = 0; p < size; p += 4) {
    if (v128.any_true(i32x4.eq(v128.load(I + (<usize>p << 2)), four))) return;
  }
  let hole = 0;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= size) break;
    if (child + 1 < size && floatAt(D, child + 1) > floatAt(D, child)) child++;
    if (floatAt(D, child) <= distance) break;
    store<f32>(D + (<usize>hole << 2), floatAt(D, child));
    store<i32>(I + (<usize>hole << 2), idAt(I, child));
    hole = child;
  }
  store<f32>(D + (<usize>hole << 2), distance);
  store<i32>(I + (<usize>hole << 2), j);
}

/**
 * Measures the entries of the heaps of rows from .. to - 1 again, in the space in use, as sums of squared differences,
 * and sorts them: nearest first, missing ones (-1) last.
 */
export function sortHeaps(from: i32, to: i32): void {
  for (let i = from; i < to; i++) {
    const D = heapD + <usize>(i - first) * (<usize>size << 2), I = heapI + <usize>(i - first) * (<usize>size << 2);
    const x = pointer(i);
    for (let p = 0; p < size; p++) {
      const j = idAt(I, p);
      const distance = j < 0 ? <f32>Infinity : difference(x, pointer(j));
      let q = p;
      for (; q > 0 && distance < floatAt(D, q - 1); q--) {
        store<f32>(D + (<usize>q << 2), floatAt(D, q - 1));
        store<i32>(I + (<usize>q << 2), idAt(I, q - 1));
      }
      store<f32>(D + (<usize>q << 2), distance);
      store<i32>(I + (<usize>q << 2), j);
    }
  }
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
