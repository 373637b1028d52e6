// Soft neighbours of every row (src/metric/softNeighbors.ts): distances, their softmax and the weights of the gradient,
// four rows at a time against all others, so that nothing of size n x n is ever stored.
//
// Z is n x s row-major f64, s even, padding columns zero; `packed` holds it in panels of four rows. Task t handles the
// rows t span to (t + 1) span - 1 (span a multiple of 4) and adds to a U (n x s) and a vector of column sums (n) of its
// own, so that the result is the same for every number of threads.
import { hsum, madd, pack4 } from "../../matrix/kernel/_micro.as";

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
  // The rows that fill up the last panel are infinitely far away.
  for (let i = n; i < ((n + 3) & ~3); i++) store<f64>(norms + (<usize>i << 3), Infinity);
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

/** Bytes of scratch for `softNeighbors`: distances and weights of four rows, their near rows, sums and least distances. */
export function scratchBytes(n: i32, s: i32): i32 {
  const padded = (n + 3) & ~3;
  return 2 * (4 * padded << 3) + (4 * padded << 2) + (4 * s << 3) + 64;
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
  const line = <usize>padded << 3, rowBytes = <usize>s << 3;
  const D = scratch, W = D + 4 * line, lists = W + 4 * line, own = lists + (<usize>padded << 4), least = own + 4 * rowBytes;
  U += <usize>task * <usize>n * rowBytes;
  sums += <usize>task * (<usize>n << 3);
  memory.fill(U, 0, <usize>n * rowBytes);
  memory.fill(sums, 0, <usize>n << 3);

  for (let i = from; i < to; i += 4) {
    const count = min(4, to - i);
    distances(i, padded, s, packed, norms, D, line, least);
    memory.fill(own, 0, 4 * rowBytes);
    let total = 0;
    let c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    for (let q = 0; q < count; q++) {
      const nearest = load<f64>(least + (<usize>q << 3));
      const found = weigh(i + q, n, D + <usize>q * line, lists + <usize>q * (line >> 1), nearest, codes, mode, values);
      if (q == 0) c0 = found;
      else if (q == 1) c1 = found;
      else if (q == 2) c2 = found;
      else c3 = found;
      total += found;
    }
    if (total < n) {
      // Few near rows: each by itself.
      for (let q = 0; q < count; q++) {
        const found = q == 0 ? c0 : q == 1 ? c1 : q == 2 ? c2 : c3;
        spreadOne(i + q, s, found, lists + <usize>q * (line >> 1), D + <usize>q * line, own + <usize>q * rowBytes, Z, U, sums);
      }
    } else {
      memory.fill(W, 0, 4 * line);
      for (let q = 0; q < count; q++) {
        const found = q == 0 ? c0 : q == 1 ? c1 : q == 2 ? c2 : c3;
        const list = lists + <usize>q * (line >> 1), target = W + <usize>q * line, source = D + <usize>q * line;
        for (let t = 0; t < found; t++) {
          const j = <usize>load<i32>(list + (<usize>t << 2)) << 3;
          store<f64>(target + j, load<f64>(source + j));
        }
      }
      spread(i, n, s, line, W, own, Z, U, sums);
    }
    for (let q = 0; q < count; q++) {
      const u = U + <usize>(i + q) * rowBytes, o = own + <usize>q * rowBytes;
      for (let f: usize = 0; f < rowBytes; f += 16) v128.store(u + f, f64x2.add(v128.load(u + f), v128.load(o + f)));
    }
  }
}

