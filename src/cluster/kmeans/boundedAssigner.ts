import type { Assigner, Moves } from "./points.ts";
import type { NarrowRows } from "./narrowRows.ts";
import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";

/**
 * Skips distances that the triangle inequality shows to be irrelevant: a row is at most `upper` from its
 * centre and at least `lower` from every other, and a drift of the centres by delta changes both by at most
 * delta. With `narrow`, there is also a lower bound for each centre or small group of centres, and those that it does not
 * exclude are first compared in 16 bits.
 */
export function boundedAssigner(rows: KernelRows, K: number, narrow?: NarrowRows): Assigner {
  const { kernel, rows: n, cols: d, stride } = rows;
  const centers = kernel.reserve(8 * K * stride);
  const eights = Math.ceil(K / 8) * 8;
  const panels = kernel.reserve(narrow?.centerBytes(K) ?? 8 * eights * stride);
  const upper = kernel.reserve(8 * n);
  const lower = kernel.reserve(8 * n);
  const drift = kernel.reserve(8 * K);
  const apart = kernel.reserve(8 * K * K);
  const shrink = kernel.reserve(8 * K);
  const near = kernel.reserve(8 * K);
  const moved = kernel.reserve(4 * n);
  const gainsAt = kernel.reserve(8 * n);
  const counts = kernel.reserve(4 * Math.ceil(n / SPAN));
  const V = Math.min(Math.ceil(K / 4), MOST_BOUNDS / 4);
  const each = kernel.reserve(narrow === undefined ? 0 : 16 * n * V);
  const totalsAt = kernel.reserve(32 * V);
  const totals = new Float64Array(4 * V);
  let previous: Float64Array | undefined;

  const assigned = (): Moves => {
    rows.forEachBlock(0, n, (first, size, X) => {
      const tasks = Math.ceil(size / SPAN);
      const bounds = [
        rows.labels + 4 * first,
        upper + 8 * first,
        lower + 8 * first,
        drift,
        shrink,
        near,
        moved + 4 * first,
        gainsAt + 8 * first,
        counts + (4 * first) / SPAN,
      ] as const;
      if (narrow === undefined) {
        const args = [size, SPAN, stride, K, X, centers, panels, ...bounds] as const;
        kernel.run("hamerly", tasks, 8 * eights, args);
      } else {
        const args = [size, SPAN, ...narrow.args(K, X, first, centers, panels), ...bounds] as const;
        kernel.run("elkan", tasks, 8 * K + 64, [...args, V, each + 16 * first * V, totalsAt]);
      }
    });
    return gatherMoves(rows, counts, moved, gainsAt);
  };

  /** The effect of the centres' moves on the bounds, rounded to the safe side. */
  const measureCenters = (C: Float64Array, before: Float64Array): void => {
    kernel.run("distances", Math.ceil(K / SPAN), 0, [K, SPAN, stride, K, centers, centers, apart]);
    const drifts = kernel.f64(drift, K);
    const squares = kernel.f64(apart, K * K);
    const nearest = kernel.f64(near, K);
    const shrinks = kernel.f64(shrink, K);
    let most = 0;
    let second = 0;
    for (let k = 0; k < K; k++) {
      let squared = 0;
      for (let p = k * d; p < (k + 1) * d; p++) squared += (C[p] - before[p]) ** 2;
      drifts[k] = Math.sqrt(squared) * (1 + SLACK);
      if (drifts[k] > most) [most, second] = [drifts[k], most];
      else second = Math.max(second, drifts[k]);
      nearest[k] = Infinity;
      for (let l = 0; l < K; l++) {
        const half = 0.5 * Math.sqrt(squares[k * K + l]) * (1 - SLACK);
        if (l !== k) nearest[k] = Math.min(nearest[k], half);
      }
    }
    for (let k = 0; k < K; k++) shrinks[k] = drifts[k] === most ? second : most;
    if (narrow === undefined) return;
    const groups = new Float64Array(4 * V);
    for (let k = 0; k < K; k++) groups[k % groups.length] = Math.max(groups[k % groups.length], drifts[k]);
    const rounded = kernel.f32(totalsAt, 8 * V);
    for (let g = 0; g < groups.length; g++) {
      totals[g] = (totals[g] + groups[g] * narrow.factor) * (1 + 1e-15);
      const to = 2 * g - (g & 3);
      rounded[to] = totals[g] * (1 + LOSS);
      rounded[to + 4] = totals[g] * (1 - LOSS);
    }
  };

  const forget = (): void => {
    kernel.f64(upper, n).fill(Infinity);
    kernel.f64(lower, n).fill(0);
    if (narrow === undefined) return;
    kernel.f32(each, 4 * n * V).fill(-Infinity);
    totals.fill(0);
    kernel.f32(totalsAt, 8 * V).fill(0);
  };

  return {
    reset(C) {
      previous = C?.slice();
      if (C === undefined) kernel.i32(rows.labels, n).fill(-1);
      forget();
    },
    assign(C) {
      rows.store(C, K, centers);
      if (narrow === undefined) kernel.exports.panels(stride, K, centers, panels);
      else narrow.narrow(centers, K, panels);
      if (previous !== undefined) measureCenters(C, previous);
      previous = C.slice();
      return assigned();
    },
    relabeled(i, to) {
      kernel.i32(rows.labels, n)[i] = to;
      kernel.f64(upper, n)[i] = Infinity;
      kernel.f64(lower, n)[i] = 0;
      if (narrow !== undefined) kernel.f32(each + 16 * i * V, 4 * V).fill(-Infinity);
    },
  };
}

/**
 * The moves that the kernel wrote, those of a task from its first row on, as many as its count, by their places among its
 * rows: moved together where they are.
 */
export function gatherMoves(
  { kernel, rows: n }: KernelRows,
  countsAt: number,
  movedAt: number,
  gainsAt: number,
): Moves {
  const counts = kernel.i32(countsAt, Math.ceil(n / SPAN));
  const rows = kernel.i32(movedAt, n);
  const gains = kernel.f64(gainsAt, n);
  let count = 0;
  for (let task = 0, first = 0; task < counts.length; task++, first += SPAN) {
    for (let e = first; e < first + counts[task]; e++) {
      rows[count] = first + rows[e];
      gains[count++] = gains[e];
    }
  }
  return { count, rows, gains };
}

/** Generous relative rounding of a distance (as in the kernel). */
const SLACK = 1e-11;

/** Relative rounding of bounds in single precision (as in the kernel). */
const LOSS = 2 ** -20;

/** Bounds of a row, a multiple of four; with more centres, several share one. */
const MOST_BOUNDS = 64;
