// The trees of a forest (growForest.ts), a task each: the steps of `treeGrower`, with the same draws and the same sums,
// so the same trees to the last bit. All counts are whole numbers, hence exact in any order.
import { integer, seedStream } from "../../core/kernel/_random.as";

/** Up to this many rows, insertion sort is faster than counting. */
const FEW: i32 = 24;
/** Rows of a node for each class from which on counts of each bin and class are faster than ordered rows; by timings. */
const MANY: i32 = 64;
const BINS: i32 = 256;

// The state of a task. Rows of a node are neighbours in `rows` and `items`; an item is a row's class and, 32 bits
// further, its weight.
let items: usize = 0;
let rows: usize = 0;
let ordered: usize = 0;
let binAt: usize = 0;
let places: usize = 0;
let leftCounts: usize = 0;
let counts: usize = 0;
let table: usize = 0;

let bestScore: f64 = 0;
let bestBin: i32 = 0;

/** Bytes of scratch of `grow`. */
export function growScratch(n: i32, d: i32, K: i32): i32 {
  const node = 8 + 4 + 8 + 1 + 16, classes = 16 + 4 * BINS;
  return n * node + K * classes + 4 * d + 4 * (BINS + 1) + 16 * 9;
}

// @ts-ignore: decorator
@inline
function aligned(address: usize): usize {
  return (address + 15) & ~(<usize>15);
}

/**
 * Tree `task` of the forest: nodes at feature, bin and left, `capacity` of them (a leaf has -1 as its feature, and for
 * `left` its class if it is pure, otherwise K plus its place among the `shares`, K numbers each, `room` of them), the
 * numbers of nodes and of shares at `sizes`, the weights of the rows, and the decrease of the Gini index by each feature.
 */
export function grow(
  task: i32, scratch: usize, n: i32, d: i32, K: i32, tried: i32, maxDepth: i32, minLeaf: f64, bins: usize, codes: usize,
  seeds: usize, weights: usize, capacity: i32, feature: usize, bin: usize, left: usize, room: i32, shares: usize,
  sizes: usize, importance: usize,
): void {
  weights += <usize>task * (<usize>n << 2);
  feature += <usize>task * (<usize>capacity << 2);
  bin += <usize>task * (<usize>capacity << 2);
  left += <usize>task * (<usize>capacity << 2);
  shares += <usize>task * ((<usize>room * <usize>K) << 3);
  importance += <usize>task * (<usize>d << 3);
  items = aligned(scratch);
  ordered = aligned(items + (<usize>n << 3));
  counts = aligned(ordered + (<usize>n << 3));
  leftCounts = counts + (<usize>K << 3);
  table = aligned(leftCounts + (<usize>K << 3));
  rows = aligned(table + ((<usize>K * BINS) << 2));
  const stack = aligned(rows + (<usize>n << 2)), features = aligned(stack + (<usize>n << 4));
  places = aligned(features + (<usize>d << 2));
  binAt = places + ((BINS + 1) << 2);

  seedStream(load<f64>(seeds + (<usize>task << 3)));
  memory.fill(weights, 0, <usize>n << 2);
  for (let i = 0; i < n; i++) {
    const at = weights + (<usize>integer(n) << 2);
    store<i32>(at, load<i32>(at) + 1);
  }
  let inBag = 0;
  for (let i = 0; i < n; i++) {
    const w = load<i32>(weights + (<usize>i << 2));
    if (w == 0) continue;
    store<i32>(rows + (<usize>inBag << 2), i);
    store<i32>(items + (<usize>inBag << 3), load<i32>(codes + (<usize>i << 2)));
    store<i32>(items + (<usize>inBag << 3), w, 4);
    inBag++;
  }
  memory.fill(importance, 0, <usize>d << 3);
  memory.fill(table, 0, (<usize>K * BINS) << 2);
  for (let f = 0; f < d; f++) store<i32>(features + (<usize>f << 2), f);
  let nodes = 1, impure = 0, waiting = 1;
  push(stack, 0, 0, inBag, 0);
  while (waiting > 0) {
    const entry = stack + (<usize>(--waiting) << 4);
    const node = load<i32>(entry), from = load<i32>(entry, 4), to = load<i32>(entry, 8), depth = load<i32>(entry, 12);
    const m = to - from, at = <usize>node << 2;
    memory.fill(counts, 0, <usize>K << 3);
    let W: f64 = 0, squares: f64 = 0, present = 0, last = 0;
    for (let p = items + (<usize>from << 3), end = items + (<usize>to << 3); p < end; p += 8) {
      const own = counts + (<usize>load<i32>(p) << 3), w = <f64>load<i32>(p, 4);
      store<f64>(own, load<f64>(own) + w);
      W += w;
    }
    for (let k = 0; k < K; k++) {
      const count = load<f64>(counts + (<usize>k << 3));
      if (count == 0) continue;
      squares += count * count;
      present++;
      last = k;
    }
    // Any border is accepted, even one without gain: an exclusive-or needs it.
    bestScore = -1;
    let best = -1;
    if (present > 1 && depth < maxDepth && W >= 2 * minLeaf) {
      for (let drawn = 0; drawn < d && (drawn < tried || best < 0); drawn++) {
        const place = features + (<usize>(drawn + integer(d - drawn)) << 2), front = features + (<usize>drawn << 2);
        const f = load<i32>(place);
        store<i32>(place, load<i32>(front));
        store<i32>(front, f);
        const column = bins + <usize>f * <usize>n;
        const found = m > MANY * K
          ? searchTable(column, from, m, K, minLeaf, W, squares)
          : searchOrdered(column, from, m, K, minLeaf, W, squares);
        if (found) best = f;
      }
    }
    store<i32>(feature + at, best);
    if (best < 0) {
      store<i32>(bin + at, 0);
      store<i32>(left + at, present == 1 ? last : K + impure);
      if (present == 1) continue;
      const own = shares + ((<usize>impure * <usize>K) << 3);
      impure++;
      for (let k: usize = 0; k < <usize>K << 3; k += 8) store<f64>(own + k, load<f64>(counts + k) / W);
      continue;
    }
    const gained = importance + (<usize>best << 3);
    store<f64>(gained, load<f64>(gained) + (bestScore - squares / W));
    const middle = partition(bins + <usize>best * <usize>n, bestBin, from, to);
    store<i32>(bin + at, bestBin);
    store<i32>(left + at, nodes);
    push(stack + (<usize>waiting << 4), nodes, from, middle, depth + 1);
    push(stack + (<usize>waiting << 4) + 16, nodes + 1, middle, to, depth + 1);
    waiting += 2;
    nodes += 2;
  }
  store<i32>(sizes + (<usize>task << 3), nodes);
  store<i32>(sizes + (<usize>task << 3), impure, 4);
}

