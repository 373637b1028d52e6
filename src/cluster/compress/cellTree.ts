import { matrix, type Matrix } from "../../matrix/index.ts";

/**
 * A binary tree that cuts space into cells (after the k-d tree of J. L. Bentley, 1975, and the principal-axis tree of
 * R. F. Sproull, 1991): the next cut is always the one that lowers the sum of squares within cells most (`cellCut`).
 * The first levels cut across the direction between two means of the cell, so cells end between clusters in
 * any direction; the others cut across a feature. A row finds its cell by `depth` comparisons, in memory, in
 * a stream and in SQL.
 */
export interface CellTree {
  readonly dimensions: number;
  /** The levels that compare n'x; those below compare a feature. */
  readonly oblique: number;
  /** n of node v, if its level is oblique: row `normals[v]` of `directions`; else -1. */
  readonly normals: Int32Array;
  readonly directions: Matrix;
  /** The feature that node v compares, if its level is not oblique; else -1. */
  readonly features: Int32Array;
  /** A row goes left if its value is at most this. */
  readonly thresholds: Float64Array;
  /** The left child; the right one is the next node. -1 at a leaf. */
  readonly left: Int32Array;
  readonly depths: Uint8Array;
  /** Number of the cell at a leaf, -1 elsewhere. */
  readonly cells: Int32Array;
  readonly count: number;
  /** Comparisons to the deepest leaf. */
  readonly depth: number;
}

/** Cuts the rows of X into at most `most` cells; fewer if every cell has only equal rows earlier. */
export function cellTree(X: Matrix, most: number): CellTree {
  const { rows: n, cols: d } = X;
  const oblique = d < 2 ? 0 : Math.max(0, Math.floor(Math.log2(DIRECTIONS / d)));
  const capacity = 2 * Math.max(1, Math.min(most, n)) - 1;
  const cuts: (Cut | undefined)[] = [];
  const left = new Int32Array(capacity).fill(-1);
  const starts = new Int32Array(capacity);
  const ends = new Int32Array(capacity);
  const depths = new Uint8Array(capacity);
  const gains = new Float64Array(capacity);
  const order = new Int32Array(n);
  for (let i = 0; i < n; i++) order[i] = i;
  const cutter = cellCut(X, order);
  const waiting = largestFirst(gains);
  const prepare = (v: number): void => {
    if (depths[v] >= DEEPEST) return;
    cuts[v] = cutter(starts[v], ends[v], depths[v] < oblique);
    if (cuts[v] === undefined) return;
    gains[v] = cuts[v].gain;
    waiting.push(v);
  };
  let nodes = 1;
  let count = 1;
  ends[0] = n;
  prepare(0);
  while (count < most) {
    const v = waiting.pop();
    if (v < 0) break;
    const middle = divide(X, order, starts[v], ends[v], cuts[v]!);
    left[v] = nodes;
    for (const [start, end] of [
      [starts[v], middle],
      [middle, ends[v]],
    ]) {
      starts[nodes] = start;
      ends[nodes] = end;
      depths[nodes] = depths[v] + 1;
      prepare(nodes++);
    }
    count++;
  }
  return assembled(d, oblique, left.slice(0, nodes), depths.slice(0, nodes), cuts);
}

/**
 * No cut below this depth: each level is a join in SQL. Rows beyond it stay in one cell, and count in its
 * scatter.
 */
const DEEPEST = 40;
/** Limit on the numbers in the directions of all nodes: SQL has them as text. */
const DIRECTIONS = 100_000;

/** The cell of every row. */
export function cellsOf(tree: CellTree, X: Matrix): Int32Array {
  const { features, normals, directions, thresholds, left, cells } = tree;
  const { rows, cols: d, data } = X;
  const found = new Int32Array(rows);
  for (let i = 0; i < rows; i++) {
    let v = 0;
    while (left[v] >= 0) {
      let value = 0;
      if (normals[v] < 0) value = data[i * d + features[v]];
      else for (let f = 0, q = normals[v] * d; f < d; f++, q++) value += directions.data[q] * data[i * d + f];
      v = value <= thresholds[v] ? left[v] : left[v] + 1;
    }
    found[i] = cells[v];
  }
  return found;
}

