/**
 * Stochastic neighbours: row i picks row j with probability p_ij = exp(-d_ij) / sum_{l != i} exp(-d_il), d the squared
 * Euclidean distances of the rows of Z, and p_i is the probability that the pick is of the row's own class. Gives
 *
 *     values_i = p_i  (or log p_i),   force = d(sum_i values_i) / dZ / 2,   an n x r matrix
 *
 * so that with Z = X L' the gradient in L is 2 force' X. Rows are processed a few at a time: memory is O(n
 * r), not O(n^2), beyond a few rows.
 */
import { parallelKernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/nca.wasm.ts";
import { placedRows, unpadded } from "../../matrix/internal.ts";

export type SoftNeighbors = ReturnType<typeof softNeighbors>;

/** Tasks of the kernel, each with its own sums; the results do not depend on the number of threads. */
const TASKS = 8;
/** Number of pairs up to which all of them are kept (48 MB), by one thread. */
const FEW_PAIRS = 4e6;

/** Number of columns in the kernel: with this many, padded with zeros, nothing has to be copied twice. */
export function evenColumns(cols: number): number {
  return (cols + 3) & ~3;
}

/**
 * p_i, or log p_i, which is -Infinity for the only row of its class, which has no gradient; and the force.
 *
 * @param least pairs that change the force by no more than this, in units of their distance, are left out of it
 */
export function softNeighbors(Z: Matrix, codes: Int32Array, logarithm: boolean, least: number = 0) {
  const { rows: n, cols: r } = Z;
  const s = evenColumns(r);
  const padded = (n + 3) & ~3;
  const whole = n * n <= FEW_PAIRS;
  const span = whole ? padded : 4 * Math.ceil(n / TASKS / 4);
  const tasks = Math.ceil(n / span);
  const mutual = whole && !logarithm;
  const kernel = parallelKernel<binary.Exports>("metric/nca", binary, !whole);
  return kernel.scope(() => {
    const at = {
      Z: placedRows(kernel, Z, s),
      packed: kernel.reserve(8 * padded * s),
      norms: kernel.reserve(8 * padded),
      codes: kernel.reserve(8 * padded),
      U: kernel.reserve(8 * tasks * n * s),
      degrees: kernel.reserve(8 * tasks * n),
      values: kernel.reserve(8 * n),
      scratch: mutual ? kernel.reserve(kernel.exports.mutualBytes(n)) : 0,
    };
    kernel.f64(at.codes, padded).fill(-1).set(codes);
    const { exports } = kernel;
    exports.prepare(n, s, at.Z, at.packed, at.norms);
    const places = [at.Z, at.packed, at.norms, at.codes, at.U, at.degrees, at.values] as const;
    if (!mutual || exports.mutualNeighbors(at.scratch, n, s, least, ...places) === 0) {
      const shape = [Number(whole), span, n, s, Number(logarithm), least] as const;
      kernel.run("softNeighbors", tasks, exports.scratchBytes(n, Number(whole)), [...shape, ...places]);
    }
    exports.force(n, s, tasks, at.Z, at.U, at.degrees);
    return { values: kernel.f64(at.values, n).slice(), force: unpadded(kernel.f64(at.U, n * s), s, r) };
  });
}
