/**
 * Decimal text to the nearest double.
 *
 * Up to 2^53 and 10^22 one multiplication or division of exact doubles is correctly rounded (Clinger 1990). Up to 18
 * digits the result is formed in double-double arithmetic (Dekker 1971), whose error is below 2^-90 relative; the
 * rounded sum is the nearest double unless the remainder is that close to half a unit, and only then, or beyond
 * these ranges, `Number` decides.
 */
const POWERS: Float64Array = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** 10^-k as a double; `inverseRest` is what it lacks. */
const INVERSES = POWERS.map((power) => 1 / power);
const EXACT = 2 ** 53;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number that `text` spells in full, or undefined. Infinite only if it is too large for a double. */
export function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/**
 * The number found by a scanner: its first nine digits in `mantissa` (invalid for more integer digits) and
 * the further fraction digits in `low`; their positions, in the form of `longNumber`. Never negative.
 */
export function decimalValue(
  bytes: Uint8Array,
  mantissa: number,
  low: number,
  whole: number,
  wholeDigits: number,
  fraction: number,
  fractionDigits: number,
  exponent: number,
): number {
  const digits = wholeDigits + fractionDigits;
  const scale = exponent - fractionDigits;
  if (digits <= 9 && scale >= -22 && scale <= 22) {
    return scale < 0 ? mantissa / POWERS[-scale] : mantissa * POWERS[scale];
  }
  if (digits > 9 && digits <= 18 && wholeDigits <= 9) {
    const value = joinDigits(mantissa, low, digits - 9, scale);
    if (value >= 0) return value;
  }
  return longNumber(bytes, whole, wholeDigits, fraction, fractionDigits, exponent);
}

/**
 * A number of many digits, found by the scanner: `wholeDigits` at `whole`, then `fractionDigits` at
 * `fraction`, and the written exponent. Never negative.
 */
function longNumber(
  bytes: Uint8Array,
  whole: number,
  wholeDigits: number,
  fraction: number,
  fractionDigits: number,
  exponent: number,
): number {
  let text = "0";
  for (let p = whole; p < whole + wholeDigits; p++) text += String.fromCharCode(bytes[p]);
  for (let p = fraction; p < fraction + fractionDigits; p++) text += String.fromCharCode(bytes[p]);
  return Number(`${text}e${exponent - fractionDigits}`);
}

/**
 * (high 10^lowDigits + low) 10^exponent correctly rounded, or -1 if double-double arithmetic cannot decide or
 * the exponent is out of range; both have at most 9 digits.
 */
function joinDigits(high: number, low: number, lowDigits: number, exponent: number): number {
  if (exponent < -44 || exponent > 22) return -1;
  const power = POWERS[lowDigits];
  const product = high * power;
  let h = product + low;
  if (h < EXACT && exponent >= -22) {
    return exponent < 0 ? h / POWERS[-exponent] : h * POWERS[exponent];
  }
  let l = low - (h - product) + productError(high, power, product);
  let e = exponent;
  while (e < 0) {
    const k = e < -22 ? 22 : -e;
    e += k;
    const inverse = INVERSES[k];
    const product = h * inverse;
    l = productError(h, inverse, product) + (h * inverseRest(k) + l * inverse);
    h = product;
  }
  if (e > 0) {
    const power = POWERS[e];
    const product = h * power;
    l = productError(h, power, product) + l * power;
    h = product;
  }
  const sum = h + l;
  const rest = l - (sum - h);
  // If stretching the remainder by 2^-30 moves the sum, it is too close to a tie.
  return sum + rest * (1 + 2 ** -30) === sum ? sum : -1;
}

let rests: Float64Array | undefined;

/** 10^-k less its double. */
function inverseRest(k: number): number {
  rests ??= POWERS.map((power, j) => {
    const product = INVERSES[j] * power;
    return (1 - product - productError(INVERSES[j], power, product)) / power;
  });
  return rests[k];
}

/** a b - product, exactly (Veltkamp splitting; no operand is near overflow here). */
function productError(a: number, b: number, product: number): number {
  const s = 134217729 * a;
  const ah = s - (s - a);
  const al = a - ah;
  const t = 134217729 * b;
  const bh = t - (t - b);
  const bl = b - bh;
  return al * bl - (product - ah * bh - al * bh - ah * bl);
}
