/**
 * The products of a symmetric sparse matrix with several vectors, eight at a time in the kernel (kernel/sparse.as.ts).
 * It adds up in the order of the plain loops, so the bits do not depend on the engine.
 */
import { inputError } from "../../core/internal.ts";
import * as binary from "../kernel/sparse.wasm.ts";
import type { Sparse } from "../sparse.ts";
import { loadKernel, type Kernel } from "../wasm.ts";
import type { BlockOperator, Recurrence } from "./blockOperator.ts";

/** Vectors that pass through the kernel together. */
const TOGETHER = 8;

/** `plain` does the same without a kernel, and single vectors: these would not be worth the way. */
export function sparseOperator(A: Sparse, plain: BlockOperator): BlockOperator {
  requireIndices(A);
  return {
    ...plain,
    apply(count, X, Y) {
      if (count === 1) return plain.apply(count, X, Y);
      inEights(A, count, X, Y, ({ exports }, { csr, rows, one }) => {
        exports.multiplyEight(A.rows, ...csr, rows, one);
        return one;
      });
    },
    recur: (count, R, recurrence) =>
      inEights(A, count, R, R, (kernel, places, first) => recur(A.rows, kernel, places, first, recurrence)),
    lanczos: (steps, sign, basis, T) => lanczos(A, steps, sign, basis, T),
  };
}

function lanczos(A: Sparse, steps: number, sign: number, basis: Float64Array, T: Float64Array) {
  const kernel = loadKernel<binary.Exports>("matrix/sparse", binary);
  return kernel.scope(() => {
    const csr = reserveMatrix(kernel, A);
    const [rows, y] = [kernel.reserve(8 * basis.length), kernel.reserve(8 * A.rows)];
    const [t, beta] = [kernel.reserve(8 * T.length), kernel.reserve(8)];
    copyMatrix(kernel, A, csr);
    kernel.f64(rows, basis.length).set(basis);
    kernel.f64(t, T.length).set(T);
    const done = kernel.exports.lanczos(A.rows, steps, sign, ...csr, rows, y, t, beta);
    if (done < 0) throw notFinite();
    T.set(kernel.f64(t, T.length));
    return { done, beta: kernel.f64(beta, 1)[0] };
  });
}

/** Addresses of the offsets, the column numbers and the values. */
type Csr = [offsets: number, indices: number, values: number];

function reserveMatrix(kernel: Kernel<binary.Exports>, { offsets, indices, values }: Sparse): Csr {
  return [
    kernel.reserve(4 * offsets.length),
    kernel.reserve(4 * indices.length),
    kernel.reserve(8 * values.length),
  ];
}

function copyMatrix(kernel: Kernel<binary.Exports>, { offsets, indices, values }: Sparse, csr: Csr): void {
  kernel.i32(csr[0], offsets.length).set(offsets);
  kernel.i32(csr[1], indices.length).set(indices);
  kernel.f64(csr[2], values.length).set(values);
}

function notFinite(): Error {
  return inputError("topEigen: a product with the matrix has an entry that is NaN or infinite");
}

/** Byte addresses: the matrix, and eight vectors as rows of eight. */
interface Places {
  readonly csr: Csr;
  readonly rows: number;
  readonly one: number;
  readonly two: number;
  readonly weights: number;
}

function recur(
  n: number,
  kernel: Kernel<binary.Exports>,
  { csr, rows, one, two, weights }: Places,
  first: number,
  { sign, center, sigma, radius, steps }: Recurrence,
): number {
  const here = kernel.f64(weights, TOGETHER);
  let [D, before] = [one, two];
  kernel.exports.startEight(n, sigma, radius, rows, D, before);
  for (const { a, b, weight } of steps) {
    for (let j = 0; j < TOGETHER; j++) here[j] = weight[first + j] ?? 0;
    kernel.exports.stepEight(n, ...csr, sign, center, a, b, weights, D, rows, before);
    [D, before] = [before, D];
  }
  return D;
}

/** Eight rows of X at a time are at `places.rows` for `work`; rows of Y become what stands where `work` says. */
function inEights(
  A: Sparse,
  count: number,
  X: Float64Array,
  Y: Float64Array,
  work: (kernel: Kernel<binary.Exports>, places: Places, first: number) => number,
): void {
  const n = A.rows;
  const kernel = loadKernel<binary.Exports>("matrix/sparse", binary);
  kernel.scope(() => {
    const vectors = kernel.reserve(8 * TOGETHER * n);
    const places: Places = {
      csr: reserveMatrix(kernel, A),
      rows: kernel.reserve(8 * TOGETHER * n),
      one: kernel.reserve(8 * TOGETHER * n),
      two: kernel.reserve(8 * TOGETHER * n),
      weights: kernel.reserve(8 * TOGETHER),
    };
    copyMatrix(kernel, A, places.csr);
    for (let first = 0; first < count; first += TOGETHER) {
      const here = Math.min(TOGETHER, count - first);
      const values = kernel.f64(vectors, here * n);
      values.set(X.subarray(first * n, (first + here) * n));
      kernel.exports.gatherEight(n, here, vectors, places.rows);
      const spoiled = kernel.exports.scatterEight(n, here, work(kernel, places, first), vectors);
      if (spoiled !== 0) throw notFinite();
      Y.set(values, first * n);
    }
  });
}

/** A column number outside the matrix would read foreign memory in the kernel. */
function requireIndices({ rows, indices }: Sparse): void {
  for (let p = 0; p < indices.length; p++) {
    const j = indices[p];
    if (!(j >= 0 && j < rows))
      throw inputError(`topEigen: the matrix has ${rows} columns, but an entry in column ${j}`);
  }
}
