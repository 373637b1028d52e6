import { inputError } from "../../core/internal.ts";
import { engine } from "../engine.ts";
import { requireMatrix, type Matrix } from "../matrix.ts";
import { multiplyVector } from "../multiply.ts";
import { isSparse, type Sparse } from "../sparse.ts";
import { symmetrized } from "../symmetric.ts";
import { loadKernel, type Kernel } from "../wasm.ts";
import * as binary from "../kernel/sparse.wasm.ts";
import { placed } from "../kernelData.ts";

/** A symmetric matrix given by its products: `apply` writes A x to y. */
export interface Operator {
  readonly size: number;
  apply(x: Float64Array, y: Float64Array): void;
}

/** The same for several vectors at a time, which are the rows of X. */
export interface BlockOperator {
  readonly size: number;
  /** Approximate work of one product per entry of the vector, in multiplications. */
  readonly cost: number;
  /** Rows of Y := rows of X times A. */
  apply(count: number, X: Float64Array, Y: Float64Array): void;
  /** Rows of R := what the recurrence makes of them, where that is faster than step by step. */
  recur?(count: number, R: Float64Array, recurrence: Recurrence): void;
  /**
   * Lanczos steps on sign A from the first of steps + 1 rows of `basis`, into T (steps x steps, zeros): how many were
   * made, and the norm of the last residual. Only where that is faster than one product after the other.
   */
  lanczos?(
    steps: number,
    sign: number,
    basis: Float64Array,
    T: Float64Array,
  ): { readonly done: number; readonly beta: number };
}

/**
 * D_1 = R sigma / radius, D_0 = 0, D_m = a (sign A D_(m-1) - center D_(m-1) + weight R) - b D_(m-2): a step for each m
 * from 2 on, with one weight for each row of R.
 */
export interface Recurrence {
  readonly sign: number;
  readonly center: number;
  readonly sigma: number;
  readonly radius: number;
  readonly steps: readonly { readonly a: number; readonly b: number; readonly weight: readonly number[] }[];
}

/**
 * Symmetry of a dense matrix is checked; that of a sparse matrix or an operator shows only in the products.
 */
export function blockOperator(A: Matrix | Sparse | Operator): BlockOperator {
  if (typeof A === "object" && A !== null && "size" in A) {
    if (!Number.isInteger(A.size) || A.size < 0) {
      throw inputError(`topEigen: the operator's size must be a whole number, got ${A.size}`);
    }
    return byRows(A.size, UNKNOWN_COST, (x, y) => A.apply(x, y));
  }
  requireMatrix(A, "topEigen");
  if (A.rows !== A.cols) throw inputError(`topEigen: the matrix must be square, got ${A.rows} x ${A.cols}`);
  if (isSparse(A)) {
    return sparseOperator(A);
  }
  const n = A.rows;
  const S = symmetrized(A, "topEigen");
  return {
    size: n,
    cost: n,
    apply(count, X, Y) {
      const [rows, products] = [X.subarray(0, count * n), Y.subarray(0, count * n).fill(0)];
      engine().product(count, n, n, 1, rows, false, S.data, false, products);
    },
  };
}

/** The assumed cost of a product with an operator. */
const UNKNOWN_COST = 20;

function byRows(n: number, cost: number, apply: (x: Float64Array, y: Float64Array) => void): BlockOperator {
  return {
    size: n,
    cost,
    apply(count, X, Y) {
      for (let i = 0; i < count; i++) {
        const y = Y.subarray(i * n, (i + 1) * n);
        apply(X.subarray(i * n, (i + 1) * n), y);
        let spoiled = 0;
        for (let c = 0; c < n; c++) spoiled += y[c] * 0; // NaN as soon as one entry is not finite
        if (spoiled !== 0) throw notFinite();
      }
    },
  };
}

/**
 * The products of a symmetric sparse matrix with several vectors, eight at a time in the kernel (kernel/sparse.as.ts).
 * It adds up in the order of single products, so the bits do not depend on their number.
 */

/** Vectors that pass through the kernel together. */
const TOGETHER = 8;

/** Single vectors are not worth the way into the kernel. */
function sparseOperator(A: Sparse): BlockOperator {
  requireIndices(A);
  const single = byRows(A.rows, A.values.length / A.rows, (x, y) => y.set(multiplyVector(A, x)));
  return {
    ...single,
    apply(count, X, Y) {
      if (count === 1) return single.apply(count, X, Y);
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
    const csr = placedMatrix(kernel, A);
    const [rows, t] = [placed(kernel, basis), placed(kernel, T)];
    const [y, beta] = [kernel.reserve(8 * A.rows), kernel.reserve(8)];
    const done = kernel.exports.lanczos(A.rows, steps, sign, ...csr, rows, y, t, beta);
    if (done < 0) throw notFinite();
    T.set(kernel.f64(t, T.length));
    return { done, beta: kernel.f64(beta, 1)[0] };
  });
}

/** Addresses of the offsets, the column numbers and the values. */
type Csr = [offsets: number, indices: number, values: number];

function placedMatrix(kernel: Kernel<binary.Exports>, { offsets, indices, values }: Sparse): Csr {
  return [placed(kernel, offsets), placed(kernel, indices), placed(kernel, values)];
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
      csr: placedMatrix(kernel, A),
      rows: kernel.reserve(8 * TOGETHER * n),
      one: kernel.reserve(8 * TOGETHER * n),
      two: kernel.reserve(8 * TOGETHER * n),
      weights: kernel.reserve(8 * TOGETHER),
    };
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
