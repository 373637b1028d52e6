// Exact k nearest rows, selection fused with the distance tile.
//
// |x - y|^2 = |x|^2 + |y|^2 - 2 x'y is cheap by packed products but loses digits to cancellation, so here it only
// filters: with c = 8 (d + 8) 2^-53, which covers every rounding error of both sides, no row y with a directly
// computed |x - y|^2 <= delta (the k-th distance so far) can fail
//     (1 - c)|y|^2 - 2 x'y <= delta - (1 - c)|x|^2.
// The few rows that pass are measured directly, features in ascending order, and kept in a max-heap ordered by
// (distance, row). The filter runs in the registers that hold a 4 x 4 tile of x'y: nothing is stored for the rest.
import { NO_ROW, offer, sortHeap } from "./_heap.as";
import { madd, t00, t01, t10, t11, t20, t21, t30, t31, tile } from "./_micro.as";

/** Bytes of packed rows processed together, so that they stay in the second-level cache. */
const GROUP_BYTES: i32 = 1 << 18;

/**
 * Packs rows, minus the centre, in panels of four (depth after depth), and computes (1 - c)|row|^2 of the
 * same. The last panel is padded with zeros, and with infinite norms so that the filter drops it.
 */
export function prepare(rows: i32, d: i32, X: usize, center: usize, packed: usize, norms: usize): void {
  const shrink = 1.0 - 8.0 * <f64>(d + 8) * f64.EPSILON * 0.5;
  for (let i = 0; i < rows; i += 4) {
    const panel = packed + <usize>i * (<usize>d << 3);
    for (let q = 0; q < 4; q++) {
      const to = panel + (<usize>q << 3);
      if (i + q < rows) {
        const from = X + <usize>(i + q) * (<usize>d << 3);
        let norm: f64 = 0;
        for (let f = 0; f < d; f++) {
          const value = load<f64>(from + (<usize>f << 3)) - load<f64>(center + (<usize>f << 3));
          store<f64>(to + (<usize>f << 5), value);
          norm += value * value;
        }
        store<f64>(norms + (<usize>(i + q) << 3), shrink * norm);
      } else {
        for (let f = 0; f < d; f++) store<f64>(to + (<usize>f << 5), 0);
        store<f64>(norms + (<usize>(i + q) << 3), Infinity);
      }
    }
  }
}

/** Empty heaps for `count` queries. */
export function clear(count: i32, k: i32, distances: usize, indices: usize): void {
  const end = <usize>count * <usize>k;
  for (let p: usize = 0; p < end; p++) {
    store<f64>(distances + (p << 3), Infinity);
    store<i32>(indices + (p << 2), NO_ROW);
  }
}

/**
 * Compares rows X with the heaps of queries task * span .. (task + 1) * span - 1 (span a multiple of 4).
 * `firstRow` is the number of X's first row; `firstQuery` is that of Q's first query if the queries are rows
 * of the same matrix, which are not their own neighbours, and negative otherwise.
 */
