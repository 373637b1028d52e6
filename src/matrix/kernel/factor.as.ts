// Inner loops of the factorisations; src/matrix/factorKernel.ts says what each export does, plainFactor.ts is the same
// in TypeScript. Exports count positions in doubles from the start of the memory; inside, pointers and row strides are
// in bytes. `work` is the scratch of `gemm` and, for `cholesky` and `tridiagonalize`, room for packed panels.
import { GEMM_WORK, axpy, dot, gemm as product, hsum, madd, micro, microEdge, pack4 } from "./_micro.as";

const UNIT: f64 = 1.0 / 9007199254740992.0;
const TINY: f64 = 1e-250;

/** Bytes of scratch for matrices of order up to n. */
export function workSize(n: i32): i32 {
  return GEMM_WORK + (n + 8) * 1024 + 1024;
}

// @ts-ignore: decorator
@inline
function at(position: i32): usize {
  return <usize>position << 3;
}

export function gemm(
  m: i32, n: i32, k: i32, alpha: f64,
  A: i32, ars: i32, acs: i32, B: i32, brs: i32, bcs: i32, C: i32, ldc: i32, work: usize,
): void {
  product(m, n, k, alpha, at(A), ars, acs, at(B), brs, bcs, at(C), ldc, work);
}

export function largest(count: i32, x: i32): f64 {
  let p = at(x), top = f64x2.splat(0), spoiled = top, i = 0;
  const zero = f64x2.splat(0);
  for (; i + 2 <= count; i += 2, p += 16) {
    const size = f64x2.abs(v128.load(p));
    top = f64x2.pmax(top, size);
    spoiled = f64x2.add(spoiled, f64x2.mul(size, zero)); // NaN as soon as one entry is not finite
  }
  let peak = Math.max(f64x2.extract_lane(top, 0), f64x2.extract_lane(top, 1));
  if (i < count) {
    peak = Math.max(peak, Math.abs(load<f64>(p)));
    spoiled = f64x2.add(spoiled, f64x2.splat(load<f64>(p) * 0));
  }
  return peak + hsum(spoiled);
}

export function symmetrize(n: i32, A_: i32, limit: f64, factor: f64): i32 {
  const A = at(A_), lda = <usize>n << 3, half = 0.5 * factor, block = 32;
  for (let i0 = 0; i0 < n; i0 += block) {
    const i1 = min(n, i0 + block);
    for (let j0 = 0; j0 <= i0; j0 += block) {
      for (let i = i0; i < i1; i++) {
        const j1 = min(i + 1, j0 + block);
        let p = A + <usize>i * lda + (<usize>j0 << 3), q = A + <usize>j0 * lda + (<usize>i << 3);
        for (let j = j0; j < j1; j++, p += 8, q += lda) {
          const a = load<f64>(p), b = load<f64>(q);
          if (Math.abs(a - b) > limit) return i * n + j + 1;
          store<f64>(p, a * half + b * half);
        }
      }
    }
  }
  return 0;
}

/** Lower triangle of C (m x m) += alpha P Q' for P and Q packed in panels of four rows, depth k. */
function addLower(m: i32, k: i32, P: usize, Q: usize, C: usize, ldc: usize, alpha: f64, tmp: usize): void {
  const width = 128; // panels of Q that stay in cache while P passes by
  for (let jb = 0; jb < m; jb += width) {
    const je = min(m, jb + width);
    for (let i = jb; i < m; i += 4) {
      const ap = P + (<usize>(i * k) << 3);
      const end = min(je, i + 4);
      for (let j = jb; j < end; j += 4) {
        const bp = Q + (<usize>(j * k) << 3);
        const cp = C + <usize>i * ldc + (<usize>j << 3);
        if (i + 4 <= m && j + 4 <= m) micro(k, ap, bp, cp, ldc, alpha);
        else microEdge(k, ap, bp, cp, ldc, alpha, min(4, m - i), min(4, m - j), tmp);
      }
    }
  }
}

