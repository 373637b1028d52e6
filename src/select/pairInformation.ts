import { matrix, type Matrix } from "../matrix/matrix.ts";
import { parallelKernel, type ParallelKernel } from "../matrix/parallel.ts";
import { kernelBuild } from "../matrix/wasm.ts";
import { type Discrete, jointVariable, levelCounts, variable } from "./discrete.ts";
import { type InformationTable, settled } from "./informationTable.ts";
import * as binary from "./kernel/pairInformation.wasm.ts";

/**
 * Mutual information between the variables of a table, computed when it is asked for: a selection of k of d features
 * looks at k rows of the d x d matrix. Counts are made by bit sets and popcounts, and live as long as their pair.
 */
export interface PairInformation {
  readonly count: number;
  readonly entropies: Float64Array;
  /** I(variable v; variable j) for every j; at j = v the entropy. */
  row(v: number): Float64Array;
  /** I((variable u, variable v); variable j) for every j. */
  jointRow(u: number, v: number): Float64Array;
  /** All pairs. */
  matrix(): Matrix;
}

interface PairKernel {
  informationTile(task: number, scratch: number, ...args: number[]): void;
  informationRow(task: number, scratch: number, ...args: number[]): void;
}

/** @param allPairs whether `matrix` will be called, which pays for threads earlier */
export function withPairInformation<R>(
  variables: Discrete,
  table: InformationTable,
  allPairs: boolean,
  work: (pairs: PairInformation) => R,
): R {
  if (kernelBuild() === undefined) return work(plainPairs(variables, table));
  const steps = (variables.rows / 16) * variables.cols * (allPairs ? variables.cols / 2 : 1);
  const kernel = parallelKernel<PairKernel>("select/pairInformation", binary, steps > PARALLEL_STEPS);
  return kernel.scope(() => work(kernelPairs(kernel, variables, table)));
}

const PARALLEL_STEPS = 4e6;
/** Numbers of the kernel's records and tiles. */
const RECORD = 5;
const TILE = 16;
/** Variables with more levels are counted row by row. */
const MOST_SET_LEVELS = 65;
const NO_SETS = 2 ** 15;

function kernelPairs(
  kernel: ParallelKernel<PairKernel>,
  variables: Discrete,
  { T, scale }: InformationTable,
): PairInformation {
  const { rows, cols, levels } = variables;
  const words = Math.ceil(rows / 64);
  const sets = Array.from(levels, storedSets);
  const mostLevels = levels.reduce((a, b) => Math.max(a, b), 1);
  // The joint variable of two, made anew by each `jointRow`, is one record more.
  const records = kernel.reserve(4 * RECORD * (cols + 1));
  const sums = kernel.reserve(8 * (cols + 1));
  const tableAt = kernel.reserve(8 * (rows + 1));
  const codesAt = kernel.reserve(2 * rows * (cols + 1));
  const setsAt = sets.map((count) => (count === NO_SETS ? 0 : kernel.reserve(8 * words * count)));
  const marginsAt = sets.map((count) => (count === NO_SETS ? 0 : kernel.reserve(4 * (count + 1))));
  const rowAt = kernel.reserve(8 * cols);

  kernel.f64(tableAt, rows + 1).set(T);
  const shorts = (): Uint16Array => new Uint16Array(kernel.memory.buffer, codesAt, rows * (cols + 1));
  shorts().set(variables.codes);
  for (let f = 0; f < cols; f++) {
    const L = levels[f];
    const margins = levelCounts(variables, f);
    kernel.f64(sums, cols)[f] = margins.reduce((sum, count) => sum + T[count], 0);
    kernel
      .i32(records + 4 * RECORD * f, RECORD)
      .set([L, sets[f], setsAt[f], codesAt + 2 * rows * f, marginsAt[f]]);
    if (sets[f] === NO_SETS) continue;
    const counts = kernel.i32(marginsAt[f], sets[f] + 1).fill(0);
    counts.set(margins.subarray(0, L - 1));
    counts[sets[f]] = margins[L - 1];
    fillSets(kernel.i32(setsAt[f], 2 * words * sets[f]), variable(variables, f), L, 2 * words);
  }

  const run = (u: number, levelsU: number): Float64Array => {
    const scratch = 4 * Math.max(levelsU * mostLevels, mostLevels + 2);
    const blocks = kernel.threads === 1 ? 1 : 4 * kernel.threads;
    const block = Math.ceil(cols / blocks);
    const args = [records, sums, cols, rows, words, tableAt, scale, u, block, rowAt];
    kernel.run("informationRow", Math.ceil(cols / block), scratch, args);
    return kernel.f64(rowAt, cols).slice();
  };
  return {
    count: cols,
    entropies: entropies(variables, T, scale),
    row: (v) => run(v, levels[v]),
    jointRow(u, v) {
      const joint = jointVariable(variable(variables, u), variable(variables, v), levels[v]);
      const counts = new Int32Array(joint.levels);
      for (const code of joint.codes) counts[code]++;
      shorts().set(joint.codes, rows * cols);
      kernel.f64(sums, cols + 1)[cols] = counts.reduce((sum, count) => sum + T[count], 0);
      kernel
        .i32(records + 4 * RECORD * cols, RECORD)
        .set([joint.levels, NO_SETS, 0, codesAt + 2 * rows * cols, 0]);
      return run(cols, joint.levels);
    },
    matrix: () =>
      kernel.scope(() => {
        const across = Math.ceil(cols / TILE);
        const tiles = Array.from({ length: across }, (_, i) =>
          Array.from({ length: across - i }, (_, j) => [i, i + j]),
        ).flat();
        const tilesAt = kernel.reserve(8 * tiles.length);
        const outAt = kernel.reserve(8 * cols * cols);
        kernel.i32(tilesAt, 2 * tiles.length).set(tiles.flat());
        const scratch = 4 * Math.max(mostLevels * mostLevels, mostLevels + 2);
        const args = [records, sums, cols, rows, words, tableAt, scale, tilesAt, outAt];
        kernel.run("informationTile", tiles.length, scratch, args);
        return matrix(cols, cols, kernel.f64(outAt, cols * cols).slice());
      }),
  };
}

