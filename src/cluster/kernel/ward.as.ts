// Ward's linkage by the nearest-neighbour chain on centroids (wardChain.ts has the method, and the same in TypeScript).
//
// Centroids C are row-major f64 with a stride of `s` doubles, s even, columns beyond d being zeros. Rows that were
// merged away leave the list `active`, which stays rising, so that among equally near clusters the lowest is found.
import { hsum, madd } from "../../matrix/kernel/_micro.as";

// @ts-ignore: decorator
@inline
function at(list: usize, i: i32): i32 {
  return load<i32>(list + (<usize>i << 2));
}

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

/** sizes: f64, all 1; active: 0 to n - 1; chain, squares: room for n numbers. */
export function ward(
  n: i32, s: i32, C: usize, sizes: usize, active: usize, chain: usize, squares: usize,
  from: usize, to: usize, heights: usize,
): void {
  const row = <usize>s << 3;
  let count = n, length = 0;
  for (let merge = 0; merge < n - 1; merge++) {
    if (length == 0) {
      store<i32>(chain, at(active, 0));
      length = 1;
    }
    let x = 0, y = -1, least: f64 = Infinity;
    while (true) {
      x = at(chain, length - 1);
      const before = length > 1 ? at(chain, length - 2) : -1;
      y = before;
      least = length > 1 ? load<f64>(squares + (<usize>(length - 2) << 3)) : Infinity;
      const nx = load<f64>(sizes + (<usize>x << 3)), cx = C + <usize>x * row;
      for (let p = 0; p < count; p++) {
        const i = at(active, p);
        if (i == x) continue;
        const ni = load<f64>(sizes + (<usize>i << 3)), factor = (2 * nx * ni) / (nx + ni);
        const squared = factor * distance(s, cx, C + <usize>i * row, least / factor);
        if (squared < least) {
          least = squared;
          y = i;
        }
      }
      if (length > 1 && y == before) break;
      store<f64>(squares + (<usize>(length - 1) << 3), least);
      store<i32>(chain + (<usize>length << 2), y);
      length++;
    }
    length -= 2;
    const gone = min(x, y), kept = max(x, y);
    store<i32>(from + (<usize>merge << 2), gone);
    store<i32>(to + (<usize>merge << 2), kept);
    store<f64>(heights + (<usize>merge << 3), sqrt(least));
    count = remove(active, count, gone);
    join(s, C + <usize>gone * row, C + <usize>kept * row, sizes + (<usize>gone << 3), sizes + (<usize>kept << 3));
  }
}

/** The centroid and size of both clusters, at the place of the one that is kept. */
function join(s: i32, gone: usize, kept: usize, sizeGone: usize, sizeKept: usize): void {
  const size = load<f64>(sizeGone) + load<f64>(sizeKept), share = load<f64>(sizeGone) / size;
  for (let j = 0; j < s; j++) {
    const c = kept + (<usize>j << 3), old = load<f64>(c);
    store<f64>(c, old + share * (load<f64>(gone + (<usize>j << 3)) - old));
  }
  store<f64>(sizeKept, size);
}

function remove(list: usize, count: i32, value: i32): i32 {
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(list, middle) < value) low = middle + 1;
    else high = middle;
  }
  const place = list + (<usize>low << 2);
  memory.copy(place, place + 4, <usize>(count - 1 - low) << 2);
  return count - 1;
}
