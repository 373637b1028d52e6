/**
 * The LMNN objective over lists of near impostors. Rows of other classes beyond the reach
 * of the lists do not contribute, so value and gradient cost (listed pairs) x (rows of L), not n^2.
 */
import {
  gram,
  matrix,
  multiplyTransposeA,
  multiplyTransposeB,
  parallelKernel,
  type Matrix,
} from "../../matrix/index.ts";
import { placed, placedRows, unpadded, type Arena, squaredDistance } from "../../matrix/internal.ts";
import * as binary from "../kernel/lmnn.wasm.ts";

export interface LmnnProblem {
  /** Rows, n x q. */
  readonly Z: Matrix;
  readonly codes: Int32Array;
  /** Target neighbours of row i: entries offsets[i] .. offsets[i + 1] - 1 of `targets`. */
  readonly offsets: Int32Array;
  readonly targets: Int32Array;
  readonly push: number;
}

/**
 * The sum and its gradient in L, with the hinge smoothed over `width` (0: the exact hinge). For one L;
 * `withEvaluation` for many.
 */
export function evaluate(problem: LmnnProblem, impostors: Impostors, L: Matrix, width: number) {
  const Y = multiplyTransposeB(problem.Z, L);
  const { value, forces } = pairForces(problem, impostors, Y, Y, width);
  const gradient = multiplyTransposeA(forces, problem.Z);
  for (let p = 0; p < gradient.data.length; p++) gradient.data[p] *= 2;
  return { value, gradient };
}

/** Writes the gradient in L, r x q, and returns the sum. */
type Evaluation = (L: Float64Array, width: number, gradient: Float64Array) => number;

/**
 * Calls `use` with an evaluator of the sum for one L of r rows after the other: few rows and lists stay in
 * the kernel's memory.
 */
export function withEvaluation<T>(
  problem: LmnnProblem,
  impostors: Impostors,
  r: number,
  use: (evaluation: Evaluation) => T,
): T {
  const { Z, targets, push } = problem;
  const { rows: n, cols: q } = Z;
  if (pairWork(impostors, targets, r) > PARALLEL) {
    return use((L, width, gradient) => {
      const { value, gradient: G } = evaluate(problem, impostors, matrix(r, q, L), width);
      gradient.set(G.data);
      return value;
    });
  }
  const s = (r + 1) & ~1;
  const kernel = parallelKernel<binary.Exports>("metric/lmnn", binary, false);
  return kernel.scope(() => {
    const lists = placedLists(kernel, problem, impostors);
    const at = {
      Z: placed(kernel, Z.data),
      L: kernel.reserve(8 * r * q),
      Y: kernel.reserve(8 * n * s),
      F: kernel.reserve(8 * n * s),
      sums: kernel.reserve(24),
      scratch: kernel.reserve(kernel.exports.productScratch() + 16 * mostTargets(problem)),
    };
    const x = kernel.f64(at.L, r * q); // the gradient takes the place of L
    const sums = kernel.f64(at.sums, 2);
    const { exports } = kernel;
    return use((L, width, gradient) => {
      x.set(L);
      exports.project(at.scratch, n, q, r, s, at.Z, at.L, at.Y);
      exports.forces(0, at.scratch, n, n, s, s, push, width, at.Y, at.Y, ...lists, at.F, at.sums);
      exports.gradient(at.scratch, n, q, r, s, at.F, at.Z, at.L);
      gradient.set(x);
      return (1 - push) * sums[0] + push * sums[1];
    });
  });
}

function pairWork(impostors: Impostors, targets: Int32Array, r: number): number {
  return (impostors.rows.length + targets.length) * r;
}

/** Tasks of the kernel, each with its own forces; the results do not depend on the number of threads. */
const TASKS = 4;
/** Multiplications from which several threads are faster than one. */
const PARALLEL = 1e6;

/**
 * With d measured on the rows of Y: the value, the sum of the hinge's slopes times push, and forces = sum over pairs (a, b) of their weight in the
 * gradient times (v_a - v_b) on row a and the opposite on row b, v the rows of V. forces' Z is then half the gradient in L
 * for V = Y, and the gradient in M for V = Z.
 */
