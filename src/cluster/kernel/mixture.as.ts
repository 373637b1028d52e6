// The steps of EM over rows and components (mixture/kernelMixtureRows.ts). Rows of X and the means have a stride of `s`
// doubles, a multiple of 4; columns beyond d are zeros in both.
//
// Exports are tasks of a parallel kernel: task t handles the rows t span to (t + 1) span - 1, in this order, and has its
// own sums. The caller adds them up in the order of the tasks, so the number of threads changes no bit.
import { exp2lanes } from "../../matrix/kernel/_exp.as";
import { log } from "../../matrix/kernel/_log.as";
import { hsum, madd } from "../../matrix/kernel/_micro.as";
import { addScatter, DEPTH, NEGLIGIBLE } from "../../matrix/kernel/_scatter.as";

/** Rows that are whitened together: they are the lanes of four registers. */
const LANES: i32 = 8;
/** Numbers of X that stay in cache while all components pass by. */
const CACHED: i32 = 32768;
/** The smallest exponent whose power is a normal number; smaller powers are 0. */
const LEAST: f64 = -700;

/** Bytes of scratch of every task. */
export function scratchSize(s: i32): i32 {
  return (max(2 * LANES, DEPTH) * s) << 3;
}

/**
 * The E-step. R (rows x K) := the probability of each component given the row, of which the density is exp(constants[k] -
 * q / 2), q = |W_k (x_i - mu_k)|^2 with W_k lower triangular, d x d, with a stride of `wStride` doubles (0: the same for
 * all); or if `diagonal` q = sum_f W_kf (x_if - mu_kf)^2, W with a stride of s. logs: the logarithms of the densities of
 * the rows, or 0. sums: of the logarithms, then those of `weigh`.
 */
export function expect(
  task: i32, scratch: usize, rows: i32, span: i32, d: i32, s: i32, K: i32, X: usize, means: usize, diagonal: i32,
  W: usize, wStride: i32, constants: usize, R: usize, logs: usize, sums: usize,
): void {
  const row = <usize>s << 3, result = <usize>K << 3, end = min(rows, (task + 1) * span);
  const own = sums + <usize>task * (8 + result + <usize>K * row);
  memory.fill(own, 0, 8 + result + <usize>K * row);
  let total: f64 = 0;
  for (let i = task * span; i < end; i += LANES) {
    const count = min(LANES, end - i), x = X + <usize>i * row, r = R + <usize>i * result;
    if (diagonal != 0) squares(count, s, K, x, means, W, r);
    else whitened(count, d, s, K, x, means, W, wStride, r, scratch);
    for (let q = 0; q < count; q++) {
      const value = share(K, constants, r + <usize>q * result);
      if (logs != 0) store<f64>(logs + (<usize>(i + q) << 3), value);
      total += value;
    }
    weighEight(count, s, K, x, r, own + 8);
  }
  store<f64>(own, total);
}

/** Sums of R (K), and of R'X (K x s), of each task, after one number that is left out. */
export function weigh(task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, R: usize, sums: usize): void {
  const row = <usize>s << 3, result = <usize>K << 3, end = min(rows, (task + 1) * span);
  const own = sums + <usize>task * (8 + result + <usize>K * row);
  memory.fill(own, 0, 8 + result + <usize>K * row);
  for (let i = task * span; i < end; i += LANES) {
    weighEight(min(LANES, end - i), s, K, X + <usize>i * row, R + <usize>i * result, own + 8);
  }
}

function weighEight(count: i32, s: i32, K: i32, X: usize, R: usize, sums: usize): void {
  const row = <usize>s << 3, result = <usize>K << 3;
  const x1 = X + row * <usize>(count > 1), x2 = X + 2 * row * <usize>(count > 2), x3 = X + 3 * row * <usize>(count > 3);
  const x4 = X + 4 * row * <usize>(count > 4), x5 = X + 5 * row * <usize>(count > 5), x6 = X + 6 * row * <usize>(count > 6);
  const x7 = X + 7 * row * <usize>(count > 7);
  let to = sums + result;
  for (let k = 0; k < K; k++, to += row) {
    const own = R + (<usize>k << 3);
    const r0 = load<f64>(own), r1 = count > 1 ? load<f64>(own + result) : 0;
    const r2 = count > 2 ? load<f64>(own + 2 * result) : 0, r3 = count > 3 ? load<f64>(own + 3 * result) : 0;
    const r4 = count > 4 ? load<f64>(own + 4 * result) : 0, r5 = count > 5 ? load<f64>(own + 5 * result) : 0;
    const r6 = count > 6 ? load<f64>(own + 6 * result) : 0, r7 = count > 7 ? load<f64>(own + 7 * result) : 0;
    const sum = r0 + r1 + (r2 + r3) + (r4 + r5 + (r6 + r7)), at = sums + (<usize>k << 3);
    store<f64>(at, load<f64>(at) + sum);
    if (sum < NEGLIGIBLE) continue;
    const v0 = f64x2.splat(r0), v1 = f64x2.splat(r1), v2 = f64x2.splat(r2), v3 = f64x2.splat(r3);
    const v4 = f64x2.splat(r4), v5 = f64x2.splat(r5), v6 = f64x2.splat(r6), v7 = f64x2.splat(r7);
    for (let j: usize = 0; j < row; j += 16) {
      let a = madd(v0, v128.load(X + j), v128.load(to + j)), b = f64x2.mul(v1, v128.load(x1 + j));
      a = madd(v2, v128.load(x2 + j), a);
      b = madd(v3, v128.load(x3 + j), b);
      a = madd(v4, v128.load(x4 + j), a);
      b = madd(v5, v128.load(x5 + j), b);
      a = madd(v6, v128.load(x6 + j), a);
      b = madd(v7, v128.load(x7 + j), b);
      v128.store(to + j, f64x2.add(a, b));
    }
  }
}

