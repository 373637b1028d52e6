import { kernelBuild, loadKernel } from "../../matrix/index.ts";
import * as binary from "../kernel/walk.wasm.ts";
import type { RowGraph } from "../space.ts";

/**
 * The valley of the graph between two clusters a and b. On the subgraph of both, from x = +1 on a and -1 on b, 40 steps of
 * the lazy walk
 *
 *     x <- x / 2 + D^-1 A x / 2
 *
 * smooth x; a is sorted by decreasing x, then b. c[r] counts the edges over the gap after position r, `cut`
 * is c at the border, and the flanks are the largest c (smoothed, half-width 5) on each side. A border
 * through a dense region has no lower cut than its flanks.
 */
export interface Valley {
  /** Edges between a and b. */
  readonly cut: number;
  /** The lower of the two flanks. */
  readonly flank: number;
  /** The same over the 75 % of each side that are farthest from the border; it may be below the cut. */
  readonly farFlank: number;
}

const STEPS = 40;
const DEGREE = 24;
const COEFFICIENTS: Float64Array = chebyshevCoefficients();
const HALF_WIDTH = 5;
const FAR = 0.75;

/** Depth of a valley: ln of the ratio of edges across the lower flank to edges across the border. */
export function depth(cut: number, flank: number): number {
  return Math.log((flank + 5) / (cut + 5));
}

/** Its significance: counts are Poisson-like, so their square roots have variance 1/4. */
export function significance(cut: number, flank: number): number {
  return 2 * (Math.sqrt(flank + 0.5) - Math.sqrt(cut + 0.5));
}

/** Work space for graphs of n rows; positions are -1 between calls. */
export interface ValleyWork {
  readonly position: Int32Array;
}

export function valleyWork(n: number): ValleyWork {
  return { position: new Int32Array(n).fill(-1) };
}

export function valley(graph: RowGraph, a: Int32Array, b: Int32Array, { position }: ValleyWork): Valley {
  const { offsets, neighbors } = graph;
  const na = a.length;
  const m = na + b.length;
  const members = new Int32Array(m);
  members.set(a);
  members.set(b, na);
  for (let r = 0; r < m; r++) position[members[r]] = r;
  const starts = new Int32Array(m + 1);
  let count = 0;
  for (let r = 0; r < m; r++) count += offsets[members[r] + 1] - offsets[members[r]];
  const near = new Int32Array(count);
  count = 0;
  for (let r = 0; r < m; r++) {
    for (let e = offsets[members[r]]; e < offsets[members[r] + 1]; e++) {
      const other = position[neighbors[e]];
      if (other >= 0) near[count++] = other;
    }
    starts[r + 1] = count;
  }
  for (let r = 0; r < m; r++) position[members[r]] = -1;
  const x = walked(starts, near, na);
  const rank = ranks(x, na);
  // c after each position, from the difference of edges that begin and end there.
  const cuts = new Float64Array(m);
  for (let r = 0; r < m; r++) {
    let change = 0;
    for (let e = starts[r]; e < starts[r + 1]; e++) change += rank[near[e]] > rank[r] ? 1 : -1;
    cuts[rank[r]] = change;
  }
  for (let r = 1; r < m; r++) cuts[r] += cuts[r - 1];
  const left = smoothed(cuts.subarray(0, na));
  const right = smoothed(cuts.subarray(na - 1, m - 1));
  const farA = Math.max(1, Math.floor(FAR * na));
  const farB = Math.max(1, Math.floor(FAR * b.length));
  return {
    cut: cuts[na - 1],
    flank: Math.min(largest(left, 0, left.length), largest(right, 0, right.length)),
    farFlank: Math.min(largest(left, 0, farA), largest(right, right.length - farB, right.length)),
  };
}

function chebyshevCoefficients(): Float64Array {
  const c = new Float64Array(DEGREE + 1);
  // (2s choose s) / 2^(2s), then the ratios of neighbouring binomials.
  let value = 1;
  for (let k = 1; k <= STEPS; k++) value *= (2 * k - 1) / (2 * k);
  c[0] = value;
  for (let j = 1; j <= DEGREE; j++) {
    value *= (STEPS - j + 1) / (STEPS + j);
    c[j] = 2 * value;
  }
  return c;
}

