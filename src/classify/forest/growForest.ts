/**
 * The trees of a forest on bootstrap samples, each from its own seed, and their votes on the rows that they did not
 * see. The kernel grows several at a time, on several threads if that pays; the plain engine one after the other
 * (`treeGrower`). Both give the same trees, and the votes of a row are added in the order of the trees, so the result
 * depends neither on the engine nor on the number of threads.
 */
import { random, type Random } from "../../core/index.ts";
import { kernelBuild, matrix, parallelKernel, type Matrix, type ParallelKernel } from "../../matrix/index.ts";
import type { BinnedRows } from "./binning.ts";
import * as binary from "../kernel/forest.wasm.ts";

export interface OutOfBagVotes {
  /** n x K: the class shares of the leaves of each row, summed over the trees that did not see it. */
  readonly votes: Matrix;
  /** The number of those trees. */
  readonly seen: Int32Array;
}

/** Rows times tried features times trees from which several threads are faster than one. */
const PARALLEL = 5e5;
/** Bytes for trees that are grown at a time. */
const BATCH_BYTES = 2 ** 29;
/** Rows times tried features of the trees that are grown at a time: a fifth of a second of one thread, by timings. */
const BATCH = 3e6;
/** Bytes of everything that fit into the kernel's memory. */
const MOST_BYTES = 3 * 2 ** 30;
/** Rows of a task of votes. */
const SPAN = 1024;
const MOST_WHOLE = 2 ** 31 - 1;

/**
 * One tree for each seed. `accept` gets them in order, each valid during the call; false ends the forest with that tree.
 */
export function growForest(
  data: BinnedRows,
  codes: Int32Array,
  K: number,
  options: GrowOptions,
  seeds: Float64Array,
  accept: (tree: GrownTree) => boolean,
): OutOfBagVotes {
  const plain = kernelBuild() === undefined;
  const plan = plain ? undefined : kernelPlan(data, K, options, seeds.length);
  if (plan === undefined) return growPlain(data, codes, K, options, seeds, accept);
  return growInKernel(plan, data, codes, K, options, seeds, accept);
}

interface Plan {
  readonly kernel: ParallelKernel<binary.Exports>;
  /** Trees at a time. */
  readonly batch: number;
  /** Nodes of a tree at most. */
  readonly capacity: number;
  /** Leaves with several classes at most. */
  readonly room: number;
}

/** Undefined where the kernel's memory is too small. */
function kernelPlan(
  { rows: n, features: d }: BinnedRows,
  K: number,
  { tried, maxDepth, minLeaf }: GrowOptions,
  trees: number,
): Plan | undefined {
  const capacity = 2 * n;
  // Such a leaf has at least two rows.
  const room = Math.ceil(Math.min(n / 2, n / minLeaf, 2 ** Math.min(maxDepth, 40)));
  const treeBytes = 4 * n + 12 * capacity + 8 * room * K + 8 * d;
  const threadBytes = 37 * n + K * 1040;
  const fixed = n * (d + 8 + 8 * K);
  const kernel = parallelKernel<binary.Exports>("classify/forest", binary, n * tried * trees > PARALLEL);
  if (fixed + treeBytes + kernel.threads * threadBytes > MOST_BYTES) return undefined;
  const fitting = Math.max(1, Math.floor(BATCH_BYTES / treeBytes));
  const lively = Math.max(2, Math.floor(BATCH / (n * tried) / kernel.threads)) * kernel.threads;
  return { kernel, batch: Math.min(trees, fitting, lively), capacity, room };
}

