import type { CellTree, Representatives } from "../../cluster/index.ts";
import { cellsOf, cellTree, compressionOf } from "../../cluster/internal.ts";
import {
  byRepresentativesOptions,
  type ByRepresentativesOptions,
  type ConvexByRepresentatives,
} from "../../recipes/index.ts";
import {
  clusterRepresentatives,
  countedRows,
  placeRows,
  rowLabels,
  splitOptions,
} from "../../recipes/internal.ts";
import { inputError, optionError, progressGate, resolveOptions } from "../../core/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import type { LabelledBatch } from "./kmeansStream.ts";
import { isReopenable, rowBatches, type BatchSource, type RowBatch } from "../rowBatches.ts";
import { sampleRows } from "../sampleRows.ts";

export interface ConvexStream extends ConvexByRepresentatives {
  /** The cluster of each row of Y, by its cell. */
  predict(Y: Matrix): Int32Array;
  /** One more pass, which gives every row its cluster, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

/**
 * Convex clustering of rows that do not fit into memory, by weighted representatives
 * (recipes/compressedCc.ts), in three passes: a sample that gives the cells, the sums of each cell, the
 * sums of each cluster. Distances are unscaled, so scale the rows first:
 *
 *     await convexStream(() => scaledBatches("data/*.parquet", scaling), { clusters: 20 })
 */
export async function convexStream(
  source: BatchSource,
  options: ByRepresentativesOptions = {},
): Promise<ConvexStream> {
  const resolved = resolveOptions("convexStream", options, byRepresentativesOptions);
  if (!isReopenable(source)) {
    throw optionError("convexStream reads the source several times, which this source does not allow");
  }
  const { representatives: count, seed, sample, convex } = splitOptions(resolved);
  const progress = progressGate(convex.onProgress);
  const going = (label: string, fraction: number): boolean => {
    if (!progress({ label, fraction })) throw inputError("convexStream was stopped by onProgress");
    return true;
  };
  const { X: drawn, names } = await sampleRows(rowBatches(source), sample, seed, (batch) => {
    requireFinite(batch.X);
    return going("drawing rows", 0);
  });
  const tree = cellTree(drawn, count);
  const cells = await cellSums(rowBatches(source), tree, drawn, () => going("summing cells", 0.2));
  const compressed = clusterRepresentatives("convexStream", cells, {
    ...convex,
    onProgress: ({ label, fraction, ...rest }) =>
      progress({ label, fraction: 0.4 + 0.4 * fraction, ...rest }),
  });
  const { centers } = compressed.clustering;
  const { result, border } = await countedRows(
    compressed,
    { names, compression: cells.compression, passes: 2 },
    (cuts) =>
      clusterSums(rowBatches(source), centers, (X) => {
        going("summing clusters", 0.9);
        return placeRows(tree, cuts, X);
      }),
  );
  return {
    ...result,
    predict: (Y) => rowLabels(Y, cellsOf(tree, Y), border),
    async *labels() {
      for await (const { X, ids, source: file, first } of rowBatches(source)) {
        yield { labels: placeRows(tree, border, X), ...(ids && { ids }), source: file, first };
      }
    },
  };
}

/** Sums about the mean of the cell's sampled rows, so squares keep their digits. */
async function cellSums(
  batches: AsyncIterable<RowBatch>,
  tree: CellTree,
  sample: Matrix,
  told: () => boolean,
): Promise<Representatives> {
  const d = sample.cols;
  const { points: about } = means(sample, cellsOf(tree, sample), tree.count);
  const masses = new Float64Array(tree.count);
  const sums = new Float64Array(tree.count * d);
  const scatters = new Float64Array(tree.count);
  for await (const { X } of batches) {
    const cells = cellsOf(tree, X);
    for (let i = 0; i < X.rows; i++) {
      const c = cells[i];
      masses[c]++;
      for (let f = 0, p = i * d, q = c * d; f < d; f++, p++, q++) {
        const difference = X.data[p] - about.data[q];
        sums[q] += difference;
        scatters[c] += difference * difference;
      }
    }
    told();
  }
  const points = matrix(tree.count, d);
  for (let q = 0; q < sums.length; q++) {
    const c = Math.floor(q / d);
    const shift = sums[q] / masses[c];
    points.data[q] = about.data[q] + shift;
    scatters[c] = Math.max(0, scatters[c] - shift * sums[q]);
  }
  return { points, masses, tree, compression: compressionOf(points, masses, scatters) };
}

function means(X: Matrix, labels: Int32Array, count: number): { points: Matrix; masses: Float64Array } {
  const d = X.cols;
  const points = matrix(count, d);
  const masses = new Float64Array(count);
  for (let i = 0; i < X.rows; i++) {
    const c = labels[i];
    masses[c]++;
    for (let f = 0, q = c * d; f < d; f++, q++) {
      points.data[q] += (X.data[i * d + f] - points.data[q]) / masses[c];
    }
  }
  return { points, masses };
}

async function clusterSums(
  batches: AsyncIterable<RowBatch>,
  about: Matrix,
  place: (X: Matrix) => Int32Array,
): Promise<{ sizes: Float64Array; centers: Matrix }> {
  const { rows: K, cols: d } = about;
  const sizes = new Float64Array(K);
  const sums = new Float64Array(K * d);
  for await (const { X } of batches) {
    const labels = place(X);
    for (let i = 0; i < X.rows; i++) {
      sizes[labels[i]]++;
      for (let f = 0, p = i * d, q = labels[i] * d; f < d; f++, p++, q++)
        sums[q] += X.data[p] - about.data[q];
    }
  }
  const centers = matrix(K, d);
  for (let q = 0; q < sums.length; q++) {
    centers.data[q] = about.data[q] + sums[q] / Math.max(1, sizes[Math.floor(q / d)]);
  }
  return { sizes, centers };
}
