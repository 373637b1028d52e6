/**
 * Exact k nearest rows by squared Euclidean distance. The kernel (kernel/nearest.as.ts) filters by blocked products in
 * single precision and measures the remaining candidates directly, so distances have no cancellation: duplicates are at
 * exactly 0, and the answer equals that of comparing all pairs with features summed in ascending order, bit for bit, in
 * the relaxed build as well.
 */
import { inputError, optionError, rule } from "../core/internal.ts";
import { matrixRule } from "./asMatrix.ts";
import { columnMeans, rangeScale, scaled } from "./distances.ts";
import * as binary from "./kernel/nearest.wasm.ts";
import { largestSize, requireFinite, requireMatrix, type Matrix } from "./matrix.ts";
import { describeValue } from "./memoryRows.ts";
import { buildProblem, parallelKernel, type ParallelKernel } from "./wasm.ts";

/** Row i's neighbours are entries i k to (i + 1) k, ordered by distance and then by row number. */
export interface NearestRows {
  readonly indices: Int32Array;
  /** Squared distances. */
  readonly distances: Float64Array;
}

const RULES = {
  /**
   * Rows whose neighbours are sought; by default those of X itself, each without itself (but with its
   * duplicates).
   */
  queries: matrixRule,
};

export type NearestOptions = rule.OptionsOf<typeof RULES>;

/** Numbers of values of X, and of the queries and their lists, in the kernel's memory at a time. */
const BLOCK_VALUES = 2 ** 21;
/** Queries of one task. */
const SPAN = 128;
/** Multiplications from which several threads are faster than one. */
const PARALLEL = 2e7;

/** The k nearest other rows of each row, exactly; ties go to the smaller number. */
export function nearestRows(X: Matrix, k: number, options: NearestOptions = {}): NearestRows {
  const { queries: asked } = rule.resolveOptions("nearestRows", options, RULES);
  requireMatrix(X, "nearestRows");
  const queries = asked ?? X;
  const among = asked === undefined ? X.rows - 1 : X.rows;
  if (queries.cols !== X.cols) {
    throw inputError(`the queries have ${queries.cols} columns, the rows to search ${X.cols}`);
  }
  if (!Number.isInteger(k) || k < 1 || k > among) {
    throw optionError(
      `nearestRows: k must be an integer from 1 to ${among} (rows to choose from), got ${describeValue(k)}`,
    );
  }
  requireFinite(X, "the rows to search");
  if (asked !== undefined) requireFinite(queries, "the queries");

  const scale = rangeScale(Math.max(largestSize(X.data), largestSize(queries.data)));
  const A = scaled(X, scale);
  // Queries are distinguished from X itself by identity: X given as queries finds each row as its own
  // nearest.
  const Q = asked === undefined ? A : { ...scaled(queries, scale) };
  const result = {
    indices: new Int32Array(Q.rows * k),
    distances: new Float64Array(Q.rows * k),
  };
  if (A === Q && suitsPairs(A, k)) searchPairs(A, k, result);
  else search(A, Q, k, result);
  if (scale !== 1) {
    for (let p = 0; p < result.distances.length; p++) {
      result.distances[p] = result.distances[p] / scale / scale;
    }
  }
  return result;
}

function kernelFor(multiplications: number): ParallelKernel<binary.Exports> {
  const build = buildProblem(binary, "relaxed") === undefined ? "relaxed" : "simd";
  return parallelKernel<binary.Exports>("matrix/nearest", binary, multiplications > PARALLEL, { build });
}

