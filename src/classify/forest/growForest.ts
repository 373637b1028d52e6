/**
 * The trees of a forest on bootstrap samples, each from its own seed, and their votes on the rows that they did not
 * see. The kernel grows several at a time, on several threads if that pays; the plain engine one after the other
 * (growTree.ts). Both give the same trees, and the votes of a row are added in the order of the trees, so the result
 * depends neither on the engine nor on the number of threads.
 */
import { random } from "../../core/index.ts";
import { kernelBuild, matrix, parallelKernel, type Matrix, type ParallelKernel } from "../../matrix/index.ts";
import type { BinnedRows } from "./binning.ts";
import { treeGrower, type GrowOptions, type GrownTree } from "./growTree.ts";
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
