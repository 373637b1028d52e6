// With lanes of rows: for short rows and few centres, checking bounds takes as long as comparing with all
// centres in single precision, eight rows at a time. `Xf` holds rows, minus a common centre and times a
// factor, in groups of eight, column after column; `lengths` bounds their lengths. With a = x'c - ||c||^2 / 2
// the nearest centre has the largest a; the error of all a of a row is below half of scale length + offset,
// so a centre that leads by more is the nearest.
import { madd } from "../../matrix/kernel/_single.as";
import { across, least, nearestOf } from "./_distance.as";

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
        a0 = madd(v, t, a0);
        b0 = madd(w, t, b0);
        t = v128.load_splat<f32>(c, 4);
        a1 = madd(v, t, a1);
        b1 = madd(w, t, b1);
        t = v128.load_splat<f32>(c, 8);
        a2 = madd(v, t, a2);
        b2 = madd(w, t, b2);
        t = v128.load_splat<f32>(c, 12);
        a3 = madd(v, t, a3);
        b3 = madd(w, t, b3);
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
      store<i32>(moved + (<usize>count << 2), i + q - begin);
      store<f64>(gains + (<usize>count << 3), held - least);
      count++;
    }
  }
  store<i32>(counts + (<usize>task << 2), count);
  store<i32>(doubts + (<usize>task << 2), open);
}
