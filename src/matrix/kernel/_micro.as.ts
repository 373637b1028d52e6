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

/**
 * 1 if V8 joins neighbouring 128-bit operations of this module to 256-bit ones (`compiled` in src/matrix/v8.ts), else 0: then
 * a row of a tile has eight values.
 */
// @ts-ignore: decorator
@external("env", "wide")
declare const wide: i32;

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
  rs <<= 3;
  cs <<= 3;
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    let s0 = src + <usize>i * rs;
    if (rs == 8) {
      for (let p = 0; p < k; p++) {
        v128.store(dst, v128.load(s0));
        v128.store(dst, v128.load(s0, 16), 16);
        s0 += cs;
        dst += 32;
      }
    } else {
      let s1 = s0 + rs, s2 = s1 + rs, s3 = s2 + rs, p = 0;
      if (cs == 8) {
        for (; p + 2 <= k; p += 2) {
          const a = v128.load(s0), b = v128.load(s1), c = v128.load(s2), d = v128.load(s3);
          v128.store(dst, v128.shuffle<f64>(a, b, 0, 2));
          v128.store(dst, v128.shuffle<f64>(c, d, 0, 2), 16);
          v128.store(dst, v128.shuffle<f64>(a, b, 1, 3), 32);
          v128.store(dst, v128.shuffle<f64>(c, d, 1, 3), 48);
          s0 += 16;
          s1 += 16;
          s2 += 16;
          s3 += 16;
          dst += 64;
        }
      }
      for (; p < k; p++) {
        store<f64>(dst, load<f64>(s0));
        store<f64>(dst, load<f64>(s1), 8);
        store<f64>(dst, load<f64>(s2), 16);
        store<f64>(dst, load<f64>(s3), 24);
        s0 += cs;
        s1 += cs;
        s2 += cs;
        s3 += cs;
        dst += 32;
      }
    }
  }
  if (i < m) {
    const rest = m - i;
    let s = src + <usize>i * rs;
    for (let p = 0; p < k; p++) {
      for (let q = 0; q < 4; q++) store<f64>(dst + (<usize>q << 3), q < rest ? load<f64>(s + <usize>q * rs) : 0);
      s += cs;
      dst += 32;
    }
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
  addTile(mr, nr, tmp, 4, cp, ldc);
}

/** Adds mr x nr values at tmp, in rows of `width`, to C. */
function addTile(mr: i32, nr: i32, tmp: usize, width: i32, cp: usize, ldc: usize): void {
  for (let i = 0; i < mr; i++) {
    for (let j = 0; j < nr; j++) {
      const p = cp + <usize>i * ldc + (<usize>j << 3);
      store<f64>(p, load<f64>(p) + load<f64>(tmp + (<usize>(i * width + j) << 3)));
    }
  }
}

