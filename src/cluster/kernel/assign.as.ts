// Distances of rows to centres and the assignment step of Lloyd's algorithm, without or with bounds.
//
// Rows and centres are row-major f64 with a stride of `s` doubles, s even, the columns beyond d being zeros in both.
// Distances are sums of squared differences, never ||x||^2 - 2 x'c + ||c||^2, so data far from the origin
// lose no digits.
//
// Exports are tasks of a parallel kernel: task t handles the rows t span to (t + 1) span - 1 of the block of
// X, labels and the other row arrays, and writes only to positions of these rows.
//
// A bound must hold despite rounding: distances are rounded outwards by SLACK, which covers d up to 1e5.
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { addScatter, DEPTH } from "../../matrix/kernel/_scatter.as";
import { interleave, shortProduct, shortProducts, shortRow } from "../../matrix/kernel/_short.as";

const SLACK: f64 = 1e-11;

// @ts-ignore: decorator
@inline
function step(x: v128, c: v128, sum: v128): v128 {
  const difference = f64x2.sub(x, c);
  return madd(difference, difference, sum);
}

// @ts-ignore: decorator
@inline
function above(squared: f64): f64 {
  return sqrt(squared) * (1 + SLACK);
}

// @ts-ignore: decorator
@inline
function below(squared: f64): f64 {
  return sqrt(squared) * (1 - SLACK);
}