function search(X: Matrix, Q: Matrix, k: number, result: NearestRows): void {
  const d = X.cols;
  const self = X === Q;
  const rowBlock = Math.min(X.rows, Math.max(64, Math.floor(BLOCK_VALUES / (d + 1))));
  const queryBlock = Math.min(Q.rows, Math.max(64, Math.floor(BLOCK_VALUES / (d + 2 * k))));
  const kernel = kernelFor(Q.rows * X.rows * d);
  kernel.scope(() => {
    const means = columnMeans(X);
    const center = kernel.reserve(8 * d);
    const x = reserveRows(kernel.reserve, rowBlock, d);
    const q = reserveRows(kernel.reserve, queryBlock, d);
    const distances = kernel.reserve(8 * queryBlock * k);
    const indices = kernel.reserve(4 * queryBlock * k);
    kernel.f64(center, d).set(means);
    const scale = unitScale(self ? [X] : [X, Q], means);
    for (let i = 0; i < Q.rows; i += queryBlock) {
      const count = Math.min(queryBlock, Q.rows - i);
      const tasks = Math.ceil(count / SPAN);
      kernel.f64(q.rows, count * d).set(Q.data.subarray(i * d, (i + count) * d));
      const lists = [distances, indices] as const;
      kernel.exports.pack(count, d, k, q.rows, center, scale, q.packed, q.full, q.norms, q.limits, ...lists);
      for (let r = 0; r < X.rows; r += rowBlock) {
        const rows = Math.min(rowBlock, X.rows - r);
        if (i === 0 || rowBlock < X.rows) {
          kernel.f64(x.rows, rows * d).set(X.data.subarray(r * d, (r + rows) * d));
          // They have no lists.
          kernel.exports.pack(rows, d, 0, x.rows, center, scale, x.packed, x.full, x.norms, x.limits, 0, 0);
        }
        const toSearch = [count, self ? i : -1, q.rows, q.packed, q.full, q.limits] as const;
        const among = [rows, r, x.rows, x.packed, x.norms] as const;
        kernel.run("among", tasks, 0, [SPAN, ...toSearch, ...among, d, k, scale * scale, ...lists]);
      }
      kernel.run("sort", tasks, 0, [SPAN, count, k, ...lists]);
      result.distances.set(kernel.f64(distances, count * k), i * k);
      result.indices.set(kernel.i32(indices, count * k), i * k);
    }
  });
}

/** Number of columns from which each pair of rows is examined once; by timings. */
const PAIRS_COLUMNS = 4;
/** Maximum number of bytes of all rows and their lists in memory. */
const PAIRS_BYTES = 1.5e9;
/** Bytes of the packed rows of a block, two of which stay in the second-level cache. */
const PAIRS_BLOCK = 2 ** 17;

function suitsPairs({ rows, cols }: Matrix, k: number): boolean {
  return cols >= PAIRS_COLUMNS && rows >= 64 && rows * (12 * (cols + k) + 16) <= PAIRS_BYTES;
}

/**
 * Blocks of rows against each other as in a tournament: in each round every block meets one other, so only one thread
 * writes a list of neighbours at a time, and the pairs of a round are as many as can be.
 */
function searchPairs(X: Matrix, k: number, result: NearestRows): void {
  const { rows: n, cols: d } = X;
  const kernel = kernelFor((n * n * d) / 2);
  kernel.scope(() => {
    const means = columnMeans(X);
    const center = kernel.reserve(8 * d);
    const { rows: x, packed, full, norms, limits } = reserveRows(kernel.reserve, n, d);
    const [distances, indices] = [kernel.reserve(8 * n * k), kernel.reserve(4 * n * k)];
    kernel.f64(center, d).set(means);
    kernel.f64(x, n * d).set(X.data);
    const scale = unitScale([X], means);
    kernel.exports.pack(n, d, k, x, center, scale, packed, full, norms, limits, distances, indices);
    const panels = Math.ceil(n / 8);
    const blocks = Math.ceil(panels / Math.max(1, Math.floor(PAIRS_BLOCK / (32 * d))));
    const all = [n, d, k, x, packed, full, norms, limits, scale * scale, distances, indices] as const;
    // An odd number of blocks gets one without rows.
    const even = blocks + (blocks & 1);
    for (let round = 0; round < even; round++) {
      const tasks = round === 0 ? blocks : even / 2;
      kernel.run("pairs", tasks, 0, [Math.ceil(panels / blocks), even, round, ...all]);
    }
    kernel.run("sort", Math.ceil(n / SPAN), 0, [SPAN, n, k, distances, indices]);
    result.distances.set(kernel.f64(distances, n * k));
    result.indices.set(kernel.i32(indices, n * k));
  });
}

/** Addresses of rows, of the same packed in panels of eight, and of what the filter knows of each. */
function reserveRows(reserve: (bytes: number) => number, rows: number, d: number) {
  const padded = (rows + 7) & ~7;
  return {
    rows: reserve(8 * rows * d),
    packed: reserve(4 * padded * d),
    full: reserve(8 * rows),
    norms: reserve(4 * padded),
    limits: reserve(4 * padded),
  };
}

/** A power of two that brings the largest entry, minus the centre, to about 1. */
function unitScale(all: readonly Matrix[], center: Float64Array): number {
  let largest = 0;
  for (const { data } of all) {
    for (let p = 0, f = 0; p < data.length; p++, f = f + 1 === center.length ? 0 : f + 1) {
      const size = Math.abs(data[p] - center[f]);
      if (size > largest) largest = size;
    }
  }
  return largest > 0 ? 2 ** -Math.max(-1022, Math.min(1022, Math.floor(Math.log2(largest)))) : 1;
}