export function cholesky(n: i32, A_: i32, pivot: i32, work: usize): i32 {
  const NB = 64, A = at(A_), lda = <usize>n << 3;
  for (let i = 0; i < n; i++) store<f64>(at(pivot + i), load<f64>(A + <usize>i * (lda + 8)));
  for (let k = 0; k < n; k += NB) {
    const nb = min(NB, n - k);
    const D = A + <usize>k * (lda + 8);
    for (let i = 0; i < nb; i++) {
      const ri = D + <usize>i * lda;
      solveRow(i, D, lda, ri);
      const left = load<f64>(ri + (<usize>i << 3)) - dot(i, ri, ri);
      if (!(left > <f64>(2 * (k + i) + 18) * UNIT * load<f64>(at(pivot + k + i)))) return k + i + 1;
      store<f64>(ri + (<usize>i << 3), Math.sqrt(left));
    }
    const m = n - k - nb;
    if (m <= 0) break;
    const P = D + <usize>nb * lda, packed = work + 128;
    pack4(m, nb, P, n, 1, packed);
    solvePacked(m, nb, D, lda, packed);
    unpack4(m, nb, packed, P, lda);
    addLower(m, nb, packed, packed, P + (<usize>nb << 3), lda, -1, work);
  }
  return 0;
}

/** The first n entries of the row x become the solution of x D' = row, D lower triangular. */
// @ts-ignore: decorator
@inline
function solveRow(n: i32, D: usize, ldd: usize, x: usize): void {
  for (let j = 0; j < n; j++) {
    const rj = D + <usize>j * ldd, p = x + (<usize>j << 3);
    store<f64>(p, (load<f64>(p) - dot(j, x, rj)) / load<f64>(rj + (<usize>j << 3)));
  }
}

/** Packed rows x (panels of four) become the solutions of x D' = row, D lower triangular of order k. */
function solvePacked(m: i32, k: i32, D: usize, ldd: usize, x: usize): void {
  const panel = <usize>k << 5;
  let i = 0;
  for (; i + 8 <= ((m + 3) & ~3); i += 8, x += panel << 1) {
    const y = x + panel;
    for (let j = 0; j < k; j++) {
      let row = D + <usize>j * ldd, o: usize = 0;
      const end = <usize>j << 5;
      let x0 = f64x2.splat(0), x1 = x0, y0 = x0, y1 = x0;
      for (; o < end; o += 32, row += 8) {
        const t = v128.load_splat<f64>(row);
        x0 = madd(t, v128.load(x + o), x0);
        x1 = madd(t, v128.load(x + o, 16), x1);
        y0 = madd(t, v128.load(y + o), y0);
        y1 = madd(t, v128.load(y + o, 16), y1);
      }
      const pivot = v128.load_splat<f64>(row);
      v128.store(x + o, f64x2.div(f64x2.sub(v128.load(x + o), x0), pivot));
      v128.store(x + o, f64x2.div(f64x2.sub(v128.load(x + o, 16), x1), pivot), 16);
      v128.store(y + o, f64x2.div(f64x2.sub(v128.load(y + o), y0), pivot));
      v128.store(y + o, f64x2.div(f64x2.sub(v128.load(y + o, 16), y1), pivot), 16);
    }
  }
  for (; i < m; i += 4, x += panel) {
    for (let j = 0; j < k; j++) {
      let row = D + <usize>j * ldd, o: usize = 0;
      const end = <usize>j << 5;
      let x0 = f64x2.splat(0), x1 = x0;
      for (; o < end; o += 32, row += 8) {
        const t = v128.load_splat<f64>(row);
        x0 = madd(t, v128.load(x + o), x0);
        x1 = madd(t, v128.load(x + o, 16), x1);
      }
      const pivot = v128.load_splat<f64>(row);
      v128.store(x + o, f64x2.div(f64x2.sub(v128.load(x + o), x0), pivot));
      v128.store(x + o, f64x2.div(f64x2.sub(v128.load(x + o, 16), x1), pivot), 16);
    }
  }
}

/** The inverse of `pack4` for rows that are contiguous in dst. */
function unpack4(m: i32, k: i32, src: usize, dst: usize, ldd: usize): void {
  for (let i = 0; i < m; i += 4) {
    const rest = min(4, m - i);
    for (let p = 0; p < k; p++, src += 32) {
      let d = dst + <usize>i * ldd + (<usize>p << 3);
      for (let q = 0; q < rest; q++, d += ldd) store<f64>(d, load<f64>(src + (<usize>q << 3)));
    }
  }
}

