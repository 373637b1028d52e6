import type { Matrix } from "../matrix/index.ts";

/**
 * A sample of the requested size with the named rows: those with the smallest numbers, where a row's number
 * is a hash of its values, of the number of equal rows before it, and of the seed. So the sample does not
 * depend on the order of rows, except among equal ones.
 */
export function drawnRows(
  X: Matrix,
  size: number,
  seed: number,
  named: readonly number[] = [],
): Int32Array<ArrayBuffer> {
  const { rows: n, cols: d } = X;
  const keys = new Float64Array(n);
  // Open addressing: the count of each hash; the load is at most a half.
  const slots = 2 ** Math.ceil(Math.log2(2 * n + 2));
  const seen = new Float64Array(slots).fill(-1);
  const times = new Int32Array(slots);
  const words = new Uint32Array(X.data.buffer, X.data.byteOffset, 2 * X.data.length);
  for (let i = 0; i < n; i++) {
    let [a, b] = [seed ^ 0x9e3779b9, Math.imul(seed, 0x85ebca6b) ^ 0xc2b2ae35];
    for (let p = 2 * i * d; p < 2 * (i + 1) * d; p += 2) {
      // -0 is 0.
      const zero = words[p] === 0 && (words[p + 1] & 0x7fffffff) === 0;
      a = mixed(a ^ words[p]);
      a = mixed(a ^ (zero ? 0 : words[p + 1]));
      b = mixed((b + a) | 0);
    }
    const hash = numberOf(a, b);
    let slot = (a ^ b) & (slots - 1);
    while (seen[slot] !== -1 && seen[slot] !== hash) slot = (slot + 1) & (slots - 1);
    seen[slot] = hash;
    const before = times[slot]++;
    keys[i] = before === 0 ? hash : numberOf(mixed(a ^ before), mixed(b + before));
  }
  for (const row of named) keys[row] = keys[row] / 2 - 1;
  const border = Float64Array.from(keys).sort()[size - 1];
  const kept: number[] = [];
  for (let i = 0; i < n; i++) if (keys[i] <= border) kept.push(i);
  return Int32Array.from(kept.sort((i, j) => keys[i] - keys[j] || i - j).slice(0, size));
}

/** 53 bits in [0, 1). */
function numberOf(a: number, b: number): number {
  return ((a >>> 5) * 0x4000000 + (b >>> 6)) / 0x20000000000000;
}

/** The finaliser of MurmurHash3 (Appleby). */
function mixed(value: number): number {
  let z = value;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