/** Levels 0 .. L - 2, made up to an even number. */
function storedSets(levels: number): number {
  return levels > MOST_SET_LEVELS ? NO_SETS : 2 * Math.ceil((levels - 1) / 2);
}

function fillSets(sets: Int32Array, codes: Uint16Array, levels: number, stride: number): void {
  sets.fill(0);
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] < levels - 1) sets[codes[i] * stride + (i >> 5)] |= 1 << (i & 31);
  }
}

function entropies(variables: Discrete, T: Float64Array, scale: number): Float64Array {
  return Float64Array.from({ length: variables.cols }, (_, f) => {
    const sum = levelCounts(variables, f).reduce((total, count) => total + T[count], 0);
    return Math.max(0, T[variables.rows] - sum) * scale;
  });
}

/** Histograms in TypeScript: what the kernel is tested against, and what runs without WebAssembly. */
function plainPairs(variables: Discrete, { T, scale }: InformationTable): PairInformation {
  const { rows, cols, levels } = variables;
  const sums = Float64Array.from({ length: cols }, (_, f) =>
    levelCounts(variables, f).reduce((sum, count) => sum + T[count], 0),
  );
  const rowOf = (codes: Uint16Array, levelsU: number): Float64Array => {
    const margins = new Int32Array(levelsU);
    for (const code of codes) margins[code]++;
    const own = margins.reduce((sum, count) => sum + T[count], 0);
    return Float64Array.from({ length: cols }, (_, v) => {
      const counts = new Int32Array(levelsU * levels[v]);
      for (let i = 0; i < rows; i++) counts[codes[i] * levels[v] + variables.codes[v * rows + i]]++;
      const joint = counts.reduce((sum, count) => sum + T[count], 0);
      return settled(T[rows] + joint - own - sums[v], levelsU, levels[v]) * scale;
    });
  };
  const row = (v: number): Float64Array => rowOf(variable(variables, v), levels[v]);
  return {
    count: cols,
    entropies: entropies(variables, T, scale),
    row,
    jointRow(u, v) {
      const joint = jointVariable(variable(variables, u), variable(variables, v), levels[v]);
      return rowOf(joint.codes, joint.levels);
    },
    matrix() {
      const all = matrix(cols, cols);
      for (let v = 0; v < cols; v++) all.data.set(row(v), v * cols);
      return all;
    },
  };
}
