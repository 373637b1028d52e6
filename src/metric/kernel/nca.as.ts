// Soft neighbours of every row (src/metric/softNeighbors.ts): distances, their softmax and the weights of the gradient,
// four rows at a time against all others.
//
// Z is n x s row-major f64, s a multiple of 4, padding columns zero; `packed` holds it in panels of four rows. Task t
// handles the rows t span to (t + 1) span - 1 (span a multiple of 4) and adds to a U (n x s) and a vector of degrees (n)
// of its own, so that the result is the same for every number of threads.
//
// `whole` is for one task and few rows: the scratch then has room for all distances, each is computed once and serves both
// of its rows. Otherwise it has room for those of four rows, and nothing of size n x n is ever stored.
import { hsum, madd, pack4 } from "../../matrix/kernel/_micro.as";

/** Neighbours beyond e^-40 of the nearest are no neighbours: n times that is below rounding. */
const FAR: f64 = 40;
/** An exponent whose power adds nothing to a sum and is still a normal number. */
const NOTHING: f64 = -700;

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

/** e^x of both lanes for -700 <= x <= 0: x = k ln 2 + r, the series of e^r, and k in the exponent. */
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

/** Bytes of scratch for `softNeighbors`: distances, and one row's neighbours with their weights. */
export function scratchBytes(n: i32, whole: i32): i32 {
  const padded = (n + 3) & ~3;
  return (whole ? padded : 4) * (padded << 3) + 12 * (padded + 4);
}

/**
 * values[i] = p_i = sum of p_ij over the row's own class, or log p_i (mode 1; -Infinity where the class has no other
 * row), and the gradient's U = (W + W') Z, degrees = (W + W')1 with w_ij = p_ij (p_i - same) or p_ij - same q_ij, where
 * entries of W not above `least` in size are left out. `codes` are the classes as f64, padded like the rows.
 */
export function softNeighbors(
  task: i32, scratch: usize, whole: i32, span: i32, n: i32, s: i32, mode: i32, least: f64,
  Z: usize, packed: usize, norms: usize, codes: usize, U: usize, degrees: usize, values: usize,
): void {
  const from = task * span, to = min(n, from + span);
  const padded = (n + 3) & ~3;
  const line = <usize>padded << 3, rowBytes = <usize>s << 3;
  const W = scratch + (whole ? <usize>padded : 4) * line, list = W + line + 32;
  U += <usize>task * <usize>n * rowBytes;
  degrees += <usize>task * (<usize>n << 3);
  memory.fill(U, 0, <usize>n * rowBytes);
  memory.fill(degrees, 0, <usize>n << 3);

  for (let i = from; i < to; i += 4) {
    const rows = whole ? scratch + <usize>i * line : scratch;
    distances(i, whole ? i : 0, padded, s, packed, norms, rows, line, whole);
    const count = min(4, to - i);
    for (let q = 0; q < count; q++) {
      const found = weigh(i + q, padded, rows + <usize>q * line, list, W, codes, mode, least, values);
      if (found > 0) spread(i + q, s, found, list, W, Z, U, degrees);
    }
  }
}

/** From the U and degrees of all tasks: (diag(degrees) - (W + W')) Z, in place of the first U. */
export function force(n: i32, s: i32, tasks: i32, Z: usize, U: usize, degrees: usize): void {
  const rowBytes = <usize>s << 3, next = <usize>n * rowBytes;
  for (let i = 0; i < n; i++) {
    let degree: f64 = 0;
    for (let t = 0; t < tasks; t++) degree += load<f64>(degrees + (<usize>(t * n + i) << 3));
    const d = f64x2.splat(degree);
    for (let f: usize = 0; f < rowBytes; f += 16) {
      let pull = v128.load(U + f);
      for (let t = 1, u = U + next; t < tasks; t++, u += next) pull = f64x2.add(pull, v128.load(u + f));
      v128.store(U + f, f64x2.sub(f64x2.mul(d, v128.load(Z + f)), pull));
    }
    U += rowBytes;
    Z += rowBytes;
  }
}

/**
 * Squared distances of the rows i to i + 3 to the rows from `first` on, infinite to themselves; with `mirror` also into
 * the lines of those rows, whose distances `D` is then the line i of.
 */
