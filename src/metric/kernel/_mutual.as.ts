// Soft neighbours of few rows, for p_i: each pair is examined once. With m_i the distance of the nearest row
// of i, the power
//
//     e_ij = exp((m_i + m_j) / 2 - d_ij)   (at most 1, as d_ij is at least m_i and m_j)
//
// serves both of its rows: p_ij = e_ij g_j / s_i, g_j = exp(-m_j / 2), s_i = sum_l e_il g_l, and so does the weight
// w_ij + w_ji = e_ij (g_j c_i + g_i c_j), c_i = p_i / s_i for rows of two classes and -(1 - p_i) / s_i for those of one.
import { hsum } from "../../matrix/kernel/_micro.as";
import { distances } from "./_rowDistances.as";
import { exp2lanes } from "../../matrix/kernel/_exp.as";
import { append, FAR, fillUp, pair, smaller, spread } from "./_soft.as";

/** Maximum spread of the m_i: beyond it, the exponentials of their differences leave the range of numbers. */
const SPREAD: f64 = 1000;

/** Bytes of scratch for `mutualNeighbors`. */
export function mutualBytes(n: i32): i32 {
  const padded = (n + 3) & ~3;
  return 12 * padded * (padded + 4) + 64 * padded;
}

/**
 * As `softNeighbors` in nca.as.ts with mode 0 and one task; false, without any change, if the m_i differ too
 * much.
 */
export function mutualNeighbors(
  scratch: usize, n: i32, s: i32, least: f64,
  Z: usize, packed: usize, norms: usize, codes: usize, U: usize, degrees: usize, values: usize,
): bool {
  const padded = (n + 3) & ~3, line = <usize>padded << 3;
  const nearest = scratch, halves = nearest + line, g = halves + line, sums = g + line, shares = sums + 2 * line;
  const counts = shares + 2 * line, D = counts + line, lists = D + <usize>padded * (line + 32), ids = (line >> 1) + 16;

  for (let j: usize = 0; j < line; j += 16) v128.store(nearest + j, f64x2.splat(Infinity));
  for (let i = 0; i < padded; i += 4) {
    const rows = D + <usize>i * (line + 32);
    distances(i, i, padded, s, packed, norms, rows, line + 32, 0);
    for (let q = 0; q < 4; q++) lower(i, i + q, line, rows + <usize>q * (line + 32), nearest);
  }
  let low: f64 = Infinity, high: f64 = 0;
  for (let i = 0; i < n; i++) {
    const m = load<f64>(nearest + (<usize>i << 3));
    low = Math.min(low, m);
    high = Math.max(high, m);
  }
  if (!(high - low <= SPREAD)) return false;
  for (let j: usize = 0; j < line; j += 16) {
    const half = f64x2.mul(f64x2.splat(0.5), f64x2.sub(v128.load(nearest + j), f64x2.splat(low)));
    v128.store(halves + j, half);
    // The padding rows of the last four are in no list.
    v128.store(g + j, exp2lanes(f64x2.neg(f64x2.pmin(half, f64x2.splat(SPREAD)))));
  }
  memory.fill(sums, 0, 2 * line);
  const far = least > 0 ? Math.min(FAR, -Math.log(least)) : FAR;
  for (let i = 0; i < n; i++) {
    const W = D + <usize>i * (line + 32);
    const near = meet(i, low, far, line, W, lists + <usize>i * ids, nearest, halves, g, codes, sums);
    store<i32>(counts + (<usize>i << 2), near);
  }

  for (let i = 0; i < n; i++) {
    const at = sums + (<usize>i << 4);
    const own = load<f64>(at), others = load<f64>(at, 8), sum = own + others, p = own / sum;
    store<f64>(values + (<usize>i << 3), p);
    store<f64>(shares + (<usize>i << 4), -(others / sum) / sum);
    store<f64>(shares + (<usize>i << 4), p / sum, 8);
  }
  memory.fill(U, 0, <usize>n * (<usize>s << 3));
  memory.fill(degrees, 0, <usize>n << 3);
  for (let i = 0; i < n; i++) {
    const W = D + <usize>i * (line + 32), list = lists + <usize>i * ids;
    const found = share(i, load<i32>(counts + (<usize>i << 2)), list, W, g, codes, shares, least);
    if (found > 0) spread(i, s, found, list, W, Z, U, degrees);
  }
  return true;
}

/**
 * The distances D of row i, from the row `first` on, update the nearest distances of i and of the other
 * rows.
 */
