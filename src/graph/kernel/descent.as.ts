// Approximate neighbours: random projection trees, then neighbours of neighbours (graph/approximateNeighbors.ts).
//
// Rows are f32, centred, in sequence, padded with zeros to a multiple of four (`stride` bytes each); norms
// are their squared lengths. A row has a max-heap of its nearest rows so far: distances as f32 and entries 2
// row + 1 while they are new, 2 row later. `limit` is the root, the distance to beat.

let rows: usize = 0;
let stride: usize = 0;
let norms: usize = 0;
let k: i32 = 0;
let heapD: usize = 0;
let heapI: usize = 0;
let changes: i32 = 0;

let state: u32 = 0;

export function setUp(X: usize, bytes: i32, squares: usize, neighbors: i32, distances: usize, entries: usize): void {
  rows = X;
  stride = <usize>bytes;
  norms = squares;
  k = neighbors;
  heapD = distances;
  heapI = entries;
}

/** Rows of doubles as f32, with their squared lengths, and empty heaps. */
export function prepare(count: i32, d: i32, source: usize, center: usize, scale: f64, first: i32): void {
  for (let i = 0; i < count; i++) {
    const to = rows + <usize>(first + i) * stride;
    let norm: f64 = 0;
    for (let f = 0; f < d; f++) {
      const value = <f32>((load<f64>(source) - load<f64>(center + (<usize>f << 3))) * scale);
      store<f32>(to + (<usize>f << 2), value);
      norm += <f64>value * <f64>value;
      source += 8;
    }
    for (let at = <usize>d << 2; at < stride; at += 4) store<f32>(to + at, 0);
    store<f32>(norms + (<usize>(first + i) << 2), <f32>norm);
    const heap = <usize>(first + i) * <usize>k;
    for (let p: usize = 0; p < <usize>k; p++) {
      store<f32>(heapD + ((heap + p) << 2), Infinity);
      store<i32>(heapI + ((heap + p) << 2), -1);
    }
  }
}

// @ts-ignore: decorator
@inline
function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

