// Searches in a k-d tree (graph/searchTree.ts lays it out).
//
// A node is four integers: its children, or -1 and the number of its first panel; its first position and the one after
// its last. An inner node has a box for both children, feature after feature: low, low, high, high. Points of a leaf lie
// in panels of four, feature after feature. So two boxes, or two points, are measured in one register, each
// with its features in ascending order: a bound never exceeds the computed distance of a point inside, and
// the answers equal those of comparing all pairs, bit for bit.
import { NO_ROW, offer, sortHeap } from "../../matrix/kernel/_heap.as";

let d: i32 = 0;
let k: i32 = 0;
let nodes: usize = 0;
let boxes: usize = 0;
let panels: usize = 0;
let query: usize = 0;
let self: i32 = 0;
let rows: usize = 0;
let heapD: usize = 0;
let heapI: usize = 0;
let measurements: i64 = 0;

let label: i32 = 0;
let labels: usize = 0;
let common: usize = 0;
let cores: usize = 0;
let core: f64 = 0;
let least: f64 = 0;
let found: i32 = 0;

/**
 * The k nearest points of queries task * span on, as lists of row numbers, nearest first; with `own`, the queries are the
 * points of the tree in the order of their positions, and none is its own neighbour.
 */
export function nearest(
  task: i32, scratch: usize, span: i32,
  count: i32, dimensions: i32, neighbors: i32, tree: usize, bounds: usize, packed: usize, queries: usize, order: usize,
  distances: usize, indices: usize, own: i32,
): void {
  d = dimensions;
  k = neighbors;
  nodes = tree;
  boxes = bounds;
  panels = packed;
  rows = order;
  const to = min(count, (task + 1) * span);
  for (let p = task * span; p < to; p++) {
    self = own ? p : -1;
    query = queries + <usize>p * (<usize>d << 3);
    heapD = distances + <usize>p * (<usize>k << 3);
    heapI = indices + <usize>p * (<usize>k << 2);
    for (let i = 0; i < k; i++) {
      store<f64>(heapD + (<usize>i << 3), Infinity);
      store<i32>(heapI + (<usize>i << 2), NO_ROW);
    }
    visitNearest(0);
    sortHeap(k, heapD, heapI);
  }
}

/** The number of points measured for every `step`-th point: the cost of a search in the tree. */
export function measured(
  count: i32, dimensions: i32, neighbors: i32, tree: usize, bounds: usize, packed: usize, points: usize, order: usize,
  scratch: usize, step: i32,
): f64 {
  measurements = 0;
  let searched = 0;
  for (let p = 0; p < count; p += step, searched++) {
    nearest(
      0, 0, 1, 1, dimensions, neighbors, tree, bounds, packed, points + <usize>p * (<usize>dimensions << 3), order,
      scratch, scratch + (<usize>neighbors << 3), 1,
    );
  }
  return <f64>measurements / <f64>searched / <f64>count;
}

function visitNearest(v: i32): void {
  const node = nodes + (<usize>v << 4);
  const left = load<i32>(node), right = load<i32>(node, 4);
  if (left >= 0) {
    const both = toBoxes(v);
    const toLeft = f64x2.extract_lane(both, 0), toRight = f64x2.extract_lane(both, 1);
    const leftFirst = toLeft <= toRight;
    if (min(toLeft, toRight) <= load<f64>(heapD)) visitNearest(leftFirst ? left : right);
    if (max(toLeft, toRight) <= load<f64>(heapD)) visitNearest(leftFirst ? right : left);
    return;
  }
  const start = load<i32>(node, 8), end = load<i32>(node, 12);
  let panel = panels + <usize>right * (<usize>d << 5);
  measurements += end - start;
  for (let p = start; p < end; p += 4) {
    const worst = f64x2.splat(load<f64>(heapD));
    let at = query;
    let s0 = f64x2.splat(0), s1 = s0;
    const stop = query + (<usize>d << 3);
    for (; at < stop; at += 8, panel += 32) {
      const x = v128.load_splat<f64>(at);
      const a = f64x2.sub(x, v128.load(panel)), b = f64x2.sub(x, v128.load(panel, 16));
      s0 = f64x2.add(s0, f64x2.mul(a, a));
      s1 = f64x2.add(s1, f64x2.mul(b, b));
    }
    let passed = i64x2.bitmask(f64x2.le(s0, worst)) | (i64x2.bitmask(f64x2.le(s1, worst)) << 2);
    for (; passed != 0; passed &= passed - 1) {
      const bit = ctz(passed), j = p + bit;
      if (j >= end || j == self) continue;
      offer(k, heapD, heapI, lane(s0, s1, bit), load<i32>(rows + (<usize>j << 2)));
    }
  }
}

