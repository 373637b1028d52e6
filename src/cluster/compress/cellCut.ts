import type { Matrix } from "../../matrix/index.ts";

/**
 * The cut of one cell that lowers its sum of squares most. A cut at t along a feature, or along a unit direction n, lowers
 * it by at least
 *
 *     gain = n_l n_r / n (mean_l - mean_r)^2
 *
 * of the values along it, all of it along a feature; t is one of 31 evenly spaced values between the ends of the cell.
 */
export interface Cut {
  /** A feature or a direction. */
  readonly along: number | Float64Array;
  /** Left is at most this. */
  readonly threshold: number;
  readonly gain: number;
}

const BINS = 32;
/** Rows from which a direction is found, steps of the power method, which need not converge, and of 2-means after it. */
const ROWS = 1024;
const STEPS = 5;
const LLOYD = 15;
/** Cells with fewer rows have no meaningful direction. */
const FEW = 8;

/**
 * @returns the cut of the rows at positions start to end - 1 of `order`, across the direction between two means where
 * if one is requested, else along the best feature; undefined if all rows are equal
 */
export function cellCut(
  X: Matrix,
  order: Int32Array,
): (start: number, end: number, oblique: boolean) => Cut | undefined {
  const { cols: d, data } = X;
  const values = new Float64Array(order.length);
  const counts = new Float64Array(BINS);
  const sums = new Float64Array(BINS);
  const along = (start: number, end: number, way: number | Float64Array): Cut | undefined => {
    let low = Infinity;
    let high = -Infinity;
    for (let p = start; p < end; p++) {
      const at = order[p] * d;
      let value = 0;
      if (typeof way === "number") value = data[at + way];
      else for (let f = 0; f < d; f++) value += way[f] * data[at + f];
      values[p] = value;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (!(high > low)) return undefined;
    const step = BINS / (high - low);
    counts.fill(0);
    sums.fill(0);
    for (let p = start; p < end; p++) {
      // Sums are relative to the lower end, so a common offset costs no digits.
      const above = values[p] - low;
      const bin = Math.min(BINS - 1, (above * step) | 0);
      counts[bin]++;
      sums[bin] += above;
    }
    const n = end - start;
    const total = sums.reduce((a, b) => a + b, 0);
    let below = 0;
    let sum = 0;
    let best = { threshold: low, gain: 0 };
    for (let b = 0; b < BINS - 1; b++) {
      if (counts[b] === 0) continue;
      below += counts[b];
      sum += sums[b];
      const gain = (sum - (total * below) / n) ** 2 * (n / (below * (n - below)));
      if (gain > best.gain) best = { threshold: low + (b + 1) / step, gain };
    }
    // Rounding of the bins must not empty a side.
    const threshold = best.threshold >= low && best.threshold < high ? best.threshold : low;
    return { along: way, threshold, gain: best.gain };
  };
  return (start, end, oblique) => {
    if (oblique && end - start >= FEW) {
      const direction = betweenTwoMeans(X, order, start, end);
      const cut = direction && along(start, end, direction);
      if (cut !== undefined) return cut;
    }
    let best: Cut | undefined;
    for (let f = 0; f < d; f++) {
      const cut = along(start, end, f);
      if (cut !== undefined && (best === undefined || cut.gain > best.gain)) best = cut;
    }
    return best;
  };
}

/**
 * The direction between the two means of (some of) the rows, to four digits: 2-means from a start by the direction of
 * largest variance, which the power method finds on the residuals.
 */
function betweenTwoMeans(
  { cols: d, data }: Matrix,
  order: Int32Array,
  start: number,
  end: number,
): Float64Array | undefined {
  const rows = Math.min(ROWS, end - start);
  const R = new Float64Array(rows * d);
  const mean = new Float64Array(d);
  for (let r = 0; r < rows; r++) {
    const at = order[start + Math.floor((r * (end - start)) / rows)] * d;
    for (let f = 0; f < d; f++) {
      R[r * d + f] = data[at + f];
      mean[f] += data[at + f] / rows;
    }
  }
  let farthest = 0;
  let most = 0;
  for (let r = 0; r < rows; r++) {
    let square = 0;
    for (let f = 0; f < d; f++) square += (R[r * d + f] -= mean[f]) ** 2;
    if (square > most) [farthest, most] = [r, square];
  }
  if (most === 0) return undefined;
  let v: Float64Array = R.slice(farthest * d, (farthest + 1) * d);
  for (let step = 0; step < STEPS; step++) {
    const next = new Float64Array(d);
    for (let r = 0; r < rows; r++) {
      let dot = 0;
      for (let f = 0; f < d; f++) dot += R[r * d + f] * v[f];
      for (let f = 0; f < d; f++) next[f] += dot * R[r * d + f];
    }
    const length = Math.hypot(...next);
    if (!(length > 0)) break;
    v = next.map((value) => value / length);
  }
  v = twoMeans(R, rows, d, v);
  const length = Math.hypot(...v);
  return v.map((value) => Number((value / length).toFixed(4)));
}

/** From the direction of largest variance to that between two means: Lloyd's steps with two centres, about the mean 0. */
function twoMeans(R: Float64Array, rows: number, d: number, start: Float64Array): Float64Array {
  let v = start;
  let offset = 0;
  for (let step = 0; step < LLOYD; step++) {
    const a = new Float64Array(d);
    const b = new Float64Array(d);
    let count = 0;
    for (let r = 0; r < rows; r++) {
      let dot = 0;
      for (let f = 0; f < d; f++) dot += R[r * d + f] * v[f];
      const side = dot > offset ? b : a;
      if (dot > offset) count++;
      for (let f = 0; f < d; f++) side[f] += R[r * d + f];
    }
    if (count === 0 || count === rows) break;
    const [na, nb] = [rows - count, count];
    v = b.map((sum, f) => sum / nb - a[f] / na);
    offset = v.reduce((sum, value, f) => sum + value * (a[f] / na + b[f] / nb), 0) / 2;
  }
  return v;
}
