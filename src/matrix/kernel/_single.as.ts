/** Single precision: a * b + c, fused in the relaxed build. */
// @ts-ignore: decorator
@inline
export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(f32x4.mul(a, b), c);
}

// The products of four rows with a panel of eight, left by `tile`.
export let t00: v128 = f32x4.splat(0);
export let t01: v128 = f32x4.splat(0);
export let t10: v128 = f32x4.splat(0);
export let t11: v128 = f32x4.splat(0);
export let t20: v128 = f32x4.splat(0);
export let t21: v128 = f32x4.splat(0);
export let t30: v128 = f32x4.splat(0);
export let t31: v128 = f32x4.splat(0);

/**
 * Rows whose numbers lie `step` bytes apart from p0, p1, p2 and p3 on, with a panel of `bytes` bytes, feature after feature,
 * in single precision.
 */
// @ts-ignore: decorator
@inline
export function tile(p0: usize, p1: usize, p2: usize, p3: usize, step: usize, bp: usize, bytes: usize): void {
  let c00 = f32x4.splat(0), c01 = c00, c10 = c00, c11 = c00, c20 = c00, c21 = c00, c30 = c00, c31 = c00;
  for (const end = bp + bytes; bp < end; p0 += step, p1 += step, p2 += step, p3 += step, bp += 32) {
    const b0 = v128.load(bp), b1 = v128.load(bp, 16);
    let a = v128.load_splat<f32>(p0);
    c00 = madd(a, b0, c00);
    c01 = madd(a, b1, c01);
    a = v128.load_splat<f32>(p1);
    c10 = madd(a, b0, c10);
    c11 = madd(a, b1, c11);
    a = v128.load_splat<f32>(p2);
    c20 = madd(a, b0, c20);
    c21 = madd(a, b1, c21);
    a = v128.load_splat<f32>(p3);
    c30 = madd(a, b0, c30);
    c31 = madd(a, b1, c31);
  }
  t00 = c00;
  t01 = c01;
  t10 = c10;
  t11 = c11;
  t20 = c20;
  t21 = c21;
  t30 = c30;
  t31 = c31;
}

/** One bit for each pair of a tile that passed. */
// @ts-ignore: decorator
@inline
export function bits(c00: v128, c01: v128, c10: v128, c11: v128, c20: v128, c21: v128, c30: v128, c31: v128): u32 {
  const any = v128.or(v128.or(v128.or(c00, c01), v128.or(c10, c11)), v128.or(v128.or(c20, c21), v128.or(c30, c31)));
  if (!v128.any_true(any)) return 0;
  return i32x4.bitmask(c00) | (i32x4.bitmask(c01) << 4) | (i32x4.bitmask(c10) << 8) |
    (i32x4.bitmask(c11) << 12) | (i32x4.bitmask(c20) << 16) | (i32x4.bitmask(c21) << 20) |
    (i32x4.bitmask(c30) << 24) | (i32x4.bitmask(c31) << 28);
}
