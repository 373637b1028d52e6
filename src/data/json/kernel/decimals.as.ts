/**
 * An array of JSON numbers, from its bytes to the nearest doubles. A number of at most 19 digits, w 10^q, is the product
 * of w and the leading 128 bits of 5^q, which decide its 53 bits and their rounding (Lemire 2021, "Number parsing at a
 * gigabyte per second", algorithm 1; Mushtak and Lemire 2023 show that no case is left open within the table).
 */

/** The powers of ten that fit into 64 bits, followed by padding. */
const TENS = memory.data<u64>([
  1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
  10000000000000, 100000000000000, 1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
  10000000000000000000, 0, 0, 0, 0, 0,
]);

/**
 * Number of bytes read, including the closing bracket; 0 for anything else, which the caller handles; -1 if
 * the text ends before. The byte at `to` is not a digit, and 64 bytes on both sides of the text may be read.
 *
 * The ends of the numbers are found first, 64 bytes at once, and stored in the memory of the numbers. So no
 * number waits for the previous one.
 */
export function numbers(from: usize, to: usize, out: usize, powers: usize, least: i32, most: i32): i32 {
  const close = endsOf(from, to, out);
  if (close == 0) return -1;
  let start = from;
  let at = out;
  while (true) {
    const end = <usize>load<u64>(at);
    let p = start;
    let c = load<u8>(p);
    while (c == 32 || c == 9) c = load<u8>(++p);
    // Signs are unpredictable for the processor, so there is no branch.
    const negative = <u64>(c == 45);
    p += <usize>negative;
    const first = <u64>load<u8>(p) - 48;
    const places = <i32>(end - p) - 2;
    let bits: u64 = 0;
    if (load<u8>(p, 1) == 46 && first < 10 && <u32>(places - 1) < 24) {
      const before = digitsBefore(end, places);
      const last = fraction(end, places);
      // At most 19 digits, without zeros in front.
      if (last != NONE && (first == 0 ? before < 1000 : places < 19)) {
        const w = first * load<u64>(TENS + (<usize>places << 3)) + before * 10000000000000000 + last;
        const power = powers + (<usize>(-places - least) << 4);
        bits = w == 0 ? 0 : places < 5 ? nearest(w, -places, power) : usual(w, -places, power);
      } else if (!anyNumber(p, end, at, powers, least, most)) return 0;
      else bits = load<u64>(at);
    } else if (!anyNumber(p, end, at, powers, least, most)) return 0;
    else bits = load<u64>(at);
    store<u64>(at, bits | (negative << 63));
    at += 8;
    if (end == close) break;
    start = end + 1;
  }
  store<u32>(powers - 8, <u32>((at - out) >> 3));
  return <i32>(close + 1 - from);
}

/**
 * Writes the positions of the commas and of the bracket after them, which is returned; 0 if there is none.
 */
// @ts-ignore: decorator
@inline
function endsOf(from: usize, to: usize, out: usize): usize {
  const comma = i8x16.splat(44);
  const bracket = i8x16.splat(93);
  let at = out;
  for (let p = from; p < to; p += 64) {
    const a = v128.load(p);
    const b = v128.load(p, 16);
    const c = v128.load(p, 32);
    const d = v128.load(p, 48);
    let ends = mask(i8x16.eq(a, comma), i8x16.eq(b, comma), i8x16.eq(c, comma), i8x16.eq(d, comma));
    const closes = mask(i8x16.eq(a, bracket), i8x16.eq(b, bracket), i8x16.eq(c, bracket), i8x16.eq(d, bracket));
    if (closes != 0) {
      const last = ctz(closes);
      if (p + <usize>last >= to) return 0;
      ends &= ((<u64>1) << last) - 1;
      while (ends != 0) {
        store<u64>(at, p + <usize>ctz(ends));
        ends &= ends - 1;
        at += 8;
      }
      store<u64>(at, p + <usize>last);
      return p + <usize>last;
    }
    // Four at once in any case: the excess is overwritten.
    let next = at + (<usize>popcnt(ends) << 3);
    do {
      store<u64>(at, p + <usize>ctz(ends));
      ends &= ends - 1;
      store<u64>(at, p + <usize>ctz(ends), 8);
      ends &= ends - 1;
      store<u64>(at, p + <usize>ctz(ends), 16);
      ends &= ends - 1;
      store<u64>(at, p + <usize>ctz(ends), 24);
      ends &= ends - 1;
      at += 32;
    } while (ends != 0);
    at = next;
  }
  return 0;
}

// @ts-ignore: decorator
@inline
function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a) | (<u32>i8x16.bitmask(b) << 16)) |
    (<u64>(<u32>i8x16.bitmask(c) | (<u32>i8x16.bitmask(d) << 16)) << 32)
  );
}

