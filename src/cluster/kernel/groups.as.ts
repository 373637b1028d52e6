// Average and complete linkage in rounds (linkageRounds.ts has the method): lists of near clusters, the merges that these
// lists prove, and the distances between the groups that result.
//
// The clusters of a round are its elements 0 to m - 1; a group is one or several of them that the round has joined, named
// by its lowest. Distances of elements: between rows, or a triangle with D(i, j), j < i, at i (i - 1) / 2 + j.
//
// The list of a group x has NEAR pairs of a bound and a group, by rising bound: D(x, y) is no less than the bound of y,
// and no less than the last bound if y is not in the list. A merge keeps bounds valid, because both linkages are reducible:
//
//     D(x, a + b) >= min(D(x, a), D(x, b)).
//
// kind: 1 average, 2 complete. Sizes, groups and elements are i32.
import { int, setInt } from "../../matrix/kernel/_memory.as";
import { distances } from "./assign.as";
import { roots } from "./triangle.as";

// The chain goes on in the same memory.
export { join, nearest, roots } from "./triangle.as";

/** Entries of a list. */
export const NEAR: i32 = 16;
/** Elements of a group at most: distances between groups are computed from those of their elements. */
export const MEMBERS: i32 = 8;
const AVERAGE: i32 = 1;
const UNDECIDED: i32 = -2;
/** States of a group: it takes no further part in the round, or is in the chain. */
const WAITS: i32 = 1;
const IN_CHAIN: i32 = 2;
const NUMBERS: usize = <usize>NEAR << 3;
const LIST: usize = <usize>NEAR * 12;

/** Bytes of the lists of m elements. */
export function listBytes(m: i32): i32 {
  return m * <i32>LIST;
}

// @ts-ignore: decorator
@inline
function row(D: usize, i: i32): usize {
  const before = <usize>i;
  return D + ((before * (before - 1)) << 2); // 8 bytes times i (i - 1) / 2
}

// @ts-ignore: decorator
@inline
function lastOf(list: usize): f64 {
  return load<f64>(list, (<usize>NEAR - 1) << 3);
}

function clear(list: usize): void {
  for (let q: usize = 0; q < <usize>NEAR; q++) {
    store<f64>(list + (q << 3), Infinity);
    store<i32>(list + NUMBERS + (q << 2), -1);
  }
}

/** Enters y with a bound below the last; returns the new last bound. */
function enter(list: usize, y: i32, bound: f64): f64 {
  let q = NEAR - 1;
  for (; q > 0; q--) {
    const place = list + (<usize>q << 3), before = load<f64>(place - 8);
    if (before <= bound) break;
    store<f64>(place, before);
    setInt(list + NUMBERS, q, int(list + NUMBERS, q - 1));
  }
  store<f64>(list + (<usize>q << 3), bound);
  setInt(list + NUMBERS, q, y);
  return lastOf(list);
}

/**
 * Enters the distances of element i to all before it into the lists of both. lasts: the last bound of each list. From the
 * end on: if the order of elements says anything, the nearest come first, and few are entered in vain.
 */
function enterRow(i: i32, values: usize, near: usize, lasts: usize): void {
  const own = near + <usize>i * LIST;
  clear(own);
  let last: f64 = Infinity, j = i;
  while (j > 0) {
    if ((j & 3) == 0) {
      const limit = f64x2.splat(last), place = <usize>(j - 4) << 3;
      const a = f64x2.lt(v128.load(values + place), f64x2.pmax(v128.load(lasts + place), limit));
      const b = f64x2.lt(v128.load(values + place, 16), f64x2.pmax(v128.load(lasts + place, 16), limit));
      if (!v128.any_true(v128.or(a, b))) {
        j -= 4;
        continue;
      }
    }
    do {
      j--;
      last = enterBoth(i, j, load<f64>(values + (<usize>j << 3)), last, own, near, lasts);
    } while (j & 3);
  }
  store<f64>(lasts + (<usize>i << 3), last);
}

function enterBoth(i: i32, j: i32, value: f64, last: f64, own: usize, near: usize, lasts: usize): f64 {
  const place = lasts + (<usize>j << 3);
  if (value < load<f64>(place)) store<f64>(place, enter(near + <usize>j * LIST, i, value));
  return value < last ? enter(own, j, value) : last;
}