/** r_k := exp(constants[k] - r_k / 2), divided by their sum; returns the logarithm of that sum. */
function share(K: i32, constants: usize, r: usize): f64 {
  const bytes = <usize>K << 3, pairs = bytes & ~(<usize>15);
  let largest = -Infinity;
  for (let k: usize = 0; k < bytes; k += 8) {
    const value = load<f64>(constants + k) - load<f64>(r + k) / 2;
    store<f64>(r + k, value);
    largest = max(largest, value);
  }
  const top = f64x2.splat(largest);
  let both = f64x2.splat(0);
  for (let k: usize = 0; k < pairs; k += 16) {
    const e = power(f64x2.sub(v128.load(r + k), top));
    v128.store(r + k, e);
    both = f64x2.add(both, e);
  }
  let sum = hsum(both);
  if (pairs < bytes) {
    const e = f64x2.extract_lane(power(f64x2.splat(load<f64>(r + pairs) - largest)), 0);
    store<f64>(r + pairs, e);
    sum += e;
  }
  const factor = 1 / sum;
  for (let k: usize = 0; k < bytes; k += 8) store<f64>(r + k, load<f64>(r + k) * factor);
  return largest + log(sum);
}

// @ts-ignore: decorator
@inline
function power(x: v128): v128 {
  const least = f64x2.splat(LEAST);
  return v128.and(exp2lanes(f64x2.pmax(x, least)), f64x2.ge(x, least));
}

/** out (count x K) := sum_f W_kf (x_if - mu_kf)^2 */
function squares(count: i32, s: i32, K: i32, X: usize, means: usize, W: usize, out: usize): void {
  const row = <usize>s << 3;
  for (let q = 0; q < count; q++, X += row) {
    for (let at: usize = 0, k = 0; k < K; k++, at += row, out += 8) {
      let s0 = f64x2.splat(0), s1 = s0;
      for (let j: usize = 0; j < row; j += 32) {
        const a = f64x2.sub(v128.load(X + j), v128.load(means + at + j));
        const b = f64x2.sub(v128.load(X + j, 16), v128.load(means + at + j, 16));
        s0 = madd(f64x2.mul(a, a), v128.load(W + at + j), s0);
        s1 = madd(f64x2.mul(b, b), v128.load(W + at + j, 16), s1);
      }
      store<f64>(out, hsum(f64x2.add(s0, s1)));
    }
  }
}

