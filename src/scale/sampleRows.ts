import { random } from "../core/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import type { RowBatch } from "./rowBatches.ts";

/**
 * A uniform sample of `count` rows of a stream of unknown length in one pass (reservoir sampling, J. S. Vitter 1985,
 * algorithm R); all rows, in their order, if there are no more. `rows` is that length.
 */
export async function sampleRows(
  batches: AsyncIterable<RowBatch>,
  /** May depend on the number of columns. */
  count: number | ((columns: number) => number),
  seed: number,
  /** Called after each batch; false stops. */
  told: (batch: RowBatch) => boolean,
): Promise<{ readonly X: Matrix; readonly rows: number }> {
  const { integer } = random(seed);
  let kept = new Float64Array(0);
  let d = 0;
  let seen = 0;
  let most = 0;
  for await (const batch of batches) {
    const { X } = batch;
    d = X.cols;
    most = typeof count === "number" ? count : count(d);
    for (let i = 0; i < X.rows; i++, seen++) {
      const at = seen < most ? seen : integer(seen + 1);
      if (at >= most) continue;
      if ((at + 1) * d > kept.length) kept = enlarged(kept, Math.min(most, Math.max(1024, 2 * at)) * d);
      kept.set(X.data.subarray(i * d, (i + 1) * d), at * d);
    }
    if (!told(batch)) break;
  }
  const rows = Math.min(most, seen);
  return { X: matrix(rows, d, kept.slice(0, rows * d)), rows: seen };
}

function enlarged(values: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}
