/**
 * The arrays of numbers in a line of JSON, read from its bytes: `JSON.parse` makes an object of every number,
 * which takes most of the reading time for vectors. The rest of the line, with null for each array, goes
 * through `JSON.parse`.
 */
import { decimalValue } from "../../files/number.ts";
import { numberArrayOf } from "./decimals.ts";

export interface LineVectors {
  /** The position of the line break, or the end of the bytes. */
  readonly end: number;
  /** The line without its arrays of numbers. */
  readonly rest: string;
  /** The fields that had an array, in order. */
  readonly keys: readonly string[];
  /** Views that the next call overwrites. */
  readonly vectors: readonly Float64Array[];
}

const NEWLINE = 10;
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

/**
 * Reads the line that starts at `from`, to its line break or to `to`. Undefined if no field is an array of
 * numbers, or if anything is unusual: then the line is parsed whole.
 */
export function lineVectors(bytes: Uint8Array, from: number, to: number): LineVectors | undefined {
  let depth = 0;
  let p = from;
  let key = "";
  let stringStart = 0;
  let stringEnd = 0;
  let kept = from;
  let rest = "";
  const keys: string[] = [];
  const vectors: Float64Array[] = [];
  while (p < to) {
    const c = bytes[p];
    if (c === NEWLINE) break;
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
      // The array reader overwrites its earlier results.
      if (vectors.length === 1) vectors[0] = vectors[0].slice();
      const fast = numberArrayOf(bytes, p + 1, to);
      const end = fast === undefined ? numberArray(bytes, p + 1, to) : p + 1 + fast.bytes;
      if (end < 0) return undefined;
      if (fast === undefined) vectors.push(numbers.slice(0, count));
      else vectors.push(vectors.length === 0 ? fast.values : fast.values.slice());
      rest += `${utf8.decode(bytes.subarray(kept, p))}null`;
      keys.push(key);
      p = kept = end;
      continue;
    }
    p++;
  }
  if (keys.length === 0) return undefined;
  if (p > to) return undefined;
  return { end: p, rest: rest + utf8.decode(bytes.subarray(kept, p)), keys, vectors };
}

/** Numbers of the array so far. */
let count = 0;

function makeRoom(more: number): void {
  if (count + more <= numbers.length) return;
  const larger = new Float64Array(2 * numbers.length);
  larger.set(numbers);
  numbers = larger;
}

/**
 * Reads numbers of any length up to the closing bracket, puts them into `numbers` and returns the position
 * after it; -1 for anything else.
 */
function numberArray(bytes: Uint8Array, from: number, to: number): number {
  let p = from;
  count = 0;
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
    makeRoom(1);
    numbers[count++] = negative ? -value : value;
    c = bytes[p];
    while (c === 32 || c === 9) c = bytes[++p];
    if (p >= to) return -1;
    p++;
    if (c === CLOSE) return p;
    if (c !== COMMA) return -1;
  }
}
