// Exact k nearest rows, filtered in single precision: of every row among the others (`pairs`, where each pair of rows is
// examined once), or of queries among rows (`among`).
//
// Rows minus a centre, scaled to a largest entry of about 1, are packed as f32 in panels of eight. With u
// = 2^-24 a product x'y of d terms is within (d + 2) u |x||y| <= (d + 2) u (|x|^2 + |y|^2) / 2 of the exact
// one, for any order of summation, fused or not. So with c = (d + 32) 2 u, which also covers the rounding of
// the comparison, no y with |x - y|^2 <= delta (the k-th distance of x so far) can fail (1 - c)|y|^2 - 2 x'y
// <= delta - (1 - c)|x|^2, and the same with x and y exchanged. Candidates that pass are measured in double
// precision: first in any order, then, unless clearly too far, with features in ascending order. The answers
// equal those of comparing all pairs, bit for bit.
import { bits, madd, t00, t01, t10, t11, t20, t21, t30, t31, tile } from "./_single.as";
import { NO_ROW, offer, sortHeap } from "./_heap.as";

// @ts-ignore: decorator
@inline
function slack(d: i32): f64 {
  return <f64>(d + 32) / 8388608.0;
}

/**
 * Packs rows, and computes their squared norms (`full`), (1 - c) of these as f32 (`norms`) and empty heaps.
 * The last panel is padded with zeros that pass no comparison.
 */
export function pack(
  rows: i32, d: i32, k: i32, X: usize, center: usize, scale: f64, packed: usize, full: usize, norms: usize,
  limits: usize, distances: usize, indices: usize,
): void {
  const shrink = 1.0 - slack(d);
  const end = (rows + 7) & ~7;
  for (let i = 0; i < end; i++) {
    const to = packed + <usize>(i >> 3) * (<usize>d << 5) + (<usize>(i & 7) << 2);
    if (i >= rows) {
      for (let f = 0; f < d; f++) store<f32>(to + (<usize>f << 5), 0);
      store<f32>(norms + (<usize>i << 2), Infinity);
      store<f32>(limits + (<usize>i << 2), -Infinity);
      continue;
    }
    const from = X + <usize>i * (<usize>d << 3);
    let norm: f64 = 0;
    for (let f = 0; f < d; f++) {
      const value = (load<f64>(from + (<usize>f << 3)) - load<f64>(center + (<usize>f << 3))) * scale;
      store<f32>(to + (<usize>f << 5), <f32>value);
      norm += value * value;
    }
    store<f64>(full + (<usize>i << 3), norm);
    store<f32>(norms + (<usize>i << 2), <f32>(shrink * norm));
    store<f32>(limits + (<usize>i << 2), Infinity);
  }
  const cells = <usize>rows * <usize>k;
  for (let p: usize = 0; p < cells; p++) {
    store<f64>(distances + (p << 3), Infinity);
    store<i32>(indices + (p << 2), NO_ROW);
  }
}

/** Bytes of packed rows that are compared with a span of queries, so that they stay in the second-level cache. */
const GROUP_BYTES: i32 = 1 << 17;

let dims: i32 = 0;
let count: i32 = 0;
let data: usize = 0;
let heapD: usize = 0;
let heapI: usize = 0;
let fullNorms: usize = 0;
let limitOf: usize = 0;
let scale2: f64 = 1;

/**
 * Compares the rows of two blocks of `block` panels, of `blocks` in all, an even number; those that begin beyond the rows are
 * empty. In round 0 each block meets itself, in the rounds 1 to blocks - 1 one other: the last block stays in its place, and
 * the others go round in a circle.
 */
