// Ward's linkage by the nearest-neighbour chain on centroids (linkage/wardTree.ts has the method).
//
// The current clusters lie in blocks of spatial neighbours. A block stores the box of its centroids and its
// smallest size m: no cluster of it is nearer to x than 2 n_x m / (n_x + m) times the squared distance of the
// box, so most blocks are skipped. In a tie the previous cluster of the chain is taken, then the one with the
// lowest number, for any order of the blocks.
//
// A block has BLOCK positions. By position: C, centroids with a stride of `s` doubles, s even, columns beyond
// d being zeros; sizes, f64; ids, the number of the cluster. places: the position of each number, -1 once it
// is merged. By block: counts, the number of used positions; leasts, the smallest size; boxes, s smallest
// values and s largest.
import { int } from "../../matrix/kernel/_memory.as";
import { hsum, madd } from "../../matrix/kernel/_micro.as";

// @ts-ignore: decorator
@inline
function step(x: usize, c: usize, sum: v128): v128 {
  const difference = f64x2.sub(v128.load(x), v128.load(c));
  return madd(difference, difference, sum);
}

/** ||x - c||^2, or some number of at least `limit` if it is no less. */
function distance(s: i32, x: usize, c: usize, limit: f64): f64 {
  let total: f64 = 0, j = 0;
  for (; j + 16 <= s; j += 16) {
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    s0 = step(x, c, s0);
    s1 = step(x + 16, c + 16, s1);
    s2 = step(x + 32, c + 32, s2);
    s3 = step(x + 48, c + 48, s3);
    s0 = step(x + 64, c + 64, s0);
    s1 = step(x + 80, c + 80, s1);
    s2 = step(x + 96, c + 96, s2);
    s3 = step(x + 112, c + 112, s3);
    total += hsum(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
    if (total >= limit) return total;
    x += 128;
    c += 128;
  }
  let s0 = f64x2.splat(0), s1 = s0;
  for (; j + 4 <= s; j += 4) {
    s0 = step(x, c, s0);
    s1 = step(x + 16, c + 16, s1);
    x += 32;
    c += 32;
  }
  if (j < s) s0 = step(x, c, s0);
  return total + hsum(f64x2.add(s0, s1));
}

/** Places of a block. */
export const BLOCK: i32 = 32;
/** Generous relative rounding of a bound. */
const SLACK: f64 = 1e-12;

/**
 * Merges until `count` clusters have become `until`. `merge` counts the merges before; state: the length of
 * the chain, and a number below which none is left.
 */
export function ward(
  s: i32, count: i32, until: i32, merge: i32, blocks: i32, C: usize, sizes: usize, ids: usize, places: usize,
  counts: usize, leasts: usize, boxes: usize, chain: usize, squares: usize, from: usize, to: usize, heights: usize,
  state: usize,
): void {
  const row = <usize>s << 3;
  let length = load<i32>(state), lowest = load<i32>(state, 4);
  for (; count > until; count--, merge++) {
    if (length == 0) {
      while (int(places, lowest) < 0) lowest++;
      store<i32>(chain, lowest);
      length = 1;
    }
    let x = 0, y = -1, least: f64 = Infinity;
    while (true) {
      x = int(chain, length - 1);
      const before = length > 1 ? int(chain, length - 2) : -1;
      y = before;
      least = length > 1 ? load<f64>(squares + (<usize>(length - 2) << 3)) : Infinity;
      const place = int(places, x), own = place / BLOCK;
      const nx = load<f64>(sizes + (<usize>place << 3)), cx = C + <usize>place * row;
      for (let turn = -1; turn < blocks; turn++) {
        const b = turn < 0 ? own : turn;
        if (turn == own) continue;
        const used = int(counts, b);
        if (used == 0) continue;
        if (turn >= 0) {
          const m = load<f64>(leasts + (<usize>b << 3)), factor = (2 * nx * m) / (nx + m);
          if (factor * boxDistance(s, cx, boxes + <usize>b * (row << 1)) * (1 - SLACK) > least) continue;
        }
        for (let p = b * BLOCK; p < b * BLOCK + used; p++) {
          if (p == place) continue;
          const ni = load<f64>(sizes + (<usize>p << 3)), factor = (2 * nx * ni) / (nx + ni);
          const squared = factor * distance(s, cx, C + <usize>p * row, s < 16 ? 0 : least / factor * (1 + SLACK));
          if (squared > least) continue;
          const i = int(ids, p);
          if (squared < least || (y != before && i < y)) {
            least = squared;
            y = i;
          }
        }
      }
      if (length > 1 && y == before) break;
      store<f64>(squares + (<usize>(length - 1) << 3), least);
      store<i32>(chain + (<usize>length << 2), y);
      length++;
    }
    length -= 2;
    const gone = min(x, y), kept = max(x, y), a = int(places, gone), b = int(places, kept);
    store<i32>(from + (<usize>merge << 2), gone);
    store<i32>(to + (<usize>merge << 2), kept);
    store<f64>(heights + (<usize>merge << 3), sqrt(least));
    join(s, C + <usize>a * row, C + <usize>b * row, sizes + (<usize>a << 3), sizes + (<usize>b << 3));
    remove(s, a, C, sizes, ids, places, counts);
    store<i32>(places + (<usize>gone << 2), -1);
    measure(s, a / BLOCK, C, sizes, counts, leasts, boxes);
    if (a / BLOCK != b / BLOCK) measure(s, b / BLOCK, C, sizes, counts, leasts, boxes);
  }
  store<i32>(state, length);
  store<i32>(state, lowest, 4);
}

/** The squared distance of x to a box. */
function boxDistance(s: i32, x: usize, box: usize): f64 {
  const row = <usize>s << 3, zero = f64x2.splat(0);
  let s0 = zero;
  for (let j: usize = 0; j < row; j += 16) {
    const v = v128.load(x + j);
    const out = f64x2.pmax(zero, f64x2.pmax(f64x2.sub(v128.load(box + j), v), f64x2.sub(v, v128.load(box + row + j))));
    s0 = f64x2.add(s0, f64x2.mul(out, out));
  }
  return hsum(s0);
}

/** The box and the smallest size of a block. */
export function measure(
  s: i32, block: i32, C: usize, sizes: usize, counts: usize, leasts: usize, boxes: usize,
): void {
  const row = <usize>s << 3, used = int(counts, block), first = <usize>block * BLOCK, box = boxes + <usize>block * (row << 1);
  if (used == 0) return;
  let least: f64 = Infinity;
  for (let q: usize = 0; q < <usize>used; q++) least = min(least, load<f64>(sizes + ((first + q) << 3)));
  store<f64>(leasts + (<usize>block << 3), least);
  for (let j: usize = 0; j < row; j += 16) {
    let low = v128.load(C + first * row + j), high = low;
    for (let q: usize = 1; q < <usize>used; q++) {
      const v = v128.load(C + (first + q) * row + j);
      low = f64x2.pmin(low, v);
      high = f64x2.pmax(high, v);
    }
    v128.store(box + j, low);
    v128.store(box + row + j, high);
  }
}

/** The last cluster of the block takes the free position. */
function remove(s: i32, place: i32, C: usize, sizes: usize, ids: usize, places: usize, counts: usize): void {
  const block = place / BLOCK, used = int(counts, block) - 1, last = block * BLOCK + used, row = <usize>s << 3;
  store<i32>(counts + (<usize>block << 2), used);
  if (last == place) return;
  memory.copy(C + <usize>place * row, C + <usize>last * row, row);
  store<f64>(sizes + (<usize>place << 3), load<f64>(sizes + (<usize>last << 3)));
  const id = int(ids, last);
  store<i32>(ids + (<usize>place << 2), id);
  store<i32>(places + (<usize>id << 2), place);
}

/** The centroid and size of both clusters, at the position of the kept one. */
function join(s: i32, gone: usize, kept: usize, sizeGone: usize, sizeKept: usize): void {
  const size = load<f64>(sizeGone) + load<f64>(sizeKept), share = load<f64>(sizeGone) / size;
  for (let j = 0; j < s; j++) {
    const c = kept + (<usize>j << 3), old = load<f64>(c);
    store<f64>(c, old + share * (load<f64>(gone + (<usize>j << 3)) - old));
  }
  store<f64>(sizeKept, size);
}
