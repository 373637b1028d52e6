import { random } from "../../core/index.ts";
import { withPoints } from "../../cluster/internal.ts";
import { matrix, type Matrix } from "../../matrix/index.ts";
import type { Drawn } from "./rowPasses.ts";
import type { RowBatch } from "../rowBatches.ts";

/**
 * The rows x of a stream with u / d(x)^2 < threshold, u being uniform in [0, 1) and d the distance to the
 * nearest centre: each is drawn independently, with probability min(1, threshold d^2). Beyond `limit` those
 * with the smallest u / d^2 stay, which is equivalent to a lower threshold.
 */
export async function drawRows(
  batches: AsyncIterable<RowBatch>,
  centers: Matrix,
  asked: number,
  limit: number,
  seed: number,
  /** Called after each batch; false stops. */
  told: (batch: RowBatch) => boolean,
): Promise<Drawn | undefined> {
  const { uniform } = random(seed);
  let threshold = asked;
  let rows: { readonly key: number; readonly values: Float64Array }[] = [];
  for await (const batch of batches) {
    const { X } = batch;
    const squares = squaresToNearest(X, centers);
    for (let i = 0; i < X.rows; i++) {
      const key = uniform() / squares[i];
      if (key < threshold) rows.push({ key, values: X.data.slice(i * X.cols, (i + 1) * X.cols) });
      if (rows.length >= 2 * limit) {
        rows = rows.toSorted((a, b) => a.key - b.key);
        threshold = rows[limit].key;
        rows.length = limit;
      }
    }
    if (!told(batch)) return undefined;
  }
  if (rows.length > limit) {
    const keys = Float64Array.from(rows, ({ key }) => key).sort();
    threshold = keys[limit];
    rows = rows.filter(({ key }) => key < threshold);
  }
  const drawn = matrix(rows.length, centers.cols);
  rows.forEach(({ values }, i) => drawn.data.set(values, i * centers.cols));
  return { X: drawn, threshold };
}

function squaresToNearest(X: Matrix, centers: Matrix): Float64Array {
  const K = centers.rows;
  const block = Math.max(1, Math.floor(65536 / K));
  const D = new Float64Array(block * K);
  const squares = new Float64Array(X.rows);
  withPoints(X, (points) => {
    for (let from = 0; from < X.rows; from += block) {
      const to = Math.min(X.rows, from + block);
      points.distances(from, to, centers.data, K, D);
      for (let i = from, at = 0; i < to; i++) {
        let least = Infinity;
        for (let k = 0; k < K; k++, at++) if (D[at] < least) least = D[at];
        squares[i] = least;
      }
    }
  });
  return squares;
}
