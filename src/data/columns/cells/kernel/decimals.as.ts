/**
 * An array of JSON numbers, from its bytes to the nearest doubles. A number of at most 19 digits, w 10^q, is the product
 * of w and the leading 128 bits of 5^q, which decide its 53 bits and their rounding (Lemire 2021, "Number parsing at a
 * gigabyte per second", algorithm 1; Mushtak and Lemire 2023 show that no case is left open within the table).
 */

const DIGITS: u64 = 0x3030303030303030;

/** Bytes read up to and with the closing bracket; 0 where something else is met, for the caller to look at. */
export function numbers(from: usize, to: usize, out: usize, powers: usize, least: i32, most: i32): usize {
  let p = from;
  let at = out;
  while (true) {
    let c = load<u8>(p);
    while (c == 32 || c == 9) c = load<u8>(++p);
    const negative = c == 45;
    if (negative) c = load<u8>(++p);
    const whole = p;
    let w: u64 = 0;
    while (c >= 48 && c <= 57) {
      w = w * 10 + (c - 48);
      c = load<u8>(++p);
    }
    let digits = <i32>(p - whole);
    if (digits == 0 || digits > 19 || (digits > 1 && load<u8>(whole) == 48)) return 0;
    let q = 0;
    if (c == 46) {
      const point = ++p;
      let eight = load<u64>(p);
      while (allDigits(eight)) {
        w = w * 100000000 + eightDigits(eight);
        p += 8;
        if (p - point > 24) return 0;
        eight = load<u64>(p);
      }
      c = load<u8>(p);
      while (c >= 48 && c <= 57) {
        w = w * 10 + (c - 48);
        c = load<u8>(++p);
      }
      const places = <i32>(p - point);
      if (places == 0) return 0;
      q = -places;
      digits += places;
      if (digits > 19) {
        // Zeros before the first digit do not count.
        if (load<u8>(whole) != 48) return 0;
        let zeros = point;
        while (zeros < p && load<u8>(zeros) == 48) zeros++;
        if (<i32>(p - zeros) > 19) return 0;
      }
    }
    if ((c | 32) == 101) {
      c = load<u8>(++p);
      const down = c == 45;
      if (down || c == 43) c = load<u8>(++p);
      let e = 0;
      const first = p;
      while (c >= 48 && c <= 57 && e < 1000) {
        e = e * 10 + (c - 48);
        c = load<u8>(++p);
      }
      if (p == first || (c >= 48 && c <= 57)) return 0;
      q += down ? -e : e;
    }
    if (w == 0) store<u64>(at, negative ? 0x8000000000000000 : 0);
    else {
      if (q < least || q > most) return 0;
      const bits = nearest(w, q, powers + (<usize>(q - least) << 4));
      if (bits == 0) return 0;
      store<u64>(at, negative ? bits | 0x8000000000000000 : bits);
    }
    at += 8;
    while (c == 32 || c == 9) c = load<u8>(++p);
    if (p >= to) return 0;
    p++;
    if (c == 93) {
      store<u32>(powers - 8, <u32>((at - out) >> 3));
      return p - from;
    }
    if (c != 44) return 0;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function allDigits(eight: u64): bool {
  return (
    ((eight & 0xf0f0f0f0f0f0f0f0) | (((eight + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4)) == 0x3333333333333333
  );
}

/** The first digit is in the lowest byte. */
// @ts-ignore: decorator
@inline
function eightDigits(eight: u64): u64 {
  let v = eight - DIGITS;
  v = v * 10 + (v >> 8);
  const pairs = (v & 0x000000ff000000ff) * 0x000f424000000064;
  return ((pairs + ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32) & 0xffffffff;
}

/** The upper half of a b. */
// @ts-ignore: decorator
@inline
function upperHalf(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff;
  const a1 = a >> 32;
  const b0 = b & 0xffffffff;
  const b1 = b >> 32;
  const middle = a1 * b0 + ((a0 * b0) >> 32);
  return a1 * b1 + (middle >> 32) + ((a0 * b1 + (middle & 0xffffffff)) >> 32);
}

/** The bits of the double nearest to w 10^q; 0 where it is too small or too large to be decided here. */
// @ts-ignore: decorator
@inline
function nearest(given: u64, q: i32, power: usize): u64 {
  const lead = clz(given);
  const w = given << lead;
  const five = load<u64>(power);
  let top = upperHalf(w, five);
  let bottom = w * five;
  if ((top & 0x1ff) == 0x1ff) {
    const more = upperHalf(w, load<u64>(power, 8));
    bottom += more;
    if (more > bottom) top++;
  }
  if (bottom == 0xffffffffffffffff && (q < -27 || q > 55)) return 0;
  const upper = top >> 63;
  let mantissa = top >> (upper + 9);
  let exponent = ((217706 * q) >> 16) + 63 + <i32>upper - <i32>lead + 1023;
  if (exponent <= 0 || exponent >= 2046) return 0;
  // Half-way between two doubles, the even one is right.
  if (bottom <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == top) {
    mantissa &= ~(<u64>1);
  }
  mantissa += mantissa & 1;
  mantissa >>= 1;
  if (mantissa >= 0x20000000000000) {
    mantissa = 0x10000000000000;
    exponent++;
  }
  return (mantissa & 0xfffffffffffff) | (<u64>exponent << 52);
}