function lower(first: i32, i: i32, line: usize, D: usize, nearest: usize): void {
  let low0 = f64x2.splat(Infinity), low1 = low0;
  for (let j = <usize>first << 3; j < line; j += 32) {
    const d0 = v128.load(D + j), d1 = v128.load(D + j, 16), m = nearest + j;
    low0 = f64x2.pmin(low0, d0);
    low1 = f64x2.pmin(low1, d1);
    v128.store(m, f64x2.pmin(v128.load(m), d0));
    v128.store(m, f64x2.pmin(v128.load(m, 16), d1), 16);
  }
  const at = nearest + (<usize>i << 3);
  store<f64>(at, Math.min(load<f64>(at), smaller(f64x2.pmin(low0, low1))));
}

/**
 * Lists the rows j > i that are near to row i, or vice versa, with their e_ij instead of the distances, and
 * adds to the sums of both, for the own class and for the others. Rows of one class are marked by the sign.
 */
function meet(
  i: i32, base: f64, far: f64, line: usize, W: usize, list: usize, nearest: usize, halves: usize, g: usize, codes: usize,
  sums: usize,
): i32 {
  const first = (i + 1) & ~3;
  for (let j = first; j <= i; j++) store<f64>(W + (<usize>j << 3), Infinity);
  const mine = v128.load_splat<f64>(nearest + (<usize>i << 3)), bound = f64x2.splat(-far);
  const shift = f64x2.add(v128.load_splat<f64>(halves + (<usize>i << 3)), f64x2.splat(base));
  let count: usize = 0;
  for (let j = <usize>first << 3; j < line; j += 32) {
    const d0 = v128.load(W + j), d1 = v128.load(W + j, 16), m = nearest + j, h = halves + j;
    const near0 = f64x2.ge(f64x2.sub(f64x2.pmax(mine, v128.load(m)), d0), bound);
    const near1 = f64x2.ge(f64x2.sub(f64x2.pmax(mine, v128.load(m, 16)), d1), bound);
    if (v128.any_true(v128.or(near0, near1))) {
      const x0 = f64x2.sub(f64x2.add(shift, v128.load(h)), d0), x1 = f64x2.sub(f64x2.add(shift, v128.load(h, 16)), d1);
      count = append(count, list, W, <i32>(j >> 3), x0, x1, near0, near1);
    }
  }
  const near = <i32>count;
  fillUp(near, list, W);
  const code = v128.load_splat<f64>(codes + (<usize>i << 3)), gi = load<f64>(g + (<usize>i << 3));
  let same = f64x2.splat(0), rest = same;
  for (let t: usize = 0; t < <usize>near << 3; t += 16) {
    const l = list + (t >> 1), a = load<i32>(l), b = load<i32>(l, 4);
    const e = exp2lanes(v128.load(W + t)), own = f64x2.eq(pair(codes, a, b), code);
    const mineToo = f64x2.mul(e, pair(g, a, b)), theirs = f64x2.mul(e, f64x2.splat(gi));
    same = f64x2.add(same, v128.and(mineToo, own));
    rest = f64x2.add(rest, v128.andnot(mineToo, own));
    v128.store(W + t, v128.bitselect(f64x2.neg(e), e, own));
    const mark = i64x2.bitmask(own) ^ 3;
    const toA = sums + (<usize>a << 4) + (<usize>(mark & 1) << 3);
    store<f64>(toA, load<f64>(toA) + f64x2.extract_lane(theirs, 0));
    const toB = sums + (<usize>b << 4) + (<usize>(mark & 2) << 2);
    store<f64>(toB, load<f64>(toB) + f64x2.extract_lane(theirs, 1));
  }
  const at = sums + (<usize>i << 4);
  store<f64>(at, load<f64>(at) + hsum(same));
  store<f64>(at, load<f64>(at, 8) + hsum(rest), 8);
  return near;
}

/** Keeps the pairs in the list of row i whose |w_ij + w_ji| exceeds `least`, with that instead of e_ij. */
function share(
  i: i32, near: i32, list: usize, W: usize, g: usize, codes: usize, shares: usize, least: f64,
): i32 {
  const gi = load<f64>(g + (<usize>i << 3)), own = load<f64>(shares + (<usize>i << 4));
  const others = load<f64>(shares + (<usize>i << 4), 8);
  let found = 0;
  for (let t = 0; t < near; t++) {
    const j = load<i32>(list + (<usize>t << 2)), e = load<f64>(W + (<usize>t << 3));
    const c = load<f64>(shares + (<usize>j << 4) + (e < 0 ? 0 : 8));
    const w = Math.abs(e) * (load<f64>(g + (<usize>j << 3)) * (e < 0 ? own : others) + gi * c);
    store<f64>(W + (<usize>found << 3), w);
    store<i32>(list + (<usize>found << 2), j);
    found += i32(Math.abs(w) > least);
  }
  return found;
}