/** out (count x K, count up to LANES) := |W_k (x_i - mu_k)|^2 */
function whitened(
  count: i32, d: i32, s: i32, K: i32, X: usize, means: usize, W: usize, wStride: i32, out: usize, scratch: usize,
): void {
  const x = scratch, z = scratch + ((<usize>s * LANES) << 3), row = <usize>s << 3, result = <usize>K << 3;
  for (let q = 0; q < LANES; q++) {
    const from = X + <usize>min(q, count - 1) * row;
    for (let f = 0; f < d; f++) store<f64>(x + (<usize>(f * LANES + q) << 3), load<f64>(from + (<usize>f << 3)));
  }
  for (let k = 0; k < K; k++) {
    const mu = means + <usize>k * row, Wk = W + ((<usize>k * <usize>wStride) << 3);
    for (let f = 0; f < d; f++) {
      const m = v128.load_splat<f64>(mu + (<usize>f << 3)), at = <usize>f << 6;
      v128.store(z + at, f64x2.sub(v128.load(x + at), m));
      v128.store(z + at, f64x2.sub(v128.load(x + at, 16), m), 16);
      v128.store(z + at, f64x2.sub(v128.load(x + at, 32), m), 32);
      v128.store(z + at, f64x2.sub(v128.load(x + at, 48), m), 48);
    }
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, a = 0;
    for (; a + 2 <= d; a += 2) {
      let t0 = f64x2.splat(0), t1 = t0, t2 = t0, t3 = t0, u0 = t0, u1 = t0, u2 = t0, u3 = t0;
      let p = Wk + (<usize>(a * d) << 3), q = p + (<usize>d << 3), zb = z;
      for (let b = 0; b <= a; b++) {
        const v = v128.load_splat<f64>(p), w = v128.load_splat<f64>(q);
        const z0 = v128.load(zb), z1 = v128.load(zb, 16), z2 = v128.load(zb, 32), z3 = v128.load(zb, 48);
        t0 = madd(v, z0, t0);
        t1 = madd(v, z1, t1);
        t2 = madd(v, z2, t2);
        t3 = madd(v, z3, t3);
        u0 = madd(w, z0, u0);
        u1 = madd(w, z1, u1);
        u2 = madd(w, z2, u2);
        u3 = madd(w, z3, u3);
        p += 8;
        q += 8;
        zb += 64;
      }
      const w = v128.load_splat<f64>(q);
      u0 = madd(w, v128.load(zb), u0);
      u1 = madd(w, v128.load(zb, 16), u1);
      u2 = madd(w, v128.load(zb, 32), u2);
      u3 = madd(w, v128.load(zb, 48), u3);
      s0 = madd(t0, t0, madd(u0, u0, s0));
      s1 = madd(t1, t1, madd(u1, u1, s1));
      s2 = madd(t2, t2, madd(u2, u2, s2));
      s3 = madd(t3, t3, madd(u3, u3, s3));
    }
    if (a < d) {
      let t0 = f64x2.splat(0), t1 = t0, t2 = t0, t3 = t0;
      for (let b = 0; b <= a; b++) {
        const w = v128.load_splat<f64>(Wk + (<usize>(a * d + b) << 3)), zb = z + (<usize>b << 6);
        t0 = madd(w, v128.load(zb), t0);
        t1 = madd(w, v128.load(zb, 16), t1);
        t2 = madd(w, v128.load(zb, 32), t2);
        t3 = madd(w, v128.load(zb, 48), t3);
      }
      s0 = madd(t0, t0, s0);
      s1 = madd(t1, t1, s1);
      s2 = madd(t2, t2, s2);
      s3 = madd(t3, t3, s3);
    }
    v128.store(z, s0);
    v128.store(z, s1, 16);
    v128.store(z, s2, 32);
    v128.store(z, s3, 48);
    let to = out + (<usize>k << 3);
    for (let q = 0; q < count; q++, to += result) store<f64>(to, load<f64>(z + (<usize>q << 3)));
  }
}

/**
 * S_k := sum_i R_ik (x_i - mu_k)(x_i - mu_k)' of each task, tiles on and above the diagonal: K sums of s x s, or one for
 * all if `tied`.
 */
export function scatter(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, R: usize, means: usize, tied: i32, S: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span);
  const size = row * <usize>s, all = size * <usize>(tied != 0 ? 1 : K), own = S + <usize>task * all;
  memory.fill(own, 0, all);
  const step = max(DEPTH, CACHED / s);
  for (let first = task * span; first < end; first += step) {
    const last = min(end, first + step);
    for (let k = 0; k < K; k++) {
      const at = <usize>k << 3, Sk = own + (tied != 0 ? 0 : <usize>k * size);
      addScatter(first, last, s, X, R + at, <usize>K << 3, means + <usize>k * row, Sk, scratch);
    }
  }
}

/** S (K x s) := sum_i R_ik (x_if - mu_kf)^2 of each task. */
export function deviations(
  task: i32, scratch: usize, rows: i32, span: i32, s: i32, K: i32, X: usize, R: usize, means: usize, S: usize,
): void {
  const row = <usize>s << 3, end = min(rows, (task + 1) * span), own = S + <usize>task * (<usize>K * row);
  memory.fill(own, 0, <usize>K * row);
  for (let i = task * span; i < end; i++) {
    const x = X + <usize>i * row;
    let shares = R + (<usize>(i * K) << 3);
    for (let at: usize = 0, k = 0; k < K; k++, at += row, shares += 8) {
      const r = load<f64>(shares);
      if (r < NEGLIGIBLE) continue;
      const v = f64x2.splat(r);
      for (let j: usize = 0; j < row; j += 16) {
        const a = f64x2.sub(v128.load(x + j), v128.load(means + at + j)), to = own + at + j;
        v128.store(to, madd(f64x2.mul(a, a), v, v128.load(to)));
      }
    }
  }
}
