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
import { inputError, progressGate, resolveOptions } from "../../core/internal.ts";
import { groupMeans } from "../../convex/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import { requireFinite } from "../../matrix/internal.ts";
import { labelled, requireReopenable, type LabelledBatch } from "./kmeansStream.ts";
import { rowBatches, type BatchSource, type RowBatch } from "../rowBatches.ts";
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
  requireReopenable("convexStream", source);
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
    async (cuts) => {
      const place = (X: Matrix): Int32Array => placeRows(tree, cuts, X);
      const told = (): boolean => going("summing clusters", 0.9);
      const { sizes, sums } = await sumsAbout(rowBatches(source), centers, place, told);
      return { sizes, centers: movedBy(centers, sums, sizes) };
    },
  );
  return {
    ...result,
    predict: (Y) => rowLabels(Y, cellsOf(tree, Y), border),
    labels: () => labelled(rowBatches(source), (X) => placeRows(tree, border, X)),
  };
}

/** Sums about the mean of the cell's sampled rows, so squares keep their digits. */
async function cellSums(
  batches: AsyncIterable<RowBatch>,
  tree: CellTree,
  sample: Matrix,
  told: () => boolean,
): Promise<Representatives> {
  const about = groupMeans(sample, undefined, cellsOf(tree, sample), tree.count);
  const place = (X: Matrix): Int32Array => cellsOf(tree, X);
  const { sizes: masses, sums, squares } = await sumsAbout(batches, about, place, told);
  const points = movedBy(about, sums, masses);
  const scatters = squares.slice();
  for (let q = 0; q < sums.length; q++) {
    const c = Math.floor(q / sample.cols);
    scatters[c] = Math.max(0, scatters[c] - (sums[q] / masses[c]) * sums[q]);
  }
  return { points, masses, tree, compression: compressionOf(points, masses, scatters) };
}

/** In each group the rows, and the sums of x - a and of ||x - a||^2 about its point a. */
async function sumsAbout(
  batches: AsyncIterable<RowBatch>,
  { rows: K, cols: d, data: about }: Matrix,
  place: (X: Matrix) => Int32Array,
  told: () => boolean,
): Promise<{ readonly sizes: Float64Array; readonly sums: Float64Array; readonly squares: Float64Array }> {
  const sizes = new Float64Array(K);
  const sums = new Float64Array(K * d);
  const squares = new Float64Array(K);
  for await (const { X } of batches) {
    const groups = place(X);
    for (let i = 0; i < X.rows; i++) {
      const k = groups[i];
      sizes[k]++;
      for (let f = 0, p = i * d, q = k * d; f < d; f++, p++, q++) {
        const difference = X.data[p] - about[q];
        sums[q] += difference;
        squares[k] += difference * difference;
      }
    }
    told();
  }
  return { sizes, sums, squares };
}

/** The means of the groups; the point of one without rows stays. */
function movedBy({ rows, cols, data }: Matrix, sums: Float64Array, sizes: Float64Array): Matrix {
  return matrix(
    rows,
    cols,
    data.map((value, q) => value + sums[q] / Math.max(1, sizes[Math.floor(q / cols)])),
  );
}
