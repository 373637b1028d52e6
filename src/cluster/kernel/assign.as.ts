// The assignment step of Lloyd's algorithm, without or with bounds, and the sums of clusters.
//
// Exports are tasks of a parallel kernel: task t handles the rows t span to (t + 1) span - 1 of the block of
// X, labels and the other row arrays, and writes only to positions of these rows.
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { addScatter, DEPTH } from "../../matrix/kernel/_scatter.as";
import { above, across, below, distance, least, nearestOf, next, pair, single, taken } from "./_distance.as";

export { panels } from "./_distance.as";
export { addDrifts, closestNarrow, elkan, narrowCenters, narrowRows } from "./_narrow.as";
export { laneCenters, laneRows, lanes } from "./_lanes.as";

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
 * From the position of its first row on, the task writes the rows that moved (their places among its rows) to
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
          store<i32>(moved + (<usize>count << 2), i - begin);
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
 * What moves of the centres from B to C change, rounded to the safe side: drift of each; shrink, the largest drift among the
 * others; near, half the distance to the nearest other one. apart: the squared distances of all, K x K.
 */
export function measureDrifts(
  s: i32, K: i32, C: usize, B: usize, apart: usize, drift: usize, shrink: usize, near: usize,
): void {
  const row = <usize>s << 3;
  let most: f64 = 0, second: f64 = 0;
  for (let k: usize = 0; k < <usize>K; k++) {
    const moved = above(distance(s, C + k * row, B + k * row));
    store<f64>(drift + (k << 3), moved);
    second = max(second, min(most, moved));
    most = max(most, moved);
    let nearest: f64 = Infinity;
    for (let l: usize = 0; l < <usize>K; l++) {
      if (l != k) nearest = min(nearest, load<f64>(apart + ((k * <usize>K + l) << 3)));
    }
    store<f64>(near + (k << 3), 0.5 * below(nearest));
  }
  for (let k: usize = 0; k < <usize>K; k++) {
    store<f64>(shrink + (k << 3), load<f64>(drift + (k << 3)) == most ? second : most);
  }
}

/** Moves the rows that the tasks listed, and their gains, together; returns how many there are. */
export function gather(span: i32, tasks: i32, moved: usize, gains: usize, counts: usize): i32 {
  let count: usize = 0;
  for (let task: usize = 0; task < <usize>tasks; task++) {
    const first = task * span, end = first + load<i32>(counts + (task << 2));
    for (let e = first; e < end; e++, count++) {
      store<i32>(moved + (count << 2), <i32>first + load<i32>(moved + (e << 2)));
      store<f64>(gains + (count << 3), load<f64>(gains + (e << 3)));
    }
  }
  return <i32>count;
}

/**
 * Moves rows from the clusters `from` (-1: none) to those of `to`; `from` becomes `to`. A task has `span` rows, and sums of its
 * own after the common ones: K rows, which begin at 0. Products and sums are rounded one by one, in the order of the rows.
 * weights may be 0.
 */
export function moveRows(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, from: usize, to: usize, weights: usize, sums: usize,
): void {
  const row = <usize>s << 3, size = <usize>K * row, own = sums + <usize>(task + 1) * size, end = min(rows, (task + 1) * span);
  memory.fill(own, 0, size);
  for (let i = <usize>(task * span); i < <usize>end; i++) {
    const before = load<i32>(from + (i << 2)), after = load<i32>(to + (i << 2));
    if (before == after) continue;
    store<i32>(from + (i << 2), after);
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

/**
 * Copies rows of X, rows x d, to their places (0: their own) among rows with a stride of s. largest[task] := the largest
 * absolute value, NaN with one that is not finite.
 */
export function place(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, X: usize, places: usize, out: usize,
  largest: usize,
): void {
  const row = <usize>d << 3, end = min(rows, (task + 1) * span), zero = f64x2.splat(0);
  let x = X + <usize>(task * span) * row, most = zero, zeros = zero;
  for (let i = task * span; i < end; i++, x += row) {
    const to = out + <usize>(places == 0 ? i : load<i32>(places + (<usize>i << 2))) * (<usize>s << 3);
    let j: usize = 0;
    for (; j < row; j += 16) {
      const value = j + 16 <= row ? v128.load(x + j) : v128.load64_zero(x + j);
      v128.store(to + j, value);
      most = f64x2.pmax(most, f64x2.abs(value));
      zeros = f64x2.add(zeros, f64x2.mul(value, zero));
    }
  }
  store<f64>(largest + (<usize>task << 3), max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)) + hsum(zeros));
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
