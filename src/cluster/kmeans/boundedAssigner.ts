import { movedRows, SPAN, type KernelRows } from "./kernelRows.ts";
import type { NarrowRows } from "./narrowRows.ts";
import type { Assigner } from "./points.ts";

/** Bounds of a row, a multiple of four; with more centres, several share one. */
const MOST_BOUNDS = 64;

/**
 * Skips distances that the triangle inequality shows to be irrelevant: a row is at most `upper` from its
 * centre and at least `lower` from every other, and a drift of the centres by delta changes both by at most
 * delta. With `narrow`, there is also a lower bound for each centre or small group of centres, and those that it does not
 * exclude are first compared in 16 bits.
 */
export function boundedAssigner(rows: KernelRows, K: number, narrow?: NarrowRows): Assigner {
  const { kernel, rows: n, stride, base } = rows;
  const room = 8 * K * stride;
  const [centers, previous] = [kernel.reserve(room), kernel.reserve(room)];
  const eights = Math.ceil(K / 8) * 8;
  const packed = kernel.reserve(narrow?.centerBytes(K) ?? 8 * eights * stride);
  const [upper, lower] = [kernel.reserve(8 * n), kernel.reserve(8 * n)];
  const apart = kernel.reserve(8 * K * K);
  const [drift, shrink, near] = [kernel.reserve(8 * K), kernel.reserve(8 * K), kernel.reserve(8 * K)];
  const moved = movedRows(rows);
  const V = Math.min(Math.ceil(K / 4), MOST_BOUNDS / 4);
  const each = kernel.reserve(narrow === undefined ? 0 : 16 * n * V);
  const [totals, rounded] = [kernel.reserve(32 * V), kernel.reserve(32 * V)];
  let known = false;

  /** The effect of the centres' moves on the bounds. */
  const measureCenters = (): void => {
    kernel.run("distances", Math.ceil(K / SPAN), 0, [K, SPAN, stride, K, centers, centers, apart]);
    kernel.exports.measureDrifts(stride, K, centers, previous, apart, drift, shrink, near);
    if (narrow !== undefined) kernel.exports.addDrifts(K, V, narrow.factor, drift, totals, rounded);
  };
  return {
    reset(C) {
      known = C !== undefined;
      if (C === undefined) kernel.i32(rows.labels, n).fill(-1);
      else rows.store(C, previous);
      kernel.f64(upper, n).fill(Infinity);
      kernel.f64(lower, n).fill(0);
      if (narrow === undefined) return;
      kernel.f32(each, 4 * n * V).fill(-Infinity);
      kernel.f64(totals, 4 * V).fill(0);
      kernel.f32(rounded, 8 * V).fill(0);
    },
    assign(C) {
      rows.store(C, centers);
      if (known) measureCenters();
      rows.store(C, previous);
      known = true;
      const bounds = [rows.labels, upper, lower, drift, shrink, near, ...moved.at] as const;
      if (narrow === undefined) {
        kernel.exports.panels(stride, K, centers, packed);
        rows.run("hamerly", 8 * eights, [stride, K, base, centers, packed, ...bounds]);
      } else {
        narrow.narrow(centers, K, packed);
        const more = [V, each, rounded] as const;
        rows.run("elkan", 8 * K + 64, [...narrow.args(K, centers, packed), ...bounds, ...more]);
      }
      return moved.read();
    },
    relabeled(i, to) {
      kernel.i32(rows.labels, n)[i] = to;
      kernel.f64(upper, n)[i] = Infinity;
      kernel.f64(lower, n)[i] = 0;
      if (narrow !== undefined) kernel.f32(each + 16 * i * V, 4 * V).fill(-Infinity);
    },
  };
}