export function pairForces(problem: LmnnProblem, impostors: Impostors, Y: Matrix, V: Matrix, width: number) {
  const { targets, push } = problem;
  const n = Y.rows;
  const s = (Y.cols + 1) & ~1;
  const v = (V.cols + 1) & ~1;
  const parallel = pairWork(impostors, targets, Y.cols) > PARALLEL;
  const span = parallel ? Math.ceil(n / TASKS) : n;
  const tasks = Math.ceil(n / span);
  const kernel = parallelKernel<binary.Exports>("metric/lmnn", binary, parallel);
  return kernel.scope(() => {
    const lists = placedLists(kernel, problem, impostors);
    const atY = placedRows(kernel, Y, s);
    const atV = V === Y ? atY : placedRows(kernel, V, v);
    const at = { F: kernel.reserve(8 * tasks * n * v), sums: kernel.reserve(24 * tasks) };
    const shape = [span, n, s, v, push, width] as const;
    kernel.run("forces", tasks, 16 * mostTargets(problem), [...shape, atY, atV, ...lists, at.F, at.sums]);
    const F = kernel.f64(at.F, n * v);
    for (let t = 1; t < tasks; t++) {
      const more = kernel.f64(at.F + 8 * t * n * v, n * v);
      for (let p = 0; p < F.length; p++) F[p] += more[p];
    }
    const sums = kernel.f64(at.sums, 3 * tasks);
    let value = 0;
    let slopes = 0;
    for (let t = 0; t < tasks; t++) {
      value += (1 - push) * sums[3 * t] + push * sums[3 * t + 1];
      slopes += push * sums[3 * t + 2];
    }
    return { value, slopes, forces: unpadded(F, v, V.cols) };
  });
}

/** The addresses of the lists of targets and impostors. */
function placedLists(
  kernel: Arena,
  { offsets, targets }: LmnnProblem,
  impostors: Impostors,
): readonly [number, number, number, number] {
  return [
    placed(kernel, offsets),
    placed(kernel, targets),
    placed(kernel, impostors.offsets),
    placed(kernel, impostors.rows),
  ];
}

function mostTargets({ offsets }: LmnnProblem): number {
  let most = 0;
  for (let i = 0; i + 1 < offsets.length; i++) most = Math.max(most, offsets[i + 1] - offsets[i]);
  return most;
}

/** P / (1 - push) of the dual problem (lmnn.ts): the sum over targets j of row i of (z_i - z_j)(z_i - z_j)'. */
export function targetScatter({ Z, offsets, targets }: LmnnProblem): Matrix {
  const d = Z.cols;
  const steps = matrix(targets.length, d);
  for (let i = 0, q = 0; i < Z.rows; i++) {
    for (let p = offsets[i]; p < offsets[i + 1]; p++) {
      for (let f = 0, a = i * d, b = targets[p] * d; f < d; f++) steps.data[q++] = Z.data[a++] - Z.data[b++];
    }
  }
  return gram(steps);
}

/**
 * The rows of other classes near each row, between two searches over all pairs. They reach beyond the margin,
 * so L may move while the lists stay.
 */

/** Rows of other classes near row i: entries offsets[i] .. offsets[i + 1] - 1 of `rows`. */
export interface Impostors {
  readonly offsets: Int32Array;
  readonly rows: Int32Array;
}

/** The reach of the lists relative to the margin. */
const REACH = 1.3;
/** Number of rows that are processed together, and of one task of the kernel. */
const TILE = 256;
const SPAN = 32;
/** Multiplications from which several threads are faster than one. */
const PARALLEL_SEARCH = 1e7;

