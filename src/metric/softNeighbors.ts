/**
 * Stochastic neighbours: row i picks row j with probability p_ij = exp(-d_ij) / sum_{l != i} exp(-d_il), d the squared
 * Euclidean distances of the rows of Z, and p_i is the probability that the pick is of the row's own class. Gives
 *
 *     values_i = p_i  (or log p_i),   force = d(sum_i values_i) / dZ / 2,   an n x r matrix
 *
 * so that with Z = X L' the gradient in L is 2 force' X. Rows are taken a few at a time: memory is O(n r), not O(n^2).
 */
import { matrix, type Matrix } from "../matrix/matrix.ts";
import { parallelKernel } from "../matrix/parallel.ts";
import { kernelBuild } from "../matrix/wasm.ts";
import * as binary from "./kernel/nca.wasm.ts";

export interface SoftNeighbors {
  /** p_i, or log p_i; the logarithm is -Infinity for a row alone in its class, which has no gradient. */
  readonly values: Float64Array;
  readonly force: Matrix;
}

interface NcaKernel {
  prepare(n: number, s: number, Z: number, packed: number, norms: number): void;
  scratchBytes(n: number, s: number): number;
  softNeighbors(...args: number[]): void;
}

/** Tasks of the kernel, each with sums of its own; the results do not depend on the number of threads. */
const TASKS = 8;
/** Pairs from which several threads are faster than one. */
const PARALLEL = 2e6;

export function softNeighbors(Z: Matrix, codes: Int32Array, logarithm: boolean): SoftNeighbors {
  if (kernelBuild() === undefined) return plainSoftNeighbors(Z, codes, logarithm);
  const { rows: n, cols: r } = Z;
  const s = (r + 1) & ~1;
  const padded = (n + 3) & ~3;
  const span = Math.max(4, 4 * Math.ceil(n / TASKS / 4));
  const tasks = Math.ceil(n / span);
  const values = new Float64Array(n);
  const force = matrix(n, r);
  const kernel = parallelKernel<NcaKernel>("metric/nca", binary, n * n > PARALLEL);
  kernel.scope(() => {
    const at = {
      Z: kernel.reserve(8 * n * s),
      packed: kernel.reserve(8 * padded * s),
      norms: kernel.reserve(8 * padded),
      codes: kernel.reserve(4 * padded),
      U: kernel.reserve(8 * tasks * n * s),
      sums: kernel.reserve(8 * tasks * n),
      values: kernel.reserve(8 * n),
    };
    const rows = kernel.f64(at.Z, n * s);
    if (s === r) rows.set(Z.data);
    else {
      rows.fill(0);
      for (let i = 0; i < n; i++) rows.set(Z.data.subarray(i * r, (i + 1) * r), i * s);
    }
    kernel.i32(at.codes, n).set(codes);
    const { exports } = kernel;
    exports.prepare(n, s, at.Z, at.packed, at.norms);
    const shape = [span, n, s, Number(logarithm)];
    const places = [at.Z, at.packed, at.norms, at.codes, at.U, at.sums, at.values];
    kernel.run("softNeighbors", tasks, exports.scratchBytes(n, s), [...shape, ...places]);
    values.set(kernel.f64(at.values, n));
    // The rows of W sum to zero, so force = (diag(W'1) - W - W') Z.
    const U = kernel.f64(at.U, tasks * n * s);
    const sums = kernel.f64(at.sums, tasks * n);
    for (let i = 0; i < n; i++) {
      let degree = 0;
      for (let t = 0; t < tasks; t++) degree += sums[t * n + i];
      for (let f = 0; f < r; f++) {
        let pull = 0;
        for (let t = 0; t < tasks; t++) pull += U[(t * n + i) * s + f];
        force.data[i * r + f] = degree * Z.data[i * r + f] - pull;
      }
    }
  });
  return { values, force };
}

/** The same by loops over the pairs: for the plain engine, and what the kernel is tested against. */
export function plainSoftNeighbors(Z: Matrix, codes: Int32Array, logarithm: boolean): SoftNeighbors {
  const { rows: n, cols: r, data } = Z;
  const values = new Float64Array(n);
  const force = matrix(n, r);
  const d = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let nearest = Infinity;
    let nearestOwn = Infinity;
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let f = 0; f < r; f++) sum += (data[i * r + f] - data[j * r + f]) ** 2;
      d[j] = j === i ? Infinity : sum;
      nearest = Math.min(nearest, d[j]);
      if (codes[j] === codes[i]) nearestOwn = Math.min(nearestOwn, d[j]);
    }
    let total = 0;
    let own = 0; // shifted by its own least distance, so that it does not vanish before its logarithm is taken
    for (let j = 0; j < n; j++) {
      total += Math.exp(nearest - d[j]);
      if (codes[j] === codes[i] && j !== i) own += Math.exp(nearestOwn - d[j]);
    }
    const log = own > 0 ? nearest - nearestOwn + Math.log(own / total) : -Infinity;
    const p = Math.exp(log);
    values[i] = logarithm ? log : p;
    if (own === 0) {
      // No other row of its class: log p_i is no function of Z, and p_i = 0 whatever Z is.
      continue;
    }
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const all = Math.exp(nearest - d[j]) / total;
      const within = codes[j] === codes[i] ? Math.exp(nearestOwn - d[j]) / own : 0;
      const weight = (all - within) * (logarithm ? 1 : p);
      for (let f = 0; f < r; f++) {
        const step = weight * (data[i * r + f] - data[j * r + f]);
        force.data[i * r + f] += step;
        force.data[j * r + f] -= step;
      }
    }
  }
  return { values, force };
}
