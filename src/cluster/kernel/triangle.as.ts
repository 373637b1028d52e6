// Distances between clusters as a triangle: the search and the update of linkageChain.ts, which also has both in
// TypeScript. With t = n - 1, `top`, D(i, j), i < j, is at (t - i) (t - i - 1) / 2 + t - j: the distances of a cluster to
// those of higher numbers lie together. A chain begins at the lowest number, so that its searches are mostly of these.
import { int } from "../../matrix/kernel/_memory.as";

// @ts-ignore: decorator
@inline
function row(D: usize, i: i32, top: i32): usize {
  const before = <usize>(top - i);
  return D + ((before * (before - 1)) << 2); // 8 bytes times before (before - 1) / 2
}

/**
 * The nearest to x of `count` active clusters, or `before` at `distance` if none is nearer; its distance
 * goes to `out`.
 */
export function nearest(
  x: i32, before: i32, distance: f64, active: usize, count: i32, D: usize, top: i32, out: usize,
): i32 {
  let best = before, least = distance, p = 0;
  const column = <usize>(top - x) << 3;
  for (; p < count; p++) {
    const i = int(active, p);
    if (i >= x) break;
    const other = load<f64>(row(D, i, top) + column);
    if (other < least) {
      least = other;
      best = i;
    }
  }
  const own = row(D, x, top) + (<usize>top << 3);
  for (p++; p < count; p++) {
    const i = int(active, p), other = load<f64>(own - (<usize>i << 3));
    if (other < least) {
      least = other;
      best = i;
    }
  }
  store<f64>(out, least);
  return best;
}

/** kind: 0 ward (D holds squares), 1 average, 2 complete; sizes: i32. */
export function join(
  kind: i32, gone: i32, kept: i32, distance: f64, active: usize, count: i32, sizes: usize, D: usize, top: i32,
): void {
  const nx = <f64>int(sizes, gone), ny = <f64>int(sizes, kept), sum = nx + ny;
  const rowGone = row(D, gone, top), rowKept = row(D, kept, top);
  for (let p = 0; p < count; p++) {
    const i = int(active, p);
    if (i == kept) continue;
    const own = row(D, i, top), column = <usize>(top - i) << 3;
    const dx = load<f64>(i < gone ? own + (<usize>(top - gone) << 3) : rowGone + column);
    const place = i < kept ? own + (<usize>(top - kept) << 3) : rowKept + column;
    const dy = load<f64>(place);
    if (kind == 2) {
      if (dx > dy) store<f64>(place, dx);
    } else if (kind == 1) {
      store<f64>(place, (nx * dx + ny * dy) / sum);
    } else {
      const ni = <f64>int(sizes, i), squared = ((nx + ni) * dx + (ny + ni) * dy - ni * distance) / (sum + ni);
      store<f64>(place, squared > distance ? squared : distance);
    }
  }
  store<i32>(sizes + (<usize>kept << 2), <i32>sum);
}

/** Roots of `count` values at D and those after them, up to an even number. */
export function roots(count: i32, D: usize): void {
  for (const end = D + (<usize>count << 3); D < end; D += 16) v128.store(D, f64x2.sqrt(v128.load(D)));
}
