import type { Matrix } from "../../matrix/index.ts";
import { SPAN, type KernelRows } from "../mercer/kernelRows.ts";
import type { Assigner } from "./points.ts";
import { boundedAssigner, gatherMoves } from "./boundedAssigner.ts";
import { centerAndFactor } from "./narrowRows.ts";

/** Short rows in single precision, in groups of eight, for `laneAssigner`; made once and used by all runs. */
export interface LaneRows {
  readonly center: number;
  readonly factor: number;
  readonly values: number;
  readonly lengths: number;
}

/**
 * Limits of columns and centres below which comparing with all centres in single precision is faster than
 * checking bounds; by timings.
 */
const MOST_COLUMNS = 23;
const MOST_CENTERS = 16;
/** Share of the rows that single precision may leave undecided. */
const MOST_DOUBT = 1 / 8;

export function lanesPay({ cols, resident }: KernelRows, K: number): boolean {
  return resident && cols <= MOST_COLUMNS && K <= MOST_CENTERS;
}

/** Allocated in the open scope. */
export function laneRows(X: Matrix, rows: KernelRows): LaneRows {
  const { kernel, rows: n, cols: d, stride } = rows;
  const { center, factor } = centerAndFactor(X, rows);
  const eights = (n + 7) & ~7;
  const made = {
    center: kernel.reserve(8 * d),
    factor,
    values: kernel.reserve(4 * eights * d),
    lengths: kernel.reserve(4 * eights),
  };
  kernel.f64(made.center, d).set(center);
  rows.forEachBlock(0, n, (_, count, X) => {
    const args = [count, SPAN, d, stride, X, made.center, factor, made.values, made.lengths] as const;
    kernel.run("laneRows", Math.ceil(count / SPAN), 0, args);
  });
  return made;
}

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
  const { kernel, rows: n, cols: d, stride } = rows;
  const eights = Math.ceil(K / 8) * 8;
  const tasks = Math.ceil(n / SPAN);
  const centers = kernel.reserve(8 * K * stride);
  const panels = kernel.reserve(8 * eights * stride);
  const lanes = kernel.reserve(4 * eights * (d + 1));
  const moved = kernel.reserve(4 * n);
  const gainsAt = kernel.reserve(8 * n);
  const [counts, doubts] = [kernel.reserve(4 * tasks), kernel.reserve(4 * tasks)];
  /** Made on first use; used from the run on that leaves too many undecided. */
  let bounded: Assigner | undefined;
  let inUse = false;
  return {
    reset(C) {
      if (inUse) bounded!.reset(C);
      else if (C === undefined) kernel.i32(rows.labels, n).fill(-1);
    },
    assign(C) {
      if (inUse) return bounded!.assign(C);
      rows.store(C, K, centers);
      kernel.exports.panels(stride, K, centers, panels);
      const longest = kernel.exports.laneCenters(d, stride, K, centers, center, factor, lanes);
      // Twice (d + 6) u (|x||c| + |c|^2 / 2), u = 2^-24: rounding of both and of their product (Higham 2002, section 3.1).
      const scale = (d + 6) * 2 ** -23 * 1.1 * longest;
      rows.forEachBlock(0, n, (_, size, X) => {
        const space = [size, SPAN, d, stride, K, X, panels, values, lengths, lanes] as const;
        const limits = [scale, 0.5 * scale * longest + 1e-30] as const;
        const found = [rows.labels, moved, gainsAt, counts, doubts] as const;
        kernel.run("lanes", tasks, 8 * eights, [...space, ...limits, ...found]);
      });
      const open = kernel.i32(doubts, tasks).reduce((sum, own) => sum + own, 0);
      if (open > MOST_DOUBT * n) {
        bounded ??= boundedAssigner(rows, K);
        bounded.reset(C);
        inUse = true;
      }
      return gatherMoves(rows, counts, moved, gainsAt);
    },
    relabeled(i, to) {
      if (inUse) bounded!.relabeled(i, to);
      else kernel.i32(rows.labels, n)[i] = to;
    },
  };
}