/** Squared distances of the rows i to i + 3 to all, infinite to themselves, and the least of each. */
function distances(
  i: i32, padded: i32, s: i32, packed: usize, norms: usize, D: usize, line: usize, least: usize,
): void {
  const panel = <usize>s << 5;
  const first = packed + <usize>(i >> 2) * panel;
  const zero = f64x2.splat(0), minusTwo = f64x2.splat(-2);
  const n0 = v128.load_splat<f64>(norms + (<usize>i << 3)), n1 = v128.load_splat<f64>(norms + (<usize>i << 3), 8);
  const n2 = v128.load_splat<f64>(norms + (<usize>i << 3), 16), n3 = v128.load_splat<f64>(norms + (<usize>i << 3), 24);
  let l0 = f64x2.splat(Infinity), l1 = l0, l2 = l0, l3 = l0;
  for (let j = 0; j < padded; j += 4) {
    let c00 = zero, c01 = zero, c10 = zero, c11 = zero, c20 = zero, c21 = zero, c30 = zero, c31 = zero;
    let ap = first, bp = packed + <usize>(j >> 2) * panel;
    const end = ap + panel;
    while (ap < end) {
      const b0 = v128.load(bp), b1 = v128.load(bp, 16);
      let a = v128.load_splat<f64>(ap);
      c00 = madd(a, b0, c00);
      c01 = madd(a, b1, c01);
      a = v128.load_splat<f64>(ap, 8);
      c10 = madd(a, b0, c10);
      c11 = madd(a, b1, c11);
      a = v128.load_splat<f64>(ap, 16);
      c20 = madd(a, b0, c20);
      c21 = madd(a, b1, c21);
      a = v128.load_splat<f64>(ap, 24);
      c30 = madd(a, b0, c30);
      c31 = madd(a, b1, c31);
      ap += 32;
      bp += 32;
    }
    const m0 = v128.load(norms + (<usize>j << 3)), m1 = v128.load(norms + (<usize>j << 3), 16);
    c00 = f64x2.max(zero, madd(minusTwo, c00, f64x2.add(n0, m0)));
    c01 = f64x2.max(zero, madd(minusTwo, c01, f64x2.add(n0, m1)));
    c10 = f64x2.max(zero, madd(minusTwo, c10, f64x2.add(n1, m0)));
    c11 = f64x2.max(zero, madd(minusTwo, c11, f64x2.add(n1, m1)));
    c20 = f64x2.max(zero, madd(minusTwo, c20, f64x2.add(n2, m0)));
    c21 = f64x2.max(zero, madd(minusTwo, c21, f64x2.add(n2, m1)));
    c30 = f64x2.max(zero, madd(minusTwo, c30, f64x2.add(n3, m0)));
    c31 = f64x2.max(zero, madd(minusTwo, c31, f64x2.add(n3, m1)));
    if (j == i) {
      c00 = f64x2.replace_lane(c00, 0, Infinity);
      c10 = f64x2.replace_lane(c10, 1, Infinity);
      c21 = f64x2.replace_lane(c21, 0, Infinity);
      c31 = f64x2.replace_lane(c31, 1, Infinity);
    }
    let at = D + (<usize>j << 3);
    v128.store(at, c00);
    v128.store(at, c01, 16);
    l0 = f64x2.min(l0, f64x2.min(c00, c01));
    at += line;
    v128.store(at, c10);
    v128.store(at, c11, 16);
    l1 = f64x2.min(l1, f64x2.min(c10, c11));
    at += line;
    v128.store(at, c20);
    v128.store(at, c21, 16);
    l2 = f64x2.min(l2, f64x2.min(c20, c21));
    at += line;
    v128.store(at, c30);
    v128.store(at, c31, 16);
    l3 = f64x2.min(l3, f64x2.min(c30, c31));
  }
  store<f64>(least, smaller(l0));
  store<f64>(least, smaller(l1), 8);
  store<f64>(least, smaller(l2), 16);
  store<f64>(least, smaller(l3), 24);
}

// @ts-ignore: decorator
@inline
function smaller(a: v128): f64 {
  return Math.min(f64x2.extract_lane(a, 0), f64x2.extract_lane(a, 1));
}

