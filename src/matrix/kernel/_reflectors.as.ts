// Householder reductions: to tridiagonal form, and QR by panels or with column pivoting.
import { axpy, dot, hsum, madd } from "./_micro.as";
import { TINY, addLower, at, axpy2, scale, swap } from "./_rows.as";

// The panel columns are updated one at a time (LAPACK's dlatrd); the rest of A once per panel, A -= V W' + W V'.
export function tridiagonalize(
  n: i32, A_: i32, V_: i32, tau: i32, d: i32, e: i32, W_: i32, work: usize,
): void {
  const NB = 32, lda = <usize>n << 3, A = at(A_), VT = at(V_), WT = at(W_);
  for (let j0 = 0; j0 < n - 1; j0 += NB) {
    const nb = min(NB, n - 1 - j0);
    for (let jj = 0; jj < nb; jj++) {
      const j = j0 + jj, m = n - j;
      const v = VT + <usize>j * lda, vj = v + (<usize>j << 3);
      memory.fill(v, 0, <usize>j << 3);
      for (let i = 0; i < m; i++) {
        store<f64>(vj + (<usize>i << 3), load<f64>(A + <usize>(j + i) * lda + (<usize>j << 3)));
      }
      for (let p = 0; p < jj; p++) {
        const vp = VT + <usize>(j0 + p) * lda + (<usize>j << 3), wp = WT + <usize>p * lda + (<usize>j << 3);
        axpy2(m, -load<f64>(wp), vp, -load<f64>(vp), wp, vj);
      }
      store<f64>(at(d + j), load<f64>(vj));
      store<f64>(vj, 0);
      const beta = reflector(m - 1, vj + 8), t = reflectorT;
      store<f64>(at(e + j), beta);
      store<f64>(at(tau + j), t);
      const w = WT + <usize>jj * lda;
      memory.fill(w, 0, lda);
      if (t == 0) continue;
      const o = <usize>(j + 1) << 3, x = v + o, y = w + o;
      symmetricVector(m - 1, A + <usize>(j + 1) * lda + o, lda, x, y);
      for (let p = 0; p < jj; p++) {
        const vp = VT + <usize>(j0 + p) * lda + o, wp = WT + <usize>p * lda + o;
        axpy2(m - 1, -dot(m - 1, wp, x), vp, -dot(m - 1, vp, x), wp, y);
      }
      scale(m - 1, t, y);
      axpy(m - 1, -0.5 * t * dot(m - 1, y, x), x, y);
    }
    const s = j0 + nb, m = n - s;
    if (m > 0) {
      const depth = 2 * nb, P = work + 128, Q = P + (<usize>(depth * (m + 4)) << 3);
      const V = VT + <usize>j0 * lda + (<usize>s << 3), W = WT + (<usize>s << 3);
      packPair(m, nb, V, W, lda, P);
      packPair(m, nb, W, V, lda, Q);
      addLower(m, depth, P, Q, A + <usize>s * (lda + 8), lda, -1, work);
    }
  }
  store<f64>(at(d + n - 1), load<f64>(A + <usize>(n - 1) * (lda + 8)));
}

/** y = A v for the symmetric m x m matrix whose lower triangle is at A. */
function symmetricVector(m: i32, A: usize, lda: usize, v: usize, y: usize): void {
  memory.fill(y, 0, <usize>m << 3);
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    const r0 = A + <usize>i * lda, r1 = r0 + lda, r2 = r1 + lda, r3 = r2 + lda;
    const vi = v + (<usize>i << 3);
    const v0 = v128.load_splat<f64>(vi), v1 = v128.load_splat<f64>(vi, 8);
    const v2 = v128.load_splat<f64>(vi, 16), v3 = v128.load_splat<f64>(vi, 24);
    let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0;
    const end = <usize>i << 3;
    for (let o: usize = 0; o < end; o += 16) {
      const vv = v128.load(v + o);
      let yy = v128.load(y + o);
      const a0 = v128.load(r0 + o), a1 = v128.load(r1 + o), a2 = v128.load(r2 + o), a3 = v128.load(r3 + o);
      s0 = madd(a0, vv, s0);
      yy = madd(a0, v0, yy);
      s1 = madd(a1, vv, s1);
      yy = madd(a1, v1, yy);
      s2 = madd(a2, vv, s2);
      yy = madd(a2, v2, yy);
      s3 = madd(a3, vv, s3);
      yy = madd(a3, v3, yy);
      v128.store(y + o, yy);
    }
    for (let p = 0; p < 4; p++) {
      const rp = A + <usize>(i + p) * lda;
      let sum: f64 = p == 0 ? hsum(s0) : p == 1 ? hsum(s1) : p == 2 ? hsum(s2) : hsum(s3);
      const vp = load<f64>(v + (<usize>(i + p) << 3));
      for (let q = 0; q <= p; q++) {
        const o = <usize>(i + q) << 3, a = load<f64>(rp + o);
        sum += a * load<f64>(v + o);
        if (q < p) store<f64>(y + o, load<f64>(y + o) + a * vp);
      }
      const o = <usize>(i + p) << 3;
      store<f64>(y + o, load<f64>(y + o) + sum);
    }
  }
  for (; i < m; i++) {
    const ri = A + <usize>i * lda, o = <usize>i << 3;
    axpy(i, load<f64>(v + o), ri, y);
    store<f64>(y + o, load<f64>(y + o) + dot(i + 1, ri, v));
  }
}

