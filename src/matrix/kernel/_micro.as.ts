// The register-blocked product behind every dense kernel (Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", ACM TOMS 34, 2008): operands are packed in panels of four rows, depth after depth,
// so that the innermost loop reads both of them contiguously and keeps a 4 x 4 tile of C in eight 128-bit
// registers.
//
// Pointers are byte addresses; strides rs (between rows) and cs (between columns) count elements; row strides
// of C (ldc) count bytes unless stated otherwise. Matrices are row-major f64.

/** a * b + c, fused in the relaxed build. */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(f64x2.mul(a, b), c);
}

/** Sum of the two lanes. */
// @ts-ignore: decorator
@inline
export function hsum(a: v128): f64 {
  return f64x2.extract_lane(a, 0) + f64x2.extract_lane(a, 1);
}

/** x'y */
export function dot(n: i32, x: usize, y: usize): f64 {
  let s0 = f64x2.splat(0), s1 = s0, s2 = s0, s3 = s0, i = 0;
  for (; i + 8 <= n; i += 8) {
    s0 = madd(v128.load(x), v128.load(y), s0);
    s1 = madd(v128.load(x, 16), v128.load(y, 16), s1);
    s2 = madd(v128.load(x, 32), v128.load(y, 32), s2);
    s3 = madd(v128.load(x, 48), v128.load(y, 48), s3);
    x += 64;
    y += 64;
  }
  for (; i + 2 <= n; i += 2) {
    s0 = madd(v128.load(x), v128.load(y), s0);
    x += 16;
    y += 16;
  }
  let sum = hsum(f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3)));
  if (i < n) sum += load<f64>(x) * load<f64>(y);
  return sum;
}

/** y += a x */
export function axpy(n: i32, a: f64, x: usize, y: usize): void {
  const av = f64x2.splat(a);
  let i = 0;
  for (; i + 4 <= n; i += 4) {
    v128.store(y, madd(av, v128.load(x), v128.load(y)));
    v128.store(y, madd(av, v128.load(x, 16), v128.load(y, 16)), 16);
    x += 32;
    y += 32;
  }
  for (; i < n; i++) {
    store<f64>(y, load<f64>(y) + a * load<f64>(x));
    x += 8;
    y += 8;
  }
}

/**
 * Packs an m x k matrix in panels of four rows: panel p holds, for each of the k columns, the entries of rows 4p to
 * 4p + 3. The last panel is padded with zeros. dst needs k * (m rounded up to 4) doubles.
 */
export function pack4(m: i32, k: i32, src: usize, rs: usize, cs: usize, dst: usize): void {
  pack(4, m, k, src, rs, cs, dst);
}

/** The same in panels of `width` rows, 4 or 6; two rows at a time, unless rows are neighbours in memory. */
// @ts-ignore: decorator
@inline
function pack(width: i32, m: i32, k: i32, src: usize, rs: usize, cs: usize, dst: usize): void {
  const step = <usize>width << 3;
  rs <<= 3;
  cs <<= 3;
  for (let i = 0; i < m; i += width, src += <usize>width * rs) {
    if (rs == 8 && i + width <= m) {
      for (let s = src, p = 0; p < k; p++, s += cs, dst += step) {
        v128.store(dst, v128.load(s));
        v128.store(dst, v128.load(s, 16), 16);
        if (width == 6) v128.store(dst, v128.load(s, 32), 32);
      }
      continue;
    }
    for (let q = 0; q < width; q += 2) {
      let a = src + <usize>q * rs, b = a + rs, to = dst + (<usize>q << 3), p = 0;
      if (cs == 8 && i + q + 1 < m) {
        for (; p + 2 <= k; p += 2, a += 16, b += 16, to += 2 * step) {
          const x = v128.load(a), y = v128.load(b);
          v128.store(to, v128.shuffle<f64>(x, y, 0, 2));
          v128.store(to + step, v128.shuffle<f64>(x, y, 1, 3));
        }
      }
      for (; p < k; p++, a += cs, b += cs, to += step) {
        store<f64>(to, i + q < m ? load<f64>(a) : 0);
        store<f64>(to, i + q + 1 < m ? load<f64>(b) : 0, 8);
      }
    }
    dst += <usize>k * step;
  }
}