// @ts-ignore: decorator
@inline
function sum(a: v128): f32 {
  const b = f32x4.add(a, v128.shuffle<i32>(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(b, 0) + f32x4.extract_lane(b, 1);
}

// @ts-ignore: decorator
@inline
function idAt(list: usize, p: i32): i32 {
  return load<i32>(list + (<usize>p << 2));
}

/**
 * Compares rows of a list with each other, in pairs whose first is among the first `fresh`. Returns the
 * changes.
 */
export function join(list: usize, fresh: i32, all: i32): i32 {
  changes = 0;
  for (let a = 0; a < fresh; a += 4) {
    const i0 = idAt(list, a), i1 = idAt(list, min(a + 1, all - 1));
    const i2 = idAt(list, min(a + 2, all - 1)), i3 = idAt(list, min(a + 3, all - 1));
    const p0 = rows + <usize>i0 * stride, p1 = rows + <usize>i1 * stride;
    const p2 = rows + <usize>i2 * stride, p3 = rows + <usize>i3 * stride;
    for (let b = a + 1; b < all; b += 2) {
      const j0 = idAt(list, b), j1 = idAt(list, min(b + 1, all - 1));
      const q0 = rows + <usize>j0 * stride, q1 = rows + <usize>j1 * stride;
      let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
      for (let at: usize = 0; at < stride; at += 16) {
        const x0 = v128.load(q0 + at), x1 = v128.load(q1 + at);
        let y = v128.load(p0 + at);
        c00 = madd(y, x0, c00);
        c01 = madd(y, x1, c01);
        y = v128.load(p1 + at);
        c10 = madd(y, x0, c10);
        c11 = madd(y, x1, c11);
        y = v128.load(p2 + at);
        c20 = madd(y, x0, c20);
        c21 = madd(y, x1, c21);
        y = v128.load(p3 + at);
        c30 = madd(y, x0, c30);
        c31 = madd(y, x1, c31);
      }
      meet(i0, j0, sum(c00));
      if (b > a + 1 && a + 1 < fresh) meet(i1, j0, sum(c10));
      if (b > a + 2 && a + 2 < fresh) meet(i2, j0, sum(c20));
      if (b > a + 3 && a + 3 < fresh) meet(i3, j0, sum(c30));
      if (b + 1 >= all) continue;
      meet(i0, j1, sum(c01));
      if (a + 1 < fresh) meet(i1, j1, sum(c11));
      if (b > a + 1 && a + 2 < fresh) meet(i2, j1, sum(c21));
      if (b > a + 2 && a + 3 < fresh) meet(i3, j1, sum(c31));
    }
  }
  return changes;
}

// @ts-ignore: decorator
@inline
function meet(i: i32, j: i32, product: f32): void {
  const distance = load<f32>(norms + (<usize>i << 2)) + load<f32>(norms + (<usize>j << 2)) - 2 * product;
  if (distance < load<f32>(heapD + <usize>i * (<usize>k << 2))) offer(i, j, distance);
  if (distance < load<f32>(heapD + <usize>j * (<usize>k << 2))) offer(j, i, distance);
}

function offer(i: i32, j: i32, distance: f32): void {
  if (i == j) return;
  const I = heapI + <usize>i * (<usize>k << 2);
  for (let p = 0; p < k; p++) if (load<i32>(I + (<usize>p << 2)) >> 1 == j) return;
  changes++;
  insert(i, j, distance);
}

/** Takes the place of the root. */
function insert(i: i32, j: i32, distance: f32): void {
  const D = heapD + <usize>i * (<usize>k << 2), I = heapI + <usize>i * (<usize>k << 2);
  let hole = 0;
  for (;;) {
    let child = 2 * hole + 1;
    if (child >= k) break;
    if (child + 1 < k && load<f32>(D + (<usize>(child + 1) << 2)) > load<f32>(D + (<usize>child << 2))) child++;
    if (load<f32>(D + (<usize>child << 2)) <= distance) break;
    store<f32>(D + (<usize>hole << 2), load<f32>(D + (<usize>child << 2)));
    store<i32>(I + (<usize>hole << 2), load<i32>(I + (<usize>child << 2)));
    hole = child;
  }
  store<f32>(D + (<usize>hole << 2), distance);
  store<i32>(I + (<usize>hole << 2), (j << 1) | 1);
}

/** xorshift32 */
function draw(): u32 {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/**
 * A random projection tree (S. Dasgupta and Y. Freund, 2008): a set of rows is divided by the plane between
 * two random rows of it, until at most `leaf` are left; if nearly all are on one side, it is halved. `order`
 * is permuted. The rows of each leaf are joined, or their first and last positions are written to `leaves`.
 * `plane` has room for a row, `stack` for the waiting sets. Returns the number of leaves.
 */
export function tree(
  count: i32, leaf: i32, seed: i32, leaves: usize, order: usize, plane: usize, stack: usize,
): i32 {
  state = seed == 0 ? 1 : <u32>seed;
  let total = 0, depth = 1;
  store<i32>(stack, 0);
  store<i32>(stack, count, 4);
  while (depth > 0) {
    depth--;
    const start = load<i32>(stack + (<usize>depth << 3)), end = load<i32>(stack + (<usize>depth << 3), 4);
    const size = end - start;
    if (size <= leaf) {
      if (leaves != 0) {
        store<i32>(leaves, start);
        store<i32>(leaves, end, 4);
        leaves += 8;
      } else join(order + (<usize>start << 2), size, size);
      total++;
      continue;
    }
    const middle = divide(order, start, end, plane);
    store<i32>(stack + (<usize>depth << 3), start);
    store<i32>(stack + (<usize>depth << 3), middle, 4);
    depth++;
    store<i32>(stack + (<usize>depth << 3), middle);
    store<i32>(stack + (<usize>depth << 3), end, 4);
    depth++;
  }
  return total;
}

function divide(order: usize, start: i32, end: i32, plane: usize): i32 {
  const size = end - start;
  const a = idAt(order, start + <i32>(draw() % <u32>size)), b = idAt(order, start + <i32>(draw() % <u32>size));
  const p = rows + <usize>a * stride, q = rows + <usize>b * stride;
  for (let at: usize = 0; at < stride; at += 16) {
    v128.store(plane + at, f32x4.sub(v128.load(p + at), v128.load(q + at)));
  }
  const between = (load<f32>(norms + (<usize>a << 2)) - load<f32>(norms + (<usize>b << 2))) / 2;
  let low = start, high = end - 1;
  while (low <= high) {
    const i = idAt(order, low);
    const row = rows + <usize>i * stride;
    let c0 = f32x4.splat(0), c1 = c0;
    let at: usize = 0;
    for (; at + 32 <= stride; at += 32) {
      c0 = madd(v128.load(plane + at), v128.load(row + at), c0);
      c1 = madd(v128.load(plane + at, 16), v128.load(row + at, 16), c1);
    }
    if (at < stride) c0 = madd(v128.load(plane + at), v128.load(row + at), c0);
    if (sum(f32x4.add(c0, c1)) < between) low++;
    else {
      store<i32>(order + (<usize>low << 2), idAt(order, high));
      store<i32>(order + (<usize>high << 2), i);
      high--;
    }
  }
  const least = size / 20;
  if (low - start >= least && end - low >= least && low > start && low < end) return low;
  // A plane that separates almost nothing, for example among duplicates: two random halves.
  for (let at = start; at < end - 1; at++) {
    const other = at + <i32>(draw() % <u32>(end - at));
    const held = idAt(order, at);
    store<i32>(order + (<usize>at << 2), idAt(order, other));
    store<i32>(order + (<usize>other << 2), held);
  }
  return start + (size >> 1);
}

/**
 * A round of NN-descent (W. Dong, M. Charikar and K. Li, 2011): rows with a common neighbour, in either
 * direction, are compared if at least one of them is new. Lists hold `most` random rows of each kind;
 * `fresh`, `known` have room for them and `counts` for two numbers a row. Returns the changes.
 */
export function descend(count: i32, most: i32, seed: i32, fresh: usize, known: usize, counts: usize, list: usize): i32 {
  state = seed == 0 ? 1 : <u32>seed;
  memory.fill(counts, 0, <usize>count << 3);
  for (let i = 0; i < count; i++) {
    const heap = heapI + <usize>i * (<usize>k << 2);
    for (let p = 0; p < k; p++) {
      const entry = load<i32>(heap + (<usize>p << 2));
      if (entry < 0) continue;
      const j = entry >> 1;
      const lists = entry & 1 ? fresh : known;
      const counter = counts + (entry & 1 ? 0 : 4);
      put(lists, counter, most, i, j);
      put(lists, counter, most, j, i);
    }
  }
  // Entries that are in a list of their row are no longer new.
  for (let i = 0; i < count; i++) {
    const heap = heapI + <usize>i * (<usize>k << 2);
    const length = min(most, load<i32>(counts + (<usize>i << 3)));
    for (let p = 0; p < k; p++) {
      const entry = load<i32>(heap + (<usize>p << 2));
      if (entry < 0 || !(entry & 1)) continue;
      for (let q = 0; q < length; q++) {
        if (idAt(fresh + <usize>i * (<usize>most << 2), q) == entry >> 1) {
          store<i32>(heap + (<usize>p << 2), entry ^ 1);
          break;
        }
      }
    }
  }
  let total = 0;
  for (let i = 0; i < count; i++) {
    const a = min(most, load<i32>(counts + (<usize>i << 3))), b = min(most, load<i32>(counts + (<usize>i << 3), 4));
    if (a == 0) continue;
    let length = 0;
    for (let p = 0; p < a; p++) length = add(list, length, idAt(fresh + <usize>i * (<usize>most << 2), p));
    const first = length;
    for (let p = 0; p < b; p++) length = add(list, length, idAt(known + <usize>i * (<usize>most << 2), p));
    total += join(list, first, length);
  }
  return total;
}

function add(list: usize, length: i32, row: i32): i32 {
  for (let p = 0; p < length; p++) if (idAt(list, p) == row) return length;
  store<i32>(list + (<usize>length << 2), row);
  return length + 1;
}

/** Adds row j to the list of row i; beyond `most` a random choice stays (reservoir sampling). */
function put(lists: usize, counter: usize, most: i32, i: i32, j: i32): void {
  const at = counter + (<usize>i << 3);
  const seen = load<i32>(at);
  store<i32>(at, seen + 1);
  let place = seen;
  if (seen >= most) {
    place = <i32>(draw() % <u32>(seen + 1));
    if (place >= most) return;
  }
  store<i32>(lists + <usize>i * (<usize>most << 2) + (<usize>place << 2), j);
}

/**
 * The nearest of all rows for each row of a list, whose length is a multiple of four: heaps of `neighbors` at
 * `distances` and `entries`, which the caller has emptied.
 */
export function scan(list: usize, length: i32, count: i32, neighbors: i32, distances: usize, entries: usize): void {
  const keptK = k, keptD = heapD, keptI = heapI;
  k = neighbors;
  heapD = distances;
  heapI = entries;
  // Rows in parts that stay in the cache while the whole list is compared with them.
  for (let first = 0; first < count; first += 64) {
    const last = min(count, first + 64);
    for (let a = 0; a < length; a += 4) {
      const i0 = idAt(list, a), i1 = idAt(list, a + 1), i2 = idAt(list, a + 2), i3 = idAt(list, a + 3);
      const p0 = rows + <usize>i0 * stride, p1 = rows + <usize>i1 * stride;
      const p2 = rows + <usize>i2 * stride, p3 = rows + <usize>i3 * stride;
      for (let j = first; j < last; j++) {
        const q = rows + <usize>j * stride;
        let c0 = f32x4.splat(0), c1 = c0, c2 = c0, c3 = c0;
        for (let at: usize = 0; at < stride; at += 16) {
          const x = v128.load(q + at);
          c0 = madd(v128.load(p0 + at), x, c0);
          c1 = madd(v128.load(p1 + at), x, c1);
          c2 = madd(v128.load(p2 + at), x, c2);
          c3 = madd(v128.load(p3 + at), x, c3);
        }
        see(a, i0, j, sum(c0));
        see(a + 1, i1, j, sum(c1));
        see(a + 2, i2, j, sum(c2));
        see(a + 3, i3, j, sum(c3));
      }
    }
  }
  k = keptK;
  heapD = keptD;
  heapI = keptI;
}

// @ts-ignore: decorator
@inline
function see(slot: i32, i: i32, j: i32, product: f32): void {
  const distance = load<f32>(norms + (<usize>i << 2)) + load<f32>(norms + (<usize>j << 2)) - 2 * product;
  if (i != j && distance < load<f32>(heapD + <usize>slot * (<usize>k << 2))) insert(slot, j, distance);
}
