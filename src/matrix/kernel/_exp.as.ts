// Powers of e, two at a time.
import { madd } from "./_micro.as";

/** e^x of both lanes for -700 <= x <= 0: x = k ln 2 + r, the series of e^r, and k in the exponent. */
// @ts-ignore: decorator
@inline
export function exp2lanes(x: v128): v128 {
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