export function solveTriangular(
  n: i32, m: i32, T_: i32, trs: i32, tcs: i32, upper: i32, unit: i32, B_: i32, ldb: i32, work: usize,
): void {
  const NB = 32, T = at(T_), B = at(B_), row = <usize>ldb << 3;
  const rs = <usize>trs << 3, cs = <usize>tcs << 3;
  const blocks = (n + NB - 1) / NB;
  for (let s = 0; s < blocks; s++) {
    const first = (upper ? blocks - 1 - s : s) * NB;
    const nb = min(NB, n - first);
    // Unknowns that are already solved: after the block if upper, before it if lower.
    const known = upper ? n - first - nb : first, from = upper ? first + nb : 0;
    if (known > 0) {
      product(
        nb, m, known, -1,
        T + <usize>first * rs + <usize>from * cs, trs, tcs,
        B + <usize>from * row, ldb, 1,
        B + <usize>first * row, ldb, work,
      );
    }
    for (let q = 0; q < nb; q++) {
      const i = first + (upper ? nb - 1 - q : q);
      const bi = B + <usize>i * row, ti = T + <usize>i * rs;
      for (let p = 0; p < q; p++) {
        const j = first + (upper ? nb - 1 - p : p);
        axpy(m, -load<f64>(ti + <usize>j * cs), B + <usize>j * row, bi);
      }
      if (!unit) {
        const t = load<f64>(ti + <usize>i * cs);
        for (let c = 0; c < m; c++) store<f64>(bi + (<usize>c << 3), load<f64>(bi + (<usize>c << 3)) / t);
      }
    }
  }
}

export function lu(n: i32, A_: i32, exchange: i32, floor: f64, work: usize): i32 {
  const NB = 32, A = at(A_), lda = <usize>n << 3;
  for (let k0 = 0; k0 < n; k0 += NB) {
    const nb = min(NB, n - k0), k1 = k0 + nb;
    for (let k = k0; k < k1; k++) {
      const column = A + (<usize>k << 3), rk = A + <usize>k * lda;
      let best = k, size: f64 = -1;
      for (let i = k; i < n; i++) {
        const a = Math.abs(load<f64>(column + <usize>i * lda));
        if (a > size) {
          size = a;
          best = i;
        }
      }
      store<f64>(at(exchange + k), best);
      if (!(size > floor)) return k + 1;
      if (best != k) swap(n, rk, A + <usize>best * lda);
      const pivot = load<f64>(column + <usize>k * lda);
      for (let i = k + 1; i < n; i++) {
        const ri = A + <usize>i * lda, p = ri + (<usize>k << 3);
        const l = load<f64>(p) / pivot;
        store<f64>(p, l);
        axpy(k1 - k - 1, -l, rk + (<usize>(k + 1) << 3), ri + (<usize>(k + 1) << 3));
      }
    }
    const m = n - k1;
    if (m <= 0) break;
    const right = <usize>k1 << 3;
    for (let i = k0 + 1; i < k1; i++) {
      const ri = A + <usize>i * lda;
      for (let j = k0; j < i; j++) {
        axpy(m, -load<f64>(ri + (<usize>j << 3)), A + <usize>j * lda + right, ri + right);
      }
    }
    const below = A + <usize>k1 * lda;
    product(m, m, nb, -1, below + (<usize>k0 << 3), n, 1, A + <usize>k0 * lda + right, n, 1, below + right, n, work);
  }
  return 0;
}

