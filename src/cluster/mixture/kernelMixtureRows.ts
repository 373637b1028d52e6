/**
 * The sums of EM in WebAssembly, up to the number of columns for which a component's matrix fits into the first-level
 * cache. Segments of rows are tasks for threads, each with sums of its own, which are added up in their order: the
 * segments depend on the shape of the data alone, so results do not depend on the number of threads.
 */
import { matrix, parallelKernel, takeColumns, type Matrix, type ParallelKernel } from "../../matrix/index.ts";
import { mirrored, storeRows, unpadded } from "../../matrix/internal.ts";
import * as binary from "../kernel/mixture.wasm.ts";
import { inCovarianceShape, type CovarianceKind } from "./gaussianCovariance.ts";
import type { MixtureRows, Weighed } from "./mixtureRows.ts";

/** Columns up to which these loops are faster than products of whole blocks. */
const MOST_COLUMNS = 64;
/** Multiplications of a step from which several threads are faster than one. */
const PARALLEL = 1e6;
/** Segments at most, and rows in one at least. */
const SEGMENTS = 64;
const LEAST_ROWS = 256;
/** Bytes of the sums of all segments. */
const SUMS_BYTES = 2 ** 26;

/** Limits for large data; tests set them low. */
export interface Limits {
  readonly parallel: number;
  /** Rows and responsibilities up to this size stay in the kernel's memory; larger ones pass through it in blocks. */
  readonly residentBytes: number;
}
const LIMITS: Limits = { parallel: PARALLEL, residentBytes: 2 ** 30 };

/** The kind of covariances that are too wide for these loops. */
export function isWide(kind: CovarianceKind, d: number): "full" | "tied" | undefined {
  return d > MOST_COLUMNS && (kind === "full" || kind === "tied") ? kind : undefined;
}

function isFull(kind: CovarianceKind): boolean {
  return kind === "full" || kind === "tied";
}

export function withKernelRows<T>(
  X: Matrix,
  kind: CovarianceKind,
  R: Float64Array,
  work: (rows: MixtureRows) => T,
  limits: Limits = LIMITS,
): T {
  const kernel = kernelFor(X, kind, R.length / X.rows, limits.parallel);
  return kernel.scope(() => work(kernelRows(kernel, X, kind, R, limits.residentBytes)));
}

export function kernelFor(
  { rows, cols }: Matrix,
  kind: CovarianceKind,
  K: number,
  least: number = LIMITS.parallel,
): ParallelKernel<binary.Exports> {
  const multiplications = rows * K * cols * (isFull(kind) ? cols : 1);
  return parallelKernel<binary.Exports>("cluster/mixture", binary, multiplications > least);
}

/** A block of rows in the kernel's memory, and its segments. */
interface Block {
  readonly first: number;
  readonly count: number;
  readonly span: number;
  readonly tasks: number;
}

