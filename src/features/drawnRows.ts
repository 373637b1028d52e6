import { takeTableRows, type Column, type Table } from "../data/index.ts";
import type { Matrix } from "../matrix/index.ts";

/** Number of rows used to learn weights, components and fills; the others are only converted. */
export const LEARNED_ROWS = 20_000;

/**
 * At most `most` rows of the table, in an order that depends only on their content. Rows are ordered by a
 * hash of their cells and of the number of equal rows before them, so the same rows in another order give the
 * same sample, and frequent rows are not drawn all together.
 */
export function drawnRows(table: Table, most: number, seed: number = 0): Int32Array {
  return drawn(rowHashes(table, seed), most);
}

/** The same for rows of numbers, by all of them; the named rows come first. */
export function drawnVectors(
  vectors: Matrix,
  most: number,
  seed: number,
  named: readonly number[] = [],
): Int32Array {
  return drawn(rowHashes({ rows: vectors.rows, columns: [{ vectors }] }, seed, Infinity), most, named);
}

function drawn(hashes: Uint32Array, most: number, named: readonly number[] = []): Int32Array {
  const n = hashes.length;
  const { places } = placesOf(hashes);
  const order = Float64Array.from(hashes, (hash, i) => mix(mix(hash, places[i]), 0x9e3779b9));
  for (const i of named) order[i] = -1;
  const kept = Math.min(n, most);
  if (n >= ROWS_IN_KEY) {
    const rows = Int32Array.from({ length: n }, (_, i) => i).sort((a, b) => order[a] - order[b] || a - b);
    return rows.slice(0, kept);
  }
  // One number per row sorts natively: the hash in the high bits, the row in the low ones.
  const keys = order.map((hash, i) => hash * ROWS_IN_KEY + i).sort();
  return Int32Array.from(keys.subarray(0, kept), (key) => (key < 0 ? key + ROWS_IN_KEY : key % ROWS_IN_KEY));
}

/** 32 bits of hash and 21 of row number fit into the 53 bits of a whole number. */
const ROWS_IN_KEY = 2 ** 21;

/**
 * The table as it was before it was written several times: if every row occurs 2, 4 or 6 times, each is taken half as often.
 * What is learned from it then does not depend on how often somebody wrote it.
 */
export function writtenOnce(table: Table): Table {
  const onceBy = (numbers: number): number[] | undefined => {
    const { places, counts } = placesOf(rowHashes(table, 0, numbers));
    const copies = counts.reduce(commonDivisor, 0);
    const different = counts.reduce((sum, count) => sum + Number(count > 0), 0);
    // Rows of a few levels occur again by themselves.
    if (copies < 2 || different < Math.max(copies, table.rows / copies / 2)) return undefined;
    return [...places.keys()].filter((i) => places[i] % copies === 0);
  };
  const rows = onceBy(FEW_NUMBERS) && onceBy(Infinity);
  return rows === undefined ? table : takeTableRows(table, rows);
}

/** Numbers of a vector that tell most rows apart. */
const FEW_NUMBERS = 4;

function commonDivisor(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

function rowHashes(
  table: { readonly rows: number; readonly columns: readonly Partial<Column>[] },
  seed: number,
  numbers = FEW_NUMBERS,
): Uint32Array {
  const n = table.rows;
  const hashes = new Uint32Array(n).fill(0x811c9dc5 ^ seed);
  for (const column of table.columns) {
    if (column.codes !== undefined && column.levels !== undefined) {
      const own = Uint32Array.from(column.levels, hashText);
      for (let i = 0; i < n; i++) {
        hashes[i] = mix(hashes[i], column.codes[i] < 0 ? 1 : own[column.codes[i]]);
      }
    } else if (column.values !== undefined) {
      for (let i = 0; i < n; i++) hashes[i] = mixNumber(hashes[i], column.values[i]);
    } else if (column.vectors !== undefined) {
      const { data, cols } = column.vectors;
      for (let i = 0; i < n; i++)
        for (let j = 0; j < Math.min(cols, numbers); j++)
          hashes[i] = mixNumber(hashes[i], data[i * cols + j]);
    } else if (column.cells !== undefined) {
      for (let i = 0; i < n; i++) hashes[i] = mix(hashes[i], hashText(column.cells[i]));
    }
  }
  return hashes;
}

/** Of every row the number of earlier rows with the same hash; how often each hash occurs. */
function placesOf(hashes: Uint32Array): { places: Int32Array; counts: Int32Array } {
  const n = hashes.length;
  let size = 16;
  while (size < 2 * n) size *= 2;
  const slots = new Int32Array(size).fill(-1);
  const counts = new Int32Array(size);
  const places = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    let slot = mix(hashes[i], 0x85ebca6b) & (size - 1);
    while (slots[slot] >= 0 && hashes[slots[slot]] !== hashes[i]) slot = (slot + 1) & (size - 1);
    if (slots[slot] < 0) slots[slot] = i;
    places[i] = counts[slot]++;
  }
  return { places, counts };
}

/** One step of MurmurHash3, with its finisher (Appleby 2011). */
function mix(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  let h = hash ^ k;
  h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}

const NUMBER = new Float64Array(1);
const WORDS = new Uint32Array(NUMBER.buffer);

function mixNumber(hash: number, value: number): number {
  NUMBER[0] = value + 0; // -0 is 0
  return Number.isNaN(value) ? mix(hash, 1) : mix(mix(hash, WORDS[0]), WORDS[1]);
}

/** FNV-1a of the code units (Fowler, Noll and Vo). */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
