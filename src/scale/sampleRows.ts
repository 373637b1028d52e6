import { random } from "../core/index.ts";
import { matrix } from "../matrix/index.ts";
import type { RowBatch } from "./rowBatches.ts";

/** Rows of a stream with their labels and ids, and how many it has. */
export interface SampledRows extends Pick<RowBatch, "names" | "X" | "label" | "ids"> {
  readonly rows: number;
}

/**
 * A uniform sample of `count` rows of a stream of unknown length in one pass: row i replaces a kept one with
 * probability count / i (J. S. Vitter, Random sampling with a reservoir, ACM TOMS 11, 1985, algorithm R); all
 * rows, in their order, if there are no more.
 */
export async function sampleRows(
  batches: AsyncIterable<RowBatch>,
  /** May depend on the number of columns. */
  count: number | ((columns: number) => number),
  seed: number,
  /** Called after each batch; false stops. */
  told: (batch: RowBatch) => boolean = () => true,
): Promise<SampledRows> {
  const { integer } = random(seed);
  let kept = new Float64Array(0);
  const [labels, ids]: [string[], string[]] = [[], []];
  let first: RowBatch | undefined;
  let d = 0;
  let seen = 0;
  let most = 0;
  for await (const batch of batches) {
    first ??= batch;
    const { X } = batch;
    d = X.cols;
    most = typeof count === "number" ? count : count(d);
    for (let i = 0; i < X.rows; i++, seen++) {
      const at = seen < most ? seen : integer(seen + 1);
      if (at >= most) continue;
      if ((at + 1) * d > kept.length) kept = enlarged(kept, Math.min(most, Math.max(1024, 2 * at)) * d);
      kept.set(X.data.subarray(i * d, (i + 1) * d), at * d);
      if (batch.label) labels[at] = batch.label.values[i];
      if (batch.ids) ids[at] = batch.ids.values[i];
    }
    const going = told(batch);
    batch.release?.();
    if (!going) break;
  }
  const rows = Math.min(most, seen);
  return {
    names: first?.names ?? [],
    X: matrix(rows, d, kept.slice(0, rows * d)),
    ...(first?.label && { label: { name: first.label.name, values: labels } }),
    ...(first?.ids && { ids: { name: first.ids.name, values: ids } }),
    rows: seen,
  };
}

function enlarged(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}