function kernelRows(
  kernel: ParallelKernel<binary.Exports>,
  { rows: n, cols: d, data }: Matrix,
  kind: CovarianceKind,
  R: Float64Array,
  residentBytes: number,
): MixtureRows {
  let K = R.length / n;
  let shares = R;
  const s = Math.ceil(d / 4) * 4;
  const block = Math.max(1, Math.min(n, Math.floor(residentBytes / (8 * (s + K)))));
  const resident = block === n;
  const scatterLength = kind === "full" ? K * s * s : kind === "tied" ? s * s : K * s;
  const sumsLength = Math.max(scatterLength, 1 + K * (s + 1));
  const segments = Math.max(1, Math.min(SEGMENTS, Math.floor(SUMS_BYTES / (8 * sumsLength))));
  const x = kernel.reserve(8 * block * s);
  const r = kernel.reserve(8 * block * K);
  const mu = kernel.reserve(8 * K * s);
  const constantsAt = kernel.reserve(8 * K);
  const whitenersAt = kernel.reserve(8 * Math.max(isFull(kind) ? (kind === "full" ? K : 1) * d * d : K * s));
  const logsAt = kernel.reserve(8 * block);
  const sumsAt = kernel.reserve(8 * segments * sumsLength);
  const scratch = kernel.exports.scratchSize(s);

  const loadRows = ({ first, count }: Block): void =>
    storeRows(data.subarray(first * d, (first + count) * d), d, kernel.f64(x, count * s), s);
  const loadShares = ({ first, count }: Block): void =>
    kernel.f64(r, count * K).set(shares.subarray(first * K, (first + count) * K));
  const blocks = Array.from({ length: Math.ceil(n / block) }, (_, b): Block => {
    const first = b * block;
    const count = Math.min(block, n - first);
    const span = Math.max(LEAST_ROWS, Math.ceil(count / segments / 8) * 8);
    return { first, count, span, tasks: Math.ceil(count / span) };
  });
  if (resident) {
    loadRows(blocks[0]);
    loadShares(blocks[0]);
  }

  /** Adds up `length` sums of each segment, block after block. */
  const added = (length: number, run: (block: Block) => void): Float64Array => {
    const total = new Float64Array(length);
    for (const block of blocks) {
      if (!resident) loadRows(block);
      run(block);
      const each = kernel.f64(sumsAt, block.tasks * length);
      for (let at = 0; at < each.length; at += length)
        for (let p = 0; p < length; p++) total[p] += each[at + p];
    }
    return total;
  };
  const weighed = (sums: Float64Array): Weighed => ({
    counts: sums.slice(1, 1 + K),
    sums: unpadded(sums.subarray(1 + K), s, d).data,
  });
  const read = ({ first, count }: Block): void => shares.set(kernel.f64(r, count * K), first * K);

  return {
    weigh: () =>
      weighed(
        added(1 + K * (s + 1), (block) => {
          if (!resident) loadShares(block);
          kernel.run("weigh", block.tasks, scratch, [block.count, block.span, s, K, x, r, sumsAt]);
        }),
      ),
    scatter(means) {
      storeRows(means, d, kernel.f64(mu, K * s), s);
      const full = isFull(kind);
      const length = !full ? K * s : (kind === "tied" ? 1 : K) * s * s;
      const sums = added(length, (block) => {
        if (!resident) loadShares(block);
        const args = [block.count, block.span, s, K, x, r, mu] as const;
        if (full) kernel.run("scatter", block.tasks, scratch, [...args, Number(kind === "tied"), sumsAt]);
        else kernel.run("deviations", block.tasks, scratch, [...args, sumsAt]);
      });
      if (!full) return inCovarianceShape(kind, unpadded(sums, s, d));
      return Array.from({ length: length / s / s }, (_, k) => mirrored(sums.subarray(k * s * s), s, d));
    },
    expect({ constants, means, whiteners }, logs) {
      storeRows(means, d, kernel.f64(mu, K * s), s);
      kernel.f64(constantsAt, K).set(constants);
      if (isFull(kind)) {
        whiteners.forEach((W, k) => kernel.f64(whitenersAt + 8 * k * d * d, d * d).set(W.data));
      } else storeRows(whiteners[0].data, d, kernel.f64(whitenersAt, K * s), s);
      const W = [Number(!isFull(kind)), whitenersAt, whiteners.length === 1 ? 0 : d * d] as const;
      const sums = added(1 + K * (s + 1), (block) => {
        const rows = [block.count, block.span, d, s, K, x, mu] as const;
        const out = [constantsAt, r, logs === undefined ? 0 : logsAt, sumsAt] as const;
        kernel.run("expect", block.tasks, scratch, [...rows, ...W, ...out]);
        logs?.set(kernel.f64(logsAt, block.count), block.first);
        if (!resident) read(block);
      });
      return { logLikelihood: sums[0], ...weighed(sums) };
    },
    keep(components) {
      if (resident) read(blocks[0]);
      shares = takeColumns(matrix(n, K, shares), components).data;
      K = components.length;
      if (resident) loadShares(blocks[0]);
    },
    responsibilities() {
      if (resident) read(blocks[0]);
      return shares;
    },
  };
}
