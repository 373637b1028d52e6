import { numericError } from "../../core/internal.ts";
import { kdTree } from "../../graph/internal.ts";
import { loadKernel, matrix, type Matrix } from "../../matrix/index.ts";
import { scaled } from "../../matrix/internal.ts";
import { checkedScale } from "../clusterInput.ts";
import * as binary from "../kernel/ward.wasm.ts";
import { dendrogram, type Dendrogram } from "./dendrogram.ts";
import { linkageChain, type Merges } from "./linkageChain.ts";

/** Limits below which the triangle is faster than recomputing distances of centroids. */
const WIDE = 16;
const WIDE_ROWS = 8000;

/** The tree of Ward linkage on finite rows with a fixed order, which ties follow. */
export function wardTree(X: Matrix): Dendrogram {
  return dendrogram(X.rows, mergesInRange(X, wardMerges));
}

export function wardMerges(X: Matrix): Merges {
  return X.cols > WIDE && X.rows <= WIDE_ROWS ? linkageChain(X, "ward") : wardChain(X);
}

/** The merges of rows that are scaled so that squares stay inside the number range, with their heights as they were. */
export function mergesInRange(X: Matrix, find: (X: Matrix) => Merges): Merges {
  if (X.rows === 1) return { from: new Int32Array(0), to: new Int32Array(0), heights: new Float64Array(0) };
  const scale = checkedScale(X, undefined);
  const found = find(scaled(X, scale));
  if (scale === 1) return found;
  const heights = found.heights.map((value) => value / scale);
  if (!heights.every(Number.isFinite)) {
    throw numericError("agglomerative: the heights exceed the number range; scale the data first");
  }
  return { ...found, heights };
}

/**
 * Ward's linkage by the nearest-neighbour chain on centroids, in memory proportional to n d:
 *
 *     d^2(x, y) = 2 n_x n_y / (n_x + n_y) ||c_x - c_y||^2
 *
 * (Murtagh and Contreras 2012). The same merges as from the triangle of distances, for many rows. The kernel
 * keeps the clusters in blocks of neighbours, which are rebuilt whenever half of the clusters are gone.
 * To read: test/cluster/linkage/plainWardChain.ts, the same in plain code.
 */
export function wardChain(X: Matrix): Merges {
  const { rows: n, cols: d, data } = X;
  const kernel = loadKernel<binary.Exports>("cluster/ward", binary);
  const s = d + (d & 1);
  const BLOCK = kernel.exports.BLOCK.value;
  return kernel.scope(() => {
    // When blocks are made, all but the last are at least half full.
    const most = Math.max(1, Math.ceil(n / (BLOCK / 2)));
    const [C, sizes] = [s, 1].map((count) => kernel.reserve(8 * BLOCK * most * count));
    const [boxes, leasts] = [2 * s, 1].map((count) => kernel.reserve(8 * most * count));
    const [squares, heights] = [n, n].map((count) => kernel.reserve(8 * count));
    const [ids, counts] = [BLOCK * most, most].map((count) => kernel.reserve(4 * count));
    const [places, chain, from, to] = [n, n, n, n].map((count) => kernel.reserve(4 * count));
    const state = kernel.reserve(8);
    kernel.i32(state, 2).fill(0);
    kernel.i32(places, n).fill(-1);

    let clusters: Clusters = {
      ids: Int32Array.from({ length: n }, (_, i) => i),
      sizes: new Float64Array(n).fill(1),
      centroids: data,
    };
    for (let count = n; count > 1;) {
      const blocks = fill(clusters);
      const until = count > 2 * BLOCK ? Math.ceil(count / 2) : 1;
      const made = n - count;
      const at = [C, sizes, ids, places, counts, leasts, boxes, chain, squares] as const;
      kernel.exports.ward(s, count, until, made, blocks, ...at, from, to, heights, state);
      count = until;
      clusters = taken(blocks, count);
    }
    return {
      from: kernel.i32(from, n - 1).slice(),
      to: kernel.i32(to, n - 1).slice(),
      heights: kernel.f64(heights, n - 1).slice(),
    };

    /** Puts the clusters into blocks of neighbours; returns their number. */
    function fill(all: Clusters): number {
      const groups = neighbourhoods(matrix(all.ids.length, d, all.centroids), BLOCK);
      const [c, size, id, place, used] = [
        kernel.f64(C, BLOCK * most * s),
        kernel.f64(sizes, BLOCK * most),
        kernel.i32(ids, BLOCK * most),
        kernel.i32(places, n),
        kernel.i32(counts, most),
      ];
      groups.forEach((group, block) => {
        used[block] = group.length;
        group.forEach((r, q) => {
          const p = block * BLOCK + q;
          for (let f = 0; f < d; f++) c[p * s + f] = all.centroids[r * d + f];
          if (s > d) c[p * s + d] = 0;
          size[p] = all.sizes[r];
          id[p] = all.ids[r];
          place[id[p]] = p;
        });
        kernel.exports.measure(s, block, C, sizes, counts, leasts, boxes);
      });
      return groups.length;
    }

    function taken(blocks: number, count: number): Clusters {
      const found = {
        ids: new Int32Array(count),
        sizes: new Float64Array(count),
        centroids: new Float64Array(count * d),
      };
      const used = kernel.i32(counts, most);
      const c = kernel.f64(C, BLOCK * most * s);
      let r = 0;
      for (let block = 0; block < blocks; block++) {
        for (let p = block * BLOCK; p < block * BLOCK + used[block]; p++, r++) {
          found.ids[r] = kernel.i32(ids, BLOCK * most)[p];
          found.sizes[r] = kernel.f64(sizes, BLOCK * most)[p];
          found.centroids.set(c.subarray(p * s, p * s + d), r * d);
        }
      }
      return found;
    }
  });
}

interface Clusters {
  readonly ids: Int32Array;
  readonly sizes: Float64Array;
  readonly centroids: Float64Array;
}

/** The rows in groups of at most `most` neighbours: the leaves of a k-d tree, and parts of those with equal rows. */
function neighbourhoods(X: Matrix, most: number): Int32Array[] {
  const { rows, left, starts, ends } = kdTree(X, most);
  const groups: Int32Array[] = [];
  for (let v = 0; v < left.length; v++) {
    if (left[v] >= 0) continue;
    for (let p = starts[v]; p < ends[v]; p += most)
      groups.push(rows.subarray(p, Math.min(p + most, ends[v])));
  }
  return groups;
}