/** Turns the distances of the near rows of row i into w_ij, in place; lists these rows and returns how many they are. */
function weigh(
  i: i32, n: i32, D: usize, list: usize, nearest: f64, codes: usize, mode: i32, values: usize,
): i32 {
  const code = load<i32>(codes + (<usize>i << 2));
  if (mode == 1) {
    let own: f64 = Infinity;
    for (let j = 0; j < n; j++) {
      if (load<i32>(codes + (<usize>j << 2)) == code) own = Math.min(own, load<f64>(D + (<usize>j << 3)));
    }
    // p_i below e^-20 is summed with a shift of its own, so that its logarithm keeps its digits.
    if (own - nearest > 20) return weighApart(i, n, D, list, nearest, own, code, codes, values);
  }
  const end = <usize>((n + 1) & ~1) << 3; // an odd n has a row of padding, infinitely far
  const shift = f64x2.splat(nearest), far = f64x2.splat(-FAR);
  let total = f64x2.splat(0), same: f64 = 0, found = 0;
  for (let j: usize = 0; j < end; j += 16) {
    const x = f64x2.sub(shift, v128.load(D + j));
    const near = f64x2.ge(x, far);
    if (!v128.any_true(near)) continue;
    const e = v128.and(exp2lanes(f64x2.max(x, far)), near);
    total = f64x2.add(total, e);
    v128.store(D + j, e);
    const at = codes + (j >> 1), lanes = i64x2.bitmask(near), row = <i32>(j >> 3);
    if (lanes & 1) {
      store<i32>(list + (<usize>found << 2), row);
      found++;
      if (load<i32>(at) == code) same += f64x2.extract_lane(e, 0);
    }
    if (lanes & 2) {
      store<i32>(list + (<usize>found << 2), row + 1);
      found++;
      if (load<i32>(at, 4) == code) same += f64x2.extract_lane(e, 1);
    }
  }
  const sum = hsum(total), p = same / sum;
  store<f64>(values + (<usize>i << 3), mode == 1 ? Math.log(p) : p);
  const others = (mode == 1 ? 1 : p) / sum, own = (mode == 1 ? 1 - 1 / p : p - 1) / sum;
  for (let t = 0; t < found; t++) {
    const j = <usize>load<i32>(list + (<usize>t << 2)), at = D + (j << 3);
    store<f64>(at, load<f64>(at) * (load<i32>(codes + (j << 2)) == code ? own : others));
  }
  return found;
}

/** `weigh` for log p_i where the nearest row of the own class, at `own`, is much farther away than others. */
function weighApart(
  i: i32, n: i32, D: usize, list: usize, nearest: f64, own: f64, code: i32, codes: usize, values: usize,
): i32 {
  // A row without another of its class has neither a logarithm nor a gradient.
  if (own == Infinity) {
    store<f64>(values + (<usize>i << 3), -Infinity);
    return 0;
  }
  let sum: f64 = 0, within: f64 = 0, found = 0;
  for (let j = 0; j < n; j++) {
    const d = load<f64>(D + (<usize>j << 3));
    if (nearest - d >= -FAR) sum += Math.exp(nearest - d);
    if (load<i32>(codes + (<usize>j << 2)) == code && own - d >= -FAR) within += Math.exp(own - d);
  }
  store<f64>(values + (<usize>i << 3), nearest - own + Math.log(within / sum));
  for (let j = 0; j < n; j++) {
    const at = D + (<usize>j << 3), d = load<f64>(at);
    let w: f64 = nearest - d >= -FAR ? Math.exp(nearest - d) / sum : 0;
    if (load<i32>(codes + (<usize>j << 2)) == code && own - d >= -FAR) w -= Math.exp(own - d) / within;
    if (w == 0) continue;
    store<f64>(at, w);
    store<i32>(list + (<usize>found << 2), j);
    found++;
  }
  return found;
}

/** U_j += w_ij z_i, own += sum_j w_ij z_j, sums_j += w_ij over the listed rows j. */
function spreadOne(
  i: i32, s: i32, found: i32, list: usize, W: usize, own: usize, Z: usize, U: usize, sums: usize,
): void {
  const rowBytes = <usize>s << 3;
  const zi = Z + <usize>i * rowBytes;
  for (let t = 0; t < found; t++) {
    const j = <usize>load<i32>(list + (<usize>t << 2));
    const w = load<f64>(W + (j << 3)), wv = f64x2.splat(w);
    const z = Z + j * rowBytes, u = U + j * rowBytes;
    for (let f: usize = 0; f < rowBytes; f += 16) {
      v128.store(u + f, madd(wv, v128.load(zi + f), v128.load(u + f)));
      v128.store(own + f, madd(wv, v128.load(z + f), v128.load(own + f)));
    }
    store<f64>(sums + (j << 3), load<f64>(sums + (j << 3)) + w);
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
