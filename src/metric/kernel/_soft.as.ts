// The common part of both computations of soft neighbours: lists of relevant rows, and the product with their
// weights. Layouts as in nca.as.ts.
import { madd } from "../../matrix/kernel/_micro.as";

/** Rows beyond e^-40 of the nearest do not count as neighbours: n times that is below rounding. */
export const FAR: f64 = 40;
/** An exponent whose power adds nothing to a sum and is still a normal number. */
const NOTHING: f64 = -700;

// @ts-ignore: decorator
@inline
export function smaller(a: v128): f64 {
  return Math.min(f64x2.extract_lane(a, 0), f64x2.extract_lane(a, 1));
}

// @ts-ignore: decorator
@inline
export function pair(values: usize, a: i32, b: i32): v128 {
  return v128.load_lane<f64>(values + (<usize>b << 3), v128.load_splat<f64>(values + (<usize>a << 3)), 1);
}

/**
 * Appends to the list of `count` rows, with their values in W, those of row to row + 3 that `near0`, `near1`
 * mark; without a branch per row: the next row overwrites one that is not near. Returns the new count.
 */
// @ts-ignore: decorator
@inline
export function append(
  count: usize, list: usize, W: usize, row: i32, x0: v128, x1: v128, near0: v128, near1: v128,
): usize {
  const a = i64x2.bitmask(near0), b = i64x2.bitmask(near1);
  v128.store_lane<f64>(W + (count << 3), x0, 0);
  store<i32>(list + (count << 2), row);
  count += <usize>(a & 1);
  v128.store_lane<f64>(W + (count << 3), x0, 1);
  store<i32>(list + (count << 2), row + 1);
  count += <usize>(a >> 1);
  v128.store_lane<f64>(W + (count << 3), x1, 0);
  store<i32>(list + (count << 2), row + 2);
  count += <usize>(b & 1);
  v128.store_lane<f64>(W + (count << 3), x1, 1);
  store<i32>(list + (count << 2), row + 3);
  return count + <usize>(b >> 1);
}

/** Pads the list to a multiple of four with rows that add nothing. */
// @ts-ignore: decorator
@inline
export function fillUp(count: i32, list: usize, W: usize): void {
  for (let t = count; (t & 3) != 0; t++) {
    store<f64>(W + (<usize>t << 3), NOTHING);
    store<i32>(list + (<usize>t << 2), 0);
  }
}

/** U_j += w_ij z_i, U_i += sum_j w_ij z_j, and w_ij to the degrees of i and j, over the listed rows j. */
export function spread(i: i32, s: i32, found: i32, list: usize, W: usize, Z: usize, U: usize, degrees: usize): void {
  const rowBytes = <usize>s << 3, end = <usize>found << 2;
  const zi = Z + <usize>i * rowBytes, ui = U + <usize>i * rowBytes;
  let f: usize = 0;
  for (; f + 64 <= rowBytes; f += 64) {
    const z0 = v128.load(zi + f), z1 = v128.load(zi + f, 16), z2 = v128.load(zi + f, 32), z3 = v128.load(zi + f, 48);
    let o0 = v128.load(ui + f), o1 = v128.load(ui + f, 16), o2 = v128.load(ui + f, 32), o3 = v128.load(ui + f, 48);
    for (let t: usize = 0; t < end; t += 4) {
      const j = f + <usize>load<i32>(list + t) * rowBytes;
      const w = v128.load_splat<f64>(W + (t << 1));
      const z = Z + j, u = U + j;
      v128.store(u, madd(w, z0, v128.load(u)));
      v128.store(u, madd(w, z1, v128.load(u, 16)), 16);
      v128.store(u, madd(w, z2, v128.load(u, 32)), 32);
      v128.store(u, madd(w, z3, v128.load(u, 48)), 48);
      o0 = madd(w, v128.load(z), o0);
      o1 = madd(w, v128.load(z, 16), o1);
      o2 = madd(w, v128.load(z, 32), o2);
      o3 = madd(w, v128.load(z, 48), o3);
    }
    v128.store(ui + f, o0);
    v128.store(ui + f, o1, 16);
    v128.store(ui + f, o2, 32);
    v128.store(ui + f, o3, 48);
  }
  if (f < rowBytes) {
    const z0 = v128.load(zi + f), z1 = v128.load(zi + f, 16);
    let o0 = v128.load(ui + f), o1 = v128.load(ui + f, 16);
    for (let t: usize = 0; t < end; t += 4) {
      const j = f + <usize>load<i32>(list + t) * rowBytes;
      const w = v128.load_splat<f64>(W + (t << 1));
      const z = Z + j, u = U + j;
      v128.store(u, madd(w, z0, v128.load(u)));
      v128.store(u, madd(w, z1, v128.load(u, 16)), 16);
      o0 = madd(w, v128.load(z), o0);
      o1 = madd(w, v128.load(z, 16), o1);
    }
    v128.store(ui + f, o0);
    v128.store(ui + f, o1, 16);
  }
  let degree: f64 = 0;
  for (let t: usize = 0; t < end; t += 4) {
    const at = degrees + (<usize>load<i32>(list + t) << 3);
    const w = load<f64>(W + (t << 1));
    degree += w;
    store<f64>(at, load<f64>(at) + w);
  }
  store<f64>(degrees + (<usize>i << 3), load<f64>(degrees + (<usize>i << 3)) + degree);
}
