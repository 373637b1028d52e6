/**
 * The arrays of numbers in a line of JSON, read from its bytes: `JSON.parse` makes an object of every number,
 * which takes most of the reading time for vectors. The rest of the line, with null for each array, goes
 * through `JSON.parse`.
 */
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
const COLON = 58;
const OPEN = 91;
const BACKSLASH = 92;
const BRACE = 123;
const END_BRACE = 125;

const utf8 = new TextDecoder();

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
      const array = numberArrayOf(bytes, p + 1, to);
      if (array === undefined) return undefined;
      vectors.push(vectors.length === 0 ? array.values : array.values.slice());
      rest += `${utf8.decode(bytes.subarray(kept, p))}null`;
      keys.push(key);
      p = kept = p + 1 + array.bytes;
      continue;
    }
    p++;
  }
  if (keys.length === 0) return undefined;
  if (p > to) return undefined;
  return { end: p, rest: rest + utf8.decode(bytes.subarray(kept, p)), keys, vectors };
}