function growInKernel(
  { kernel, batch, capacity, room }: Plan,
  { rows: n, features: d, bins }: BinnedRows,
  codes: Int32Array,
  K: number,
  { tried, maxDepth, minLeaf }: GrowOptions,
  seeds: Float64Array,
  accept: (tree: GrownTree) => boolean,
): OutOfBagVotes {
  return kernel.scope(() => {
    const binsAt = kernel.reserve(n * d);
    const codesAt = kernel.reserve(4 * n);
    const seenAt = kernel.reserve(4 * n);
    const votesAt = kernel.reserve(8 * n * K);
    const seedsAt = kernel.reserve(8 * batch);
    const sizesAt = kernel.reserve(8 * batch);
    const importanceAt = kernel.reserve(8 * batch * d);
    const weightsAt = kernel.reserve(4 * batch * n);
    const [featureAt, binAt, leftAt] = [0, 1, 2].map(() => kernel.reserve(4 * batch * capacity));
    const sharesAt = kernel.reserve(8 * batch * room * K);
    new Uint8Array(kernel.memory.buffer).set(bins, binsAt);
    kernel.i32(codesAt, n).set(codes);
    kernel.i32(seenAt, n).fill(0);
    kernel.f64(votesAt, n * K).fill(0);
    const nodesAt = [capacity, featureAt, binAt, leftAt, room, sharesAt] as const;
    const limits = [tried, Math.min(maxDepth, MOST_WHOLE), Math.min(minLeaf, MOST_WHOLE)] as const;
    const scratch = kernel.exports.growScratch(n, d, K);
    let wanted = true;
    for (let first = 0; first < seeds.length && wanted; first += batch) {
      const count = Math.min(batch, seeds.length - first);
      kernel.f64(seedsAt, count).set(seeds.subarray(first, first + count));
      kernel.run("grow", count, scratch, [
        n,
        d,
        K,
        ...limits,
        binsAt,
        codesAt,
        seedsAt,
        weightsAt,
        ...nodesAt,
        sizesAt,
        importanceAt,
      ]);
      let accepted = 0;
      while (accepted < count && wanted) {
        const [nodes, impure] = kernel.i32(sizesAt + 8 * accepted, 2);
        const at = 4 * accepted * capacity;
        wanted = accept({
          feature: kernel.i32(featureAt + at, nodes),
          bin: kernel.i32(binAt + at, nodes),
          left: kernel.i32(leftAt + at, nodes),
          shares: kernel.f64(sharesAt + 8 * accepted * room * K, impure * K),
          importance: kernel.f64(importanceAt + 8 * accepted * d, d),
        });
        accepted++;
      }
      const rows = [n, SPAN, K, accepted, binsAt, weightsAt] as const;
      kernel.run("vote", Math.ceil(n / SPAN), 0, [...rows, ...nodesAt, votesAt, seenAt]);
    }
    return { votes: matrix(n, K, kernel.f64(votesAt, n * K).slice()), seen: kernel.i32(seenAt, n).slice() };
  });
}

function growPlain(
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

/**
 * One classification tree (CART with the Gini index) on binned features, grown until its leaves are pure or too small.
 * A split of W rows (counted with their weights) with class counts n_k into left and right maximises
 *
 *     sum_k l_k^2 / W_l + sum_k r_k^2 / W_r      (= W - W_l gini_l - W_r gini_r)
 *
 * over all bin borders of the tried features: `tried` random ones, more while these are all constant in the
 * node. Rows of a node are ordered by bin and moved from right to left one by one, so the cost of a step does
 * not depend on the number of classes. All counts are integers, hence exact. kernel/forest.as.ts does the same.
 */

interface GrowOptions {
  /** Features tried per split. */
  readonly tried: number;
  /** Splits between the root and a leaf. */
  readonly maxDepth: number;
  /** Minimum number of rows (by weight) on each side of a split. */
  readonly minLeaf: number;
}

/** The nodes of a tree, the root first; the right child follows the left one. */
export interface GrownTree {
  /** Feature of a split, -1 for a leaf. */
  readonly feature: Int32Array;
  /** Last bin that goes left. */
  readonly bin: Int32Array;
  /** Split: the left child. Leaf: its class if it has only one, otherwise K plus its row of `shares`. */
  readonly left: Int32Array;
  /** Class shares of the leaves with several classes, K per row. */
  readonly shares: Float64Array;
  /** The decrease of the Gini index by each feature. */
  readonly importance: Float64Array;
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
