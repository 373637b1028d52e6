/**
 * Distinct texts by their bytes: a text that occurs a million times is stored once, and no string is made
 * before the end. Open addressing with linear probing; the bytes of all texts lie in one array. If nearly all
 * of the first texts are new, looking them up costs more than it saves: from then on each text is stored
 * without lookup.
 */
import { mayBeMissingWord } from "../kinds/missingWords.ts";

export interface TextStore {
  /** The index of the text among the distinct ones. */
  add(bytes: Uint8Array, start: number, end: number): number;
  readonly count: number;
  /** Whether a text may be stored twice. */
  readonly repeats: boolean;
  /** Bytes taken. */
  readonly bytes: number;
  /** All bytes in sequence, for detecting their encoding. */
  readonly all: Uint8Array;
  strings(decoder: TextDecoder): string[];
  /** The indices of possible words for a missing value, by their length and first byte. */
  maybeMissing(): number[];
}

/** @param repeats whether texts are stored without lookup from the first on */
export function textStore(repeats = false): TextStore {
  let arena: Uint8Array = new Uint8Array(1 << 10);
  let used = 0;
  let starts = new Float64Array(1 << 6);
  let hashes = new Int32Array(1 << 6);
  let table = new Int32Array(1 << 7).fill(-1);
  let count = 0;
  let adds = 0;

  const append = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start;
    if (used + length > arena.length) {
      const larger = new Uint8Array(Math.max(arena.length * 2, used + length));
      larger.set(arena.subarray(0, used));
      arena = larger;
    }
    if (length < 32) for (let p = start, q = used; p < end; p++) arena[q++] = bytes[p];
    else arena.set(bytes.subarray(start, end), used);
    starts[count] = used;
    used += length;
    if (++count === starts.length) grow();
    return count - 1;
  };

  const grow = (): void => {
    const moreStarts = new Float64Array(starts.length * 2);
    moreStarts.set(starts);
    starts = moreStarts;
    if (repeats) return;
    if (count >= SURE && count > NEW * adds) {
      repeats = true;
      hashes = table = new Int32Array(0);
      return;
    }
    const moreHashes = new Int32Array(hashes.length * 2);
    moreHashes.set(hashes);
    hashes = moreHashes;
    table = new Int32Array(table.length * 2).fill(-1);
    const mask = table.length - 1;
    for (let code = 0; code < count; code++) {
      let at = hashes[code] & mask;
      while (table[at] >= 0) at = (at + 1) & mask;
      table[at] = code;
    }
  };

  const same = (code: number, bytes: Uint8Array, start: number, end: number): boolean => {
    let at = starts[code];
    const stop = code + 1 < count ? starts[code + 1] : used;
    if (stop - at !== end - start) return false;
    for (let p = start; p < end; p++) if (arena[at++] !== bytes[p]) return false;
    return true;
  };

  return {
    add(bytes, start, end) {
      if (repeats) return append(bytes, start, end);
      adds++;
      let hash = end - start;
      let p = start;
      for (; p + 4 <= end; p += 4) {
        const four = bytes[p] | (bytes[p + 1] << 8) | (bytes[p + 2] << 16) | (bytes[p + 3] << 24);
        hash = Math.imul(hash ^ four, 0x9e3779b1);
        hash ^= hash >>> 15;
      }
      for (; p < end; p++) hash = Math.imul(hash ^ bytes[p], 0x01000193);
      hash ^= hash >>> 15;
      hash = Math.imul(hash, 0x2c1b3c6d);
      hash ^= hash >>> 13;
      const mask = table.length - 1;
      let at = hash & mask;
      for (let code = table[at]; code >= 0; code = table[at]) {
        if (hashes[code] === hash && same(code, bytes, start, end)) return code;
        at = (at + 1) & mask;
      }
      hashes[count] = hash;
      table[at] = count;
      return append(bytes, start, end);
    },
    get count() {
      return count;
    },
    get repeats() {
      return repeats;
    },
    get bytes() {
      return arena.length + starts.length * 8 + (hashes.length + table.length) * 4;
    },
    get all() {
      return arena.subarray(0, used);
    },
    strings(decoder) {
      const strings: string[] = [];
      strings.length = count;
      const stop = (code: number): number => (code < count ? starts[code] : used);
      // One call of the decoder for many texts; in an ASCII block bytes and characters agree.
      for (let from = 0; from < count;) {
        let to = from + 1;
        while (to < count && stop(to + 1) - starts[from] < BLOCK) to++;
        const bytes = arena.subarray(starts[from], stop(to));
        const text = decoder.decode(bytes);
        const plain = isAscii(bytes);
        for (let code = from; code < to; code++) {
          const start = starts[code] - starts[from];
          const end = stop(code + 1) - starts[from];
          strings[code] = plain ? text.slice(start, end) : decoder.decode(bytes.subarray(start, end));
        }
        from = to;
      }
      return strings;
    },
    maybeMissing() {
      const found: number[] = [];
      for (let code = 0; code < count; code++) {
        const length = (code + 1 < count ? starts[code + 1] : used) - starts[code];
        if (mayBeMissingWord(arena[starts[code]], length)) found.push(code);
      }
      return found;
    },
  };
}

const BLOCK = 1 << 14;
/** Number of texts after which this is decided, and the share of new ones among them. */
const SURE = 1 << 15;
const NEW = 0.8;

function isAscii(bytes: Uint8Array): boolean {
  for (let p = 0; p < bytes.length; p++) if (bytes[p] > 127) return false;
  return true;
}