/** All rows of other classes within REACH times 1 + the farthest target's squared distance. */
export function findImpostors(problem: LmnnProblem, L: Matrix): Impostors {
  const Y = multiplyTransposeB(problem.Z, L);
  const { codes, offsets: of, targets } = problem;
  const n = Y.rows;
  const s = (Y.cols + 1) & ~1;
  const padded = (n + 3) & ~3;
  const found: Int32Array[] = [];
  const kernel = parallelKernel<binary.Exports>("metric/lmnn", binary, n * n * s > PARALLEL_SEARCH);
  kernel.scope(() => {
    const at = {
      Y: placedRows(kernel, Y, s),
      packed: kernel.reserve(8 * padded * s),
      norms: kernel.reserve(8 * padded),
      codes: kernel.reserve(8 * padded),
      offsets: placed(kernel, of),
      targets: placed(kernel, targets),
      out: kernel.reserve(4 * TILE * n),
      counts: kernel.reserve(4 * n),
    };
    kernel.f64(at.codes, padded).fill(-1).set(codes);
    kernel.exports.prepare(n, s, at.Y, at.packed, at.norms);
    let longest = 0;
    for (const norm of kernel.f64(at.norms, n)) longest = Math.max(longest, norm);
    // Distances by norms and products lose digits; an extra row in a list only costs time, a missing one is
    // an error.
    const slack = 1e-14 * s * longest;
    const places = [at.Y, at.packed, at.norms, at.codes, at.offsets, at.targets, at.out, at.counts] as const;
    for (let from = 0; from < n; from += TILE) {
      const end = Math.min(n, from + TILE);
      const tasks = Math.ceil((end - from) / SPAN);
      kernel.run("impostors", tasks, 32 * padded, [from, SPAN, n, s, REACH, slack, ...places]);
      const counts = kernel.i32(at.counts, n);
      for (let t = 0; t < tasks; t++) {
        const first = from + t * SPAN;
        for (let i = first, p = at.out + 4 * t * SPAN * n; i < Math.min(end, first + SPAN); i++) {
          found.push(kernel.i32(p, counts[i]).slice());
          p += 4 * counts[i];
        }
      }
    }
  });
  return joined(found);
}

/** Number of rows that a list takes over from much longer lists. */
const NEAREST = 4;

/** For each list the few rows that are nearest in Y. */
export function nearestImpostors(impostors: Impostors, Y: Matrix): Impostors {
  const n = Y.rows;
  const found: Int32Array[] = [];
  const near = new Int32Array(NEAREST);
  const distances = new Float64Array(NEAREST);
  for (let i = 0; i < n; i++) {
    let count = 0;
    for (let p = impostors.offsets[i]; p < impostors.offsets[i + 1]; p++) {
      const l = impostors.rows[p];
      const d = squaredDistance(Y, i, Y, l);
      if (count === NEAREST && d >= distances[count - 1]) continue;
      let place = count < NEAREST ? count++ : count - 1;
      for (; place > 0 && distances[place - 1] > d; place--) {
        distances[place] = distances[place - 1];
        near[place] = near[place - 1];
      }
      distances[place] = d;
      near[place] = l;
    }
    found.push(near.slice(0, count).sort());
  }
  return joined(found);
}

/** The rows of either of two lists, each in ascending order. */
export function mergedImpostors(a: Impostors, b: Impostors): Impostors {
  const n = a.offsets.length - 1;
  const found: Int32Array[] = [];
  const merged = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    let count = 0;
    let q = b.offsets[i];
    for (let p = a.offsets[i]; p < a.offsets[i + 1]; p++) {
      while (q < b.offsets[i + 1] && b.rows[q] < a.rows[p]) merged[count++] = b.rows[q++];
      if (q < b.offsets[i + 1] && b.rows[q] === a.rows[p]) q++;
      merged[count++] = a.rows[p];
    }
    while (q < b.offsets[i + 1]) merged[count++] = b.rows[q++];
    found.push(merged.slice(0, count));
  }
  return joined(found);
}

/** The lists of all rows, one after the other. */
function joined(lists: readonly Int32Array[]): Impostors {
  const offsets = new Int32Array(lists.length + 1);
  lists.forEach((list, i) => (offsets[i + 1] = offsets[i] + list.length));
  const rows = new Int32Array(offsets[lists.length]);
  lists.forEach((list, i) => rows.set(list, offsets[i]));
  return { offsets, rows };
}