/** The lists of n rows. work: room for MEMBERS times n distances. */
export function listRows(n: i32, s: i32, X: usize, near: usize, lasts: usize, work: usize): void {
  for (let first = 0; first < n; first += MEMBERS) {
    const count = min(MEMBERS, n - first), last = first + count;
    distances(0, 0, count, count, s, last, X + (<usize>first * <usize>s << 3), X, work);
    for (let i = first; i < last; i++) enterRow(i, work + (<usize>(i - first) * <usize>last << 3), near, lasts);
  }
  for (let i = 0; i < n; i++) roots(NEAR, near + <usize>i * LIST);
}

/** The lists of the elements `first` to `last` - 1 of a triangle; those before are made. */
export function listTriangle(first: i32, last: i32, D: usize, near: usize, lasts: usize): void {
  for (let i = first; i < last; i++) enterRow(i, row(D, i), near, lasts);
}

// The elements of the round. With D = 0 they are rows of X, of stride s.
let kind: i32 = 0;
let D: usize = 0;
let X: usize = 0;
let s: i32 = 0;
let sizes: usize = 0;
let near: usize = 0;
// Of each element: the element that it was joined to, or itself; the next of its group, or -1. Of each group: its last
// element, the number of them and of their rows, and its state.
let into: usize = 0;
let next: usize = 0;
let tails: usize = 0;
let members: usize = 0;
let weights: usize = 0;
let states: usize = 0;
let scratch: usize = 0;
/** The distance that `nearestTo` found. */
let found: f64 = 0;

/** Bytes of the state of a round of m elements. */
export function stateBytes(m: i32): i32 {
  return 1024 + 36 * (m + 2);
}

/**
 * The nearest-neighbour chain, as far as the lists prove who is nearest: a chain that comes to a group for which they do
 * not, or to a merge that makes a group too large, waits for the next round with all its groups. A merge joins group
 * from[p] to to[p] < from[p], at heights[p]; returns how many there are. Afterwards into[i], which begins the state, is
 * the group that contains i, possibly by way of others.
 */
export function formGroups(
  kind_: i32, m: i32, D_: usize, s_: i32, X_: usize, sizes_: usize, near_: usize, state: usize, from: usize, to: usize,
  heights: usize,
): i32 {
  const length4 = <usize>((m + 1) & ~1) << 2;
  kind = kind_;
  D = D_;
  s = s_;
  X = X_;
  sizes = sizes_;
  near = near_;
  into = state;
  next = into + length4;
  tails = next + length4;
  members = tails + length4;
  weights = members + length4;
  states = weights + length4;
  const chain = states + length4, steps = chain + length4;
  scratch = steps + (length4 << 1);
  for (let i = 0; i < m; i++) {
    setInt(into, i, i);
    setInt(next, i, -1);
    setInt(tails, i, i);
    setInt(members, i, 1);
    setInt(weights, i, int(sizes, i));
    setInt(states, i, 0);
  }
  let merges = 0, length = 0, start = 0;
  while (true) {
    if (length == 0) {
      while (start < m && (int(into, start) != start || int(states, start))) start++;
      if (start == m) break;
      setInt(chain, length++, start);
      setInt(states, start, IN_CHAIN);
    }
    const x = int(chain, length - 1), before = length > 1 ? int(chain, length - 2) : -1;
    const known = length > 1 ? load<f64>(steps + (<usize>(length - 2) << 3)) : Infinity;
    const y = nearestTo(x, before, known);
    const meet = y == before && y >= 0;
    // Distances that differ by rounding could lead back into the chain: this waits, too.
    if (y < 0 || (meet ? int(members, x) + int(members, y) > MEMBERS : int(states, y) != 0)) {
      while (length > 0) setInt(states, int(chain, --length), WAITS);
    } else if (meet) {
      length -= 2;
      const gone = max(x, y), kept = min(x, y);
      setInt(from, merges, gone);
      setInt(to, merges, kept);
      store<f64>(heights + (<usize>merges << 3), known);
      merges++;
      join(kept, gone);
    } else {
      store<f64>(steps + (<usize>(length - 1) << 3), found);
      setInt(chain, length++, y);
      setInt(states, y, IN_CHAIN);
    }
  }
  return merges;
}