// @ts-ignore: decorator
@inline
function push(entry: usize, node: i32, from: i32, to: i32, depth: i32): void {
  store<i32>(entry, node);
  store<i32>(entry, from, 4);
  store<i32>(entry, to, 8);
  store<i32>(entry, depth, 12);
}

/** Items of a node in the order of their bins, at `ordered` and `binAt`. */
function orderByBin(column: usize, from: i32, m: i32): void {
  const own = rows + (<usize>from << 2), item = items + (<usize>from << 3);
  if (m <= FEW) {
    for (let p = 0; p < m; p++) {
      const b = load<u8>(column + <usize>load<u32>(own + (<usize>p << 2)));
      let q: usize = p;
      for (; q > 0 && load<u8>(binAt + q - 1) > b; q--) {
        store<u8>(binAt + q, load<u8>(binAt + q - 1));
        store<u64>(ordered + (q << 3), load<u64>(ordered + ((q - 1) << 3)));
      }
      store<u8>(binAt + q, b);
      store<u64>(ordered + (q << 3), load<u64>(item + (<usize>p << 3)));
    }
    return;
  }
  memory.fill(places, 0, (BINS + 1) << 2);
  for (let p = own, end = own + (<usize>m << 2); p < end; p += 4) {
    const place = places + (<usize>load<u8>(column + <usize>load<u32>(p)) << 2);
    store<i32>(place, load<i32>(place, 4) + 1, 4);
  }
  let sum = 0;
  for (let place = places, end = places + (BINS << 2); place < end; place += 4) {
    sum += load<i32>(place);
    store<i32>(place, sum);
  }
  for (let p = 0; p < m; p++) {
    const b = load<u8>(column + <usize>load<u32>(own + (<usize>p << 2))), place = places + (<usize>b << 2);
    const q = load<u32>(place);
    store<u32>(place, q + 1);
    store<u8>(binAt + <usize>q, b);
    store<u64>(ordered + (<usize>q << 3), load<u64>(item + (<usize>p << 3)));
  }
}

/** Whether the border between two bins beats `bestScore`; if so, it replaces that score and `bestBin`. */
// @ts-ignore: decorator
@inline
function better(
  leftSquares: f64, leftWeight: f64, rightSquares: f64, rightWeight: f64, minLeaf: f64, before: i32, b: i32,
): bool {
  if (leftWeight < minLeaf || rightWeight < minLeaf) return false;
  const score = leftSquares / leftWeight + rightSquares / rightWeight;
  if (score <= bestScore) return false;
  bestScore = score;
  // Halfway by rank between the bins in this node: new rows between them are divided fairly.
  bestBin = (before + b - 1) >> 1;
  return true;
}