function distances(
  i: i32, first: i32, padded: i32, s: i32, packed: usize, norms: usize, D: usize, line: usize, mirror: i32,
): void {
  const panel = <usize>s << 5;
  const strip = packed + <usize>(i >> 2) * panel;
  const zero = f64x2.splat(0), minusTwo = f64x2.splat(-2);
  const n0 = v128.load_splat<f64>(norms + (<usize>i << 3)), n1 = v128.load_splat<f64>(norms + (<usize>i << 3), 8);
  const n2 = v128.load_splat<f64>(norms + (<usize>i << 3), 16), n3 = v128.load_splat<f64>(norms + (<usize>i << 3), 24);
  for (let j = first; j < padded; j += 4) {
    let c00 = zero, c01 = zero, c10 = zero, c11 = zero, c20 = zero, c21 = zero, c30 = zero, c31 = zero;
    let ap = strip, bp = packed + <usize>(j >> 2) * panel;
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
    } else if (mirror) {
      let at = D + <usize>(j - i) * line + (<usize>i << 3);
      v128.store(at, v128.shuffle<f64>(c00, c10, 0, 2));
      v128.store(at, v128.shuffle<f64>(c20, c30, 0, 2), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c00, c10, 1, 3));
      v128.store(at, v128.shuffle<f64>(c20, c30, 1, 3), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c01, c11, 0, 2));
      v128.store(at, v128.shuffle<f64>(c21, c31, 0, 2), 16);
      at += line;
      v128.store(at, v128.shuffle<f64>(c01, c11, 1, 3));
      v128.store(at, v128.shuffle<f64>(c21, c31, 1, 3), 16);
    }
    let at = D + (<usize>j << 3);
    v128.store(at, c00);
    v128.store(at, c01, 16);
    at += line;
    v128.store(at, c10);
    v128.store(at, c11, 16);
    at += line;
    v128.store(at, c20);
    v128.store(at, c21, 16);
    at += line;
    v128.store(at, c30);
    v128.store(at, c31, 16);
  }
}

// @ts-ignore: decorator
@inline
function smaller(a: v128): f64 {
  return Math.min(f64x2.extract_lane(a, 0), f64x2.extract_lane(a, 1));
}

/**
 * From the distances D of row i: lists the rows j whose w_ij counts, writes these w_ij to W in the same order, and returns
 * how many they are.
 */
function weigh(
  i: i32, padded: i32, D: usize, list: usize, W: usize, codes: usize, mode: i32, least: f64, values: usize,
): i32 {
  const end = <usize>padded << 3;
  const code = v128.load_splat<f64>(codes + (<usize>i << 3));
  let low0 = f64x2.splat(Infinity), low1 = low0;
  for (let j: usize = 0; j < end; j += 32) {
    low0 = f64x2.pmin(low0, v128.load(D + j));
    low1 = f64x2.pmin(low1, v128.load(D + j, 16));
  }
  const nearest = smaller(f64x2.pmin(low0, low1));
  if (mode == 1) {
    const away = f64x2.splat(Infinity);
    let low = away;
    for (let j: usize = 0; j < end; j += 16) {
      low = f64x2.pmin(low, v128.bitselect(v128.load(D + j), away, f64x2.eq(v128.load(codes + j), code)));
    }
    // p_i below e^-20 is summed with a shift of its own, so that its logarithm keeps its digits.
    const own = smaller(low);
    if (own - nearest > 20) return weighApart(i, padded, D, list, W, nearest, own, codes, least, values);
  }
  // For p_i, a row with e^-d not above `least` of the nearest has no weight above it either.
  const far = mode == 0 && least > 0 ? Math.min(FAR, -Math.log(least)) : FAR;
  const near = gather(nearest, far, end, D, list, W);
  let same = f64x2.splat(0), rest = same;
  for (let t: usize = 0; t < <usize>near << 3; t += 32) {
    const l = list + (t >> 1);
    const e0 = exp2lanes(v128.load(W + t)), e1 = exp2lanes(v128.load(W + t, 16));
    const own0 = f64x2.eq(pair(codes, load<i32>(l), load<i32>(l, 4)), code);
    const own1 = f64x2.eq(pair(codes, load<i32>(l, 8), load<i32>(l, 12)), code);
    same = f64x2.add(same, f64x2.add(v128.and(e0, own0), v128.and(e1, own1)));
    rest = f64x2.add(rest, f64x2.add(v128.andnot(e0, own0), v128.andnot(e1, own1)));
    // The rows of the own class are marked by their sign.
    v128.store(W + t, v128.bitselect(f64x2.neg(e0), e0, own0));
    v128.store(W + t, v128.bitselect(f64x2.neg(e1), e1, own1), 16);
  }
  const own = hsum(same), others = hsum(rest), sum = own + others, p = own / sum;
  store<f64>(values + (<usize>i << 3), mode == 1 ? Math.log(p) : p);
  // 1 - p_i as the share of the other classes, which keeps its digits where p_i is close to 1.
  const factor = (mode == 1 ? 1 : p) / sum, ownFactor = others / sum / (mode == 1 ? own : sum);
  if (Math.max(factor, ownFactor) <= least) return 0;
  let found = 0;
  for (let t = 0; t < near; t++) {
    const e = load<f64>(W + (<usize>t << 3));
    const w = e * (e < 0 ? ownFactor : factor);
    store<f64>(W + (<usize>found << 3), w);
    store<i32>(list + (<usize>found << 2), load<i32>(list + (<usize>t << 2)));
    found += i32(Math.abs(w) > least);
  }
  return found;
}