/** ||x - c||^2 */
function distance(s: i32, x: usize, c: usize): f64 {
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
function single(s: i32, K: i32, x: usize, C: usize, out: usize): void {
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
function pair(s: i32, K: i32, x: usize, C: usize, out: usize): void {
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
function across(s: i32, K: i32, x: usize, P: usize, out: usize): void {
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
let least: f64 = 0;
let next: f64 = 0;

/**
 * The position of the smallest of K numbers, the first one in a tie; without branches. The padding after K is
 * Infinity.
 */
function nearestOf(K: i32, D: usize): i32 {
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

/**
 * For k-means++: the distances of rows to `count` centres c_t in panels P, where limits[i] is what row i has so far. With a
 * list of rows, D[e][t] := min(limit, ||x - c_t||^2). Without one, the limit of each row falls to the least of these, and its
 * label becomes first + t if one is below the limit; D[task] := the sum of the limits times the weights (0: each 1).
 * scratch: 8 count bytes, count rounded up to eights.
 */
export function closest(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, count: i32, X: usize, P: usize, list: usize, limits: usize,
  labels: usize, weights: usize, first: i32, D: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span);
  let sum: f64 = 0;
  for (let e = task * span; e < end; e++) {
    const i = <usize>(list == 0 ? e : load<i32>(list + (<usize>e << 2)));
    across(s, count, X + i * row, P, scratch);
    sum += taken(e, i, scratch, count, list, limits, labels, weights, first, D);
  }
  if (list == 0) store<f64>(D + (<usize>task << 3), sum);
}

/** Returns the limit of row i, without a list, times its weight. */
function taken(
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

/** out (rows x K) = squared distances. */
export function distances(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, C: usize, out: usize,
): void {
  const row = <usize>s << 3, result = <usize>K << 3, end = min(rows, (task + 1) * span);
  let i = task * span;
  for (; i + 2 <= end; i += 2) pair(s, K, X + <usize>i * row, C, out + <usize>i * result);
  if (i < end) single(s, K, X + <usize>i * row, C, out + <usize>i * result);
}

/**
 * Assignment with one lower bound for each row, on the distance to every centre but its own (G. Hamerly, 2010, "Making
 * k-means even faster"). drift: how far each centre moved since the last pass; shrink: for each cluster the largest
 * drift among the other centres; near: for each centre half the distance to the nearest other one. P: the centres in panels.
 * scratch: 8 K bytes, K rounded up to eights.
 * From the position of its first row on, the task writes the rows that moved (numbers within the block) to
 * `moved` and their gains to `gains`; their number goes to `counts`. A row of label -1 moves from nowhere, and gains
 * -||x - c||^2.
 */
export function hamerly(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, C: usize, P: usize, labels: usize,
  upper: usize, lower: usize, drift: usize, shrink: usize, near: usize, moved: usize, gains: usize, counts: usize,
): void {
  const row = <usize>s << 3, begin = task * span, end = min(rows, begin + span);
  X += <usize>begin * row;
  lower += <usize>begin << 3;
  labels += <usize>begin << 2;
  upper += <usize>begin << 3;
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0;
  for (let i = begin; i < end; i++, X += row, lower += 8, labels += 4, upper += 8) {
    const own = load<i32>(labels), at = <usize>max(own, 0) << 3;
    let u = load<f64>(upper) + load<f64>(drift + at);
    let l = load<f64>(lower) - load<f64>(shrink + at);
    const safe = max(l, load<f64>(near + at));
    if (own < 0 || u > safe) {
      if (own >= 0) u = above(distance(s, X, C + <usize>own * row));
      if (own < 0 || u > safe) {
        across(s, K, X, P, scratch);
        let a = nearestOf(K, scratch);
        const before = own < 0 ? 0 : load<f64>(scratch + at);
        if (own >= 0 && before == least) a = own;
        u = above(least);
        l = below(next);
        if (a != own) {
          store<i32>(labels, a);
          store<i32>(moved + (<usize>count << 2), i);
          store<f64>(gains + (<usize>count << 3), before - least);
          count++;
        }
      }
    }
    store<f64>(upper, u);
    store<f64>(lower, l);
  }
  store<i32>(counts + (<usize>task << 2), count);
}

/**
 * Rows move from the clusters `from` (-1: none) to `to`, `span` rows to a task, which has sums of its own after the common
 * ones: K rows that begin at 0. Products and sums are rounded one by one, in the order of the rows. weights may be 0.
 */
export function moveRows(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, from: usize, to: usize, weights: usize, sums: usize,
): void {
  const row = <usize>s << 3, size = <usize>K * row, own = sums + <usize>(task + 1) * size, end = min(rows, (task + 1) * span);
  memory.fill(own, 0, size);
  for (let i = <usize>(task * span); i < <usize>end; i++) {
    const before = load<i32>(from + (i << 2)), after = load<i32>(to + (i << 2));
    if (before == after) continue;
    const w = weights == 0 ? f64x2.splat(1) : v128.load_splat<f64>(weights + (i << 3));
    const x = X + i * row, p = own + <usize>after * row, q = own + <usize>before * row;
    for (let j: usize = 0; j < row; j += 16) {
      const v = f64x2.mul(w, v128.load(x + j));
      v128.store(p + j, f64x2.add(v128.load(p + j), v));
      if (before >= 0) v128.store(q + j, f64x2.sub(v128.load(q + j), v));
    }
  }
}

/** Adds the sums of the parts to the common ones, in their order; size is even. */
export function addParts(size: i32, parts: i32, sums: usize): void {
  const end = sums + (<usize>size << 3);
  for (let part = end; parts > 0; parts--) {
    for (let at = sums; at < end; at += 16, part += 16) v128.store(at, f64x2.add(v128.load(at), v128.load(part)));
  }
}

/** Copies rows of X, rows x d, to their places (0: their own) among rows with a stride of s. */
export function place(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, X: usize, places: usize, out: usize,
): void {
  const row = <usize>d << 3, end = min(rows, (task + 1) * span);
  let x = X + <usize>(task * span) * row;
  for (let i = task * span; i < end; i++, x += row) {
    const to = out + <usize>(places == 0 ? i : load<i32>(places + (<usize>i << 2))) * (<usize>s << 3);
    let j: usize = 0;
    for (; j + 16 <= row; j += 16) v128.store(to + j, v128.load(x + j));
    if (j == row) continue;
    store<f64>(to + j, load<f64>(x + j));
    store<f64>(to + j, 0, 8);
  }
}

/** The sum of the weights (0: each 1) of the rows of each task, and those of the weighted columns, s of them. */
export function columnSums(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, X: usize, weights: usize, sums: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span), own = sums + <usize>task * (row + 8), to = own + 8;
  memory.fill(own, 0, row + 8);
  let mass: f64 = 0;
  for (let i = task * span; i < end; i++) {
    const w = weights == 0 ? 1 : load<f64>(weights + (<usize>i << 3)), v = f64x2.splat(w), x = X + <usize>i * row;
    mass += w;
    for (let j: usize = 0; j < row; j += 16) v128.store(to + j, madd(v, v128.load(x + j), v128.load(to + j)));
  }
  store<f64>(own, mass);
}

/** Bytes of scratch of `spread`. */
export function spreadScratch(s: i32): i32 {
  return (DEPTH * ((s + 3) & ~3)) << 3;
}

/** S := sum_i w_i (x_i - mu)(x_i - mu)' of the rows of each task, tiles on and above the diagonal, s rounded up to fours. */
export function spread(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, X: usize, weights: usize, mu: usize, S: usize,
): void {
  const w = (s + 3) & ~3, size = <usize>(w * w) << 3, own = S + <usize>task * size;
  memory.fill(own, 0, size);
  addScatter(task * span, min(rows, (task + 1) * span), s, X, weights, 8, mu, own, scratch);
}

/** out[i] = ||x_i - c_{labels[i]}||^2 */
export function ownDistances(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, X: usize, C: usize, labels: usize, out: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span);
  for (let i = task * span; i < end; i++) {
    const k = load<i32>(labels + (<usize>i << 2));
    store<f64>(out + (<usize>i << 3), distance(s, X + <usize>i * row, C + <usize>k * row));
  }
}

// Products of 16-bit integers (_short.as.ts) as a filter, for long rows: `Q` and `facts` hold the rows of a block, minus a
// common centre and times a factor; `QC` and `factsC` the centres, in fours, padded with ones that are far away. Products
// never decide alone: what they leave open is measured in double precision.

/** Bytes of the facts of a row, and of four centres. */
const FACTS: usize = 16;
const FACTS4: usize = 48;
/** More than the relative rounding of an estimate in single precision. */
const ROUNDING: f32 = 2e-6;

export function narrowRows(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, X: usize, center: usize, factor: f64, Q: usize,
  facts: usize,
): void {
  const end = min(rows, (task + 1) * span);
  for (let i = <usize>(task * span); i < <usize>end; i++) {
    shortRow(d, w, X + i * (<usize>s << 3), center, factor, Q + i * (<usize>w << 1), facts + i * FACTS, 4);
  }
}

/** Where centre k begins among the interleaved fours. */
// @ts-ignore: decorator
@inline
function shortAt(QC: usize, k: i32, bytes: usize): usize {
  return QC + <usize>(k >> 2) * (bytes << 2) + (<usize>(k & 3) << 4);
}

export function narrowCenters(
  d: i32, s: i32, w: i32, K: i32, C: usize, center: usize, factor: f64, QC: usize, factsC: usize, scratch: usize,
): void {
  const bytes = <usize>w << 1;
  for (let k = 0; k < ((K + 3) & ~3); k++, C += <usize>s << 3) {
    const facts = factsC + <usize>(k >> 2) * FACTS4 + (<usize>(k & 3) << 2);
    if (k < K) shortRow(d, w, C, center, factor, scratch, facts, 16);
    else memory.fill(scratch, 0, bytes);
    interleave(w, scratch, shortAt(QC, k, bytes));
    if (k < K) continue;
    store<f32>(facts, 0);
    store<f32>(facts, 1e17, 16);
    store<f32>(facts, 0, 32);
  }
}

/** The sum of the squared lengths of a row and four centres. */
// @ts-ignore: decorator
@inline
function squares(fact: usize, factsC: usize): v128 {
  const own = v128.load_splat<f32>(fact, 4), length = v128.load(factsC, 16);
  return f32x4.add(f32x4.mul(own, own), f32x4.mul(length, length));
}

/** Squared distances to four centres, of which `lost` says how far off they may be. */
// @ts-ignore: decorator
@inline
function estimate(fact: usize, factsC: usize, products: v128): v128 {
  const units = f32x4.mul(v128.load_splat<f32>(fact), v128.load(factsC));
  const product = f32x4.mul(units, f32x4.convert_i32x4_s(products));
  return f32x4.sub(squares(fact, factsC), f32x4.add(product, product));
}

// @ts-ignore: decorator
@inline
function lost(fact: usize, factsC: usize): v128 {
  const own = v128.load_splat<f32>(fact, 4), rest = v128.load_splat<f32>(fact, 8);
  const off = f32x4.add(f32x4.mul(rest, v128.load(factsC, 16)), f32x4.mul(f32x4.add(own, rest), v128.load(factsC, 32)));
  return f32x4.add(f32x4.add(off, off), f32x4.mul(f32x4.splat(ROUNDING), squares(fact, factsC)));
}

/** An estimate is taken for a distance if its error is below this share of it. */
const ACCURATE: f64 = 1 / 64;

/** As `closest`, with distances that are estimated where that is accurate. scratch: 40 bytes and 8 count, rounded up to fours. */
export function closestNarrow(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, count: i32, X: usize, C: usize,
  Q: usize, facts: usize, QC: usize, factsC: usize, factor: f64, list: usize, limits: usize, labels: usize, weights: usize,
  first: i32, D: usize,
): void {
  const row = <usize>s << 3, bytes = <usize>w << 1, end = min(rows, (task + 1) * span), found = scratch + 32;
  const square = 1 / (factor * factor);
  let sum: f64 = 0;
  store<f64>(found + (<usize>count << 3), Infinity);
  for (let e = task * span; e < end; e++) {
    const i = <usize>(list == 0 ? e : load<i32>(list + (<usize>e << 2))), fact = facts + i * FACTS;
    const limit = load<f64>(limits + (i << 3));
    for (let t = 0; t < count; t++) {
      const lane = <usize>(t & 3) << 2;
      if (lane == 0) {
        const c = shortAt(QC, t, bytes), x = Q + i * bytes, factC = factsC + <usize>(t >> 2) * FACTS4;
        const products = t + 1 == count ? i32x4.splat(shortProduct(w, x, c)) : shortProducts(w, x, c);
        v128.store(scratch, estimate(fact, factC, products));
        v128.store(scratch, lost(fact, factC), 16);
      }
      let value = <f64>load<f32>(scratch + lane) * square;
      const open = <f64>load<f32>(scratch + lane, 16) * square;
      if (value - open >= limit) value = limit;
      else if (!(open <= ACCURATE * value)) value = distance(s, X + i * row, C + <usize>t * row);
      store<f64>(found + (<usize>t << 3), value);
    }
    sum += taken(e, i, found, count, list, limits, labels, weights, first, D);
  }
  if (list == 0) store<f64>(D + (<usize>task << 3), sum);
}

/** Bounds are kept in single precision, rounded down by this share; no loss by underflow is as large as TINY. */
const LOSS: f64 = 9.5367431640625e-7;
const TINY: f64 = 1e-30;

/**
 * As `hamerly`, with additional lower bounds for rows that the common one does not settle, 4 V for each row (C. Elkan, 2003,
 * "Using the triangle inequality to accelerate k-means"): bound g is for the centres g, g + 4 V, ..., which are one where
 * there is room (Y. Ding et al., 2015, "Yinyang k-means"), except the row's own. At `each` is its value plus the sum of
 * the drifts of the group so far, times the factor, so no pass has to lower it; `totals` has these sums, V times four
 * rounded up and four rounded down. Centres that the bounds do not exclude are compared as integers, and those that these
 * leave open are measured. scratch: 8 K + 64 bytes.
 */
export function elkan(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, K: i32, X: usize, C: usize,
  Q: usize, facts: usize, QC: usize, factsC: usize, factor: f64, labels: usize, upper: usize, lower: usize, drift: usize,
  shrink: usize, near: usize, moved: usize, gains: usize, counts: usize, V: i32, each: usize, totals: usize,
): void {
  const row = <usize>s << 3, bytes = <usize>w << 1, begin = task * span, end = min(rows, begin + span);
  const listed = scratch + (<usize>((K + 3) & ~3) << 2), none = f32x4.splat(Infinity), lanes = i32x4(0, 1, 2, 3);
  const unit = 1 / factor, less = f32x4.splat(<f32>(1 - LOSS));
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0;
  for (let i = begin; i < end; i++) {
    const at = <usize>i, own = load<i32>(labels + (at << 2)), x = Q + at * bytes, fact = facts + at * FACTS;
    let u = Infinity, highs = none;
    if (own >= 0) {
      const to = <usize>own << 3;
      u = load<f64>(upper + (at << 3)) + load<f64>(drift + to);
      const common = load<f64>(lower + (at << 3)) - load<f64>(shrink + to), safe = max(common, load<f64>(near + to));
      store<f64>(lower + (at << 3), common);
      if (u > safe) {
        const product = i32x4.splat(shortProduct(w, x, shortAt(QC, own, bytes)));
        const factC = factsC + <usize>(own >> 2) * FACTS4;
        v128.store(scratch, f32x4.add(estimate(fact, factC, product), lost(fact, factC)));
        const high = load<f32>(scratch + (<usize>(own & 3) << 2));
        highs = f32x4.splat(high);
        const root = above(<f64>max<f32>(high, 0)) * unit;
        if (root < u) u = root;
      }
      store<f64>(upper + (at << 3), u);
      if (u <= safe) continue;
    }
    // Centres that the bounds do not exclude get new bounds; what they may be at most is the limit of what is open.
    const limit = f32x4.splat(<f32>(u * factor * (1 + LOSS) + TINY)), owns = i32x4.splat(own);
    let least = none, blocks = 0;
    for (let v = 0; v < V; v++) {
      const bounds = each + ((at * <usize>V + v) << 4), total = totals + (<usize>v << 5);
      const bound = f32x4.sub(v128.load(bounds), v128.load(total));
      if (i32x4.all_true(f32x4.gt(bound, limit))) {
        least = f32x4.pmin(least, bound);
        continue;
      }
      let lows = none;
      for (let k = v << 2; k < K; k += V << 2) {
        const factC = factsC + <usize>(k >> 2) * FACTS4, off = lost(fact, factC);
        const about = estimate(fact, factC, shortProducts(w, x, QC + <usize>k * bytes));
        highs = f32x4.pmin(highs, f32x4.add(about, off));
        const isOwn = i32x4.eq(i32x4.add(i32x4.splat(k), lanes), owns);
        const low = v128.bitselect(none, f32x4.sub(about, off), isOwn);
        v128.store(scratch + (<usize>k << 2), low);
        store<i32>(listed + (<usize>blocks << 2), k);
        blocks++;
        lows = f32x4.pmin(lows, low);
      }
      const roots = f32x4.sqrt(f32x4.pmax(lows, f32x4.splat(0)));
      v128.store(bounds, f32x4.add(f32x4.mul(roots, less), v128.load(total, 16)));
    }
    highs = f32x4.pmin(highs, v128.shuffle<i32>(highs, highs, 2, 3, 0, 1));
    highs = f32x4.pmin(highs, v128.shuffle<i32>(highs, highs, 1, 0, 3, 2));
    let nearest = own, before = NaN, squared = Infinity, next = Infinity, nexts = none;
    for (let p = 0; p < blocks; p++) {
      const block = load<i32>(listed + (<usize>p << 2)), low = v128.load(scratch + (<usize>block << 2));
      const far = f32x4.gt(low, highs);
      nexts = f32x4.pmin(nexts, v128.bitselect(low, none, far));
      for (let open = ~i32x4.bitmask(far) & 15; open != 0; open &= open - 1) {
        const k = block + <i32>ctz(open);
        if (k >= K || k == own) continue;
        if (own >= 0 && before != before) before = squared = distance(s, X + at * row, C + <usize>own * row);
        const other = distance(s, X + at * row, C + <usize>k * row);
        next = min(next, max(other, squared));
        if (other < squared || (other == squared && nearest != own && k < nearest)) {
          squared = other;
          nearest = k;
        }
      }
    }
    if (squared < Infinity) store<f64>(upper + (at << 3), above(squared));
    least = f32x4.pmin(least, f32x4.mul(f32x4.sqrt(f32x4.pmax(nexts, f32x4.splat(0))), less));
    least = f32x4.pmin(least, v128.shuffle<i32>(least, least, 2, 3, 0, 1));
    const beyond = <f64>min(f32x4.extract_lane(least, 0), f32x4.extract_lane(least, 1)) - TINY;
    store<f64>(lower + (at << 3), min(beyond * unit, below(next)));
    if (nearest == own) continue;
    if (own >= 0) {
      const lane = own % (V << 2), to = each + ((at * <usize>V) << 4) + (<usize>lane << 2);
      const total = load<f32>(totals + (<usize>(lane >> 2) << 5) + (<usize>(lane & 3) << 2), 16);
      store<f32>(to, min(load<f32>(to), <f32>(sqrt(before) * factor * (1 - LOSS)) + total));
    }
    store<i32>(labels + (at << 2), nearest);
    store<i32>(moved + (<usize>count << 2), i);
    store<f64>(gains + (<usize>count << 3), own < 0 ? -squared : before - squared);
    count++;
  }
  store<i32>(counts + (<usize>task << 2), count);
}

// With lanes of rows: for short rows and few centres, checking bounds takes as long as comparing with all
// centres in single precision, eight rows at a time. `Xf` holds rows, minus a common centre and times a
// factor, in groups of eight, column after column; `lengths` bounds their lengths. With a = x'c - ||c||^2 / 2
// the nearest centre has the largest a; the error of all a of a row is below half of scale length + offset,
// so a centre that leads by more is the nearest.

/** Whether products of such lengths may exceed the floats. */
// @ts-ignore: decorator
@inline
function huge(length: f64): bool {
  return !(length < 1e15);
}

/** Rows of X in groups of eight, and their lengths, rounded up. Rows too long for floats have length Infinity. */
export function laneRows(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, X: usize, center: usize, factor: f64,
  Xf: usize, lengths: usize,
): void {
  const end = min(rows, (task + 1) * span), column: usize = 32;
  for (let i = task * span; i < end; i++) {
    const x = X + <usize>i * (<usize>s << 3), to = Xf + <usize>(i >> 3) * <usize>d * column + (<usize>(i & 7) << 2);
    let sum: f64 = 0;
    for (let j = 0; j < d; j++) {
      const value = (load<f64>(x + (<usize>j << 3)) - load<f64>(center + (<usize>j << 3))) * factor;
      sum += value * value;
      store<f32>(to + <usize>j * column, <f32>value);
    }
    const length = sqrt(sum);
    if (huge(length)) for (let j = 0; j < d; j++) store<f32>(to + <usize>j * column, 0);
    store<f32>(lengths + (<usize>i << 2), huge(length) ? Infinity : <f32>(length * 1.0001));
  }
}

/** Centres in fours: -||c||^2 / 2 of each, then column after column. Returns the length of the longest. */
export function laneCenters(d: i32, s: i32, K: i32, C: usize, center: usize, factor: f64, to: usize): f64 {
  let longest: f64 = 0;
  for (let first = 0; first < K; first += 4, to += <usize>(d + 1) << 4) {
    for (let k = first; k < first + 4; k++) {
      const c = C + <usize>k * (<usize>s << 3), lane = to + (<usize>(k - first) << 2);
      let sum: f64 = 0;
      for (let j = 0; j < d; j++) {
        let value: f64 = 0;
        if (k < K) value = (load<f64>(c + (<usize>j << 3)) - load<f64>(center + (<usize>j << 3))) * factor;
        sum += value * value;
        store<f32>(lane + (<usize>(j + 1) << 4), <f32>value);
      }
      store<f32>(lane, k < K ? <f32>(-0.5 * sum) : -Infinity);
      if (!(sum <= longest)) longest = sum;
    }
  }
  return sqrt(longest);
}

// @ts-ignore: decorator
@inline
function fma(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

// @ts-ignore: decorator
@inline
function runnerUp(best: v128, second: v128, a: v128): v128 {
  return f32x4.pmax(second, f32x4.pmin(best, a));
}

// @ts-ignore: decorator
@inline
function winner(best: v128, place: v128, a: v128, k: i32): v128 {
  return v128.bitselect(i32x4.splat(k), place, f32x4.gt(a, best));
}

/**
 * Assignment as in `hamerly`, which describes `moved`, `gains`, `counts` and `scratch`. doubts: for each task the rows
 * undecided by single precision.
 */
export function lanes(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, K: i32, X: usize, P: usize,
  Xf: usize, lengths: usize, Cf: usize, scale: f64, offset: f64, labels: usize, moved: usize, gains: usize,
  counts: usize, doubts: usize,
): void {
  const row = <usize>s << 3, begin = task * span, end = min(rows, begin + span), bytes = <usize>d << 5;
  const factors = f32x4.splat(<f32>scale), offsets = f32x4.splat(<f32>offset), none = f32x4.splat(-Infinity);
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0, open = 0;
  for (let i = begin; i < end; i += 8) {
    const x = Xf + <usize>(i >> 3) * bytes, last = x + bytes;
    let best = none, second = none, place = i32x4.splat(0), bestB = none, secondB = none, placeB = place;
    let c = Cf;
    for (let k = 0; k < K; k += 4) {
      let a0 = v128.load_splat<f32>(c), a1 = v128.load_splat<f32>(c, 4);
      let a2 = v128.load_splat<f32>(c, 8), a3 = v128.load_splat<f32>(c, 12);
      let b0 = a0, b1 = a1, b2 = a2, b3 = a3;
      c += 16;
      for (let at = x; at < last; at += 32, c += 16) {
        const v = v128.load(at), w = v128.load(at, 16);
        let t = v128.load_splat<f32>(c);
        a0 = fma(v, t, a0);
        b0 = fma(w, t, b0);
        t = v128.load_splat<f32>(c, 4);
        a1 = fma(v, t, a1);
        b1 = fma(w, t, b1);
        t = v128.load_splat<f32>(c, 8);
        a2 = fma(v, t, a2);
        b2 = fma(w, t, b2);
        t = v128.load_splat<f32>(c, 12);
        a3 = fma(v, t, a3);
        b3 = fma(w, t, b3);
      }
      place = winner(best, place, a0, k);
      second = runnerUp(best, second, a0);
      best = f32x4.pmax(best, a0);
      place = winner(best, place, a1, k + 1);
      second = runnerUp(best, second, a1);
      best = f32x4.pmax(best, a1);
      place = winner(best, place, a2, k + 2);
      second = runnerUp(best, second, a2);
      best = f32x4.pmax(best, a2);
      place = winner(best, place, a3, k + 3);
      second = runnerUp(best, second, a3);
      best = f32x4.pmax(best, a3);
      placeB = winner(bestB, placeB, b0, k);
      secondB = runnerUp(bestB, secondB, b0);
      bestB = f32x4.pmax(bestB, b0);
      placeB = winner(bestB, placeB, b1, k + 1);
      secondB = runnerUp(bestB, secondB, b1);
      bestB = f32x4.pmax(bestB, b1);
      placeB = winner(bestB, placeB, b2, k + 2);
      secondB = runnerUp(bestB, secondB, b2);
      bestB = f32x4.pmax(bestB, b2);
      placeB = winner(bestB, placeB, b3, k + 3);
      secondB = runnerUp(bestB, secondB, b3);
      bestB = f32x4.pmax(bestB, b3);
    }
    const length = lengths + (<usize>i << 2), own = labels + (<usize>i << 2);
    const limit = f32x4.add(f32x4.mul(v128.load(length), factors), offsets);
    const limitB = f32x4.add(f32x4.mul(v128.load(length, 16), factors), offsets);
    const clear = f32x4.gt(f32x4.sub(best, second), limit), clearB = f32x4.gt(f32x4.sub(bestB, secondB), limitB);
    const same = v128.and(clear, i32x4.eq(place, v128.load(own)));
    const sameB = v128.and(clearB, i32x4.eq(placeB, v128.load(own, 16)));
    if (i32x4.all_true(v128.and(same, sameB))) continue;
    const settled = i32x4.bitmask(same) | (i32x4.bitmask(sameB) << 4);
    open += 8 - popcnt(i32x4.bitmask(clear) | (i32x4.bitmask(clearB) << 4));
    for (let q = 0; q < 8 && i + q < end; q++) {
      if ((settled >> q) & 1) continue;
      const at = own + (<usize>q << 2), before = load<i32>(at);
      across(s, K, X + <usize>(i + q) * row, P, scratch);
      const a = nearestOf(K, scratch), held = before < 0 ? 0 : load<f64>(scratch + (<usize>before << 3));
      if (before >= 0 && held == least) continue;
      store<i32>(at, a);
      store<i32>(moved + (<usize>count << 2), i + q);
      store<f64>(gains + (<usize>count << 3), held - least);
      count++;
    }
  }
  store<i32>(counts + (<usize>task << 2), count);
  store<i32>(doubts + (<usize>task << 2), open);
}
