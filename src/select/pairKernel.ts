import type { ParallelKernel } from "../matrix/index.ts";
import type { Exports } from "./kernel/pairInformation.wasm.ts";
import { type Discrete, marginOf, variable } from "./discrete.ts";

/** Variables in the kernel's form. */
export interface PairLayout {
  readonly records: number;
  readonly codesAt: number;
  /** 64-bit words of a bit set. */
  readonly words: number;
  readonly mostLevels: number;
}

/** Numbers of a record of the kernel. */
export const RECORD = 5;
/** Marks a variable without bit sets, which is counted row by row. */
export const NO_SETS: number = 2 ** 15;
const MOST_SET_LEVELS = 65;

/**
 * Writes records, codes, bit sets and margins; after the variables there is room for one more, without bit
 * sets.
 */
export function layOut(kernel: ParallelKernel<Exports>, variables: Discrete): PairLayout {
  const { rows, cols, levels } = variables;
  const words = Math.ceil(rows / 64);
  const sets = Array.from(levels, storedSets);
  const records = kernel.reserve(4 * RECORD * (cols + 1));
  const codesAt = kernel.reserve(2 * rows * (cols + 1));
  const setsAt = sets.map((count) => (count === NO_SETS ? 0 : kernel.reserve(8 * words * count)));
  const marginsAt = sets.map((count) => (count === NO_SETS ? 0 : kernel.reserve(4 * (count + 1))));
  new Uint16Array(kernel.memory.buffer, codesAt, rows * cols).set(variables.codes);
  for (let f = 0; f < cols; f++) {
    const L = levels[f];
    kernel
      .i32(records + 4 * RECORD * f, RECORD)
      .set([L, sets[f], setsAt[f], codesAt + 2 * rows * f, marginsAt[f]]);
    if (sets[f] === NO_SETS) continue;
    const margins = marginOf(variables, f);
    const counts = kernel.i32(marginsAt[f], sets[f] + 1).fill(0);
    counts.set(margins.subarray(0, L - 1));
    counts[sets[f]] = margins[L - 1];
    fillSets(kernel.i32(setsAt[f], 2 * words * sets[f]), variable(variables, f), L, 2 * words);
  }
  return { records, codesAt, words, mostLevels: levels.reduce((a, b) => Math.max(a, b), 1) };
}

/** Levels 0 .. L - 2, padded to an even number. */
function storedSets(levels: number): number {
  return levels > MOST_SET_LEVELS ? NO_SETS : 2 * Math.ceil((levels - 1) / 2);
}

function fillSets(sets: Int32Array, codes: Uint16Array, levels: number, stride: number): void {
  sets.fill(0);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < levels - 1) sets[codes[i] * stride + (i >> 5)] |= 1 << (i & 31);
  }
}
