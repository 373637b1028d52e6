// The bins of binning.ts, a feature to a task: the same cuts and bins, to the last bit.

/** Bits of a digit of the sort, and digits of a number. */
const DIGIT: i32 = 11;
const DIGITS: i32 = 6;
const VALUES: usize = 1 << DIGIT;

/** Bytes of scratch of `bin`. */
export function binScratch(n: i32): i32 {
  return 16 * n + 4 * DIGITS * <i32>VALUES;
}

/**
 * Bins of feature `task` of X, n x d, at bins + n task; its cuts at cuts + 8 most task, their number at
 * sizes + 4 task.
 */
export function bin(
  task: i32, scratch: usize, n: i32, d: i32, most: i32, X: usize, bins: usize, cuts: usize, sizes: usize,
): void {
  const own = X + (<usize>task << 3), row = <usize>d << 3, bytes = <usize>n << 3;
  for (let i: usize = 0, x = own; i < bytes; i += 8, x += row) store<f64>(scratch + i, load<f64>(x) + 0);
  const sorted = sort(n, scratch, scratch + bytes, scratch + 2 * bytes);
  cuts += (<usize>task * <usize>most) << 3;
  const count = cutsOf(n, most, sorted, cuts);
  store<i32>(sizes + (<usize>task << 2), count);
  bins += <usize>task * <usize>n;
  for (let i: usize = 0, x = own; i < <usize>n; i++, x += row) store<u8>(bins + i, <u8>binOf(count, cuts, load<f64>(x)));
}

/** Sorts n numbers at `from` by their digits, the last first; returns where they are: there, or at `other`. */
function sort(n: i32, from: usize, other: usize, places: usize): usize {
  const bytes = <usize>n << 3;
  memory.fill(places, 0, (<usize>DIGITS * VALUES) << 2);
  for (let p = from, end = from + bytes; p < end; p += 8) {
    const word = load<i64>(p);
    // Bits of positive numbers increase with the number, those of negative ones decrease.
    const key = <u64>(word ^ ((word >> 63) | i64.MIN_VALUE));
    store<u64>(p, key);
    for (let digit = 0; digit < DIGITS; digit++) {
      const place = placeOf(places, key, digit);
      store<u32>(place, load<u32>(place) + 1);
    }
  }
  for (let digit = 0; digit < DIGITS; digit++) {
    const first = placeOf(places, load<u64>(from), digit);
    if (load<u32>(first) == <u32>n) continue;
    let sum: u32 = 0;
    const start = places + ((<usize>digit * VALUES) << 2);
    for (let place = start; place < start + (VALUES << 2); place += 4) {
      const count = load<u32>(place);
      store<u32>(place, sum);
      sum += count;
    }
    for (let p = from, end = from + bytes; p < end; p += 8) {
      const key = load<u64>(p), place = placeOf(places, key, digit), q = load<u32>(place);
      store<u32>(place, q + 1);
      store<u64>(other + (<usize>q << 3), key);
    }
    const held = from;
    from = other;
    other = held;
  }
  for (let p = from, end = from + bytes; p < end; p += 8) {
    const key = load<i64>(p);
    store<i64>(p, key ^ (~(key >> 63) | i64.MIN_VALUE));
  }
  return from;
}

// @ts-ignore: decorator
@inline
function placeOf(places: usize, key: u64, digit: i32): usize {
  return places + ((<usize>digit * VALUES + (<usize>(key >> (digit * DIGIT)) & (VALUES - 1))) << 2);
}

function cutsOf(n: i32, most: i32, sorted: usize, cuts: usize): i32 {
  let distinct = 1;
  const end = sorted + (<usize>n << 3);
  for (let p = sorted + 8; p < end; p += 8) if (load<f64>(p) != load<f64>(p - 8)) distinct++;
  const all = distinct <= most, limit = min(distinct, most) - 1;
  let count = 0, due = <f64>n / <f64>most; // rows that the bins so far should hold
  for (let i = 1; i < n && count < limit; i++) {
    const p = sorted + (<usize>i << 3), a = load<f64>(p - 8), b = load<f64>(p);
    if (a == b || (!all && <f64>i < due - 0.5)) continue;
    const middle = a / 2 + b / 2;
    store<f64>(cuts + (<usize>count << 3), middle >= a && middle < b ? middle : a);
    count++;
    const held = max(due, <f64>i - 0.5);
    due = held + (<f64>n - held) / <f64>(most - count);
  }
  return count;
}

/** The number of cuts below x. */
function binOf(count: i32, cuts: usize, x: f64): i32 {
  let low = 0, left = count;
  while (left > 0) {
    const half = left >> 1, below = x > load<f64>(cuts + (<usize>(low + half) << 3));
    low = select(low + half + 1, low, below);
    left = select(left - half - 1, half, below);
  }
  return low;
}
