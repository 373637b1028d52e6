import { boundedAssigner } from "./boundedAssigner.ts";
import { movedRows, SPAN, type KernelRows } from "./kernelRows.ts";
import { centerAndFactor } from "./narrowRows.ts";
import type { Assigner } from "./points.ts";

/**
 * Limits of columns and centres below which comparing with all centres in single precision is faster than
 * checking bounds; by timings.
 */
const MOST_COLUMNS = 23;
const MOST_CENTERS = 16;
/** Share of the rows that single precision may leave undecided. */
const MOST_DOUBT = 1 / 8;

export function lanesPay({ cols }: KernelRows, K: number): boolean {
  return cols <= MOST_COLUMNS && K <= MOST_CENTERS;
}

/** Allocated in the open scope. */
export function laneRows(rows: KernelRows) {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const { center: mean, factor } = centerAndFactor(rows);
  const eights = (n + 7) & ~7;
  const center = rows.placed(mean);
  const [values, lengths] = [kernel.reserve(4 * eights * d), kernel.reserve(4 * eights)];
  rows.run("laneRows", 0, [d, stride, base, center, factor, values, lengths]);
  return { center, factor, values, lengths };
}

/** Short rows in single precision, in groups of eight, for `laneAssigner`; made once and used by all runs. */
export type LaneRows = ReturnType<typeof laneRows>;

/**
 * Compares each row with all centres in single precision, eight rows at a time, and measures the undecided
 * ones. If too many are undecided, for example with a centre far away from all others, the work continues
 * with bounds.
 */
export function laneAssigner(
  rows: KernelRows,
  K: number,
  { center, factor, values, lengths }: LaneRows,
): Assigner {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const eights = Math.ceil(K / 8) * 8;
  const tasks = Math.ceil(n / SPAN);
  const centers = kernel.reserve(8 * K * stride);
  const panels = kernel.reserve(8 * eights * stride);
  const lanes = kernel.reserve(4 * eights * (d + 1));
  const moved = movedRows(rows);
  const doubts = kernel.reserve(4 * tasks);
  /** Made on first use; used from the run on that leaves too many undecided. */
  let bounded: Assigner | undefined;
  return {
    reset(C) {
      if (bounded !== undefined) bounded.reset(C);
      else if (C === undefined) kernel.i32(rows.labels, n).fill(-1);
    },
    assign(C) {
      if (bounded !== undefined) return bounded.assign(C);
      rows.store(C, centers);
      kernel.exports.panels(stride, K, centers, panels);
      const longest = kernel.exports.laneCenters(d, stride, K, centers, center, factor, lanes);
      // Twice (d + 6) u (|x||c| + |c|^2 / 2), u = 2^-24: rounding of both and of their product (Higham 2002, section 3.1).
      const scale = (d + 6) * 2 ** -23 * 1.1 * longest;
      const limits = [scale, 0.5 * scale * longest + 1e-30] as const;
      const space = [d, stride, K, base, panels, values, lengths, lanes, ...limits] as const;
      rows.run("lanes", 8 * eights, [...space, rows.labels, ...moved.at, doubts]);
      const open = kernel.i32(doubts, tasks).reduce((sum, own) => sum + own, 0);
      if (open > MOST_DOUBT * n) {
        bounded = boundedAssigner(rows, K);
        bounded.reset(C);
      }
      return moved.read();
    },
    relabeled(i, to) {
      if (bounded !== undefined) bounded.relabeled(i, to);
      else kernel.i32(rows.labels, n)[i] = to;
    },
  };
}
