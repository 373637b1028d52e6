import type { Assigner, Moves } from "./assigner.ts";
import type { NarrowRows } from "./narrowRows.ts";
import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";

export interface BoundedAssigner extends Assigner {
  /** Continues from labels by centres C, without bounds for any row. */
  adopt(C: Float64Array, labels: Int32Array): void;
}

/**
 * Skips distances that the triangle inequality shows to be irrelevant: a row is at most `upper` from its
 * centre and at least `lower` from every other, and a drift of the centres by delta changes both by at most
 * delta. Where it pays, a lower bound for each centre is also kept. With `narrow`, rows that the bounds do
 * not settle are first compared with all centres in single precision.
 */
export function boundedAssigner(rows: KernelRows, K: number, narrow?: NarrowRows): BoundedAssigner {
  const { kernel, rows: n, cols: d, stride } = rows;
  const elkan = narrow === undefined && eachBoundPays(n, d, K);
  const centers = kernel.reserve(8 * K * stride);
  const eights = Math.ceil(K / 8) * 8;
  const panels = kernel.reserve(narrow?.centerBytes(K) ?? 8 * eights * stride);
  const labelsAt = kernel.reserve(4 * n);
  const upper = kernel.reserve(8 * n);
  const lower = kernel.reserve(8 * n);
  const each = elkan ? kernel.reserve(8 * n * K) : 0;
  const drift = kernel.reserve(8 * K);
  const half = kernel.reserve(8 * K * K);
  const shrink = kernel.reserve(8 * K);
  const near = kernel.reserve(8 * K);
  const total = kernel.reserve(8 * K);
  const moved = kernel.reserve(4 * n);
  const gainsAt = kernel.reserve(8 * n);
  const counts = kernel.reserve(4 * Math.ceil(n / SPAN));

  const moves = { rows: new Int32Array(n), from: new Int32Array(n), gains: new Float64Array(n) };
  let previous: Float64Array | undefined;

  const first = (labels: Int32Array): Moves => {
    rows.forEachBlock(0, n, (first, count, X) => {
      if (narrow !== undefined) {
        kernel.run("startNarrow", Math.ceil(count / SPAN), 24 * narrow.padded(K), [
          count,
          SPAN,
          ...narrow.args(K, X, first, centers, panels),
          labelsAt + 4 * first,
          upper + 8 * first,
          lower + 8 * first,
          gainsAt + 8 * first,
        ]);
        return;
      }
      kernel.run("start", Math.ceil(count / SPAN), 8 * eights, [
        count,
        SPAN,
        stride,
        K,
        X,
        panels,
        labelsAt + 4 * first,
        upper + 8 * first,
        lower + 8 * first,
        elkan ? each + 8 * first * K : 0,
        gainsAt + 8 * first,
      ]);
    });
    kernel.f64(total, K).fill(0);
    labels.set(kernel.i32(labelsAt, n));
    moves.gains.set(kernel.f64(gainsAt, n));
    for (let i = 0; i < n; i++) moves.rows[i] = i;
    moves.from.fill(-1);
    return { ...moves, count: n };
  };

  const next = (labels: Int32Array): Moves => {
    let count = 0;
    rows.forEachBlock(0, n, (first, size, X) => {
      const tasks = Math.ceil(size / SPAN);
      const bounds = [
        labelsAt + 4 * first,
        upper + 8 * first,
        lower + 8 * first,
        drift,
        shrink,
        near,
        moved,
        gainsAt,
        counts,
      ] as const;
      const args = [size, SPAN, stride, K, X, centers] as const;
      if (narrow !== undefined) {
        const shared = narrow.args(K, X, first, centers, panels);
        kernel.run("hamerlyNarrow", tasks, 24 * narrow.padded(K) + 64, [size, SPAN, ...shared, ...bounds]);
      } else if (elkan)
        kernel.run("elkan", tasks, 0, [...args, ...bounds, each + 8 * first * K, total, half]);
      else kernel.run("hamerly", tasks, 8 * eights, [...args, panels, ...bounds]);
      const at = { counts, moved, gains: gainsAt, labels: labelsAt };
      count = gatherMoves(rows, first, size, at, labels, moves, count);
    });
    return { ...moves, count };
  };

  /** The effect of the centres' moves on the bounds, rounded to the safe side. */
  const measureCenters = (C: Float64Array, before: Float64Array): void => {
    kernel.run("distances", Math.ceil(K / SPAN), 0, [K, SPAN, stride, K, centers, centers, half]);
    const drifts = kernel.f64(drift, K);
    const halves = kernel.f64(half, K * K);
    const nearest = kernel.f64(near, K);
    const shrinks = kernel.f64(shrink, K);
    const totals = kernel.f64(total, K);
    let most = 0;
    let second = 0;
    for (let k = 0; k < K; k++) {
      let squared = 0;
      for (let p = k * d; p < (k + 1) * d; p++) squared += (C[p] - before[p]) ** 2;
      drifts[k] = Math.sqrt(squared) * (1 + SLACK);
      totals[k] += drifts[k] + 1e-15 * totals[k];
      if (drifts[k] > most) [most, second] = [drifts[k], most];
      else second = Math.max(second, drifts[k]);
      nearest[k] = Infinity;
      for (let l = 0; l < K; l++) {
        const distance = 0.5 * Math.sqrt(halves[k * K + l]) * (1 - SLACK);
        halves[k * K + l] = distance;
        if (l !== k) nearest[k] = Math.min(nearest[k], distance);
      }
    }
    for (let k = 0; k < K; k++) shrinks[k] = drifts[k] === most ? second : most;
  };

  return {
    reset() {
      previous = undefined;
    },
    assign(C, labels) {
      rows.store(C, K, centers);
      if (narrow !== undefined) narrow.narrow(centers, K, panels);
      else if (previous === undefined || !elkan) kernel.exports.panels(stride, K, centers, panels);
      const before = previous;
      previous = C.slice();
      if (before === undefined) return first(labels);
      measureCenters(C, before);
      return next(labels);
    },
    adopt(C, labels) {
      previous = C.slice();
      kernel.i32(labelsAt, n).set(labels);
      kernel.f64(upper, n).fill(Infinity);
      kernel.f64(lower, n).fill(0);
      if (elkan) kernel.f64(each, n * K).fill(0);
      kernel.f64(total, K).fill(0);
    },
    relabeled(i, to) {
      kernel.i32(labelsAt, n)[i] = to;
      kernel.f64(upper, n)[i] = Infinity;
      kernel.f64(lower, n)[i] = 0;
    },
  };
}

