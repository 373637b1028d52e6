/**
 * The same in plain loops: test/classify/plainForest.ts.
 *
 * The trees of a forest on bootstrap samples, each from its own seed, and their votes on the rows that they did not
 * see. The kernel grows several at a time, on several threads if that pays. The votes of a row are added in the order of
 * the trees, so the result does not depend on the number of threads.
 */
import { matrix, parallelKernel, threads, type Matrix, type ParallelKernel } from "../../matrix/index.ts";
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
/** Bytes of everything for which several threads fit into the kernel's memory of 4 GiB. */
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
  return growInKernel(kernelPlan(data, K, options, seeds.length), data, codes, K, options, seeds, accept);
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

function kernelPlan(
  { rows: n, features: d }: BinnedRows,
  K: number,
  { tried, maxDepth, minLeaf }: GrowOptions,
  trees: number,
): Plan {
  const capacity = 2 * n;
  // Such a leaf has at least two rows.
  const room = Math.ceil(Math.min(n / 2, n / minLeaf, 2 ** Math.min(maxDepth, 40)));
  const treeBytes = 4 * n + 12 * capacity + 8 * room * K + 8 * d;
  const threadBytes = 37 * n + K * 1040;
  const fixed = n * (d + 8 + 8 * K);
  const several = n * tried * trees > PARALLEL && fixed + treeBytes + threads() * threadBytes <= MOST_BYTES;
  const kernel = parallelKernel<binary.Exports>("classify/forest", binary, several);
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

/**
 * One classification tree (CART with the Gini index) on binned features, grown until its leaves are pure or too small.
 * A split of W rows (counted with their weights) with class counts n_k into left and right maximises
 *
 *     sum_k l_k^2 / W_l + sum_k r_k^2 / W_r      (= W - W_l gini_l - W_r gini_r)
 *
 * over all bin borders of the tried features: `tried` random ones, more while these are all constant in the
 * node. Rows of a node are ordered by bin and moved from right to left one by one, so the cost of a step does
 * not depend on the number of classes. All counts are integers, hence exact.
 */
export interface GrowOptions {
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