/**
 * The walk by Chebyshev polynomials of P = D^-1 A: with T_j(cos t) = cos(j t),
 *
 *     ((1 + P) / 2)^s = sum_j c_j T_j(P),   c_j = 2^(1 - 2s) (2s choose s + j),   c_0 half of that
 *
 * and the coefficients decay like a Gaussian of variance s / 2, so that s = 40 steps take 24 products. The
 * omitted terms sum to less than 1e-6; this must be small, because graphs of many dimensions mix fast and
 * little of the walk is left. The degree-weighted mean is constant over all steps and is subtracted before
 * the first.
 */
export function walked(starts: Int32Array, near: Int32Array, na: number): Float64Array {
  const m = starts.length - 1;
  if (kernelBuild() !== undefined) return walkedInKernel(starts, near.subarray(0, starts[m]), na);
  let volume = 0;
  const share = new Float64Array(m);
  for (let r = 0; r < m; r++) share[r] = 1 / Math.max(starts[r + 1] - starts[r], 1);
  for (let r = 0; r < na; r++) volume += starts[r + 1] - starts[r];
  const mean = (2 * volume) / Math.max(starts[m], 1) - 1;
  let before = new Float64Array(m).fill(-1 - mean);
  before.fill(1 - mean, 0, na);
  const x = before.map((value) => COEFFICIENTS[0] * value);
  let now = new Float64Array(m);
  product(starts, near, share, before, now);
  for (let j = 1; ; j++) {
    const c = COEFFICIENTS[j];
    for (let r = 0; r < m; r++) x[r] += c * now[r];
    if (j === COEFFICIENTS.length - 1) return x;
    const next = before;
    for (let r = 0; r < m; r++) {
      let sum = 0;
      for (let e = starts[r]; e < starts[r + 1]; e++) sum += now[near[e]];
      next[r] = 2 * share[r] * sum - before[r];
    }
    before = now;
    now = next;
  }
}

/** The same bits, without the compiler of the JavaScript engine having to see the loops first. */
function walkedInKernel(starts: Int32Array, near: Int32Array, na: number): Float64Array {
  const m = starts.length - 1;
  const kernel = loadKernel<binary.Exports>("compare/walk", binary);
  return kernel.scope(() => {
    const [s, n] = [kernel.reserve(4 * starts.length), kernel.reserve(4 * near.length)];
    const c = kernel.reserve(8 * COEFFICIENTS.length);
    const [share, x, now, before] = [0, 1, 2, 3].map(() => kernel.reserve(8 * m));
    kernel.i32(s, starts.length).set(starts);
    kernel.i32(n, near.length).set(near);
    kernel.f64(c, COEFFICIENTS.length).set(COEFFICIENTS);
    kernel.exports.walk(m, na, DEGREE, s, n, c, share, x, now, before);
    return kernel.f64(x, m).slice();
  });
}

/** y = P x. */
function product(
  starts: Int32Array,
  near: Int32Array,
  share: Float64Array,
  x: Float64Array,
  y: Float64Array,
): void {
  for (let r = 0; r < y.length; r++) {
    let sum = 0;
    for (let e = starts[r]; e < starts[r + 1]; e++) sum += x[near[e]];
    y[r] = share[r] * sum;
  }
}

/** Positions of a by decreasing x, then those of b. A key and an index share one number: 31 bits and 21. */
function ranks(x: Float64Array, na: number): Int32Array {
  const m = x.length;
  let least = Infinity;
  let most = -Infinity;
  for (let r = 0; r < m; r++) {
    least = Math.min(least, x[r]);
    most = Math.max(most, x[r]);
  }
  const factor = most > least ? (2 ** 31 - 1) / (most - least) : 0;
  const keys = new Float64Array(m);
  for (let r = 0; r < m; r++) keys[r] = Math.floor((most - x[r]) * factor) * 2 ** 21 + r;
  keys.subarray(0, na).sort();
  keys.subarray(na).sort();
  const rank = new Int32Array(m);
  for (let r = 0; r < m; r++) rank[keys[r] % 2 ** 21] = r;
  return rank;
}

/** Moving average over 2 HALF_WIDTH + 1 positions, fewer at the ends. */
export function smoothed(values: Float64Array): Float64Array {
  const m = values.length;
  const sums = new Float64Array(m + 1);
  for (let i = 0; i < m; i++) sums[i + 1] = sums[i] + values[i];
  return Float64Array.from({ length: m }, (_, i) => {
    const h = Math.min(HALF_WIDTH, i, m - 1 - i);
    return (sums[i + h + 1] - sums[i - h]) / (2 * h + 1);
  });
}

function largest(values: Float64Array, from: number, to: number): number {
  let most = 0;
  for (let i = Math.max(0, from); i < to; i++) most = Math.max(most, values[i]);
  return most;
}
