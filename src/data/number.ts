/**
 * Decimal text to the nearest double.
 *
 * Up to 2^53 and 10^22 one multiplication or division of exact doubles is correctly rounded (Clinger 1990). Up to 22
 * digits the quotient is formed in double-double arithmetic (Dekker 1971), whose error is below 2^-95 relative; the
 * rounded sum is the nearest double unless the remainder is that close to half a unit, and only then, or beyond
 * these ranges, `Number` decides.
 */
export const POWERS: Float64Array = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`));

/** The largest mantissa whose digits were all accumulated exactly. */
export const EXACT = 9007199254740991;

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number that `text` spells in full, or undefined. Infinite only if it is too large for a double. */
export function parseNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined;
}

/** The number in `bytes[start .. end)`, which must be a decimal number (spaces before it allowed). */
export function parseLongNumber(bytes: Uint8Array, start: number, end: number, point: number): number {
  let p = start;
  while (bytes[p] === 32 || bytes[p] === 9) p++;
  const negative = bytes[p] === 45;
  if (negative || bytes[p] === 43) p++;
  let high = 0; // the first 15 significant digits
  let low = 0; // the next 7
  let digits = 0;
  let exponent = 0;
  let fraction = 0;
  for (; p < end; p++) {
    const d = bytes[p] - 48;
    if (d >= 0 && d <= 9) {
      exponent -= fraction;
      if (digits === 0 && d === 0) continue;
      digits++;
      if (digits <= 15) high = high * 10 + d;
      else if (digits <= 22) low = low * 10 + d;
    } else if (bytes[p] === point) {
      fraction = 1;
    } else {
      break;
    }
  }
  const mark = bytes[p] | 32;
  if (p < end && mark === 101) {
    p++;
    const minus = bytes[p] === 45;
    if (minus || bytes[p] === 43) p++;
    let e = 0;
    for (; p < end && bytes[p] >= 48 && bytes[p] <= 57; p++) e = Math.min(e * 10 + bytes[p] - 48, 99999);
    exponent += minus ? -e : e;
  }
  if (digits <= 22 && exponent >= -44 && exponent <= 22) {
    const value = scaled(high, low, digits, exponent);
    if (value >= 0) return negative ? -value : value;
  }
  let text = "";
  for (let q = start; q < p; q++) text += bytes[q] === point ? "." : String.fromCharCode(bytes[q]);
  return Number(text);
}

/** (high, low) * 10^exponent correctly rounded, or -1 if double-double arithmetic cannot tell. */
function scaled(high: number, low: number, digits: number, exponent: number): number {
  if (high === 0) return 0;
  let h = high;
  let l = 0;
  if (digits > 15) {
    const power = POWERS[digits - 15];
    const product = high * power;
    const error = productError(high, power, product);
    h = product + low;
    l = low - (h - product) + error;
  }
  let e = exponent;
  while (e < 0) {
    const power = POWERS[e < -22 ? 22 : -e];
    e = e < -22 ? e + 22 : 0;
    const quotient = h / power;
    const product = quotient * power;
    l = (h - product - productError(quotient, power, product) + l) / power;
    h = quotient;
  }
  if (e > 0) {
    const power = POWERS[e];
    const product = h * power;
    l = productError(h, power, product) + l * power;
    h = product;
  }
  const sum = h + l;
  const rest = l - (sum - h);
  // If stretching the remainder by 2^-30 moves the sum, a tie is too near to call.
  return sum + rest * (1 + 9.313225746154785e-10) === sum ? sum : -1;
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