function swap(n: i32, x: usize, y: usize): void {
  for (let i = 0; i < n; i++) {
    const held = load<f64>(x);
    store<f64>(x, load<f64>(y));
    store<f64>(y, held);
    x += 8;
    y += 8;
  }
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

/** beta of the reflector that x becomes; its t is left in `reflectorT`. */
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

function scale(n: i32, a: f64, x: usize): void {
  for (const end = x + (<usize>n << 3); x < end; x += 8) store<f64>(x, load<f64>(x) * a);
}

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

/** y += a x + b z */
function axpy2(n: i32, a: f64, x: usize, b: f64, z: usize, y: usize): void {
  const av = f64x2.splat(a), bv = f64x2.splat(b);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(y, madd(bv, v128.load(z), madd(av, v128.load(x), v128.load(y))));
    v128.store(y, madd(bv, v128.load(z, 16), madd(av, v128.load(x, 16), v128.load(y, 16))), 16);
    x += 32;
    y += 32;
    z += 32;
  }
  for (; i < n; i++) {
    store<f64>(y, load<f64>(y) + a * load<f64>(x) + b * load<f64>(z));
    x += 8;
    y += 8;
    z += 8;
  }
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

// The squared norms of what is left of each row are downdated; where that has cancelled most of the digits they are
// formed anew, as in LAPACK working note 176.
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

// Squared norms are kept up to date by the rotation's own formula and formed anew where that would cancel.
export function jacobiSweep(m: i32, k: i32, G_: i32, J_: i32, squares_: i32): f64 {
  const G = at(G_), J = at(J_), squares = at(squares_), ldg = <usize>k << 3, ldj = <usize>m << 3;
  const tolerance = Math.sqrt(<f64>k) * UNIT;
  let worst: f64 = 0;
  for (let i = 0; i < m; i++) store<f64>(squares + (<usize>i << 3), dot(k, G + <usize>i * ldg, G + <usize>i * ldg));
  for (let i = 0; i < m - 1; i++) {
    const gi = G + <usize>i * ldg, si = squares + (<usize>i << 3);
    for (let j = i + 1; j < m; j++) {
      const gj = G + <usize>j * ldg, sj = squares + (<usize>j << 3);
      const alpha = load<f64>(si), beta = load<f64>(sj);
      const size = Math.sqrt(alpha) * Math.sqrt(beta);
      if (!(size > TINY)) continue;
      const gamma = dot(k, gi, gj);
      const cosine = Math.abs(gamma) / size;
      if (cosine > worst) worst = cosine;
      if (cosine <= tolerance) continue;
      const zeta = (beta - alpha) / (2 * gamma);
      const t = copysign<f64>(1, zeta) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t), s = c * t;
      rotate(k, gi, gj, c, s);
      rotate(m, J + <usize>i * ldj, J + <usize>j * ldj, c, s);
      const a = alpha - t * gamma, b = beta + t * gamma;
      store<f64>(si, a > 0.25 * alpha ? a : dot(k, gi, gi));
      store<f64>(sj, b > 0.25 * beta ? b : dot(k, gj, gj));
    }
  }
  return worst;
}

function rotate(n: i32, x: usize, y: usize, c: f64, s: f64): void {
  const cv = f64x2.splat(c), sv = f64x2.splat(s);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const a = v128.load(x), b = v128.load(y);
    v128.store(x, f64x2.sub(f64x2.mul(cv, a), f64x2.mul(sv, b)));
    v128.store(y, madd(sv, a, f64x2.mul(cv, b)));
    x += 16;
    y += 16;
  }
  if (i < n) {
    const a = load<f64>(x), b = load<f64>(y);
    store<f64>(x, c * a - s * b);
    store<f64>(y, s * a + c * b);
  }
}

/** Sums of z_i^2 / (delta_i - y) and of its derivative over n terms. */
let secularSum: f64 = 0;
let secularSlope: f64 = 0;
function secularTerms(n: i32, delta: usize, z: usize, y: f64): void {
  const yv = f64x2.splat(y);
  let sum0 = f64x2.splat(0), sum1 = sum0, slope0 = sum0, slope1 = sum0;
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    const z0 = v128.load(z), z1 = v128.load(z, 16);
    const t0 = f64x2.div(z0, f64x2.sub(v128.load(delta), yv));
    const t1 = f64x2.div(z1, f64x2.sub(v128.load(delta, 16), yv));
    sum0 = madd(z0, t0, sum0);
    slope0 = madd(t0, t0, slope0);
    sum1 = madd(z1, t1, sum1);
    slope1 = madd(t1, t1, slope1);
    z += 32;
    delta += 32;
  }
  let sum = hsum(f64x2.add(sum0, sum1)), slope = hsum(f64x2.add(slope0, slope1));
  for (; i < n; i++) {
    const t = load<f64>(z) / (load<f64>(delta) - y);
    sum += load<f64>(z) * t;
    slope += t * t;
    z += 8;
    delta += 8;
  }
  secularSum = sum;
  secularSlope = slope;
}

export function secular(k: i32, d_: i32, z_: i32, rho: f64, roots: i32, U: i32): void {
  const d = at(d_), z = at(z_);
  for (let j = 0; j < k; j++) store<f64>(at(roots + j), secularRoot(k, j, d, z, rho, at(U + j * k)));
}

