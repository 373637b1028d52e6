import type { CellTree } from "../cluster/index.ts";
import { cellsOf } from "../cluster/internal.ts";
import { nearestAmong, nearestNeighbors } from "../graph/index.ts";
import { matrix, takeRows, type Matrix } from "../matrix/index.ts";

/**
 * From clusters of representatives back to rows. A cell is wide if there are many features, and it reaches over the
 * gap to another cluster where its sample had no rows, so it may hold rows of both. It is split once more: with a
 * and b the means of the nearest representatives of its own cluster and of the nearest other one, a row x of the
 * cell changes cluster if it is nearer to b,
 *
 *     (b - a)' x > (b - a)' (a + b) / 2.
 *
 * A cell of one row has the cluster of its representative.
 */
export interface BorderCuts {
  /** Cluster of each cell. */
  readonly labels: Int32Array;
  /** The cut of each cell, -1 if it has none. */
  readonly cuts: Int32Array;
  /** For each cut: the cluster beyond it, its normal b - a, and its threshold. */
  readonly beyond: Int32Array;
  readonly normals: Matrix;
  readonly offsets: Float64Array;
}

/**
 * The number of representatives near a cell that are examined, and of those of other clusters if these are all of its own; and
 * the number from each of the two clusters that give a and b.
 */
const NEIGHBORS = 50;
const NEAREST = 10;

export function borderCuts(points: Matrix, masses: Float64Array, labels: Int32Array): BorderCuts {
  const { rows: n, cols: d, data } = points;
  const cuts = new Int32Array(n).fill(-1);
  const beyond: number[] = [];
  const normals: number[] = [];
  const offsets: number[] = [];
  const k = Math.min(NEIGHBORS, n - 1);
  const { indices } = k > 0 ? nearestNeighbors(points, k) : { indices: new Int32Array(0) };
  const beyondNear = nearestBeyond(points, labels, indices, k);
  const local = (label: number, near: readonly number[]): Float64Array => {
    const mean = new Float64Array(d);
    let mass = 0;
    for (const j of near.filter((j) => labels[j] === label).slice(0, NEAREST)) {
      mass += masses[j];
      for (let f = 0; f < d; f++) mean[f] += (masses[j] / mass) * (data[j * d + f] - mean[f]);
    }
    return mean;
  };
  for (let c = 0; c < n; c++) {
    if (masses[c] < 2) continue;
    const near = [c, ...indices.subarray(c * k, (c + 1) * k), ...(beyondNear.get(c) ?? [])];
    const other = near.find((j) => labels[j] !== labels[c]);
    if (other === undefined) continue;
    const a = local(labels[c], near);
    const b = local(labels[other], near);
    let offset = 0;
    for (let f = 0; f < d; f++) {
      offset += (b[f] - a[f]) * (a[f] / 2 + b[f] / 2);
      normals.push(b[f] - a[f]);
    }
    cuts[c] = offsets.length;
    offsets.push(offset);
    beyond.push(labels[other]);
  }
  return {
    labels,
    cuts,
    beyond: Int32Array.from(beyond),
    normals: matrix(offsets.length, d, Float64Array.from(normals)),
    offsets: Float64Array.from(offsets),
  };
}

/** For each point whose k nearest ones are all of its cluster, the nearest ones of other clusters. */
function nearestBeyond(
  points: Matrix,
  labels: Int32Array,
  indices: Int32Array,
  k: number,
): Map<number, Int32Array> {
  const surrounded = new Map<number, number[]>();
  for (let c = 0; c < points.rows; c++) {
    if (indices.subarray(c * k, (c + 1) * k).some((j) => labels[j] !== labels[c])) continue;
    if (surrounded.get(labels[c])?.push(c) === undefined) surrounded.set(labels[c], [c]);
  }
  const found = new Map<number, Int32Array>();
  for (const [label, cells] of surrounded) {
    const others = Int32Array.from(labels.keys()).filter((j) => labels[j] !== label);
    const width = Math.min(NEIGHBORS, others.length);
    if (width === 0) continue;
    const near = nearestAmong(takeRows(points, others), width, takeRows(points, Int32Array.from(cells)));
    cells.forEach((c, i) => {
      found.set(
        c,
        near.indices.subarray(i * width, (i + 1) * width).map((j) => others[j]),
      );
    });
  }
  return found;
}

/** Without cuts: every row has the cluster of its representative. */
export function uncut({ labels, normals }: BorderCuts): BorderCuts {
  return {
    labels,
    cuts: new Int32Array(labels.length).fill(-1),
    beyond: new Int32Array(0),
    normals: matrix(0, normals.cols),
    offsets: new Float64Array(0),
  };
}

/** The cluster of every row, by the cells it is in. */
export function rowLabels(X: Matrix, cells: Int32Array, border: BorderCuts): Int32Array {
  const { labels, cuts, beyond, normals, offsets } = border;
  const { cols: d, data } = X;
  return cells.map((c, i) => {
    const cut = cuts[c];
    if (cut < 0) return labels[c];
    let sum = 0;
    for (let f = 0; f < d; f++) sum += normals.data[cut * d + f] * data[i * d + f];
    return sum > offsets[cut] ? beyond[cut] : labels[c];
  });
}

/** The cluster of rows from any source. */
export function placeRows(tree: CellTree, border: BorderCuts, X: Matrix): Int32Array {
  return rowLabels(X, cellsOf(tree, X), border);
}
