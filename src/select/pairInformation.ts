import { matrix, parallelKernel, type Matrix, type ParallelKernel } from "../matrix/index.ts";
import { type Discrete, jointVariable, type LevelTables, marginOf, variable } from "./discrete.ts";
import { type InformationTable, settled, sumOfT } from "./informationTable.ts";
import * as binary from "./kernel/pairInformation.wasm.ts";
import { layOut, NO_SETS, RECORD } from "./pairKernel.ts";

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
