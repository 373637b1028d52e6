// Soft neighbours of every row (src/metric/softNeighbors.ts): distances, their softmax and the weights of the gradient,
// four rows at a time against all others, so that nothing of size n x n is ever stored.
//
// Z is n x s row-major f64, s even, padding columns zero; `packed` holds it in panels of four rows. Task t handles the
// rows t span to (t + 1) span - 1 (span a multiple of 4) and adds to a U (n x s) and a vector of column sums (n) of its
// own, so that the result is the same for every number of threads.
import { hsum, madd, micro, pack4 } from "../../matrix/kernel/_micro.as";

/** Neighbours beyond e^-40 of the nearest are no neighbours: n times that is below rounding. */
const FAR: f64 = 40;

export function prepare(n: i32, s: i32, Z: usize, packed: usize, norms: usize): void {
  pack4(n, s, Z, s, 1, packed);
  for (let i = 0; i < n; i++) {
    const z = Z + <usize>i * (<usize>s << 3);
    let sum = f64x2.splat(0);
    for (let f: usize = 0; f < <usize>s << 3; f += 16) sum = madd(v128.load(z + f), v128.load(z + f), sum);
    store<f64>(norms + (<usize>i << 3), hsum(sum));
  }
}

/** e^x of both lanes for -FAR <= x <= 0: x = k ln 2 + r, the series of e^r, and k in the exponent. */
// @ts-ignore: decorator
@inline
function exp2lanes(x: v128): v128 {
  const magic = f64x2.splat(6755399441055744.0); // 1.5 * 2^52: adding it rounds to an integer in the low bits
  const shifted = f64x2.add(f64x2.mul(x, f64x2.splat(1.4426950408889634)), magic);
  const k = f64x2.sub(shifted, magic);
  let r = f64x2.sub(x, f64x2.mul(k, f64x2.splat(0.6931471803691238)));
  r = f64x2.sub(r, f64x2.mul(k, f64x2.splat(1.9082149292705877e-10)));
  let p = f64x2.splat(2.08767569878681e-9); // 1 / 12!
  p = madd(p, r, f64x2.splat(2.505210838544172e-8));
  p = madd(p, r, f64x2.splat(2.7557319223985893e-7));
  p = madd(p, r, f64x2.splat(2.7557319223985893e-6));
  p = madd(p, r, f64x2.splat(2.48015873015873e-5));
  p = madd(p, r, f64x2.splat(1.984126984126984e-4));
  p = madd(p, r, f64x2.splat(1.388888888888889e-3));
  p = madd(p, r, f64x2.splat(8.333333333333333e-3));
  p = madd(p, r, f64x2.splat(4.1666666666666664e-2));
  p = madd(p, r, f64x2.splat(0.16666666666666666));
  p = madd(p, r, f64x2.splat(0.5));
  p = madd(p, r, f64x2.splat(1));
  p = madd(p, r, f64x2.splat(1));
  return i64x2.add(p, i64x2.shl(shifted, 52)); // 2^k by adding k to the exponent; the magic's low bits are k
}

/** Bytes of scratch for `softNeighbors`. */
export function scratchBytes(n: i32, s: i32): i32 {
  return (4 * ((n + 3) & ~3) + 4 * s) << 3;
}

/**
 * values[i] = p_i = sum of p_ij over the row's own class, or log p_i (mode 1; -Infinity where the class has no other
 * row), and the gradient's U += (W + W') Z, sums += W'1 with w_ij = p_ij (p_i - same) or p_ij - same q_ij.
 */