/** Whether some border of this feature beats `bestScore`; if so, it replaces that score and `bestBin`. */
function searchOrdered(column: usize, from: i32, m: i32, K: i32, minLeaf: f64, W: f64, squares: f64): bool {
  orderByBin(column, from, m);
  if (load<u8>(binAt) == load<u8>(binAt + <usize>m - 1)) return false;
  memory.fill(leftCounts, 0, <usize>K << 3);
  let found = false, leftSquares: f64 = 0, rightSquares = squares, leftWeight: f64 = 0, before = <i32>load<u8>(binAt);
  for (let p: usize = 0; p < <usize>m; p++) {
    const b = <i32>load<u8>(binAt + p);
    if (b != before) {
      if (better(leftSquares, leftWeight, rightSquares, W - leftWeight, minLeaf, before, b)) found = true;
      before = b;
    }
    const item = ordered + (p << 3), k = <usize>load<i32>(item) << 3, w = <f64>load<i32>(item, 4);
    const l = load<f64>(leftCounts + k);
    leftSquares += w * (2 * l + w);
    rightSquares -= w * (2 * (load<f64>(counts + k) - l) - w);
    store<f64>(leftCounts + k, l + w);
    leftWeight += w;
  }
  return found;
}

/** The same by the weights of each bin and class; the table is 0 before and after. */
function searchTable(column: usize, from: i32, m: i32, K: i32, minLeaf: f64, W: f64, squares: f64): bool {
  const line = <usize>K << 2;
  let item = items + (<usize>from << 3);
  for (let p = rows + (<usize>from << 2), end = p + (<usize>m << 2); p < end; p += 4, item += 8) {
    const cell = table + <usize>load<u8>(column + <usize>load<u32>(p)) * line + (<usize>load<u32>(item) << 2);
    store<i32>(cell, load<i32>(cell) + load<i32>(item, 4));
  }
  memory.fill(leftCounts, 0, <usize>K << 3);
  let found = false, leftSquares: f64 = 0, rightSquares = squares, leftWeight: f64 = 0, before = -1, cell = table;
  for (let b = 0; b < BINS; b++) {
    let here = 0;
    for (const end = cell + line; cell < end; cell += 4) here += load<i32>(cell);
    if (here == 0) continue;
    if (before >= 0 && better(leftSquares, leftWeight, rightSquares, W - leftWeight, minLeaf, before, b)) found = true;
    before = b;
    let own = cell - line;
    for (let k: usize = 0; k < <usize>K << 3; k += 8, own += 4) {
      const w = <f64>load<i32>(own), l = load<f64>(leftCounts + k);
      leftSquares += w * (2 * l + w);
      rightSquares -= w * (2 * (load<f64>(counts + k) - l) - w);
      store<f64>(leftCounts + k, l + w);
    }
    memory.fill(cell - line, 0, line);
    leftWeight += <f64>here;
  }
  return found;
}

/** Moves rows up to `last` to the front; returns the start of the others. */
function partition(column: usize, last: i32, from: i32, to: i32): i32 {
  let a = from, b = to - 1;
  while (a <= b) {
    const p = rows + (<usize>a << 2), held = load<u32>(p);
    if (<i32>load<u8>(column + <usize>held) <= last) {
      a++;
      continue;
    }
    while (a < b && <i32>load<u8>(column + <usize>load<u32>(rows + (<usize>b << 2))) > last) b--;
    if (a < b) {
      const q = rows + (<usize>b << 2);
      store<u32>(p, load<u32>(q));
      store<u32>(q, held);
      const x = items + (<usize>a << 3), y = items + (<usize>b << 3), item = load<u64>(x);
      store<u64>(x, load<u64>(y));
      store<u64>(y, item);
      a++;
    }
    b--;
  }
  return a;
}

/** Adds the class shares of the leaves that each row reaches in the trees that did not see it, tree after tree. */
export function vote(
  task: i32, scratch: usize, n: i32, span: i32, K: i32, trees: i32, bins: usize, weights: usize, capacity: i32,
  feature: usize, bin: usize, left: usize, room: i32, shares: usize, votes: usize, seen: usize,
): void {
  const begin = task * span, end = min(n, begin + span), line = <usize>K << 3;
  for (let t = 0; t < trees; t++) {
    for (let i = begin; i < end; i++) {
      if (load<i32>(weights + (<usize>i << 2)) > 0) continue;
      const times = seen + (<usize>i << 2);
      store<i32>(times, load<i32>(times) + 1);
      let v: usize = 0;
      for (;;) {
        const f = load<i32>(feature + v);
        if (f < 0) break;
        const right = <i32>load<u8>(bins + <usize>f * <usize>n + <usize>i) > load<i32>(bin + v);
        v = <usize>(load<i32>(left + v) + <i32>right) << 2;
      }
      const leaf = load<i32>(left + v), to = votes + <usize>i * line;
      if (leaf < K) {
        const own = to + (<usize>leaf << 3);
        store<f64>(own, load<f64>(own) + 1);
        continue;
      }
      const from = shares + <usize>(leaf - K) * line;
      for (let k: usize = 0; k < line; k += 8) store<f64>(to + k, load<f64>(to + k) + load<f64>(from + k));
    }
    weights += <usize>n << 2;
    feature += <usize>capacity << 2;
    bin += <usize>capacity << 2;
    left += <usize>capacity << 2;
    shares += <usize>room * line;
  }
}
