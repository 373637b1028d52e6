/**
 * The regularised incomplete beta function
 *
 *     I_x(a, b) = 1/B(a, b) int_0^x t^(a-1) (1-t)^(b-1) dt
 *
 * by its continued fraction (A. R. DiDonato and A. H. Morris, 1992, equation 9), evaluated with the modified Lentz
 * method on the side where it converges fast, x < (a+1)/(a+b+2), and by I_x(a, b) = 1 - I_{1-x}(b, a) on the other.
 *
 * @param y 1 - x, given apart because the caller often knows it with more digits than 1 - x keeps
 */
export function incompleteBeta(a: number, b: number, x: number, y: number = 1 - x): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(b, a, y, x);
  const front = Math.exp(a * logOf(x, y) + b * logOf(y, x) - logBeta(a, b));
  return front / continuedFraction(a, b, x, y);
}

/** log x; close to 1, the complement y = 1 - x has the digits. */
function logOf(x: number, y: number): number {
  return x > 0.5 ? Math.log1p(-y) : Math.log(x);
}

/** log Gamma(x) for x > 0: recurrence up to 10, then Stirling's series (DLMF 5.11.1). */
export function logGamma(x: number): number {
  let shift = 0;
  while (x < 10) shift -= Math.log(x++);
  const r = 1 / (x * x);
  const series =
    (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - (r * 691) / 360360))))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

/**
 * log B(a, b). For a large argument, log Gamma(a) - log Gamma(a + b) cancels; there the difference is formed from
 * Stirling's series term by term.
 */
function logBeta(a: number, b: number): number {
  const large = Math.max(a, b);
  const small = Math.min(a, b);
  if (large < 1e3) return logGamma(a) + logGamma(b) - logGamma(a + b);
  const whole = large + small;
  const ratio =
    (large - 0.5) * Math.log1p(-small / whole) -
    small * Math.log(whole) +
    small +
    (1 / large - 1 / whole) / 12 -
    (1 / large ** 3 - 1 / whole ** 3) / 360;
  return logGamma(small) + ratio;
}

/**
 * The even part of the fraction, with coefficients written in x and y = 1 - x both: for large a and x close to 1 the
 * plain coefficients cancel and lose as many digits as a has.
 */
function continuedFraction(a: number, b: number, x: number, y: number): number {
  let f = guard((a * (a * y - b * x + 1)) / (a + 1));
  let c = f;
  let d = 0;
  for (let m = 1; m <= 10_000; m++) {
    const e = a + 2 * m;
    const alpha = ((m * (a + m - 1)) / (e - 1)) * ((a + b + m - 1) / (e - 1)) * (b - m) * x * x;
    const beta = m + (m * (b - m) * x) / (e - 1) + ((a + m) * (a * y - b * x + 1 + m * (1 + y))) / (e + 1);
    d = 1 / guard(beta + alpha * d);
    c = guard(beta + alpha / c);
    const step = c * d;
    f *= step;
    if (Math.abs(step - 1) < 2e-16) break;
  }
  return f;
}

function guard(value: number): number {
  return Math.abs(value) < 1e-300 ? 1e-300 : value;
}
