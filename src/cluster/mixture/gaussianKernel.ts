/**
 * The sums of EM over rows and components in WebAssembly, up to the number of columns for which a component's
 * matrix fits into the first-level cache. gaussianCovariance.ts computes both sums by products of matrices,
 * for the other cases.
 */
import type { Matrix } from "../../matrix/matrix.ts";
import { kernelBuild, loadKernel, type Kernel } from "../../matrix/wasm.ts";
import * as binary from "../kernel/mixture.wasm.ts";

/** Columns up to which these loops are faster than products of whole blocks. */
const MOST_COLUMNS = 64;
/** Rows that are in the kernel's memory at a time. */
const BLOCK = 4096;

export function kernelPays(d: number): boolean {
  return d <= MOST_COLUMNS && kernelBuild() !== undefined;
}

/** out (n x K) := |W_k (x_i - mu_k)|^2 with lower triangles W_k, of which there is one for each component or one for all. */
export function whitenedSquares(
  X: Matrix,
  means: Float64Array,
  W: readonly Matrix[],
  out: Float64Array,
): void {
  const d = X.cols;
  const K = means.length / d;
  withRows(X, means, (kernel, s, rows, mu) => {
    const triangles = kernel.reserve(8 * W.length * d * d);
    const result = kernel.reserve(8 * BLOCK * K);
    const scratch = kernel.reserve(kernel.exports.scratchSize(s));
    W.forEach(({ data }, k) => kernel.f64(triangles + 8 * k * d * d, d * d).set(data));
    rows((first, count, x) => {
      const stride = W.length === 1 ? 0 : d * d;
      kernel.exports.whitened(count, d, s, K, x, mu, triangles, stride, result, scratch);
      out.set(kernel.f64(result, count * K), first * K);
    });
  });
}

/** sum_i R_ik (x_i - mu_k)(x_i - mu_k)' of each component, or (`tied`) their sum. */
export function scatterSums(
  X: Matrix,
  R: Float64Array,
  means: Float64Array,
  tied: boolean,
  sums: readonly Matrix[],
): void {
  const d = X.cols;
  const K = means.length / d;
  withRows(X, means, (kernel, s, rows, mu) => {
    const S = kernel.reserve(8 * sums.length * s * s);
    const shares = kernel.reserve(8 * BLOCK * K);
    const scratch = kernel.reserve(kernel.exports.scratchSize(s));
    kernel.f64(S, sums.length * s * s).fill(0);
    rows((first, count, x) => {
      kernel.f64(shares, count * K).set(R.subarray(first * K, (first + count) * K));
      kernel.exports.scatter(count, s, K, x, shares, mu, S, tied ? 0 : s * s, scratch);
    });
    sums.forEach(({ data }, k) => {
      const found = kernel.f64(S + 8 * k * s * s, s * s);
      for (let a = 0; a < d; a++) {
        for (let b = a; b < d; b++) data[a * d + b] = data[b * d + a] = found[a * s + b];
      }
    });
  });
}

type Visit = (first: number, count: number, address: number) => void;

function withRows(
  { rows, cols: d, data }: Matrix,
  means: Float64Array,
  work: (kernel: Kernel<binary.Exports>, stride: number, blocks: (visit: Visit) => void, mu: number) => void,
): void {
  const kernel = loadKernel<binary.Exports>("cluster/mixture", binary);
  const s = Math.ceil(d / 4) * 4;
  kernel.scope(() => {
    const x = kernel.reserve(8 * BLOCK * s);
    const mu = kernel.reserve(8 * (means.length / d) * s);
    const blocks = (visit: Visit): void => {
      padded(means, 0, means.length / d, d, kernel.f64(mu, (means.length / d) * s), s);
      for (let first = 0; first < rows; first += BLOCK) {
        const count = Math.min(BLOCK, rows - first);
        padded(data, first * d, count, d, kernel.f64(x, count * s), s);
        visit(first, count, x);
      }
    };
    work(kernel, s, blocks, mu);
  });
}

function padded(
  from: Float64Array,
  at: number,
  rows: number,
  d: number,
  to: Float64Array,
  stride: number,
): void {
  if (stride === d) return to.set(from.subarray(at, at + rows * d));
  for (let i = 0, p = at, q = 0; i < rows; i++, q += stride) {
    for (let f = 0; f < d; f++) to[q + f] = from[p++];
    for (let f = d; f < stride; f++) to[q + f] = 0;
  }
}
