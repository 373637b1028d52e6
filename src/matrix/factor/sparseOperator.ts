/**
 * The products of a symmetric sparse matrix with several vectors, eight at a time in the kernel (kernel/sparse.as.ts).
 * It adds up in the order of the plain loops, so the bits do not depend on the engine.
 */
import { inputError } from "../../core/errors.ts";
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
  };
}

/** Byte addresses: the matrix, and eight vectors as rows of eight. */
interface Places {
  readonly csr: [offsets: number, indices: number, values: number];
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
      csr: [
        kernel.reserve(4 * A.offsets.length),
        kernel.reserve(4 * A.indices.length),
        kernel.reserve(8 * A.values.length),
      ],
      rows: kernel.reserve(8 * TOGETHER * n),
      one: kernel.reserve(8 * TOGETHER * n),
      two: kernel.reserve(8 * TOGETHER * n),
      weights: kernel.reserve(8 * TOGETHER),
    };
    kernel.i32(places.csr[0], A.offsets.length).set(A.offsets);
    kernel.i32(places.csr[1], A.indices.length).set(A.indices);
    kernel.f64(places.csr[2], A.values.length).set(A.values);
    for (let first = 0; first < count; first += TOGETHER) {
      const here = Math.min(TOGETHER, count - first);
      const values = kernel.f64(vectors, here * n);
      values.set(X.subarray(first * n, (first + here) * n));
      kernel.exports.gatherEight(n, here, vectors, places.rows);
      const spoiled = kernel.exports.scatterEight(n, here, work(kernel, places, first), vectors);
      if (spoiled !== 0) {
        throw inputError("topEigen: a product with the matrix has an entry that is NaN or infinite");
      }
      Y.set(values, first * n);
    }
  });
}

/** A column number outside the matrix would read foreign memory in the kernel. */
function requireIndices({ rows, indices }: Sparse): void {
  for (const j of indices) {
    if (!(j >= 0 && j < rows))
      throw inputError(`topEigen: the matrix has ${rows} columns, but an entry in column ${j}`);
  }
}
