// The two sums of EM over rows and components (gaussianKernel.ts). Rows of X and the means have a stride of
// `s` doubles, a multiple of 4; columns beyond d are zeros in both.
import { madd, micro } from "../../matrix/kernel/_micro.as";

/** Rows that are whitened together: they are the lanes of four registers. */
const LANES: i32 = 8;
/** Rows of one component that are multiplied together. */
const DEPTH: i32 = 256;
/** Smaller responsibilities cannot change the sums. */
const NEGLIGIBLE: f64 = 1e-30;

/** Bytes of scratch for both. */
export function scratchSize(s: i32): i32 {
  return (max(2 * LANES, DEPTH) * s) << 3;
}

/**
 * out (rows x K) := |W_k (x_i - mu_k)|^2, W_k lower triangular, d x d, with a stride of `wStride` doubles (0:
 * the same for all).
 */
export function whitened(
  rows: i32, d: i32, s: i32, K: i32, X: usize, means: usize, W: usize, wStride: i32, out: usize, scratch: usize,
): void {
  const x = scratch, z = scratch + ((<usize>s * LANES) << 3), row = <usize>s << 3, result = <usize>K << 3;
  for (let i = 0; i < rows; i += LANES) {
    const count = min(LANES, rows - i);
    for (let q = 0; q < LANES; q++) {
      const from = X + <usize>(i + min(q, count - 1)) * row;
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
      let to = out + <usize>i * result + (<usize>k << 3);
      for (let q = 0; q < count; q++, to += result) store<f64>(to, load<f64>(z + (<usize>q << 3)));
    }
  }
}

/**
 * S_k += sum_i R_ik (x_i - mu_k)(x_i - mu_k)', tiles on and above the diagonal; s x s, with a stride of
 * `sStride` doubles (0: one sum for all).
 */
export function scatter(
  rows: i32, s: i32, K: i32, X: usize, R: usize, means: usize, S: usize, sStride: i32, scratch: usize,
): void {
  const row = <usize>s << 3, panel = <usize>DEPTH << 5;
  for (let k = 0; k < K; k++) {
    const mu = means + <usize>k * row, Sk = S + ((<usize>k * <usize>sStride) << 3);
    let i = 0;
    while (i < rows) {
      let filled = 0;
      for (; i < rows && filled < DEPTH; i++) {
        const r = load<f64>(R + (<usize>(i * K + k) << 3));
        if (r < NEGLIGIBLE) continue;
        const root = f64x2.splat(sqrt(r));
        let to = scratch + (<usize>filled << 5);
        const x = X + <usize>i * row;
        for (let at: usize = 0; at < row; at += 32, to += panel) {
          v128.store(to, f64x2.mul(root, f64x2.sub(v128.load(x + at), v128.load(mu + at))));
          v128.store(to, f64x2.mul(root, f64x2.sub(v128.load(x + at, 16), v128.load(mu + at, 16))), 16);
        }
        filled++;
      }
      for (let a = 0; a < s; a += 4) {
        for (let b = a; b < s; b += 4) {
          micro(
            filled, scratch + <usize>(a >> 2) * panel, scratch + <usize>(b >> 2) * panel,
            Sk + <usize>a * row + (<usize>b << 3), row, 1,
          );
        }
      }
    }
  }
}