/** Reads the unsigned number from p to `end` in any notation, and stores it; false if it is not a number. */
function anyNumber(from: usize, end: usize, at: usize, powers: usize, least: i32, most: i32): bool {
  let p = from;
  let c = load<u8>(p);
  let w: u64 = 0;
  while (c >= 48 && c <= 57) {
    w = w * 10 + (c - 48);
    c = load<u8>(++p);
  }
  let digits = <i32>(p - from);
  if (digits == 0 || digits > 19 || (digits > 1 && load<u8>(from) == 48)) return false;
  let q = 0;
  if (c == 46) {
    const point = ++p;
    c = load<u8>(p);
    while (c >= 48 && c <= 57) {
      w = w * 10 + (c - 48);
      c = load<u8>(++p);
    }
    const places = <i32>(p - point);
    if (places == 0) return false;
    digits += places;
    if (digits > 19) {
      // Zeros before the first digit do not count.
      if (load<u8>(from) != 48) return false;
      let zeros = point;
      while (zeros < p && load<u8>(zeros) == 48) zeros++;
      if (<i32>(p - zeros) > 19) return false;
    }
    q = -places;
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
    if (p == first || (c >= 48 && c <= 57)) return false;
    q += down ? -e : e;
  }
  while (c == 32 || c == 9) c = load<u8>(++p);
  if (p != end) return false;
  let bits: u64 = 0;
  if (w != 0) {
    if (q < least || q > most) return false;
    bits = nearest(w, q, powers + (<usize>(q - least) << 4));
    if (bits == 0) return false;
  }
  store<u64>(at, bits);
  return true;
}

/** Marks a value that is not 16 digits. */
const NONE: u64 = 0xffffffffffffffff;

/** The value of the last 16 of the `count` bytes before `end`, or of all of them. */
// @ts-ignore: decorator
@inline
function fraction(end: usize, count: i32): u64 {
  const places = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const own = i8x16.ge_s(places, i8x16.splat(<i8>(16 - count)));
  const digits = v128.and(i8x16.sub(v128.load(end - 16), i8x16.splat(48)), own);
  if (v128.any_true(i8x16.gt_u(digits, i8x16.splat(9)))) return NONE;
  const tens = i16x8(10, 1, 10, 1, 10, 1, 10, 1);
  const twos = i16x8.narrow_i32x4_s(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_u(digits), tens),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_u(digits), tens),
  );
  const fours = i32x4.dot_i16x8_s(twos, i16x8(100, 1, 100, 1, 100, 1, 100, 1));
  const eights = i32x4.dot_i16x8_s(i16x8.narrow_i32x4_s(fours, fours), i16x8(10000, 1, 10000, 1, 10000, 1, 10000, 1));
  return <u64>(<u32>i32x4.extract_lane(eights, 0)) * 100000000 + <u64>(<u32>i32x4.extract_lane(eights, 1));
}

/** The value of the bytes before these, at most 8 digits, the first in the lowest byte. */
// @ts-ignore: decorator
@inline
function digitsBefore(end: usize, count: i32): u64 {
  const shift = <u64>(32 - 4 * max(count - 16, 0));
  const mask: u64 = ~(<u64>0) << shift << shift;
  const eight = (load<u64>(end - 24) & mask) - (0x3030303030303030 & mask);
  if (((eight | (eight + 0x7676767676767676)) & 0x8080808080808080) != 0) return NONE;
  const v = eight * 10 + (eight >> 8);
  const pairs = (v & 0x000000ff000000ff) * 0x000f424000000064;
  return ((pairs + ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001) >> 32) & 0xffffffff;
}

/** The upper half of the product a b. */
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

/**
 * The same as `nearest` for q from -24 to -5, where no value lies half-way between two doubles. Without the
 * product of the lower halves and the lower words of the others the upper half of w 5^q is up to 3 too small;
 * this matters only if the discarded bits are nearly all ones.
 */
// @ts-ignore: decorator
@inline
function usual(given: u64, q: i32, power: usize): u64 {
  const lead = clz(given);
  const w = given << lead;
  const five = load<u64>(power);
  const w1 = w >> 32;
  const five1 = five >> 32;
  const top = w1 * five1 + ((w1 * (five & 0xffffffff)) >> 32) + (((w & 0xffffffff) * five1) >> 32);
  if ((top & 0x1ff) > 0x1fb) return nearest(given, q, power);
  const upper = top >> 63;
  const exponent = <u64>(((217706 * q) >> 16) + 63 + 1022) + upper - lead;
  // A mantissa that is rounded up to 2^53 correctly adds one to the exponent.
  return (exponent << 52) + (((top >> (upper + 9)) + 1) >> 1);
}

/** The bits of the double nearest to w 10^q; 0 if it is too small or too large to be decided here. */
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