/** C += alpha A B' for one packed panel each of A and B (depth k): a full 4 x 4 tile at cp, row stride ldc bytes. */
export function micro(k: i32, ap: usize, bp: usize, cp: usize, ldc: usize, alpha: f64): void {
  let c00 = f64x2.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  const end = ap + (<usize>k << 5);
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
  const al = f64x2.splat(alpha);
  addRow(cp, al, c00, c01);
  addRow((cp += ldc), al, c10, c11);
  addRow((cp += ldc), al, c20, c21);
  addRow((cp += ldc), al, c30, c31);
}

// @ts-ignore: decorator
@inline
function addRow(cp: usize, alpha: v128, c0: v128, c1: v128): void {
  const r0 = v128.load(cp), r1 = v128.load(cp, 16);
  const s0 = madd(alpha, c0, r0), s1 = madd(alpha, c1, r1);
  v128.store(cp, s0);
  v128.store(cp, s1, 16);
}

/** As `micro`, for a tile of mr x nr at the border of C; tmp is 128 bytes of scratch. */
export function microEdge(
  k: i32, ap: usize, bp: usize, cp: usize, ldc: usize, alpha: f64, mr: i32, nr: i32, tmp: usize,
): void {
  memory.fill(tmp, 0, 128);
  micro(k, ap, bp, tmp, 32, alpha);
  addTile(mr, nr, tmp, cp, ldc);
}

/** Adds mr x nr values at tmp, in rows of four, to C. */
function addTile(mr: i32, nr: i32, tmp: usize, cp: usize, ldc: usize): void {
  for (let i = 0; i < mr; i++) {
    for (let j = 0; j < nr; j++) {
      const p = cp + <usize>i * ldc + (<usize>j << 3);
      store<f64>(p, load<f64>(p) + load<f64>(tmp + (<usize>(i * 4 + j) << 3)));
    }
  }
}

/**
 * As `micro`, for a panel of six rows of A and an even depth. Its twelve accumulators hide the latency of fused
 * multiply-adds, which eight do not. With two registers for B and one for A they are the fifteen that V8 gives out, so
 * the order of instructions matters: V8's optimiser of Node 20 moves all loads of a basic block ahead of its arithmetic,
 * and spills. The conditions, none of which is ever false, end the block after each row of A: 28.0 GFlop/s instead of
 * 13.2 in registers and first-level cache, where 28.4 is the most; `micro` has 26.2 there.
 */
function micro6(k: i32, ap: usize, bp: usize, cp: usize, ldc: usize, alpha: f64): void {
  let c00 = f64x2.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00;
  let c30 = c00, c31 = c00, c40 = c00, c41 = c00, c50 = c00, c51 = c00;
  let a: v128, b0: v128, b1: v128;
  const end = ap + <usize>k * 48;
  do {
    b0 = v128.load(bp);
    b1 = v128.load(bp, 16);
    a = v128.load_splat<f64>(ap);
    if (cp) {
      c00 = madd(a, b0, c00);
      c01 = madd(a, b1, c01);
    }
    if (ldc) {
      a = v128.load_splat<f64>(ap, 8);
      c10 = madd(a, b0, c10);
      c11 = madd(a, b1, c11);
    }
    if (end) {
      a = v128.load_splat<f64>(ap, 16);
      c20 = madd(a, b0, c20);
      c21 = madd(a, b1, c21);
    }
    if (k) {
      a = v128.load_splat<f64>(ap, 24);
      c30 = madd(a, b0, c30);
      c31 = madd(a, b1, c31);
    }
    if (bp) {
      a = v128.load_splat<f64>(ap, 32);
      c40 = madd(a, b0, c40);
      c41 = madd(a, b1, c41);
    }
    if (ap) {
      a = v128.load_splat<f64>(ap, 40);
      c50 = madd(a, b0, c50);
      c51 = madd(a, b1, c51);
    }
    b0 = v128.load(bp, 32);
    b1 = v128.load(bp, 48);
    a = v128.load_splat<f64>(ap, 48);
    if (cp) {
      c00 = madd(a, b0, c00);
      c01 = madd(a, b1, c01);
    }
    if (ldc) {
      a = v128.load_splat<f64>(ap, 56);
      c10 = madd(a, b0, c10);
      c11 = madd(a, b1, c11);
    }
    if (end) {
      a = v128.load_splat<f64>(ap, 64);
      c20 = madd(a, b0, c20);
      c21 = madd(a, b1, c21);
    }
    if (k) {
      a = v128.load_splat<f64>(ap, 72);
      c30 = madd(a, b0, c30);
      c31 = madd(a, b1, c31);
    }
    if (bp) {
      a = v128.load_splat<f64>(ap, 80);
      c40 = madd(a, b0, c40);
      c41 = madd(a, b1, c41);
    }
    if (ap) {
      a = v128.load_splat<f64>(ap, 88);
      c50 = madd(a, b0, c50);
      c51 = madd(a, b1, c51);
    }
    ap += 96;
    bp += 64;
  } while (ap < end);
  const al = f64x2.splat(alpha);
  addRow(cp, al, c00, c01);
  addRow((cp += ldc), al, c10, c11);
  addRow((cp += ldc), al, c20, c21);
  addRow((cp += ldc), al, c30, c31);
  addRow((cp += ldc), al, c40, c41);
  addRow((cp += ldc), al, c50, c51);
}

