/**
 * The bins and the trees of a forest in plain loops, one step after the other: what src/classify/forest/binning.ts and
 * growForest.ts compute in kernels, to the last bit.
 */
import type { BinnedRows } from "../../src/classify/forest/binning.ts";
import type { GrownTree, GrowOptions, OutOfBagVotes } from "../../src/classify/forest/growForest.ts";
import { random, type Random } from "../../src/core/random.ts";
import { matrix, type Matrix } from "../../src/matrix/matrix.ts";

export function growPlain(
  data: BinnedRows,
  codes: Int32Array,
  K: number,
  options: GrowOptions,
  seeds: Float64Array,
  accept: (tree: GrownTree) => boolean,
): OutOfBagVotes {
  const { rows: n, bins } = data;
  const grower = treeGrower(data, codes, K, options);
  const votes = matrix(n, K);
  const seen = new Int32Array(n);
  const weights = new Int32Array(n);
  for (const seed of seeds) {
    const draw = random(seed);
    weights.fill(0);
    for (let i = 0; i < n; i++) weights[draw.integer(n)]++;
    const tree = grower.grow(weights, draw);
    const { feature, bin, left, shares } = tree;
    const wanted = accept(tree);
    for (let i = 0; i < n; i++) {
      if (weights[i] > 0) continue;
      seen[i]++;
      let v = 0;
      while (feature[v] >= 0) v = left[v] + Number(bins[feature[v] * n + i] > bin[v]);
      const leaf = left[v];
      if (leaf < K) votes.data[i * K + leaf]++;
      else for (let k = 0; k < K; k++) votes.data[i * K + k] += shares[(leaf - K) * K + k];
    }
    if (!wanted) break;
  }
  return { votes, seen };
}

interface TreeGrower {
  /** A tree on the rows with positive weight; valid until the next call. */
  grow(weights: Int32Array, random: Random): GrownTree;
}

/** Up to this many rows, insertion sort is faster than counting. */
const FEW = 24;

export function treeGrower(
  { rows: n, features: d, bins }: BinnedRows,
  codes: Int32Array,
  K: number,
  { tried, maxDepth, minLeaf }: GrowOptions,
): TreeGrower {
  const capacity = 2 * n;
  const feature = new Int32Array(capacity);
  const bin = new Int32Array(capacity);
  const left = new Int32Array(capacity);
  const shares: number[] = [];
  const importance = new Float64Array(d);
  const starts = new Int32Array(capacity);
  const ends = new Int32Array(capacity);
  const depths = new Int32Array(capacity);
  const stack = new Int32Array(capacity);
  const rows = new Int32Array(n);
  const features = new Int32Array(d);
  // For the current node: class counts, class and weight of each row, the row numbers ordered by bin, and sums of
  // the left side.
  const counts = new Float64Array(K);
  const classOf = new Int32Array(n);
  const weightOf = new Int32Array(n);
  const order = { places: new Int32Array(257), ordered: new Int32Array(n), binAt: new Uint8Array(n) };
  const { ordered, binAt } = order;
  const leftCounts = new Float64Array(K);

  let bestScore = 0;
  let bestBin = 0;
  /** Whether some border of this feature beats `bestScore`; if so, it replaces that score and `bestBin`. */
  const search = (f: number, from: number, m: number, W: number, squares: number): boolean => {
    orderByBin(bins.subarray(f * n, (f + 1) * n), rows.subarray(from, from + m), order);
    let found = false;
    if (binAt[0] === binAt[m - 1]) return found;
    leftCounts.fill(0);
    let leftSquares = 0;
    let rightSquares = squares;
    let leftWeight = 0;
    for (let p = 0; p < m; p++) {
      if (p > 0 && binAt[p] !== binAt[p - 1] && leftWeight >= minLeaf && W - leftWeight >= minLeaf) {
        const score = leftSquares / leftWeight + rightSquares / (W - leftWeight);
        if (score > bestScore) {
          bestScore = score;
          // Halfway by rank between the bins in this node: new rows between them are divided fairly.
          bestBin = (binAt[p - 1] + binAt[p] - 1) >> 1;
          found = true;
        }
      }
      const k = classOf[ordered[p]];
      const w = weightOf[ordered[p]];
      const l = leftCounts[k];
      leftSquares += w * (2 * l + w);
      rightSquares -= w * (2 * (counts[k] - l) - w);
      leftCounts[k] = l + w;
      leftWeight += w;
    }
    return found;
  };

  const grow = (weights: Int32Array, random: Random): GrownTree => {
    let inBag = 0;
    for (let i = 0; i < n; i++) if (weights[i] > 0) rows[inBag++] = i;
    for (let f = 0; f < d; f++) features[f] = f;
    importance.fill(0);
    shares.length = 0;
    let nodes = 1;
    let waiting = 1;
    starts[0] = 0;
    ends[0] = inBag;
    depths[0] = 0;
    stack[0] = 0;
    while (waiting > 0) {
      const node = stack[--waiting];
      const from = starts[node];
      const m = ends[node] - from;
      counts.fill(0);
      let W = 0;
      for (let p = 0; p < m; p++) {
        const i = rows[from + p];
        classOf[p] = codes[i];
        weightOf[p] = weights[i];
        counts[codes[i]] += weights[i];
        W += weights[i];
      }
      let squares = 0;
      for (let k = 0; k < K; k++) squares += counts[k] * counts[k];
      const pure = squares === W * W;

      // Any border is accepted, even one without gain: an exclusive-or needs it.
      bestScore = -1;
      let best = -1;
      if (!pure && depths[node] < maxDepth && W >= 2 * minLeaf) {
        for (let drawn = 0; drawn < d && (drawn < tried || best < 0); drawn++) {
          const at = drawn + random.integer(d - drawn);
          const f = features[at];
          features[at] = features[drawn];
          features[drawn] = f;
          if (search(f, from, m, W, squares)) best = f;
        }
      }
      feature[node] = best;
      bin[node] = 0;
      if (best < 0) {
        left[node] = pure ? counts.indexOf(W) : K + shares.length / K;
        if (!pure) for (const count of counts) shares.push(count / W);
        continue;
      }
      importance[best] += bestScore - squares / W;
      const middle = partition(bins.subarray(best * n, (best + 1) * n), bestBin, rows, from, ends[node]);
      bin[node] = bestBin;
      left[node] = nodes;
      for (const [start, end] of [
        [from, middle],
        [middle, ends[node]],
      ]) {
        starts[nodes] = start;
        ends[nodes] = end;
        depths[nodes] = depths[node] + 1;
        stack[waiting++] = nodes++;
      }
    }
    return {
      feature: feature.subarray(0, nodes),
      bin: bin.subarray(0, nodes),
      left: left.subarray(0, nodes),
      shares: Float64Array.from(shares),
      importance,
    };
  };
  return { grow };
}