/** beta of the reflector of x; its t goes to `reflectorT`. */
let reflectorT: f64 = 0;
function reflector(m: i32, x: usize): f64 {
  const alpha = load<f64>(x), tail = dot(m - 1, x + 8, x + 8);
  store<f64>(x, 1);
  if (!(tail > TINY)) {
    memory.fill(x + 8, 0, <usize>(m - 1) << 3);
    reflectorT = 0;
    return alpha;
  }
  const norm = Math.sqrt(alpha * alpha + tail);
  const beta = alpha > 0 ? -norm : norm;
  scale(m - 1, 1.0 / (alpha - beta), x + 8);
  reflectorT = (beta - alpha) / beta;
  return beta;
}

/** [V W] packed in panels of four rows; V and W are given by their columns, nb each, as rows of length m. */
function packPair(m: i32, nb: i32, V: usize, W: usize, ld: usize, dst: usize): void {
  for (let i = 0; i < m; i += 4) {
    const rest = min(4, m - i);
    for (let h = 0; h < 2; h++) {
      let s = (h == 0 ? V : W) + (<usize>i << 3);
      for (let p = 0; p < nb; p++) {
        if (rest == 4) {
          v128.store(dst, v128.load(s));
          v128.store(dst, v128.load(s, 16), 16);
        } else {
          for (let q = 0; q < 4; q++) store<f64>(dst + (<usize>q << 3), q < rest ? load<f64>(s + (<usize>q << 3)) : 0);
        }
        s += ld;
        dst += 32;
      }
    }
  }
}

export function reflectPanel(count: i32, m: i32, first: i32, A_: i32, tau: i32, R: i32, ldr: i32): void {
  const A = at(A_), lda = <usize>m << 3;
  for (let i = 0; i < count; i++) {
    const row = A + <usize>i * lda;
    for (let p = 0; p < i; p++) {
      const o = <usize>(first + p) << 3, length = m - first - p;
      const v = A + <usize>p * lda + o;
      axpy(length, -load<f64>(at(tau + p)) * dot(length, v, row + o), v, row + o);
    }
    const pivot = first + i, o = <usize>pivot << 3;
    memory.copy(at(R + i * ldr), row, o);
    memory.fill(row, 0, o);
    const beta = reflector(m - pivot, row + o);
    store<f64>(at(tau + i), reflectorT);
    store<f64>(at(R + i * ldr + pivot), beta);
  }
}

// The squared norms of the remaining part of each row are downdated; if that has cancelled most of the digits
// they are recomputed, as in LAPACK working note 176.
export function reflectPivoted(n: i32, A_: i32, tau: i32, R: i32, order: i32, squares_: i32): void {
  const A = at(A_), squares = at(squares_), lda = <usize>n << 3;
  const reference = squares + lda; // what the downdated value is compared with
  for (let j = 0; j < n; j++) {
    const row = A + <usize>j * lda, square = dot(n, row, row);
    store<f64>(squares + (<usize>j << 3), square);
    store<f64>(reference + (<usize>j << 3), square);
    store<f64>(at(order + j), j);
  }
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let j = k + 1; j < n; j++) {
      if (load<f64>(squares + (<usize>j << 3)) > load<f64>(squares + (<usize>best << 3))) best = j;
    }
    if (best != k) {
      swap(n, A + <usize>k * lda, A + <usize>best * lda);
      swap(k, at(R + k * n), at(R + best * n));
      swap(1, squares + (<usize>k << 3), squares + (<usize>best << 3));
      swap(1, reference + (<usize>k << 3), reference + (<usize>best << 3));
      swap(1, at(order + k), at(order + best));
    }
    const o = <usize>k << 3, v = A + <usize>k * lda + o, length = n - k;
    memory.fill(A + <usize>k * lda, 0, o);
    store<f64>(at(R + k * n + k), reflector(length, v));
    const t = reflectorT;
    store<f64>(at(tau + k), t);
    for (let j = k + 1; j < n; j++) {
      const row = A + <usize>j * lda + o, s = squares + (<usize>j << 3);
      if (t != 0) axpy(length, -t * dot(length, v, row), v, row);
      const top = load<f64>(row);
      store<f64>(at(R + j * n + k), top);
      const square = load<f64>(s) - top * top;
      if (square > 1e-6 * load<f64>(s + lda)) {
        store<f64>(s, square);
      } else {
        const fresh = dot(length - 1, row + 8, row + 8);
        store<f64>(s, fresh);
        store<f64>(s + lda, fresh);
      }
    }
  }
}