export function softNeighbors(
  task: i32, scratch: usize, span: i32, n: i32, s: i32, mode: i32,
  Z: usize, packed: usize, norms: usize, codes: usize, U: usize, sums: usize, values: usize,
): void {
  const from = task * span, to = min(n, from + span);
  const padded = (n + 3) & ~3;
  const line = <usize>padded << 3, rowBytes = <usize>s << 3, panel = rowBytes << 2;
  const own = scratch + 4 * line;
  U += <usize>task * <usize>n * rowBytes;
  sums += <usize>task * (<usize>n << 3);
  memory.fill(U, 0, <usize>n * rowBytes);
  memory.fill(sums, 0, <usize>n << 3);

  for (let i = from; i < to; i += 4) {
    const count = min(4, to - i);
    memory.fill(scratch, 0, 4 * line);
    const ap = packed + <usize>(i >> 2) * panel;
    for (let j = 0; j < padded; j += 4) {
      micro(s, ap, packed + <usize>(j >> 2) * panel, scratch + (<usize>j << 3), line, -2);
    }
    memory.fill(own, 0, 4 * rowBytes);
    for (let q = 0; q < count; q++) {
      weigh(i + q, n, scratch + <usize>q * line, norms, codes, mode, values);
    }
    for (let q = count; q < 4; q++) memory.fill(scratch + <usize>q * line, 0, line);
    spread(i, n, s, line, scratch, own, Z, U, sums);
    for (let q = 0; q < count; q++) {
      const u = U + <usize>(i + q) * rowBytes, o = own + <usize>q * rowBytes;
      for (let f: usize = 0; f < rowBytes; f += 16) v128.store(u + f, f64x2.add(v128.load(u + f), v128.load(o + f)));
    }
  }
}

/** Turns -2 z_i'z_j of one row into w_ij, in place. */
function weigh(i: i32, n: i32, D: usize, norms: usize, codes: usize, mode: i32, values: usize): void {
  const code = load<i32>(codes + (<usize>i << 2));
  const norm = f64x2.splat(load<f64>(norms + (<usize>i << 3)));
  const end = <usize>n << 3, even = end & ~15;
  const zero = f64x2.splat(0);
  const self = D + (<usize>i << 3);
  let least = f64x2.splat(Infinity);
  store<f64>(self, Infinity);
  for (let j: usize = 0; j < even; j += 16) {
    const d = f64x2.max(zero, f64x2.add(v128.load(D + j), f64x2.add(norm, v128.load(norms + j))));
    v128.store(D + j, d);
    least = f64x2.min(least, d);
  }
  let nearest = Math.min(f64x2.extract_lane(least, 0), f64x2.extract_lane(least, 1));
  if (even < end) {
    const d = Math.max(0, load<f64>(D + even) + f64x2.extract_lane(norm, 0) + load<f64>(norms + even));
    store<f64>(D + even, d);
    store<f64>(D + even, Infinity, 8); // padding
    nearest = Math.min(nearest, d);
  }
  // The distances of the row's own class, kept before they are overwritten, where log p_i needs them.
  let log: f64 = -Infinity, nearestOwn: f64 = Infinity, totalOwn: f64 = 0;
  if (mode == 1) {
    for (let j = 0; j < n; j++) {
      if (load<i32>(codes + (<usize>j << 2)) == code) {
        nearestOwn = Math.min(nearestOwn, load<f64>(D + (<usize>j << 3)));
      }
    }
  }
  const shift = f64x2.splat(nearest), far = f64x2.splat(-FAR);
  let total = zero;
  let same: f64 = 0;
  const apart = mode == 1 && nearestOwn - nearest > 20; // p_i below e^-20 is summed with a shift of its own
  if (apart && nearestOwn < Infinity) {
    for (let j = 0; j < n; j++) {
      if (load<i32>(codes + (<usize>j << 2)) != code) continue;
      totalOwn += Math.exp(nearestOwn - load<f64>(D + (<usize>j << 3)));
    }
  }
  // Two passes over the same line: softmax with all, and the part of the own class.
  for (let j: usize = 0; j < end; j += 16) {
    const d = v128.load(D + j);
    const x = f64x2.sub(shift, d);
    const near = f64x2.ge(x, far);
    if (!v128.any_true(near)) {
      if (!apart) v128.store(D + j, zero);
      continue;
    }
    const e = v128.and(exp2lanes(f64x2.max(x, far)), near);
    total = f64x2.add(total, e);
    if (!apart) v128.store(D + j, e);
    const at = codes + (j >> 1);
    if (load<i32>(at) == code) same += f64x2.extract_lane(e, 0);
    if (j + 8 < end && load<i32>(at, 4) == code) same += f64x2.extract_lane(e, 1);
  }
  const sum = hsum(total);
  if (apart) {
    log = nearestOwn < Infinity ? nearest - nearestOwn + Math.log(totalOwn / sum) : -Infinity;
    store<f64>(values + (<usize>i << 3), log);
    for (let j = 0; j < n; j++) {
      const at = D + (<usize>j << 3), d = load<f64>(at);
      if (log == -Infinity) {
        store<f64>(at, 0); // a row without another of its class has no gradient
        continue;
      }
      let w = nearest - d < -FAR ? 0 : Math.exp(nearest - d) / sum;
      if (load<i32>(codes + (<usize>j << 2)) == code && nearestOwn - d >= -FAR) w -= Math.exp(nearestOwn - d) / totalOwn;
      store<f64>(at, w);
    }
    return;
  }
  const p = same / sum;
  store<f64>(values + (<usize>i << 3), mode == 1 ? Math.log(p) : p);
  const others = f64x2.splat((mode == 1 ? 1 : p) / sum), ownWeight = (mode == 1 ? 1 - 1 / p : p - 1) / sum;
  for (let j: usize = 0; j < end; j += 16) {
    const e = v128.load(D + j);
    if (!v128.any_true(e)) continue;
    let w = f64x2.mul(e, others);
    const at = codes + (j >> 1);
    if (load<i32>(at) == code) w = f64x2.replace_lane(w, 0, f64x2.extract_lane(e, 0) * ownWeight);
    if (j + 8 < end && load<i32>(at, 4) == code) w = f64x2.replace_lane(w, 1, f64x2.extract_lane(e, 1) * ownWeight);
    v128.store(D + j, w);
  }
}