/** Where the kernel wrote the rows that moved: from each task's first row on, as many as its count. */
interface MovedRows {
  readonly counts: number;
  readonly moved: number;
  readonly gains: number;
  readonly labels: number;
}

/**
 * Adds the moves among the `size` rows from `first` on to the `count` moves so far, and to the labels;
 * returns the count.
 */
export function gatherMoves(
  { kernel, rows: n }: KernelRows,
  first: number,
  size: number,
  at: MovedRows,
  labels: Int32Array,
  moves: Omit<Moves, "count">,
  count: number,
): number {
  const tasks = Math.ceil(size / SPAN);
  const taskCounts = kernel.i32(at.counts, tasks);
  const movedRows = kernel.i32(at.moved, size);
  const gains = kernel.f64(at.gains, size);
  const newLabels = kernel.i32(at.labels, n);
  for (let task = 0; task < tasks; task++) {
    for (let e = task * SPAN; e < task * SPAN + taskCounts[task]; e++) {
      const i = first + movedRows[e];
      moves.rows[count] = i;
      moves.from[count] = labels[i];
      moves.gains[count++] = gains[e];
      labels[i] = newLabels[i];
    }
  }
  return count;
}

/** Generous relative rounding of a distance (as in the kernel). */
const SLACK = 1e-11;

/**
 * Measured (bench/kmeans.mjs): with many centres and long rows, bounds for each centre halve the time;
 * otherwise comparing an unsettled row with all centres is faster than looking up its bounds.
 */
function eachBoundPays(n: number, d: number, K: number): boolean {
  return d >= 40 && K >= 40 && 8 * n * K <= 2 ** 29;
}