export function search(
  task: i32, scratch: usize, span: i32,
  queries: i32, firstQuery: i32, Q: usize, packedQ: usize, normsQ: usize,
  rows: i32, firstRow: i32, X: usize, packedX: usize, normsX: usize,
  d: i32, k: i32, distances: usize, indices: usize,
): void {
  const from = task * span, to = min(queries, from + span);
  const panelBytes = <usize>d << 5;
  const group = max(1, GROUP_BYTES / max(1, d << 5)) << 2;
  const minusTwo = f64x2.splat(-2);
  const groups = (rows + group - 1) / group;
  // Consecutive rows of a table are often near each other in space: a query's own surroundings come first, so
  // delta is small from the start.
  const own = firstQuery < 0 ? 0 : max(0, min(groups - 1, (firstQuery + from - firstRow) / group));
  for (let step = 0; step < groups; step++) {
    const g = ((own + step) % groups) * group;
    const groupEnd = min(rows, g + group);
    for (let q = from; q < to; q += 4) {
      const queryPanel = packedQ + <usize>(q >> 2) * panelBytes;
      let t0 = threshold(q, queries, k, distances, normsQ), t1 = threshold(q + 1, queries, k, distances, normsQ);
      let t2 = threshold(q + 2, queries, k, distances, normsQ), t3 = threshold(q + 3, queries, k, distances, normsQ);
      for (let r = g; r < groupEnd; r += 4) {
        tile(d, queryPanel, packedX + <usize>(r >> 2) * panelBytes);
        const n0 = v128.load(normsX + (<usize>r << 3)), n1 = v128.load(normsX + (<usize>r << 3), 16);
        const c00 = f64x2.le(madd(minusTwo, t00, n0), t0);
        const c01 = f64x2.le(madd(minusTwo, t01, n1), t0);
        const c10 = f64x2.le(madd(minusTwo, t10, n0), t1);
        const c11 = f64x2.le(madd(minusTwo, t11, n1), t1);
        const c20 = f64x2.le(madd(minusTwo, t20, n0), t2);
        const c21 = f64x2.le(madd(minusTwo, t21, n1), t2);
        const c30 = f64x2.le(madd(minusTwo, t30, n0), t3);
        const c31 = f64x2.le(madd(minusTwo, t31, n1), t3);
        const any = v128.or(
          v128.or(v128.or(c00, c01), v128.or(c10, c11)),
          v128.or(v128.or(c20, c21), v128.or(c30, c31)),
        );
        if (!v128.any_true(any)) continue;
        let passed = i64x2.bitmask(c00) | (i64x2.bitmask(c01) << 2) | (i64x2.bitmask(c10) << 4) |
          (i64x2.bitmask(c11) << 6) | (i64x2.bitmask(c20) << 8) | (i64x2.bitmask(c21) << 10) |
          (i64x2.bitmask(c30) << 12) | (i64x2.bitmask(c31) << 14);
        for (; passed != 0; passed &= passed - 1) {
          const bit = ctz(passed), i = q + (bit >> 2), j = r + (bit & 3);
          if (i >= to || j >= rows) continue;
          if (firstQuery >= 0 && firstQuery + i == firstRow + j) continue;
          const distance = squaredDistance(d, Q + <usize>i * (<usize>d << 3), X + <usize>j * (<usize>d << 3));
          const heap = <usize>i * <usize>k;
          offer(k, distances + (heap << 3), indices + (heap << 2), distance, firstRow + j);
        }
        t0 = threshold(q, queries, k, distances, normsQ);
        t1 = threshold(q + 1, queries, k, distances, normsQ);
        t2 = threshold(q + 2, queries, k, distances, normsQ);
        t3 = threshold(q + 3, queries, k, distances, normsQ);
      }
    }
  }
}

/** Turns the heaps of queries task * span .. (task + 1) * span - 1 into lists, nearest first. */
export function sort(task: i32, scratch: usize, span: i32, queries: i32, k: i32, distances: usize, indices: usize): void {
  const to = min(queries, (task + 1) * span);
  for (let i = task * span; i < to; i++) {
    sortHeap(k, distances + <usize>i * (<usize>k << 3), indices + <usize>i * (<usize>k << 2));
  }
}

/** Right side of the filter. The additional term covers products that underflow. */
// @ts-ignore: decorator
@inline
function threshold(q: i32, queries: i32, k: i32, distances: usize, norms: usize): v128 {
  if (q >= queries) return f64x2.splat(-Infinity);
  const worst = load<f64>(distances + <usize>q * (<usize>k << 3));
  return f64x2.splat(worst - load<f64>(norms + (<usize>q << 3)) + 1e-300);
}

function squaredDistance(d: i32, x: usize, y: usize): f64 {
  let sum: f64 = 0;
  const end = x + (<usize>d << 3);
  for (; x < end; x += 8, y += 8) {
    const difference = load<f64>(x) - load<f64>(y);
    sum += difference * difference;
  }
  return sum;
}
