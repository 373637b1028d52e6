import type { FeatureRecord } from "../../features/index.ts";
import { sampleBelief } from "../../judge/internal.ts";
import { isSparse, toDense, type Matrix, type Sparse } from "../../matrix/index.ts";

/** What the belief over partitions says of one, without labels. */
export interface Judgement {
  /** Its expected agreement with the truth (adjusted Rand index); null if the rows are too many numbers. */
  readonly expected: number | null;
}

export type Judge = (labels: Int32Array) => Judgement;

/** Numbers (rows x columns) up to which sparse rows are made dense for judging. */
const MOST_NUMBERS = 4e7;

/**
 * Judges every partition of a comparison by the belief of the default, so the numbers of two partitions are comparable. Rows
 * in no cluster count as one more cluster.
 */
export function judgeOf(rows: Matrix | Sparse, record: FeatureRecord | undefined, seed: number): Judge {
  if (isSparse(rows) && rows.rows * rows.cols > MOST_NUMBERS) return () => ({ expected: null });
  const X = isSparse(rows) ? toDense(rows) : rows;
  const belief = sampleBelief(X, record, { seed, going: () => true });
  const sample = belief.order.subarray(0, belief.rows);
  return (labels) => {
    const own = Int32Array.from(sample, (row) => labels[row] + 1);
    return { expected: new Set(own).size < 2 ? null : belief.expectedOf(own) };
  };
}