/** Rows of a node by their bins. */
interface BinOrder {
  readonly places: Int32Array;
  /** Positions in the node, by bin. */
  readonly ordered: Int32Array;
  readonly binAt: Uint8Array;
}

function orderByBin(bins: Uint8Array, rows: Int32Array, { places, ordered, binAt }: BinOrder): void {
  const m = rows.length;
  if (m <= FEW) {
    for (let p = 0; p < m; p++) {
      const b = bins[rows[p]];
      let q = p;
      for (; q > 0 && binAt[q - 1] > b; q--) {
        binAt[q] = binAt[q - 1];
        ordered[q] = ordered[q - 1];
      }
      binAt[q] = b;
      ordered[q] = p;
    }
    return;
  }
  places.fill(0);
  for (let p = 0; p < m; p++) places[bins[rows[p]] + 1]++;
  for (let b = 1; b < 256; b++) places[b] += places[b - 1];
  for (let p = 0; p < m; p++) {
    const b = bins[rows[p]];
    const q = places[b]++;
    binAt[q] = b;
    ordered[q] = p;
  }
}

/** Moves rows up to the bin `last` to the front; returns the start of the others. */
function partition(bins: Uint8Array, last: number, rows: Int32Array, from: number, to: number): number {
  let a = from;
  let b = to - 1;
  for (;;) {
    while (a <= b && bins[rows[a]] <= last) a++;
    while (a <= b && bins[rows[b]] > last) b--;
    if (a > b) return a;
    [rows[a], rows[b]] = [rows[b], rows[a]];
  }
}

export function binPlain({ rows, cols, data }: Matrix, most: number): BinnedRows {
  const bins = new Uint8Array(rows * cols);
  const sorted = new Float64Array(rows);
  const cuts: Float64Array[] = [];
  for (let f = 0; f < cols; f++) {
    for (let i = 0; i < rows; i++) sorted[i] = data[i * cols + f] + 0; // -0 is 0
    sorted.sort();
    const own = cutsOf(sorted, most);
    cuts.push(own);
    for (let i = 0; i < rows; i++) bins[f * rows + i] = binOf(own, data[i * cols + f]);
  }
  return { rows, features: cols, bins, cuts };
}

function cutsOf(sorted: Float64Array, most: number): Float64Array {
  const n = sorted.length;
  let distinct = 1;
  for (let i = 1; i < n; i++) if (sorted[i] !== sorted[i - 1]) distinct++;
  const cuts = new Float64Array(Math.min(distinct, most) - 1);
  const all = distinct <= most;
  let count = 0;
  let due = n / most; // rows that the bins so far should hold
  for (let i = 1; i < n && count < cuts.length; i++) {
    if (sorted[i] === sorted[i - 1] || (!all && i < due - 0.5)) continue;
    cuts[count++] = halfway(sorted[i - 1], sorted[i]);
    // After a value with very many rows, the remaining rows are spread evenly over the remaining bins.
    const held = Math.max(due, i - 0.5);
    due = held + (n - held) / (most - count);
  }
  return cuts.subarray(0, count);
}

/** In [a, b): a itself where nothing lies between or the sum overflows. */
function halfway(a: number, b: number): number {
  const middle = a / 2 + b / 2;
  return middle >= a && middle < b ? middle : a;
}

/** The number of cuts below x. */
function binOf(cuts: Float64Array, x: number): number {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x <= cuts[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}
