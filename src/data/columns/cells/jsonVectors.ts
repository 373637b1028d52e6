/**
 * The arrays of numbers in a line of JSON, read from its bytes: `JSON.parse` makes an object of every number, which
 * takes most of the time of reading vectors. What is left of the line, with null in the place of each array, goes
 * through `JSON.parse`.
 */
import { decimalValue } from "../../files/number.ts";

export interface LineVectors {
  /** The line without its arrays of numbers. */
  readonly rest: string;
  /** The fields that had one, in order. */
  readonly keys: readonly string[];
  /** Views that the next call writes over. */
  readonly vectors: readonly Float64Array[];
}

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const ZERO = 48;
const COLON = 58;
const OPEN = 91;
const BACKSLASH = 92;
const CLOSE = 93;
const BRACE = 123;
const END_BRACE = 125;

const utf8 = new TextDecoder();
let numbers = new Float64Array(1 << 12);

/** Undefined where the line has no array of numbers as a field of its own, or anything unusual: then parse it whole. */
export function lineVectors(bytes: Uint8Array, from: number, to: number): LineVectors | undefined {
  let depth = 0;
  let p = from;
  let key = "";
  let stringStart = 0;
  let stringEnd = 0;
  let kept = from;
  let rest = "";
  const keys: string[] = [];
  const ends: number[] = [];
  count = 0;
  while (p < to) {
    const c = bytes[p];
    if (c === QUOTE) {
      stringStart = ++p;
      while (p < to && bytes[p] !== QUOTE) p += bytes[p] === BACKSLASH ? 2 : 1;
      stringEnd = p++;
      continue;
    }
    if (c === COLON && depth === 1) key = utf8.decode(bytes.subarray(stringStart, stringEnd));
    else if (c === BRACE) depth++;
    else if (c === END_BRACE) depth--;
    else if (c === OPEN) {
      if (depth !== 1 || key.includes("\\")) return undefined;
      const end = numberArray(bytes, p + 1, to);
      if (end < 0) return undefined;
      rest += `${utf8.decode(bytes.subarray(kept, p))}null`;
      keys.push(key);
      ends.push(count);
      p = kept = end;
      continue;
    }
    p++;
  }
  if (keys.length === 0) return undefined;
  const vectors = ends.map((end, k) => numbers.subarray(k === 0 ? 0 : ends[k - 1], end));
  return { rest: rest + utf8.decode(bytes.subarray(kept, to)), keys, vectors };
}

/** Numbers of the line so far. */
let count = 0;

/** Reads numbers up to the closing bracket, puts them behind those in `numbers` and returns the place after it; -1 where something else is. */
function numberArray(bytes: Uint8Array, from: number, to: number): number {
  let p = from;
  for (;;) {
    let c = bytes[p];
    while (c === 32 || c === 9) c = bytes[++p];
    const negative = c === MINUS;
    if (negative) c = bytes[++p];
    const whole = p;
    let mantissa = 0;
    let low = 0;
    let d = c - ZERO;
    while (d >= 0 && d <= 9) {
      mantissa = (Math.imul(mantissa, 10) + d) | 0;
      d = bytes[++p] - ZERO;
    }
    const wholeDigits = p - whole;
    if (wholeDigits === 0 || (wholeDigits > 1 && bytes[whole] === ZERO)) return -1;
    let fraction = p;
    let fractionDigits = 0;
    if (bytes[p] === POINT) {
      fraction = ++p;
      const room = fraction + 9 - wholeDigits;
      d = bytes[p] - ZERO;
      while (d >= 0 && d <= 9 && p < room) {
        mantissa = (Math.imul(mantissa, 10) + d) | 0;
        d = bytes[++p] - ZERO;
      }
      while (d >= 0 && d <= 9) {
        low = (Math.imul(low, 10) + d) | 0;
        d = bytes[++p] - ZERO;
      }
      fractionDigits = p - fraction;
      if (fractionDigits === 0) return -1;
    }
    let exponent = 0;
    c = bytes[p];
    if ((c | 32) === 101) {
      c = bytes[++p];
      const down = c === MINUS;
      if (down || c === 43) c = bytes[++p];
      const first = p;
      while (c >= 48 && c <= 57) {
        exponent = Math.min(exponent * 10 + c - 48, 99999);
        c = bytes[++p];
      }
      if (p === first) return -1;
      if (down) exponent = -exponent;
    }
    const value = decimalValue(bytes, mantissa, low, whole, wholeDigits, fraction, fractionDigits, exponent);
    if (count === numbers.length) {
      const larger = new Float64Array(numbers.length * 2);
      larger.set(numbers);
      numbers = larger;
    }
    numbers[count++] = negative ? -value : value;
    c = bytes[p];
    while (c === 32 || c === 9) c = bytes[++p];
    if (p >= to) return -1;
    p++;
    if (c === CLOSE) return p;
    if (c !== COMMA) return -1;
  }
}
