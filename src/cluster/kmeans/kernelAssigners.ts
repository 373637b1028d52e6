import { movedRows, SPAN, type KernelRows } from "./kernelRows.ts";
import type { Assigner } from "./points.ts";

/** The fastest assigner for K centres. Forms of the rows are made once and kept, so they are asked for before a scope is opened. */
export function assignersOf(rows: KernelRows) {
  let narrowed: NarrowRows | undefined | "not made" = "not made";
  let short: LaneRows | undefined;
  const narrow = (): NarrowRows | undefined =>
    narrowed === "not made" ? (narrowed = narrowRows(rows)) : narrowed;
  return {
    narrow,
    assignerTo(K: number): () => Assigner {
      const filter = K >= NARROW_CENTERS ? narrow() : undefined;
      if (!lanesPay(rows, K)) return () => boundedAssigner(rows, K, filter);
      const lanes = (short ??= laneRows(rows));
      return () => laneAssigner(rows, K, lanes);
    },
  };
}

/** Bounds of a row, a multiple of four; with more centres, several share one. */
const MOST_BOUNDS = 64;

/**
 * Skips distances that the triangle inequality shows to be irrelevant: a row is at most `upper` from its
 * centre and at least `lower` from every other, and a drift of the centres by delta changes both by at most
 * delta. With `narrow`, there is also a lower bound for each centre or small group of centres, and those that it does not
 * exclude are first compared in 16 bits.
 */
function boundedAssigner(rows: KernelRows, K: number, narrow?: NarrowRows): Assigner {
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

/**
 * Limits of columns and centres below which comparing with all centres in single precision is faster than
 * checking bounds; by timings.
 */
const MOST_COLUMNS = 23;
const MOST_CENTERS = 16;
/** Share of the rows that single precision may leave undecided. */
const MOST_DOUBT = 1 / 8;

function lanesPay({ cols }: KernelRows, K: number): boolean {
  return cols <= MOST_COLUMNS && K <= MOST_CENTERS;
}

/** Allocated in the open scope. */
function laneRows(rows: KernelRows) {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const { center: mean, factor } = centerAndFactor(rows);
  const eights = (n + 7) & ~7;
  const center = rows.placed(mean);
  const [values, lengths] = [kernel.reserve(4 * eights * d), kernel.reserve(4 * eights)];
  rows.run("laneRows", 0, [d, stride, base, center, factor, values, lengths]);
  return { center, factor, values, lengths };
}

/** Short rows in single precision, in groups of eight, for `laneAssigner`; made once and used by all runs. */
type LaneRows = ReturnType<typeof laneRows>;

/**
 * Compares each row with all centres in single precision, eight rows at a time, and measures the undecided
 * ones. If too many are undecided, for example with a centre far away from all others, the work continues
 * with bounds.
 */
function laneAssigner(rows: KernelRows, K: number, { center, factor, values, lengths }: LaneRows): Assigner {
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

/** Number of columns from which products of integers are so much faster than differences that filtering pays. */
export const LEAST_COLUMNS = 24;
const NARROW_CENTERS = 4;
/** Limit for the integers. */
const MOST_BYTES = 2 ** 30;
/** Bytes of the facts of a row, and of four centres. */
const FACTS = 16;
const FACTS4 = 48;

/** Allocated in the open scope; undefined if they would not pay. */
function narrowRows(rows: KernelRows) {
  const { kernel, rows: n, cols: d, stride, base } = rows;
  const w = Math.ceil(d / 16) * 16;
  const bytes = 2 * w;
  if (d < LEAST_COLUMNS || n * bytes > MOST_BYTES) return undefined;
  const narrowed = kernel.reserve(bytes * n);
  const facts = kernel.reserve(FACTS * n);
  const { center, factor } = centerAndFactor(rows);
  const centerAt = rows.placed(center);
  rows.run("narrowRows", 0, [d, stride, w, base, centerAt, factor, narrowed, facts]);
  const factsOf = (K: number, address: number): number => address + 4 * bytes * Math.ceil(K / 4);
  return {
    /** The factor of the rows: a power of two. */
    factor,
    /** Bytes for K centres, and for their facts. */
    centerBytes: (K: number): number => Math.ceil(K / 4) * (4 * bytes + FACTS4),
    /** Writes integers and facts of K centres, with the stride of the rows, to `to`. */
    narrow: (centers: number, K: number, to: number): void =>
      kernel.exports.narrowCenters(d, stride, w, K, centers, centerAt, factor, to, factsOf(K, to)),
    /** The common arguments of the kernel's functions: d, s, w, K, X, C, Q, facts, QC, factsC, factor. */
    args: (K: number, centers: number, at: number) =>
      [d, stride, w, K, base, centers, narrowed, facts, at, factsOf(K, at), factor] as const,
  };
}

/**
 * Rows as 16-bit integers beside those in double precision, for products that exclude most centres
 * (matrix/kernel/_short.as.ts).
 */
export type NarrowRows = NonNullable<ReturnType<typeof narrowRows>>;

/** Rows that estimate the position of the others; rows outside that range are left to double precision. */
const SAMPLE = 512;

/** The mean of some rows, and the power of two that brings their largest deviation to between 1/2 and 1. */
function centerAndFactor({ kernel, rows: n, cols: d, stride, base }: KernelRows) {
  const data = kernel.f64(base, n * stride);
  const step = Math.ceil(n / SAMPLE);
  const count = Math.ceil(n / step);
  const center = new Float64Array(d);
  for (let i = 0; i < n; i += step) for (let f = 0; f < d; f++) center[f] += data[i * stride + f] / count;
  let largest = 0;
  for (let i = 0; i < n; i += step) {
    for (let f = 0; f < d; f++) largest = Math.max(largest, Math.abs(data[i * stride + f] - center[f]));
  }
  const factor = largest > 0 ? 2 ** -Math.ceil(Math.log2(largest)) : 1;
  return { center, factor: factor > 0 && factor < Infinity ? factor : 1 };
}
