import { matrix, parallelKernel, type Matrix, type ParallelKernel } from "../matrix/index.ts";
import {
  jointVariable,
  marginOf,
  variable,
  type Discrete,
  type LevelTables,
  type LevelLayout,
} from "./discrete.ts";
import * as binary from "./kernel/pairInformation.wasm.ts";

/**
 * Mutual information between discrete variables, computed on demand: a selection of k of d features needs k
 * rows of the d x d matrix.
 */
export interface PairInformation {
  readonly count: number;
  readonly entropies: Float64Array;
  /** I(variable v; variable j) for every j; at j = v the entropy. */
  row(v: number): Float64Array;
  /** All pairs. */
  matrix(): Matrix;
}

/** In contrast to counts of pairs, rows also give the information of two variables about a third. */
export interface JointInformation extends PairInformation {
  /** I((variable u, variable v); variable j) for every j. */
  jointRow(u: number, v: number): Float64Array;
}

/**
 * From rows: counts are made by bit sets and popcounts, and exist only for their pair. To read: `pairInformation` below,
 * which takes histograms; test/select/plainPairs.ts adds the rest.
 *
 * @param allPairs whether `matrix` will be called, which pays for threads earlier
 */
export function withPairInformation<R>(
  variables: Discrete,
  table: InformationTable,
  allPairs: boolean,
  work: (pairs: JointInformation) => R,
): R {
  const steps = (variables.rows / 16) * variables.cols * (allPairs ? variables.cols / 2 : 1);
  const kernel = parallelKernel<binary.Exports>("select/pairInformation", binary, steps > PARALLEL_STEPS);
  return kernel.scope(() => work(kernelPairs(kernel, variables, table)));
}

/** From counts of any source. */
export function pairInformation(tables: LevelTables, table: InformationTable): PairInformation {
  const { levels } = tables;
  const count = levels.length;
  const sums = Float64Array.from(levels, (_, v) => sumOfT(table, tables.margin(v)));
  const row = (u: number): Float64Array =>
    Float64Array.from(levels, (levelsV, v) => {
      const joint = u === v ? sums[v] : sumOfT(table, tables.joint(u, v));
      return settled(table.T(tables.rows) + joint - sums[u] - sums[v], levels[u], levelsV) * table.scale;
    });
  return {
    count,
    entropies: entropies(sums, table),
    row,
    matrix() {
      const all = matrix(count, count);
      for (let v = 0; v < count; v++) all.data.set(row(v), v * count);
      return all;
    },
  };
}

const PARALLEL_STEPS = 4e6;
/** Variables of a tile of the kernel. */
const TILE = 16;

function kernelPairs(
  kernel: ParallelKernel<binary.Exports>,
  variables: Discrete,
  table: InformationTable,
): JointInformation {
  const { rows, cols, levels } = variables;
  const { scale } = table;
  const { records, codesAt, words, mostLevels } = layOut(kernel, variables);
  const sums = kernel.reserve(8 * (cols + 1));
  const tableAt = kernel.reserve(8 * (rows + 1));
  const rowAt = kernel.reserve(8 * cols);
  const T = kernel.f64(tableAt, rows + 1);
  for (let k = 0; k <= rows; k++) T[k] = table.T(k);
  const ownSums = Float64Array.from(levels, (_, f) => sumOfT(table, marginOf(variables, f)));
  kernel.f64(sums, cols).set(ownSums);

  const run = (u: number, levelsU: number): Float64Array => {
    const scratch = 4 * Math.max(levelsU * mostLevels, mostLevels + 2);
    const blocks = kernel.threads === 1 ? 1 : 4 * kernel.threads;
    const block = Math.ceil(cols / blocks);
    const args = [records, sums, cols, rows, words, tableAt, scale, u, block, rowAt] as const;
    kernel.run("informationRow", Math.ceil(cols / block), scratch, args);
    return kernel.f64(rowAt, cols).slice();
  };
  return {
    count: cols,
    entropies: entropies(ownSums, table),
    row: (v) => run(v, levels[v]),
    jointRow(u, v) {
      const joint = jointVariable(variable(variables, u), variable(variables, v), levels[v]);
      const counts = new Int32Array(joint.levels);
      for (const code of joint.codes) counts[code]++;
      const codes = codesAt + 2 * rows * cols;
      new Uint16Array(kernel.memory.buffer, codes, rows).set(joint.codes);
      kernel.f64(sums, cols + 1)[cols] = sumOfT(table, counts);
      kernel.i32(records + 4 * RECORD * cols, RECORD).set([joint.levels, NO_SETS, 0, codes, 0]);
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
        const args = [records, sums, cols, rows, words, tableAt, scale, tilesAt, outAt] as const;
        kernel.run("informationTile", tiles.length, scratch, args);
        return matrix(cols, cols, kernel.f64(outAt, cols * cols).slice());
      }),
  };
}