function current(i: i32): i32 {
  for (let to = int(into, i); to != i; to = int(into, i)) i = to;
  return i;
}

/**
 * The nearest group to x, `before` at `distance` if none is nearer; UNDECIDED if the list does not tell. In a tie one that
 * still takes part.
 */
function nearestTo(x: i32, before: i32, distance: f64): i32 {
  const list = near + <usize>x * LIST;
  let best = before, waits = false;
  found = distance;
  for (let q = 0; q < NEAR; q++) {
    const bound = load<f64>(list + (<usize>q << 3));
    if (bound > found || (bound == found && !waits)) return best;
    const number = int(list + NUMBERS, q);
    if (number < 0) break;
    const y = current(number);
    setInt(list + NUMBERS, q, y);
    if (y == before || y == best) continue;
    const other = between(min(x, y), max(x, y)), out = int(states, y) != 0;
    if (other < found || (other == found && waits && !out)) {
      found = other;
      best = y;
      waits = out;
    }
  }
  return lastOf(list) >= found ? best : UNDECIDED;
}

/** The distance of two elements. */
// @ts-ignore: decorator
@inline
function apart(i: i32, j: i32): f64 {
  if (D != 0) return load<f64>(i < j ? row(D, j) + (<usize>i << 3) : row(D, i) + (<usize>j << 3));
  distances(0, 0, 1, 1, s, 1, X + (<usize>i * <usize>s << 3), X + (<usize>j * <usize>s << 3), scratch);
  return sqrt(load<f64>(scratch));
}

/** The distance of two groups, x < y: the same bits from both sides. */
function between(x: i32, y: i32): f64 {
  let total: f64 = 0;
  for (let i = x; i >= 0; i = int(next, i)) {
    let sum: f64 = 0;
    for (let j = y; j >= 0; j = int(next, j)) {
      const value = apart(i, j);
      if (kind == AVERAGE) sum += <f64>int(sizes, j) * value;
      else if (value > total) total = value;
    }
    if (kind == AVERAGE) total += <f64>int(sizes, i) * sum;
  }
  return kind == AVERAGE ? total / (<f64>int(weights, x) * <f64>int(weights, y)) : total;
}

/** A bound of the distance to the union of groups with these bounds. */
// @ts-ignore: decorator
@inline
function joined(kept: i32, gone: i32, a: f64, b: f64): f64 {
  if (kind != AVERAGE) return a > b ? a : b;
  const na = <f64>int(weights, kept), nb = <f64>int(weights, gone);
  return (na * a + nb * b) / (na + nb);
}

/** Joins two groups and their lists: a group in one list only is beyond the other. */
function join(kept: i32, gone: i32): void {
  const listKept = near + <usize>kept * LIST, listGone = near + <usize>gone * LIST;
  const numbers = scratch, bounds = scratch + (<usize>NEAR << 3); // 2 NEAR numbers, and as many pairs of bounds
  const lastKept = lastOf(listKept), lastGone = lastOf(listGone);
  setInt(into, gone, kept);
  let count = 0;
  for (let q = 0; q < 2 * NEAR; q++) {
    const second = q >= NEAR, list = second ? listGone : listKept, p = second ? q - NEAR : q;
    const number = int(list + NUMBERS, p);
    if (number < 0) continue;
    const y = current(number);
    if (y == kept) continue;
    let k = 0;
    while (k < count && int(numbers, k) != y) k++;
    const place = bounds + (<usize>k << 4);
    if (k == count) {
      setInt(numbers, count++, y);
      store<f64>(place, lastKept);
      store<f64>(place, lastGone, 8);
    }
    const own = place + (second ? 8 : 0), bound = load<f64>(list + (<usize>p << 3));
    if (bound < load<f64>(own)) store<f64>(own, bound);
  }
  const rest = joined(kept, gone, lastKept, lastGone); // of groups in no list
  clear(listKept);
  for (let k = 0; k < count; k++) {
    const place = bounds + (<usize>k << 4), bound = joined(kept, gone, load<f64>(place), load<f64>(place, 8));
    if (bound < lastOf(listKept)) enter(listKept, int(numbers, k), bound);
  }
  for (let q = NEAR - 1; q >= 0 && int(listKept + NUMBERS, q) < 0; q--) store<f64>(listKept + (<usize>q << 3), rest);
  setInt(next, int(tails, kept), gone);
  setInt(tails, kept, int(tails, gone));
  const total = int(members, kept) + int(members, gone);
  setInt(members, kept, total);
  setInt(states, kept, total == MEMBERS ? WAITS : 0);
  setInt(weights, kept, int(weights, kept) + int(weights, gone));
}