/** See secular.ts; `delta` holds d_i - origin during the iteration. */
function secularRoot(k: i32, j: i32, d: usize, z: usize, rho: f64, delta: usize): f64 {
  const last = j == k - 1;
  let origin = load<f64>(d + (<usize>j << 3)), low: f64 = 0, high: f64 = 0;
  shift(k, d, origin, delta);
  if (last) {
    high = rho * dot(k, z, z);
  } else {
    const gap = load<f64>(d + (<usize>(j + 1) << 3)) - origin;
    secularTerms(k, delta, z, gap / 2);
    if (1 + rho * secularSum < 0) {
      origin = load<f64>(d + (<usize>(j + 1) << 3));
      shift(k, d, origin, delta);
      low = -gap / 2;
    } else {
      high = gap / 2;
    }
  }
  const split = last ? max(0, j - 1) : j, o = <usize>(split + 1) << 3;
  let y = (low + high) / 2;
  for (let step = 0; step < 100; step++) {
    secularTerms(split + 1, delta, z, y);
    const psi = rho * secularSum, slopePsi = rho * secularSlope;
    secularTerms(k - split - 1, delta + o, z + o, y);
    const phi = rho * secularSum, slopePhi = rho * secularSlope;
    const f = 1 + psi + phi;
    if (Math.abs(f) <= UNIT * <f64>k * (1 + Math.abs(psi) + Math.abs(phi))) break;
    if (f < 0) low = y;
    else high = y;
    let next = y - f / (slopePsi + slopePhi);
    if (split + 1 < k) {
      const D1 = load<f64>(delta + o - 8) - y, D2 = load<f64>(delta + o) - y;
      const c = f - slopePsi * D1 - slopePhi * D2;
      const a = c * (D1 + D2) + slopePsi * D1 * D1 + slopePhi * D2 * D2;
      const b = D1 * D2 * f;
      const root = Math.sqrt(Math.max(0, a * a - 4 * b * c));
      let eta: f64;
      if (last) eta = a >= 0 ? (a + root) / (2 * c) : (2 * b) / (a - root);
      else eta = a <= 0 ? (a - root) / (2 * c) : (2 * b) / (a + root);
      if (f * eta <= 0) next = y + eta;
    }
    if (!(next > low && next < high)) next = (low + high) / 2;
    if (next == y || high - low <= 2 * UNIT * Math.max(Math.abs(low), Math.abs(high))) {
      y = next;
      break;
    }
    y = next;
  }
  shift(k, delta, y, delta);
  return origin + y;
}

/** y_i = x_i - a */
function shift(n: i32, x: usize, a: f64, y: usize): void {
  for (const end = x + (<usize>n << 3); x < end; x += 8, y += 8) store<f64>(y, load<f64>(x) - a);
}

export function rankOneVectors(k: i32, d_: i32, z_: i32, order_: i32, exact_: i32, U_: i32): void {
  const d = at(d_), z = at(z_), order = at(order_), exact = at(exact_), U = at(U_), ldu = <usize>k << 3;
  for (let i = 0; i < k; i++) store<f64>(exact + (<usize>i << 3), -load<f64>(U + <usize>i * (ldu + 8)));
  for (let j = 0; j < k; j++) {
    const u = U + <usize>j * ldu, dj = load<f64>(d + (<usize>j << 3)), o = <usize>(j + 1) << 3;
    lowner(j, u, d, dj, exact);
    lowner(k - j - 1, u + o, d + o, dj, exact + o);
  }
  for (let i = 0; i < k; i++) {
    const o = <usize>i << 3;
    store<f64>(exact + o, copysign<f64>(Math.sqrt(Math.abs(load<f64>(exact + o))), load<f64>(z + o)));
  }
  const vector = exact + ldu; // k doubles beyond
  for (let j = 0; j < k; j++) {
    const u = U + <usize>j * ldu;
    let i: usize = 0;
    for (; i + 16 <= ldu; i += 16) v128.store(vector + i, f64x2.div(v128.load(exact + i), v128.load(u + i)));
    for (; i < ldu; i += 8) store<f64>(vector + i, load<f64>(exact + i) / load<f64>(u + i));
    const factor = 1 / Math.sqrt(dot(k, vector, vector));
    for (let q: usize = 0; q < ldu; q += 8) {
      store<f64>(u + q, factor * load<f64>(vector + (<usize>(<i32>load<f64>(order + q)) << 3)));
    }
  }
}

/** exact_i *= u_i / (d_i - dj) */
function lowner(n: i32, u: usize, d: usize, dj: f64, exact: usize): void {
  const dv = f64x2.splat(dj);
  let i = 0;
  for (; i + 2 <= n; i += 2) {
    const ratio = f64x2.div(v128.load(u), f64x2.sub(v128.load(d), dv));
    v128.store(exact, f64x2.mul(v128.load(exact), ratio));
    u += 16;
    d += 16;
    exact += 16;
  }
  if (i < n) store<f64>(exact, (load<f64>(exact) * load<f64>(u)) / (load<f64>(d) - dj));
}
