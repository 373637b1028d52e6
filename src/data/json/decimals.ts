import { loadKernel, type Kernel } from "../../matrix/index.ts";
import { buildProblem } from "../../matrix/internal.ts";
import * as binary from "./kernel/decimals.wasm.ts";

/** What kernel/decimals.as.ts exports. */
interface DecimalKernel {
  numbers(from: number, to: number, out: number, powers: number, least: number, most: number): number;
}

export interface NumberArray {
  /** Bytes of the array, with its closing bracket. */
  readonly bytes: number;
  /** A view that the next call overwrites. */
  readonly values: Float64Array;
}

/** Range of the powers of ten in the table; numbers beyond are read one by one. */
const LEAST = -80;
const MOST = 80;
/** Bytes on both sides of the text that the kernel may read. */
const BESIDE = 64;
/** Number of bytes tried first. */
const FIRST = 1 << 12;

interface Reader {
  readonly kernel: Kernel<DecimalKernel>;
  readonly powers: number;
  text: number;
  out: number;
  room: number;
  /** Likely upper bound for the bytes of the next array, from the last one. */
  usual: number;
}

let reader: Reader | undefined;
let unable = false;

/**
 * Reads an array of JSON numbers whose opening bracket is before `from`. Undefined if it holds anything
 * except numbers of at most 19 digits, or does not end before `to`: the caller then reads it in another way.
 */
export function numberArrayOf(bytes: Uint8Array, from: number, to: number): NumberArray | undefined {
  if (unable) return undefined;
  reader ??= opened();
  if (reader === undefined) return undefined;
  for (let length = Math.min(to - from, reader.usual); ; length = Math.min(to - from, 4 * length)) {
    if (length > reader.room) grow(reader, length);
    const { kernel, powers, text, out } = reader;
    const copy = new Uint8Array(kernel.memory.buffer, text, length + 1);
    copy.set(bytes.subarray(from, from + length));
    copy[length] = 0;
    const read = kernel.exports.numbers(text, text + length, out, powers, LEAST, MOST);
    if (read > 0) {
      reader.usual = Math.max(FIRST, read + (read >> 3));
      return { bytes: read, values: kernel.f64(out, kernel.i32(powers - 8, 1)[0]) };
    }
    if (read === 0 || length === to - from) return undefined;
  }
}

function opened(): Reader | undefined {
  unable = buildProblem(binary, "simd") !== undefined;
  if (unable) return undefined;
  const kernel = loadKernel<DecimalKernel>("data/decimals", binary, { build: "simd" });
  // The count of the numbers is stored before the table.
  const powers = kernel.reserve(64 + 16 * (MOST - LEAST + 1)) + 64;
  const table = new BigUint64Array(kernel.memory.buffer, powers, 2 * (MOST - LEAST + 1));
  for (let q = LEAST; q <= MOST; q++) {
    const power = fivePower(q);
    table[2 * (q - LEAST)] = power >> 64n;
    table[2 * (q - LEAST) + 1] = power & 0xffffffffffffffffn;
  }
  const own: Reader = { kernel, powers, text: 0, out: 0, room: 0, usual: FIRST };
  grow(own, 1 << 16);
  return own;
}

/** A number takes at least two bytes, with its separator. The previous memory is released. */
function grow(own: Reader, length: number): void {
  const room = Math.max(length, 2 * own.room);
  own.text = own.kernel.reserve(room + 2 * BESIDE) + BESIDE;
  own.out = own.kernel.reserve(4 * room + 16);
  own.room = room;
}

/** The leading 128 bits of 5^q; of its inverse, rounded up (Lemire 2021, section 5). */
function fivePower(q: number): bigint {
  let power = 5n ** BigInt(Math.abs(q));
  const length = BigInt(power.toString(2).length);
  if (q >= 0) return length <= 128n ? power << (128n - length) : power >> (length - 128n);
  const bits = q >= -27 ? length + 127n : 2n * length + 128n;
  power = (1n << bits) / power + 1n;
  while (power >= 1n << 128n) power >>= 1n;
  return power;
}