/**
 * The rows `begin` to `end` - 1 of the triangle of groups of rows, and the lists of these. The rows of group x are starts[x] to starts[x + 1] - 1. work:
 * room for MEMBERS times n distances.
 */
export function joinRows(
  begin: i32, end: i32, kind: i32, s: i32, X: usize, starts: usize, D: usize, near: usize, lasts: usize, work: usize,
): void {
  for (let x = begin; x < end; x++) {
    const first = int(starts, x), rows = int(starts, x + 1) - first, width = <usize>first << 3;
    distances(0, 0, rows, rows, s, first, X + (<usize>first * <usize>s << 3), X, work);
    for (let p: usize = 0; p < width; p += 16) {
      let sum = v128.load(work + p);
      if (kind == AVERAGE) {
        sum = f64x2.sqrt(sum);
        for (let r = 1; r < rows; r++) sum = f64x2.add(sum, f64x2.sqrt(v128.load(work + <usize>r * width + p)));
      } else {
        for (let r = 1; r < rows; r++) sum = f64x2.pmax(sum, v128.load(work + <usize>r * width + p));
      }
      v128.store(work + p, sum); // may reach into the next row, where it has been read
    }
    const values = row(D, x);
    for (let y = 0, i = 0; y < x; y++) {
      const next = int(starts, y + 1), size = next - i;
      let value = load<f64>(work + (<usize>i << 3));
      for (i++; i < next; i++) {
        const other = load<f64>(work + (<usize>i << 3));
        value = kind == AVERAGE ? value + other : value > other ? value : other;
      }
      store<f64>(values + (<usize>y << 3), kind == AVERAGE ? value / <f64>(size * rows) : sqrt(value));
    }
    enterRow(x, values, near, lasts);
  }
}

/**
 * The same of the elements of a triangle, in its place. The elements of group x are order[starts[x]] to
 * order[starts[x + 1] - 1], by rising number, and groups are in the order of their first elements: all distances that a
 * row needs are in this row or later ones. groups: the group of each element; later: `laterCount` elements that are not the first
 * of theirs, by rising number. values: room for `count` distances.
 */
export function joinTriangle(
  begin: i32, end: i32, count: i32, kind: i32, D: usize, sizes: usize, order: usize, starts: usize, groups: usize, later: usize,
  laterCount: i32, newSizes: usize, near: usize, lasts: usize, values: usize,
): void {
  for (let x = begin; x < end; x++) {
    memory.fill(values, 0, <usize>count << 3);
    for (let p = int(starts, x); p < int(starts, x + 1); p++) {
      const i = int(order, p), own = row(D, i), size = <f64>int(sizes, i);
      for (let j = 0; j < i; j++) add(kind, values, int(groups, j), size * <f64>int(sizes, j), load<f64>(own + (<usize>j << 3)));
      for (let q = laterCount - 1; q >= 0; q--) {
        const j = int(later, q), y = int(groups, j);
        if (j <= i) break;
        if (y < x) add(kind, values, y, size * <f64>int(sizes, j), load<f64>(row(D, j) + (<usize>i << 3)));
      }
    }
    if (kind == AVERAGE) {
      const size = <f64>int(newSizes, x);
      for (let y = 0; y < x; y++) {
        const place = values + (<usize>y << 3);
        store<f64>(place, load<f64>(place) / (size * <f64>int(newSizes, y)));
      }
    }
    memory.copy(row(D, x), values, <usize>x << 3);
    enterRow(x, values, near, lasts);
  }
}

// @ts-ignore: decorator
@inline
function add(kind: i32, values: usize, y: i32, weight: f64, value: f64): void {
  const place = values + (<usize>y << 3), sum = load<f64>(place);
  store<f64>(place, kind == AVERAGE ? sum + weight * value : sum > value ? sum : value);
}