/** Squared distances of the query to the boxes of the children of v. */
// @ts-ignore: decorator
@inline
function toBoxes(v: i32): v128 {
  let box = boxes + <usize>v * (<usize>d << 5), at = query;
  const stop = query + (<usize>d << 3);
  const zero = f64x2.splat(0);
  let sum = zero;
  for (; at < stop; at += 8, box += 32) {
    const x = v128.load_splat<f64>(at);
    const gap = f64x2.pmax(f64x2.pmax(f64x2.sub(v128.load(box), x), f64x2.sub(x, v128.load(box, 16))), zero);
    sum = f64x2.add(sum, f64x2.mul(gap, gap));
  }
  return sum;
}

// @ts-ignore: decorator
@inline
function lane(s0: v128, s1: v128, bit: i32): f64 {
  const half = bit < 2 ? s0 : s1;
  return bit & 1 ? f64x2.extract_lane(half, 1) : f64x2.extract_lane(half, 0);
}

/**
 * One round of Boruvka over groups (`groups` of each position) for the distance max(core_i, core_j, |x_i - x_j|): every
 * group but `left` finds its cheapest edge to a point outside. `best` and `from`, `to` of a group hold the
 * best known edge, and then the answer; `known[p]` is a lower bound for the edges that leave the group of p,
 * raised here; `target[p]` is the end of the edge of that bound, or -1. `uniform[v]` is the group of all
 * points of node v, or -1.
 */
export function exits(
  count: i32, dimensions: i32, tree: usize, bounds: usize, packed: usize, points: usize, core2: usize,
  groups: usize, uniform: usize, leftOut: i32, best: usize, from: usize, to: usize, known: usize, target: usize,
): void {
  d = dimensions;
  nodes = tree;
  boxes = bounds;
  panels = packed;
  labels = groups;
  common = uniform;
  cores = core2;
  for (let p = 0; p < count; p++) {
    label = load<i32>(groups + (<usize>p << 2));
    if (label == leftOut) continue;
    const slot = best + (<usize>label << 3);
    least = load<f64>(slot);
    if (load<f64>(known + (<usize>p << 3)) >= least) continue;
    core = load<f64>(core2 + (<usize>p << 3));
    query = points + <usize>p * (<usize>d << 3);
    found = -1;
    visitExits(0);
    store<f64>(known + (<usize>p << 3), least);
    store<i32>(target + (<usize>p << 2), found);
    if (found < 0) continue;
    store<f64>(slot, least);
    store<i32>(from + (<usize>label << 2), p);
    store<i32>(to + (<usize>label << 2), found);
  }
}

function visitExits(v: i32): void {
  // No edge of this point is shorter than its core distance.
  if (load<i32>(common + (<usize>v << 2)) == label || least <= core) return;
  const node = nodes + (<usize>v << 4);
  const left = load<i32>(node), right = load<i32>(node, 4);
  if (left >= 0) {
    const both = toBoxes(v);
    const toLeft = f64x2.extract_lane(both, 0), toRight = f64x2.extract_lane(both, 1);
    const leftFirst = toLeft <= toRight;
    if (min(toLeft, toRight) < least) visitExits(leftFirst ? left : right);
    if (max(toLeft, toRight) < least) visitExits(leftFirst ? right : left);
    return;
  }
  const start = load<i32>(node, 8), end = load<i32>(node, 12);
  let panel = panels + <usize>right * (<usize>d << 5);
  for (let p = start; p < end; p += 4) {
    const worst = f64x2.splat(least);
    let at = query;
    let s0 = f64x2.splat(core), s1 = s0;
    let t0 = f64x2.splat(0), t1 = t0;
    const stop = query + (<usize>d << 3);
    for (; at < stop; at += 8, panel += 32) {
      const x = v128.load_splat<f64>(at);
      const a = f64x2.sub(x, v128.load(panel)), b = f64x2.sub(x, v128.load(panel, 16));
      t0 = f64x2.add(t0, f64x2.mul(a, a));
      t1 = f64x2.add(t1, f64x2.mul(b, b));
    }
    // The array of core distances has three extra values.
    s0 = f64x2.pmax(f64x2.pmax(s0, t0), v128.load(cores + (<usize>p << 3)));
    s1 = f64x2.pmax(f64x2.pmax(s1, t1), v128.load(cores + (<usize>p << 3), 16));
    let passed = i64x2.bitmask(f64x2.lt(s0, worst)) | (i64x2.bitmask(f64x2.lt(s1, worst)) << 2);
    for (; passed != 0; passed &= passed - 1) {
      const bit = ctz(passed), j = p + bit;
      if (j >= end || load<i32>(labels + (<usize>j << 2)) == label) continue;
      const weight = lane(s0, s1, bit);
      if (weight >= least) continue;
      least = weight;
      found = j;
    }
  }
}