/** Depth, rows of A and columns of B that are packed at a time: a panel pair fits L1, packed A fits L2. */
export const KC: i32 = 256;
export const MC: i32 = 96;
export const NC: i32 = 512;

/** Bytes of scratch that `gemm` needs. */
export const GEMM_WORK: i32 = (KC * (NC + 4) + KC * (MC + 4) + 24) * 8;

/**
 * C += alpha op(A) op(B), with op(A) m x k and op(B) k x n given by their strides in elements (a transpose swaps
 * them); ldc counts elements here.
 */
export function gemm(
  m: i32, n: i32, k: i32, alpha: f64,
  A: usize, ars: usize, acs: usize,
  B: usize, brs: usize, bcs: usize,
  C: usize, ldc: usize, work: usize,
): void {
  const tmp = work, bp = work + 192, ap = bp + <usize>(KC * (NC + 4)) * 8;
  ldc <<= 3;
  for (let jc = 0; jc < n; jc += NC) {
    const nb = min(NC, n - jc);
    for (let pc = 0; pc < k; pc += KC) {
      const kb = min(KC, k - pc);
      pack4(nb, kb, B + ((<usize>pc * brs + <usize>jc * bcs) << 3), bcs, brs, bp);
      for (let ic = 0; ic < m; ic += MC) {
        const mb = min(MC, m - ic);
        const Ab = A + ((<usize>ic * ars + <usize>pc * acs) << 3);
        // Rows in panels of six where multiply-adds are fused and the depth is even; those left over in panels of four.
        const six = ASC_FEATURE_RELAXED_SIMD && !(kb & 1) ? mb - (mb % 6) : 0;
        if (ASC_FEATURE_RELAXED_SIMD) pack(6, six, kb, Ab, ars, acs, ap);
        pack4(mb - six, kb, Ab + ((<usize>six * ars) << 3), ars, acs, ap + (<usize>(six * kb) << 3));
        for (let jr = 0; jr < nb; jr += 4) {
          const bpp = bp + (<usize>(jr * kb) << 3), nr = min(4, nb - jr);
          let cp = C + <usize>ic * ldc + (<usize>(jc + jr) << 3), ir = 0;
          if (ASC_FEATURE_RELAXED_SIMD) {
            for (; ir < six; ir += 6) {
              const app = ap + (<usize>(ir * kb) << 3);
              if (nr == 4) micro6(kb, app, bpp, cp, ldc, alpha);
              else {
                memory.fill(tmp, 0, 192);
                micro6(kb, app, bpp, tmp, 32, alpha);
                addTile(6, nr, tmp, cp, ldc);
              }
              cp += 6 * ldc;
            }
          }
          for (; ir < mb; ir += 4) {
            const app = ap + (<usize>(ir * kb) << 3), mr = min(4, mb - ir);
            if (mr == 4 && nr == 4) micro(kb, app, bpp, cp, ldc, alpha);
            else microEdge(kb, app, bpp, cp, ldc, alpha, mr, nr, tmp);
            cp += 4 * ldc;
          }
        }
      }
    }
  }
}