/** As `pack4`, in panels of six rows; m is a multiple of 6. */
function pack6(m: i32, k: i32, src: usize, rs: usize, cs: usize, dst: usize): void {
  rs <<= 3;
  cs <<= 3;
  for (let i = 0; i < m; i += 6) {
    let s0 = src + <usize>i * rs;
    if (rs == 8) {
      for (let p = 0; p < k; p++) {
        v128.store(dst, v128.load(s0));
        v128.store(dst, v128.load(s0, 16), 16);
        v128.store(dst, v128.load(s0, 32), 32);
        s0 += cs;
        dst += 48;
      }
      continue;
    }
    let s1 = s0 + rs, s2 = s1 + rs, s3 = s2 + rs, s4 = s3 + rs, s5 = s4 + rs, p = 0;
    if (cs == 8) {
      for (; p + 2 <= k; p += 2) {
        const a = v128.load(s0), b = v128.load(s1), c = v128.load(s2);
        v128.store(dst, v128.shuffle<f64>(a, b, 0, 2));
        v128.store(dst, v128.shuffle<f64>(a, b, 1, 3), 48);
        const d = v128.load(s3), e = v128.load(s4), f = v128.load(s5);
        v128.store(dst, v128.shuffle<f64>(c, d, 0, 2), 16);
        v128.store(dst, v128.shuffle<f64>(c, d, 1, 3), 64);
        v128.store(dst, v128.shuffle<f64>(e, f, 0, 2), 32);
        v128.store(dst, v128.shuffle<f64>(e, f, 1, 3), 80);
        s0 += 16;
        s1 += 16;
        s2 += 16;
        s3 += 16;
        s4 += 16;
        s5 += 16;
        dst += 96;
      }
    }
    for (; p < k; p++) {
      store<f64>(dst, load<f64>(s0));
      store<f64>(dst, load<f64>(s1), 8);
      store<f64>(dst, load<f64>(s2), 16);
      store<f64>(dst, load<f64>(s3), 24);
      store<f64>(dst, load<f64>(s4), 32);
      store<f64>(dst, load<f64>(s5), 40);
      s0 += cs;
      s1 += cs;
      s2 += cs;
      s3 += cs;
      s4 += cs;
      s5 += cs;
      dst += 48;
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

/**
 * As `micro6`, for two panels of B side by side: a tile of 6 x 8, whose 24 values of 128 bits are twelve of 256 where V8 joins
 * them, and do not fit into registers elsewhere. V8 joins what ends in two stores side by side, with nothing between these
 * that touches memory. 56.5 GFlop/s, where a loop of 256-bit multiply-adds alone has 57.
 */
function micro6x8(k: i32, ap: usize, bp: usize, cp: usize, ldc: usize, alpha: f64): void {
  let c00 = f64x2.splat(0), c01 = c00, c02 = c00, c03 = c00, c10 = c00, c11 = c00, c12 = c00, c13 = c00;
  let c20 = c00, c21 = c00, c22 = c00, c23 = c00, c30 = c00, c31 = c00, c32 = c00, c33 = c00;
  let c40 = c00, c41 = c00, c42 = c00, c43 = c00, c50 = c00, c51 = c00, c52 = c00, c53 = c00;
  const end = ap + <usize>k * 48;
  let bq = bp + (<usize>k << 5);
  while (ap < end) {
    const b0 = v128.load(bp), b1 = v128.load(bp, 16), b2 = v128.load(bq), b3 = v128.load(bq, 16);
    let a = v128.load_splat<f64>(ap);
    c00 = madd(a, b0, c00);
    c01 = madd(a, b1, c01);
    c02 = madd(a, b2, c02);
    c03 = madd(a, b3, c03);
    a = v128.load_splat<f64>(ap, 8);
    c10 = madd(a, b0, c10);
    c11 = madd(a, b1, c11);
    c12 = madd(a, b2, c12);
    c13 = madd(a, b3, c13);
    a = v128.load_splat<f64>(ap, 16);
    c20 = madd(a, b0, c20);
    c21 = madd(a, b1, c21);
    c22 = madd(a, b2, c22);
    c23 = madd(a, b3, c23);
    a = v128.load_splat<f64>(ap, 24);
    c30 = madd(a, b0, c30);
    c31 = madd(a, b1, c31);
    c32 = madd(a, b2, c32);
    c33 = madd(a, b3, c33);
    a = v128.load_splat<f64>(ap, 32);
    c40 = madd(a, b0, c40);
    c41 = madd(a, b1, c41);
    c42 = madd(a, b2, c42);
    c43 = madd(a, b3, c43);
    a = v128.load_splat<f64>(ap, 40);
    c50 = madd(a, b0, c50);
    c51 = madd(a, b1, c51);
    c52 = madd(a, b2, c52);
    c53 = madd(a, b3, c53);
    ap += 48;
    bp += 32;
    bq += 32;
  }
  const al = f64x2.splat(alpha);
  addRow(cp, al, c00, c01);
  addRow(cp + 32, al, c02, c03);
  addRow((cp += ldc), al, c10, c11);
  addRow(cp + 32, al, c12, c13);
  addRow((cp += ldc), al, c20, c21);
  addRow(cp + 32, al, c22, c23);
  addRow((cp += ldc), al, c30, c31);
  addRow(cp + 32, al, c32, c33);
  addRow((cp += ldc), al, c40, c41);
  addRow(cp + 32, al, c42, c43);
  addRow((cp += ldc), al, c50, c51);
  addRow(cp + 32, al, c52, c53);
}

/** Depth, rows of A and columns of B that are packed at a time: a panel pair fits L1, packed A fits L2. */
export const KC: i32 = 256;
export const MC: i32 = 96;
export const NC: i32 = 512;

/** Bytes of scratch that `gemm` needs. */
export const GEMM_WORK: i32 = (KC * (NC + 4) + KC * (MC + 4) + 48) * 8;

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
  const tmp = work, bp = work + 384, ap = bp + <usize>(KC * (NC + 4)) * 8;
  ldc <<= 3;
  for (let jc = 0; jc < n; jc += NC) {
    const nb = min(NC, n - jc);
    for (let pc = 0; pc < k; pc += KC) {
      const kb = min(KC, k - pc);
      pack4(nb, kb, B + ((<usize>pc * brs + <usize>jc * bcs) << 3), bcs, brs, bp);
      for (let ic = 0; ic < m; ic += MC) {
        const mb = min(MC, m - ic);
        const Ab = A + ((<usize>ic * ars + <usize>pc * acs) << 3);
        // Rows in panels of six where multiply-adds are fused, and the depth is even or a tile is 6 x 8; those left over in
        // panels of four.
        const six = ASC_FEATURE_RELAXED_SIMD && (wide || !(kb & 1)) ? mb - (mb % 6) : 0;
        if (ASC_FEATURE_RELAXED_SIMD) pack6(six, kb, Ab, ars, acs, ap);
        pack4(mb - six, kb, Ab + ((<usize>six * ars) << 3), ars, acs, ap + (<usize>(six * kb) << 3));
        const width = ASC_FEATURE_RELAXED_SIMD && wide ? 8 : 4;
        for (let jr = 0; jr < nb; jr += width) {
          const bpp = bp + (<usize>(jr * kb) << 3), nr = min(width, nb - jr);
          let cp = C + <usize>ic * ldc + (<usize>(jc + jr) << 3), ir = 0;
          if (ASC_FEATURE_RELAXED_SIMD) {
            for (; ir < six; ir += 6) {
              const app = ap + (<usize>(ir * kb) << 3);
              if (nr == width) sixRows(kb, app, bpp, cp, ldc, alpha);
              else {
                memory.fill(tmp, 0, 48 * width);
                sixRows(kb, app, bpp, tmp, width << 3, alpha);
                addTile(6, nr, tmp, width, cp, ldc);
              }
              cp += 6 * ldc;
            }
          }
          for (; ir < mb; ir += 4) {
            const app = ap + (<usize>(ir * kb) << 3), mr = min(4, mb - ir);
            for (let j = 0; j < nr; j += 4) {
              const half = bpp + (<usize>(j * kb) << 3), to = cp + (<usize>j << 3);
              if (mr == 4 && j + 4 <= nr) micro(kb, app, half, to, ldc, alpha);
              else microEdge(kb, app, half, to, ldc, alpha, mr, min(4, nr - j), tmp);
            }
            cp += 4 * ldc;
          }
        }
      }
    }
  }
}

/** The tile of six rows that is fastest here. */
// @ts-ignore: decorator
@inline
function sixRows(k: i32, ap: usize, bp: usize, cp: usize, ldc: usize, alpha: f64): void {
  if (wide) micro6x8(k, ap, bp, cp, ldc, alpha);
  else micro6(k, ap, bp, cp, ldc, alpha);
}