export function pairs(
  task: i32, scratch: usize, block: i32, blocks: i32, round: i32,
  rows: i32, d: i32, k: i32, X: usize, packed: usize, full: usize, norms: usize, limits: usize, squaredScale: f64,
  distances: usize, indices: usize,
): void {
  dims = d;
  count = k;
  data = X;
  heapD = distances;
  heapI = indices;
  fullNorms = full;
  limitOf = limits;
  scale2 = squaredScale;
  const circle = blocks - 1;
  const one = round == 0 ? task : task == 0 ? circle : (round + task) % circle;
  const other = round == 0 ? task : (round + circle - task) % circle;
  // The block with the smaller numbers first: of two rows the first is the one with the smaller number.
  const first = min(one, other), second = max(one, other);
  const panels = (rows + 7) >> 3;
  const panelBytes = <usize>d << 5;
  const fromP = first * block, toP = min(panels, fromP + block);
  const fromR = second * block, toR = min(panels, fromR + block);
  const minusTwo = f32x4.splat(-2);
  for (let qp = fromP; qp < toP; qp++) {
    for (let half = 0; half < 2; half++) {
      const q = (qp << 3) + (half << 2);
      const queries = packed + <usize>qp * panelBytes + (<usize>half << 4);
      const own = norms + (<usize>q << 2), limit = limits + (<usize>q << 2);
      const n0 = v128.load_splat<f32>(own), n1 = v128.load_splat<f32>(own, 4);
      const n2 = v128.load_splat<f32>(own, 8), n3 = v128.load_splat<f32>(own, 12);
      for (let rp = round == 0 ? qp : fromR; rp < toR; rp++) {
        tile(queries, queries + 4, queries + 8, queries + 12, 32, packed + <usize>rp * panelBytes, panelBytes);
        const r = rp << 3;
        const m0 = v128.load(norms + (<usize>r << 2)), m1 = v128.load(norms + (<usize>r << 2), 16);
        const l0 = v128.load(limits + (<usize>r << 2)), l1 = v128.load(limits + (<usize>r << 2), 16);
        let t = v128.load_splat<f32>(limit);
        const c00 = near(madd(minusTwo, t00, m0), t, madd(minusTwo, t00, n0), l0);
        const c01 = near(madd(minusTwo, t01, m1), t, madd(minusTwo, t01, n0), l1);
        t = v128.load_splat<f32>(limit, 4);
        const c10 = near(madd(minusTwo, t10, m0), t, madd(minusTwo, t10, n1), l0);
        const c11 = near(madd(minusTwo, t11, m1), t, madd(minusTwo, t11, n1), l1);
        t = v128.load_splat<f32>(limit, 8);
        const c20 = near(madd(minusTwo, t20, m0), t, madd(minusTwo, t20, n2), l0);
        const c21 = near(madd(minusTwo, t21, m1), t, madd(minusTwo, t21, n2), l1);
        t = v128.load_splat<f32>(limit, 12);
        const c30 = near(madd(minusTwo, t30, m0), t, madd(minusTwo, t30, n3), l0);
        const c31 = near(madd(minusTwo, t31, m1), t, madd(minusTwo, t31, n3), l1);
        let passed = bits(c00, c01, c10, c11, c20, c21, c30, c31);
        for (; passed != 0; passed &= passed - 1) {
          const bit = <i32>ctz(passed), i = q + (bit >> 3), j = r + (bit & 7);
          // A panel compared with itself: each pair once.
          if (i < j && j < rows && i < rows) meet(i, j);
        }
      }
    }
  }
}

/**
 * Compares rows with the heaps of queries task * span .. (task + 1) * span - 1 (span a multiple of 8). `firstRow` is the
 * number of the first row; `firstQuery` is that of the first query if the queries are rows of the same matrix, which are
 * not their own neighbours, and negative otherwise.
 */
