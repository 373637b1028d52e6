// Cholesky, LU and triangular solves, blocked: everything except one panel at a time is in matrix products.
import { axpy, dot, gemm as product, madd, pack4 } from "./_micro.as";
import { UNIT, addLower, at, swap } from "./_rows.as";

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
export function solveRow(n: i32, D: usize, ldd: usize, x: usize): void {
  for (let j = 0; j < n; j++) {
    const rj = D + <usize>j * ldd, p = x + (<usize>j << 3);
    store<f64>(p, (load<f64>(p) - dot(j, x, rj)) / load<f64>(rj + (<usize>j << 3)));
  }
}

/** Packed rows x (panels of four) become the solutions of x D' = row, D lower triangular of order k. */
export function solvePacked(m: i32, k: i32, D: usize, ldd: usize, x: usize): void {
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
export function unpack4(m: i32, k: i32, src: usize, dst: usize, ldd: usize): void {
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
    // Solved unknowns: after the block if upper, before it if lower.
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
