// Rows as 16-bit integers, whose products take a quarter of the instructions of those of doubles. They only estimate:
// with x = u q + r for a row x, its integers q, their unit u and the rest r,
//
//     |x - y|^2 = |x|^2 + |y|^2 - 2 u_x u_y q_x'q_y,   off by at most 2 (|r_x||y| + |x||r_y| + |r_x||r_y|).
//
// A row has w integers, w a multiple of 16, and three floats, its facts: u, |x| and a bound on |r|.

/** The length of a row of integers: the product of two is below 2^31 (Cauchy and Schwarz). */
const LENGTH: f64 = 46000;
const LARGEST: f64 = 32767;
const LEAST: f64 = 1e-18;
/** Adding it rounds to an integer, in the lowest bits of the sum. */
const ROUND: f64 = 6755399441055744;

/**
 * The row (x - center) factor, d numbers; both have a zero after an odd number. Facts are `step` bytes from each other; a row
 * too long for floats has an infinite rest. No length is 0, so the rest of another times a length is a number.
 */
export function shortRow(
  d: i32, w: i32, x: usize, center: usize, factor: f64, to: usize, facts: usize, step: usize,
): void {
  const end = x + (<usize>((d + 1) & ~1) << 3);
  let sums = f64x2.splat(0), most = sums;
  for (let at = x, m = center; at < end; at += 16, m += 16) {
    const value = f64x2.sub(v128.load(at), v128.load(m));
    sums = f64x2.add(sums, f64x2.mul(value, value));
    most = f64x2.max(most, f64x2.abs(value));
  }
  const length = sqrt(f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1));
  let scale = min(LENGTH / length, LARGEST / max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)));
  if (!(scale < 1e150)) scale = 0;
  const unit = scale > 0 ? 1 / scale : 0, scales = f64x2.splat(scale), units = f64x2.splat(unit);
  const round = f64x2.splat(ROUND), last = to + (<usize>w << 1);
  let rest = f64x2.splat(0);
  for (; x < end; x += 16, center += 16, to += 4) {
    const value = f64x2.sub(v128.load(x), v128.load(center)), rounded = f64x2.add(f64x2.mul(value, scales), round);
    v128.store_lane<i16>(to, rounded, 0);
    v128.store_lane<i16>(to, rounded, 4, 2);
    const off = f64x2.sub(value, f64x2.mul(f64x2.sub(rounded, round), units));
    rest = f64x2.add(rest, f64x2.mul(off, off));
  }
  for (; to < last; to += 4) store<i32>(to, 0);
  const loss = sqrt(f64x2.extract_lane(rest, 0) + f64x2.extract_lane(rest, 1));
  const fits = length * factor < 1e15;
  store<f32>(facts, fits ? <f32>(unit * factor) : 0);
  store<f32>(facts + step, fits ? <f32>(length * factor + LEAST) : <f32>LEAST);
  // Rounded up, and more than any loss by underflow.
  store<f32>(facts + 2 * step, fits ? <f32>(loss * factor * (1 + 1e-6) + LEAST) : Infinity);
}

// @ts-ignore: decorator
@inline
function add(x: v128, y: v128, sum: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(x, y));
}

/** The sums of the lanes of each. */
// @ts-ignore: decorator
@inline
function laneSums(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i64>(ab, cd, 0, 2), v128.shuffle<i64>(ab, cd, 1, 3));
}

/** The product of two rows. */
export function shortProduct(w: i32, x: usize, y: usize): i32 {
  let a = i32x4.splat(0), b = a;
  for (const end = x + (<usize>w << 1); x < end; x += 32, y += 32) {
    a = add(v128.load(x), v128.load(y), a);
    b = add(v128.load(x, 16), v128.load(y, 16), b);
  }
  a = i32x4.add(a, b);
  a = i32x4.add(a, v128.shuffle<i32>(a, a, 2, 3, 0, 1));
  return i32x4.extract_lane(a, 0) + i32x4.extract_lane(a, 1);
}

/** The products of a row with the four from y on. */
export function shortProducts(w: i32, x: usize, y: usize): v128 {
  let a0 = i32x4.splat(0), a1 = a0, a2 = a0, a3 = a0;
  const bytes = <usize>w << 1, end = x + bytes;
  let y1 = y + bytes, y2 = y1 + bytes, y3 = y2 + bytes;
  for (; x < end; x += 32, y += 32, y1 += 32, y2 += 32, y3 += 32) {
    const v = v128.load(x), u = v128.load(x, 16);
    a0 = add(v, v128.load(y), a0);
    a1 = add(v, v128.load(y1), a1);
    a2 = add(v, v128.load(y2), a2);
    a3 = add(v, v128.load(y3), a3);
    a0 = add(u, v128.load(y, 16), a0);
    a1 = add(u, v128.load(y1, 16), a1);
    a2 = add(u, v128.load(y2, 16), a2);
    a3 = add(u, v128.load(y3, 16), a3);
  }
  return laneSums(a0, a1, a2, a3);
}