// @ts-ignore: decorator
@inline
function pair(values: usize, a: i32, b: i32): v128 {
  return v128.load_lane<f64>(values + (<usize>b << 3), v128.load_splat<f64>(values + (<usize>a << 3)), 1);
}

/** Lists the rows up to `far` beyond the nearest, with nearest - d_j; filled up to fours by rows that add nothing. */
function gather(nearest: f64, far: f64, end: usize, D: usize, list: usize, W: usize): i32 {
  const shift = f64x2.splat(nearest), bound = f64x2.splat(-far);
  let at = W;
  for (let j: usize = 0; j < end; j += 32) {
    const x0 = f64x2.sub(shift, v128.load(D + j)), x1 = f64x2.sub(shift, v128.load(D + j, 16));
    const near0 = f64x2.ge(x0, bound), near1 = f64x2.ge(x1, bound);
    if (!v128.any_true(v128.or(near0, near1))) continue;
    // Written without a branch per row: the next one overwrites a row that is not near.
    const row = <i32>(j >> 3), a = i64x2.bitmask(near0), b = i64x2.bitmask(near1);
    let l = list + ((at - W) >> 1);
    v128.store_lane<f64>(at, x0, 0);
    store<i32>(l, row);
    at += <usize>(a & 1) << 3;
    l += <usize>(a & 1) << 2;
    v128.store_lane<f64>(at, x0, 1);
    store<i32>(l, row + 1);
    at += <usize>(a >> 1) << 3;
    l += <usize>(a >> 1) << 2;
    v128.store_lane<f64>(at, x1, 0);
    store<i32>(l, row + 2);
    at += <usize>(b & 1) << 3;
    l += <usize>(b & 1) << 2;
    v128.store_lane<f64>(at, x1, 1);
    store<i32>(l, row + 3);
    at += <usize>(b >> 1) << 3;
  }
  const near = <i32>((at - W) >> 3);
  for (let t = near; (t & 3) != 0; t++) {
    store<f64>(W + (<usize>t << 3), NOTHING);
    store<i32>(list + (<usize>t << 2), 0);
  }
  return near;
}

/** `weigh` for log p_i where the nearest row of the own class, at `own`, is much farther away than others. */
function weighApart(
  i: i32, padded: i32, D: usize, list: usize, W: usize, nearest: f64, own: f64, codes: usize, least: f64,
  values: usize,
): i32 {
  // A row without another of its class has neither a logarithm nor a gradient.
  if (own == Infinity) {
    store<f64>(values + (<usize>i << 3), -Infinity);
    return 0;
  }
  const code = load<f64>(codes + (<usize>i << 3));
  let sum: f64 = 0, within: f64 = 0, found = 0;
  for (let j = 0; j < padded; j++) {
    const d = load<f64>(D + (<usize>j << 3));
    if (nearest - d >= -FAR) sum += Math.exp(nearest - d);
    if (load<f64>(codes + (<usize>j << 3)) == code && own - d >= -FAR) within += Math.exp(own - d);
  }
  store<f64>(values + (<usize>i << 3), nearest - own + Math.log(within / sum));
  for (let j = 0; j < padded; j++) {
    const d = load<f64>(D + (<usize>j << 3));
    let w: f64 = nearest - d >= -FAR ? Math.exp(nearest - d) / sum : 0;
    if (load<f64>(codes + (<usize>j << 3)) == code && own - d >= -FAR) w -= Math.exp(own - d) / within;
    if (Math.abs(w) <= least) continue;
    store<f64>(W + (<usize>found << 3), w);
    store<i32>(list + (<usize>found << 2), j);
    found++;
  }
  return found;
}

/** U_j += w_ij z_i, U_i += sum_j w_ij z_j, and w_ij to the degrees of i and j, over the listed rows j. */
function spread(i: i32, s: i32, found: i32, list: usize, W: usize, Z: usize, U: usize, degrees: usize): void {
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
