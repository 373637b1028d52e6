import { applyScaling, type Scaling } from "../data/index.ts";
import { rowBatches, type BatchOptions, type BatchSource, type RowBatch } from "./rowBatches.ts";

/**
 * The batches of a source, scaled: `() => scaledBatches(files, scaling)` is a source that can be read
 * repeatedly.
 */
export async function* scaledBatches(
  source: BatchSource,
  scaling: Scaling,
  options: BatchOptions = {},
): AsyncGenerator<RowBatch, void, undefined> {
  const names = scaling.kept.map((j) => scaling.columns[j]);
  for await (const { release, ...batch } of rowBatches(source, options)) {
    const X = applyScaling(scaling, batch.X);
    release?.();
    yield { ...batch, names, X };
  }
}
