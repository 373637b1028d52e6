// Distances of rows to centres and the assignment step of Lloyd's algorithm, without or with bounds.
//
// Rows and centres are row-major f64 with a stride of `s` doubles, s even, the columns beyond d being zeros in both.
// Distances are sums of squared differences, never ||x||^2 - 2 x'c + ||c||^2: data far from the origin lose no digits.
//
// Exports are tasks of a parallel kernel: task t handles the rows t span to (t + 1) span - 1 of the block that X,
// labels and the other row arrays point at, and writes only to places that belong to these rows.
//
// A bound must hold in spite of rounding: distances are rounded outwards by SLACK, which covers d up to 1e5.
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { doubt, huge, narrowCenters, narrowRow, quad } from "./_narrow.as";

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

/** Distances of one row to K centres; the sum runs in the same order as in `pair`, so both give the same bits. */
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
 * The first assignment: labels, bounds, and the negative squared distances in `gains`. upper: a bound on the distance
 * to the own centre; lower: one on the distance to every other; each: one for each centre, or 0 if these are not wanted.
 * scratch: 2 K doubles.
 */
export function start(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, C: usize, labels: usize,
  upper: usize, lower: usize, each: usize, gains: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span);
  for (let i = task * span; i < end; i += 2) {
    const two = i + 1 < end;
    if (two) pair(s, K, X + <usize>i * row, C, scratch);
    else single(s, K, X + <usize>i * row, C, scratch);
    settle(K, scratch, i, labels, upper, lower, each, gains);
    if (two) settle(K, scratch + (<usize>K << 3), i + 1, labels, upper, lower, each, gains);
  }
}

function settle(
  K: i32, D: usize, i: i32, labels: usize, upper: usize, lower: usize, each: usize, gains: usize,
): void {
  let nearest = 0, least = load<f64>(D), next = f64.MAX_VALUE;
  for (let k = 1; k < K; k++) {
    const squared = load<f64>(D + (<usize>k << 3));
    if (squared < least) {
      next = least;
      least = squared;
      nearest = k;
    } else if (squared < next) next = squared;
  }
  store<i32>(labels + (<usize>i << 2), nearest);
  store<f64>(upper + (<usize>i << 3), above(least));
  store<f64>(lower + (<usize>i << 3), below(next));
  store<f64>(gains + (<usize>i << 3), -least);
  if (each == 0) return;
  each += <usize>i * (<usize>K << 3);
  for (let k = 0; k < K; k++) store<f64>(each + (<usize>k << 3), below(load<f64>(D + (<usize>k << 3))));
}

/**
 * Assignment with one lower bound for each row, on the distance to every centre but its own (G. Hamerly, 2010, "Making
 * k-means even faster"). drift: how far each centre moved since the last pass; shrink: for each cluster the largest
 * drift among the other centres; near: for each centre half the distance to the nearest other one. scratch: K doubles.
 * From its first row's place on, the task leaves the rows that moved (numbers within the block) in `moved` and what each
 * gained in `gains`; how many, in `counts`.
 */
