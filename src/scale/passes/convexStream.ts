import { cellsOf, compressionOf } from "../../cluster/internal.ts";
import {
  byRepresentativesOptions,
  type ByRepresentativesOptions,
  type ConvexByRepresentatives,
} from "../../recipes/index.ts";
import { convexByPasses, placeRows, rowLabels } from "../../recipes/internal.ts";
import { rule } from "../../core/internal.ts";
import { groupMeans } from "../../convex/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { BatchSource, Accumulator } from "../rowBatches.ts";
import { streamPasses, type LabelledBatch } from "./streamPasses.ts";

export interface ConvexStream extends ConvexByRepresentatives {
  /** The cluster of each row of Y, by its cell. */
  predict(Y: Matrix): Int32Array;
  /** One more pass, which gives every row its cluster, in the order of the source. */
  labels(): AsyncGenerator<LabelledBatch, void, undefined>;
}

/** What is done after each pass, the weighted problem being solved after the second. */
export const CONVEX_PASSES = [0, 0.2, 0.8, 0.9];

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
  const own = rule.resolveOptions("convexStream", options, byRepresentativesOptions);
  const rows = streamPasses("convexStream", source, {}, own, CONVEX_PASSES);
  const { result, border, cells } = await convexByPasses(rows, own, {
    names: rows.names,
    // About the mean of the cell's sampled rows, so squares keep their digits.
    async cells(tree, sample) {
      const about = groupMeans(sample, undefined, cellsOf(tree, sample), tree.count);
      const found = await rows.summed(sumsAbout(about, (X) => cellsOf(tree, X)));
      if (found === undefined) return undefined;
      const { sizes: masses, sums } = found;
      const scatters = found.squares.slice();
      for (let q = 0; q < sums.length; q++) {
        const c = Math.floor(q / sample.cols);
        scatters[c] = Math.max(0, scatters[c] - (sums[q] / masses[c]) * sums[q]);
      }
      const points = movedBy(about, sums, masses);
      return { points, masses, tree, compression: compressionOf(points, masses, scatters) };
    },
    async clusters({ tree }, cuts, centers) {
      const found = await rows.summed(sumsAbout(centers, (X) => placeRows(tree, cuts, X)));
      return found && { sizes: found.sizes, centers: movedBy(centers, found.sums, found.sizes) };
    },
  });
  return {
    ...result,
    predict: (Y) => rowLabels(Y, cellsOf(cells.tree, Y), border),
    labels: () => rows.labels((X) => placeRows(cells.tree, border, X)),
  };
}

interface SumsAbout {
  readonly sizes: Float64Array;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

/** In each group the rows, and the sums of x - a and of ||x - a||^2 about its point a. */
function sumsAbout(
  { rows: K, cols: d, data: about }: Matrix,
  place: (X: Matrix) => Int32Array,
): Accumulator<SumsAbout> {
  const sizes = new Float64Array(K);
  const sums = new Float64Array(K * d);
  const squares = new Float64Array(K);
  return {
    add(X) {
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
    },
    result: () => ({ sizes, sums, squares }),
  };
}

/** The means of the groups; the point of one without rows stays. */
function movedBy({ rows, cols, data }: Matrix, sums: Float64Array, sizes: Float64Array): Matrix {
  return matrix(
    rows,
    cols,
    data.map((value, q) => value + sums[q] / Math.max(1, sizes[Math.floor(q / cols)])),
  );
}
