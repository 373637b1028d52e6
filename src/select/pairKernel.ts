import { parallelKernel, type ParallelKernel } from "../matrix/index.ts";
import * as binary from "./kernel/pairInformation.wasm.ts";
import type { LevelLayout } from "./levelCounts.ts";
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
export function layOut(kernel: ParallelKernel<binary.Exports>, variables: Discrete): PairLayout {
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

/** Adds the counts of all pairs of variables, for some of the rows, to those of others; laid out as `LevelCounts`. */
export function addPairCounts(variables: Discrete, layout: LevelLayout, into: Float64Array): void {
  if (variables.rows === 0 || variables.cols < 2) return;
  const { rows, cols } = variables;
  const { before, starts } = layout;
  const steps = (rows / 16) * cols * (cols / 2);
  const kernel = parallelKernel<binary.Exports>("select/pairInformation", binary, steps > PARALLEL_STEPS);
  kernel.scope(() => {
    const { records, words, mostLevels } = layOut(kernel, variables);
    const beforeAt = kernel.reserve(4 * (cols + 1));
    kernel.i32(beforeAt, cols + 1).set(before);
    const block = kernel.threads === 1 ? cols : Math.ceil(cols / (4 * kernel.threads));
    for (let u = 0, end = 0; u < cols - 1; u = end) {
      end = u + 1;
      while (end < cols - 1 && starts[end + 1] - starts[u] <= CELLS) end++;
      const cells = starts[end] - starts[u];
      kernel.scope(() => {
        const outAt = kernel.reserve(4 * cells);
        const args = [records, beforeAt, cols, rows, words, u, end, block, outAt] as const;
        kernel.run("countBlock", Math.ceil(cols / block), 4 * (mostLevels + 2), args);
        const counts = kernel.i32(outAt, cells);
        for (let p = 0, at = starts[u]; p < cells; p++, at++) into[at] += counts[p];
      });
    }
  });
}

const PARALLEL_STEPS = 4e6;
/** Counted before they are added: a megabyte of them. */
const CELLS = 2 ** 18;