function assembled(
  d: number,
  oblique: number,
  left: Int32Array,
  depths: Uint8Array,
  cuts: readonly (Cut | undefined)[],
): CellTree {
  const nodes = left.length;
  const features = new Int32Array(nodes).fill(-1);
  const normals = new Int32Array(nodes).fill(-1);
  const thresholds = new Float64Array(nodes);
  const cells = new Int32Array(nodes).fill(-1);
  const directions: number[] = [];
  let count = 0;
  let depth = 0;
  for (let v = 0; v < nodes; v++) {
    depth = Math.max(depth, depths[v]);
    if (left[v] < 0) {
      cells[v] = count++;
      continue;
    }
    const { along, threshold } = cuts[v]!;
    thresholds[v] = threshold;
    if (depths[v] >= oblique) {
      features[v] = along as number;
      continue;
    }
    // A level compares in one way: small cells of the first levels, which are cut along a feature, use it as
    // direction.
    normals[v] = directions.length / d;
    for (let f = 0; f < d; f++) directions.push(typeof along === "number" ? Number(f === along) : along[f]);
  }
  return {
    dimensions: d,
    oblique: Math.min(oblique, depth),
    normals,
    directions: matrix(directions.length / d, d, Float64Array.from(directions)),
    features,
    thresholds,
    left,
    depths,
    cells,
    count,
    depth,
  };
}

/** Moves the rows that go left to the front, in order; returns the start of the others. */
function divide(
  { data, cols: d }: Matrix,
  order: Int32Array,
  start: number,
  end: number,
  { along, threshold }: Cut,
): number {
  const right = new Int32Array(end - start);
  let middle = start;
  let others = 0;
  for (let p = start; p < end; p++) {
    const i = order[p];
    let value = 0;
    if (typeof along === "number") value = data[i * d + along];
    else for (let f = 0; f < d; f++) value += along[f] * data[i * d + f];
    if (value <= threshold) order[middle++] = i;
    else right[others++] = i;
  }
  order.set(right.subarray(0, others), middle);
  return middle;
}

/** A heap of nodes by their gain, ties to the older node. */
function largestFirst(gains: Float64Array): { push(v: number): void; pop(): number } {
  const heap: number[] = [];
  const before = (a: number, b: number): boolean => gains[a] > gains[b] || (gains[a] === gains[b] && a < b);
  return {
    push(v) {
      let at = heap.length;
      heap.push(v);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(v, heap[parent])) break;
        heap[at] = heap[parent];
        at = parent;
      }
      heap[at] = v;
    },
    pop() {
      const top = heap[0] ?? -1;
      const v = heap.pop();
      if (v === undefined || heap.length === 0) return top;
      let at = 0;
      for (;;) {
        let child = 2 * at + 1;
        if (child >= heap.length) break;
        if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
        if (!before(heap[child], v)) break;
        heap[at] = heap[child];
        at = child;
      }
      heap[at] = v;
      return top;
    },
  };
}

/**
 * The cut of one cell that lowers its sum of squares most. A cut at t along a feature, or along a unit direction n, lowers
 * it by at least
 *
 *     gain = n_l n_r / n (mean_l - mean_r)^2
 *
 * of the values along it, all of it along a feature; t is one of 31 evenly spaced values between the ends of the cell.
 */
interface Cut {
  /** A feature or a direction. */
  readonly along: number | Float64Array;
  /** Left is at most this. */
  readonly threshold: number;
  readonly gain: number;
}

const BINS = 32;
/** Cells with fewer rows have no meaningful direction. */
const FEW = 8;

/**
 * @returns the cut of the rows at positions start to end - 1 of `order`, across the direction between two means where
 * if one is requested, else along the best feature; undefined if all rows are equal
 */
function cellCut(
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

/** Rows from which a direction is found, steps of the power method, which need not converge, and of 2-means after it. */
const ROWS = 1024;
const STEPS = 5;

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

const LLOYD = 15;

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