function entropies(sums: Float64Array, { rows, T, scale }: InformationTable): Float64Array {
  return sums.map((sum) => Math.max(0, T(rows) - sum) * scale);
}

/** Variables in the kernel's form. */
interface PairLayout {
  readonly records: number;
  readonly codesAt: number;
  /** 64-bit words of a bit set. */
  readonly words: number;
  readonly mostLevels: number;
}

/** Numbers of a record of the kernel. */
const RECORD = 5;
/** Marks a variable without bit sets, which is counted row by row. */
const NO_SETS: number = 2 ** 15;
const MOST_SET_LEVELS = 65;

/**
 * Writes records, codes, bit sets and margins; after the variables there is room for one more, without bit
 * sets.
 */
function layOut(kernel: ParallelKernel<binary.Exports>, variables: Discrete): PairLayout {
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

/** Counted before they are added: a megabyte of them. */
const CELLS = 2 ** 18;

/**
 * Entropies from counts. With T(k) = k log k and n rows,
 *
 *     H(X) = (T(n) - sum_a T(n_a)) / n ,     I(X; Y) = (T(n) + sum_ab T(n_ab) - sum_a T(n_a) - sum_b T(n_b)) / n .
 *
 * Miller and Madow (1955) add (occupied cells - 1) / 2n to a plug-in entropy; the same two formulas give it with
 * T(k) - 1/2 for every k > 0. T is stored as integers in units of 2^-s, with the largest 2^s that keeps all
 * sums below 2^53: sums are then exact in any order, so I(X; Y) and I(Y; X), or X and a copy of it with
 * renamed levels, agree in every bit, and ties between features are exact. The rounding of T costs no more
 * than adding doubles would.
 */
export type Estimator = "plug-in" | "miller-madow";
export type Unit = "nats" | "bits";

export interface InformationTable {
  readonly rows: number;
  /** An integer for every count from 0 to n, for any n. */
  T(count: number): number;
  /** Makes a sum of `T` an information: 2^-s / n. */
  readonly scale: number;
}

export function informationTable(rows: number, estimator: Estimator, unit: Unit): InformationTable {
  const log = unit === "bits" ? Math.log2 : Math.log;
  const largest = Math.max(1, rows * log(rows));
  const units = 2 ** (51 - Math.ceil(Math.log2(largest)));
  const correction = estimator === "miller-madow" ? log(Math.E) / 2 : 0;
  return {
    rows,
    T: (k) => (k > 0 ? Math.round((k * log(k) - correction) * units) : 0),
    scale: 1 / (units * rows),
  };
}

/** sum T(n_a) over the cells of a table. */
function sumOfT({ T }: InformationTable, counts: ArrayLike<number>): number {
  let sum = 0;
  for (let a = 0; a < counts.length; a++) sum += T(counts[a]);
  return sum;
}

/**
 * Rounding makes every T uncertain by at most 1: a sum of (levels_u + 1) (levels_v + 1) of them that is no
 * larger cannot be distinguished from 0, and a negative one (a Miller-Madow information of nearly independent
 * variables) counts as 0.
 */
function settled(sum: number, levelsU: number, levelsV: number): number {
  return sum > (levelsU + 1) * (levelsV + 1) ? sum : 0;
}