export function hamerly(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, C: usize, labels: usize,
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
    const own = load<i32>(labels), at = <usize>own << 3;
    let u = load<f64>(upper) + load<f64>(drift + at);
    let l = load<f64>(lower) - load<f64>(shrink + at);
    const safe = max(l, load<f64>(near + at));
    if (u > safe) {
      u = above(distance(s, X, C + <usize>own * row));
      if (u > safe) {
        single(s, K, X, C, scratch);
        const before = load<f64>(scratch + at);
        let a = own, least = before, next = f64.MAX_VALUE;
        for (let k = 0; k < K; k++) {
          if (k == own) continue;
          const squared = load<f64>(scratch + (<usize>k << 3));
          if (squared < least) {
            next = least;
            least = squared;
            a = k;
          } else if (squared < next) next = squared;
        }
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
 * As `hamerly`, with a lower bound for each row and centre besides (C. Elkan, 2003, "Using the triangle inequality to
 * accelerate k-means"), looked at only for the rows that the common bound does not settle. Bound k of a row is kept as
 * its value plus total[k], the sum of the drifts of centre k so far, so that no pass has to lower it. half: K x K
 * halves of the distances between centres, rounded down.
 */
export function elkan(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, C: usize, labels: usize,
  upper: usize, lower: usize, drift: usize, shrink: usize, near: usize, moved: usize, gains: usize, counts: usize,
  each: usize, total: usize, half: usize,
): void {
  const row = <usize>s << 3, bound = <usize>K << 3, begin = task * span, end = min(rows, begin + span);
  X += <usize>begin * row;
  each += <usize>begin * bound;
  lower += <usize>begin << 3;
  labels += <usize>begin << 2;
  upper += <usize>begin << 3;
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0;
  for (let i = begin; i < end; i++, X += row, each += bound, lower += 8, labels += 4, upper += 8) {
    const own = load<i32>(labels), at = <usize>own << 3;
    let u = load<f64>(upper) + load<f64>(drift + at);
    let l = load<f64>(lower) - load<f64>(shrink + at);
    const safe = max(l, load<f64>(near + at));
    if (u > safe) {
      const before = distance(s, X, C + <usize>own * row);
      u = above(before);
      if (u > safe) {
        store<f64>(each + at, shifted(below(before), load<f64>(total + at)));
        let a = own, least = before;
        l = f64.MAX_VALUE;
        for (let k = 0; k < K; k++) {
          if (k == own) continue;
          const to = <usize>k << 3;
          const apart = load<f64>(half + <usize>a * bound + to);
          const known = max(load<f64>(each + to) - load<f64>(total + to), 2 * apart - u);
          if (u <= known) {
            l = min(l, known);
            continue;
          }
          const squared = distance(s, X, C + <usize>k * row);
          store<f64>(each + to, shifted(below(squared), load<f64>(total + to)));
          if (squared < least) {
            l = min(l, below(least));
            least = squared;
            u = above(squared);
            a = k;
          } else l = min(l, below(squared));
        }
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

/** value + total, rounded down. */
// @ts-ignore: decorator
@inline
function shifted(value: f64, total: f64): f64 {
  return (value + total) * (1 - 1e-15);
}

// With products in single precision (_narrow.as.ts) as a filter: `Xf` holds the rows of X so, `norms` their lengths;
// `Cf` and `normsC` the same of the centres. 1 / factor brings a length back to the units of X.

/** Rows of X to floats, and their lengths. */
export function narrowRows(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, X: usize, center: usize, factor: f64,
  Xf: usize, norms: usize,
): void {
  const end = min(rows, (task + 1) * span);
  for (let i = task * span; i < end; i++) {
    const to = Xf + <usize>i * (<usize>w << 2);
    store<f64>(norms + (<usize>i << 3), narrowRow(d, w, X + <usize>i * (<usize>s << 3), center, factor, to));
  }
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

export function narrowAll(
  d: i32, w: i32, s: i32, K: i32, padded: i32, C: usize, center: usize, factor: f64, to: usize, norms: usize,
): void {
  narrowCenters(d, w, s, K, padded, C, center, factor, to, norms);
}

/**
 * out (rows x K) := the lesser of limits[i] and ||x_i - c_k||^2. scratch: 16 padded bytes.
 */
export function closer(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, K: i32, padded: i32, X: usize, C: usize,
  Xf: usize, norms: usize, Cf: usize, normsC: usize, factor: f64, limits: usize, out: usize,
): void {
  const row = <usize>s << 3, narrow = <usize>w << 2, end = min(rows, (task + 1) * span), unit = factor * factor;
  for (let i = task * span; i < end; i += 4) {
    const last = end - 1, x = Xf + <usize>i * narrow;
    quad(
      w, padded, x, Xf + <usize>min(i + 1, last) * narrow, Xf + <usize>min(i + 2, last) * narrow,
      Xf + <usize>min(i + 3, last) * narrow, Cf, scratch,
    );
    for (let q = 0; q < 4 && i + q < end; q++) {
      const at = i + q, limit = load<f64>(limits + (<usize>at << 3)), nx = load<f64>(norms + (<usize>at << 3));
      const products = scratch + <usize>q * (<usize>padded << 2);
      for (let k = 0; k < K; k++) {
        const nc = load<f64>(normsC + (<usize>k << 3));
        const about = nx * nx + nc * nc - 2 * <f64>load<f32>(products + (<usize>k << 2));
        const to = out + ((<usize>at * <usize>K + k) << 3);
        if (about - doubt(d, nx, nc) > limit * unit && !huge(nx) && !huge(nc)) {
          store<f64>(to, limit);
          continue;
        }
        store<f64>(to, min(limit, distance(s, X + <usize>at * row, C + <usize>k * row)));
      }
    }
  }
}

/** As `start`, without bounds for each centre. scratch: 24 padded bytes. */
export function startNarrow(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, K: i32, padded: i32, X: usize, C: usize,
  Xf: usize, norms: usize, Cf: usize, normsC: usize, factor: f64,
  labels: usize, upper: usize, lower: usize, gains: usize,
): void {
  const row = <usize>s << 3, narrow = <usize>w << 2, end = min(rows, (task + 1) * span);
  for (let i = task * span; i < end; i += 4) {
    const last = end - 1;
    quad(
      w, padded, Xf + <usize>i * narrow, Xf + <usize>min(i + 1, last) * narrow, Xf + <usize>min(i + 2, last) * narrow,
      Xf + <usize>min(i + 3, last) * narrow, Cf, scratch,
    );
    for (let q = 0; q < 4 && i + q < end; q++) {
      const at = <usize>(i + q);
      const nearest = settleNarrow(
        d, s, K, -1, X + at * row, C, load<f64>(norms + (at << 3)), normsC, factor,
        scratch + <usize>q * (<usize>padded << 2), scratch + (<usize>padded << 4),
      );
      store<i32>(labels + (at << 2), nearest);
      store<f64>(upper + (at << 3), within);
      store<f64>(lower + (at << 3), beyond);
      store<f64>(gains + (at << 3), -found);
    }
  }
}

/** What `settleNarrow` found: squared distances to the centre before and now, where it measured, and bounds. */
let before: f64 = 0;
let found: f64 = 0;
let within: f64 = 0;
let beyond: f64 = 0;

/**
 * The nearest centre, from products of the row with all of them: those that may be nearest are measured, unless it is
 * `own` alone. A row leaves `own` only for a strictly nearer centre; own < 0: the first of the nearest. `within`: a bound on
 * the distance to the nearest; `beyond`: one on the distance to all others. lows: room for `padded` doubles.
 */
function settleNarrow(
  d: i32, s: i32, K: i32, own: i32, x: usize, C: usize, nx: f64, normsC: usize, factor: f64, products: usize, lows: usize,
): i32 {
  let high: f64 = f64.MAX_VALUE;
  for (let k = 0; k < K; k++) {
    const nc = load<f64>(normsC + (<usize>k << 3)), open = huge(nc) || huge(nx) ? Infinity : doubt(d, nx, nc);
    const about = nx * nx + nc * nc - 2 * <f64>load<f32>(products + (<usize>k << 2));
    high = min(high, about + open);
    store<f64>(lows + (<usize>k << 3), about - open);
  }
  let rest: f64 = f64.MAX_VALUE, open = 0;
  for (let k = 0; k < K; k++) {
    if (k == own) continue;
    const low = load<f64>(lows + (<usize>k << 3));
    if (low > high) rest = min(rest, low);
    else open++;
  }
  beyond = below(max(rest, 0)) / factor;
  if (open == 0) {
    within = above(high) / factor;
    return own;
  }
  const row = <usize>s << 3;
  let nearest = own, least = own < 0 ? f64.MAX_VALUE : distance(s, x, C + <usize>own * row), next: f64 = f64.MAX_VALUE;
  before = least;
  for (let k = 0; k < K; k++) {
    if (k == own || load<f64>(lows + (<usize>k << 3)) > high) continue;
    const squared = distance(s, x, C + <usize>k * row);
    if (squared < least) {
      next = least;
      least = squared;
      nearest = k;
    } else if (squared < next) next = squared;
  }
  found = least;
  within = above(least);
  beyond = min(beyond, below(next));
  return nearest;
}

/** Rows after which a task knows whether measuring the own centre first settles enough of them. */
const TRIED: i32 = 32;

/** As `hamerly`, rows that the bounds do not settle four at a time. scratch: 24 padded + 64 bytes. */
export function hamerlyNarrow(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, w: i32, K: i32, padded: i32, X: usize, C: usize,
  Xf: usize, norms: usize, Cf: usize, normsC: usize, factor: f64,
  labels: usize, upper: usize, lower: usize, drift: usize, shrink: usize, near: usize, moved: usize, gains: usize,
  counts: usize,
): void {
  const row = <usize>s << 3, narrow = <usize>w << 2, begin = task * span, end = min(rows, begin + span);
  const lows = scratch + (<usize>padded << 4), waiting = lows + (<usize>padded << 3);
  moved += <usize>begin << 2;
  gains += <usize>begin << 3;
  let count = 0, open = 0, tried = 0, saved = 0;
  for (let i = begin; i < end; i++) {
    const at = <usize>i, own = <usize>load<i32>(labels + (at << 2)) << 3;
    let u = load<f64>(upper + (at << 3)) + load<f64>(drift + own);
    const l = load<f64>(lower + (at << 3)) - load<f64>(shrink + own), safe = max(l, load<f64>(near + own));
    if (u > safe) {
      if (tried < TRIED || 8 * saved > tried) {
        u = above(distance(s, X + at * row, C + (own >> 3) * row));
        tried++;
        if (u <= safe) saved++;
      }
      if (u > safe) {
        store<i32>(waiting + (<usize>open << 2), i);
        open++;
      }
    }
    store<f64>(upper + (at << 3), u);
    store<f64>(lower + (at << 3), l);
    if (open < 4 && (open == 0 || i + 1 < end)) continue;
    const first = load<i32>(waiting);
    const second = open > 1 ? load<i32>(waiting, 4) : first;
    const third = open > 2 ? load<i32>(waiting, 8) : first, fourth = open > 3 ? load<i32>(waiting, 12) : first;
    quad(
      w, padded, Xf + <usize>first * narrow, Xf + <usize>second * narrow, Xf + <usize>third * narrow,
      Xf + <usize>fourth * narrow, Cf, scratch,
    );
    for (let q = 0; q < open; q++) {
      const i = load<i32>(waiting + (<usize>q << 2)), at = <usize>i, own = load<i32>(labels + (at << 2));
      const a = settleNarrow(
        d, s, K, own, X + at * row, C, load<f64>(norms + (at << 3)), normsC, factor,
        scratch + <usize>q * (<usize>padded << 2), lows,
      );
      store<f64>(upper + (at << 3), within);
      store<f64>(lower + (at << 3), beyond);
      if (a != own) {
        store<i32>(labels + (at << 2), a);
        store<i32>(moved + (<usize>count << 2), i);
        store<f64>(gains + (<usize>count << 3), before - found);
        count++;
      }
    }
    open = 0;
  }
  store<i32>(counts + (<usize>task << 2), count);
}
