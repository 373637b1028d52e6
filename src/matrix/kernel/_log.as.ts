// The natural logarithm without a table, so that kernels that share a memory need no constants there.

/** log x for a normal x > 0: x = 2^k (1 + f) with f near 0, and the series of fdlibm's e_log.c; below one unit in the last place. */
export function log(x: f64): f64 {
  const bits = reinterpret<u64>(x);
  let k = <f64>(<i32>(bits >> 52) - 1023), m = reinterpret<f64>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const f = m - 1, s = f / (2 + f), z = s * s, half = 0.5 * f * f;
  let r = 0.14798198605116586;
  r = r * z + 0.15313837699209373;
  r = r * z + 0.1818357216161805;
  r = r * z + 0.22222198432149784;
  r = r * z + 0.2857142874366239;
  r = r * z + 0.3999999999940942;
  r = r * z + 0.6666666666666735;
  return k * 0.6931471803691238 - (half - (s * (half + r * z) + k * 1.9082149292705877e-10) - f);
}
