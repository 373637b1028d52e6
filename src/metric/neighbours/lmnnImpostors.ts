/**
 * The rows of other classes near each row, between two searches over all pairs. They reach beyond the margin,
 * so L may move while the lists stay.
 */
import { multiplyTransposeB, parallelKernel, type Matrix } from "../../matrix/index.ts";
import * as binary from "../kernel/lmnn.wasm.ts";
import type { LmnnProblem } from "./lmnnObjective.ts";
import { placed, placedRows } from "../../matrix/internal.ts";

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
const PARALLEL = 1e7;

/** All rows of other classes within REACH times 1 + the farthest target's squared distance. */
export function findImpostors(problem: LmnnProblem, L: Matrix): Impostors {
  const Y = multiplyTransposeB(problem.Z, L);
  const { codes, offsets: of, targets } = problem;
  const n = Y.rows;
  const s = (Y.cols + 1) & ~1;
  const padded = (n + 3) & ~3;
  const found = new Collected(n);
  const kernel = parallelKernel<binary.Exports>("metric/lmnn", binary, n * n * s > PARALLEL);
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
          found.append(kernel.i32(p, counts[i]));
          p += 4 * counts[i];
        }
      }
    }
  });
  return found.lists();
}

/** Number of rows that a list takes over from much longer lists. */
const NEAREST = 4;

/** For each list the few rows that are nearest in Y. */
export function nearestImpostors(impostors: Impostors, Y: Matrix): Impostors {
  const n = Y.rows;
  const { cols: r, data: y } = Y;
  const found = new Collected(n);
  const near = new Int32Array(NEAREST);
  const distances = new Float64Array(NEAREST);
  for (let i = 0; i < n; i++) {
    let count = 0;
    for (let p = impostors.offsets[i]; p < impostors.offsets[i + 1]; p++) {
      const l = impostors.rows[p];
      let d = 0;
      for (let f = 0; f < r; f++) d += (y[i * r + f] - y[l * r + f]) ** 2;
      if (count === NEAREST && d >= distances[count - 1]) continue;
      let place = count < NEAREST ? count++ : count - 1;
      for (; place > 0 && distances[place - 1] > d; place--) {
        distances[place] = distances[place - 1];
        near[place] = near[place - 1];
      }
      distances[place] = d;
      near[place] = l;
    }
    found.append(near.subarray(0, count).slice().sort());
  }
  return found.lists();
}

/** The rows of either of two lists, each in ascending order. */
export function mergedImpostors(a: Impostors, b: Impostors): Impostors {
  const n = a.offsets.length - 1;
  const found = new Collected(n);
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
    found.append(merged.subarray(0, count));
  }
  return found.lists();
}

/** Lists of unknown length, one row after the other. */
class Collected {
  private readonly offsets: Int32Array;
  private rows: Int32Array;
  private count = 0;
  private list = 0;

  constructor(n: number) {
    this.offsets = new Int32Array(n + 1);
    this.rows = new Int32Array(4 * n);
  }

  append(rows: Int32Array): void {
    const needed = this.count + rows.length;
    if (needed > this.rows.length) {
      const larger = new Int32Array(Math.max(needed, Math.ceil(1.5 * this.rows.length)));
      larger.set(this.rows.subarray(0, this.count));
      this.rows = larger;
    }
    this.rows.set(rows, this.count);
    this.count = needed;
    this.offsets[++this.list] = needed;
  }

  lists(): Impostors {
    return { offsets: this.offsets, rows: this.rows.slice(0, this.count) };
  }
}