export function among(
  task: i32, scratch: usize, span: i32,
  queries: i32, firstQuery: i32, Q: usize, packedQ: usize, full: usize, limits: usize,
  rows: i32, firstRow: i32, X: usize, packedX: usize, norms: usize,
  d: i32, k: i32, squaredScale: f64, distances: usize, indices: usize,
): void {
  dims = d;
  count = k;
  heapD = distances;
  heapI = indices;
  fullNorms = full;
  limitOf = limits;
  scale2 = squaredScale;
  const from = task * span, to = min(queries, from + span);
  const panels = (rows + 7) >> 3;
  const panelBytes = <usize>d << 5;
  const group = max(1, GROUP_BYTES / max(1, d << 5));
  const groups = (panels + group - 1) / group;
  const minusTwo = f32x4.splat(-2);
  // Consecutive rows of a table are often near each other in space: a query's own surroundings come first, so
  // its limit is small from the start.
  const own = firstQuery < 0 ? 0 : max(0, min(groups - 1, (firstQuery + from - firstRow) / (group << 3)));
  for (let step = 0; step < groups; step++) {
    const g = ((own + step) % groups) * group;
    const end = min(panels, g + group);
    for (let q = from; q < to; q += 4) {
      const asked = packedQ + <usize>(q >> 3) * panelBytes + (<usize>(q & 4) << 2);
      const limit = limits + (<usize>q << 2);
      let t0 = v128.load_splat<f32>(limit), t1 = v128.load_splat<f32>(limit, 4);
      let t2 = v128.load_splat<f32>(limit, 8), t3 = v128.load_splat<f32>(limit, 12);
      for (let rp = g; rp < end; rp++) {
        tile(asked, asked + 4, asked + 8, asked + 12, 32, packedX + <usize>rp * panelBytes, panelBytes);
        const r = rp << 3;
        const m0 = v128.load(norms + (<usize>r << 2)), m1 = v128.load(norms + (<usize>r << 2), 16);
        const c00 = f32x4.le(madd(minusTwo, t00, m0), t0);
        const c01 = f32x4.le(madd(minusTwo, t01, m1), t0);
        const c10 = f32x4.le(madd(minusTwo, t10, m0), t1);
        const c11 = f32x4.le(madd(minusTwo, t11, m1), t1);
        const c20 = f32x4.le(madd(minusTwo, t20, m0), t2);
        const c21 = f32x4.le(madd(minusTwo, t21, m1), t2);
        const c30 = f32x4.le(madd(minusTwo, t30, m0), t3);
        const c31 = f32x4.le(madd(minusTwo, t31, m1), t3);
        let passed = bits(c00, c01, c10, c11, c20, c21, c30, c31);
        if (passed == 0) continue;
        for (; passed != 0; passed &= passed - 1) {
          const bit = <i32>ctz(passed), i = q + (bit >> 3), j = r + (bit & 7);
          if (i >= to || j >= rows || (firstQuery >= 0 && firstQuery + i == firstRow + j)) continue;
          const x = Q + <usize>i * (<usize>d << 3), y = X + <usize>j * (<usize>d << 3);
          const worst = load<f64>(heapD + <usize>i * (<usize>k << 3));
          if (roughDistance(x, y) > worst * (1.0 + 1e-9)) continue;
          const distance = squaredDistance(x, y);
          if (distance <= worst) admit(i, firstRow + j, distance);
        }
        t0 = v128.load_splat<f32>(limit);
        t1 = v128.load_splat<f32>(limit, 4);
        t2 = v128.load_splat<f32>(limit, 8);
        t3 = v128.load_splat<f32>(limit, 12);
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function near(a: v128, limitA: v128, b: v128, limitB: v128): v128 {
  return v128.or(f32x4.le(a, limitA), f32x4.le(b, limitB));
}

function meet(i: i32, j: i32): void {
  const x = data + <usize>i * (<usize>dims << 3), y = data + <usize>j * (<usize>dims << 3);
  const k = <usize>count;
  const worstI = load<f64>(heapD + <usize>i * (k << 3)), worstJ = load<f64>(heapD + <usize>j * (k << 3));
  const worst = max(worstI, worstJ);
  if (roughDistance(x, y) > worst * (1.0 + 1e-9)) return;
  const distance = squaredDistance(x, y);
  if (distance <= worstI) admit(i, j, distance);
  if (distance <= worstJ) admit(j, i, distance);
}

function admit(i: i32, j: i32, distance: f64): void {
  const heap = <usize>i * <usize>count;
  offer(count, heapD + (heap << 3), heapI + (heap << 2), distance, j);
  const worst = load<f64>(heapD + (heap << 3)) * scale2, norm = load<f64>(fullNorms + (<usize>i << 3));
  // 2^-22 of both terms covers their rounding to f32; the last addend, products below the smallest number.
  const limit = worst - (1.0 - slack(dims)) * norm + (worst + norm) / 4194304.0 + 1e-30;
  store<f32>(limitOf + (<usize>i << 2), <f32>limit);
}

/** The relative error is below d 2^-52. */
function roughDistance(x: usize, y: usize): f64 {
  let s0 = f64x2.splat(0), s1 = s0, f = 0;
  for (; f + 4 <= dims; f += 4) {
    const a = f64x2.sub(v128.load(x), v128.load(y)), b = f64x2.sub(v128.load(x, 16), v128.load(y, 16));
    s0 = f64x2.add(s0, f64x2.mul(a, a));
    s1 = f64x2.add(s1, f64x2.mul(b, b));
    x += 32;
    y += 32;
  }
  s0 = f64x2.add(s0, s1);
  let sum = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (; f < dims; f++, x += 8, y += 8) {
    const difference = load<f64>(x) - load<f64>(y);
    sum += difference * difference;
  }
  return sum;
}

function squaredDistance(x: usize, y: usize): f64 {
  let sum: f64 = 0;
  const end = x + (<usize>dims << 3);
  for (; x < end; x += 8, y += 8) {
    const difference = load<f64>(x) - load<f64>(y);
    sum += difference * difference;
  }
  return sum;
}

/** Turns the heaps of rows task * span .. (task + 1) * span - 1 into lists, nearest first. */
export function sort(task: i32, scratch: usize, span: i32, rows: i32, k: i32, distances: usize, indices: usize): void {
  const to = min(rows, (task + 1) * span);
  for (let i = task * span; i < to; i++) {
    sortHeap(k, distances + <usize>i * (<usize>k << 3), indices + <usize>i * (<usize>k << 2));
  }
}
