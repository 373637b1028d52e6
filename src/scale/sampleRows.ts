import { random } from "../core/index.ts";
import { matrix, type Matrix } from "../matrix/index.ts";
import type { RowBatch } from "./rowBatches.ts";
import { withPoints } from "../cluster/internal.ts";
import type { Drawn } from "./passes/rowPasses.ts";

/** Rows of a stream with their labels and ids, and how many it has. */
interface SampledRows extends Pick<RowBatch, "names" | "X" | "label" | "ids"> {
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