/** U_j += sum_q w_qj z_(i+q), own_q += sum_j w_qj z_j, sums_j += sum_q w_qj for the four rows from i. */
function spread(i: i32, n: i32, s: i32, line: usize, W: usize, own: usize, Z: usize, U: usize, sums: usize): void {
  const rowBytes = <usize>s << 3;
  const last = n - 1;
  const z0 = Z + <usize>i * rowBytes, z1 = Z + <usize>min(i + 1, last) * rowBytes;
  const z2 = Z + <usize>min(i + 2, last) * rowBytes, z3 = Z + <usize>min(i + 3, last) * rowBytes;
  for (let j = 0; j < n; j++) {
    const at = W + (<usize>j << 3);
    const a = load<f64>(at), b = load<f64>(at + line), c = load<f64>(at + 2 * line), d = load<f64>(at + 3 * line);
    if (a == 0 && b == 0 && c == 0 && d == 0) continue;
    const av = f64x2.splat(a), bv = f64x2.splat(b), cv = f64x2.splat(c), dv = f64x2.splat(d);
    const z = Z + <usize>j * rowBytes, u = U + <usize>j * rowBytes;
    for (let f: usize = 0; f < rowBytes; f += 16) {
      let t = madd(av, v128.load(z0 + f), v128.load(u + f));
      t = madd(bv, v128.load(z1 + f), t);
      t = madd(cv, v128.load(z2 + f), t);
      v128.store(u + f, madd(dv, v128.load(z3 + f), t));
      const zf = v128.load(z + f);
      let o = own + f;
      v128.store(o, madd(av, zf, v128.load(o)));
      o += rowBytes;
      v128.store(o, madd(bv, zf, v128.load(o)));
      o += rowBytes;
      v128.store(o, madd(cv, zf, v128.load(o)));
      o += rowBytes;
      v128.store(o, madd(dv, zf, v128.load(o)));
    }
    const t = sums + (<usize>j << 3);
    store<f64>(t, load<f64>(t) + (a + b + (c + d)));
  }
}
