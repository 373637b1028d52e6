import type { Borders } from "./evidence/border.ts";
import type { Weakest } from "./evidence/judge.ts";
import type { Partition, RowCodes } from "./partition.ts";
import type { PartitionCandidate } from "./pool.ts";

/** A partition with all candidates that are equal to it. */
export interface Judged {
  readonly partition: Partition;
  readonly made: PartitionCandidate[];
  /**
   * Of its weakest border. An upper bound if another partition into the same number of clusters was far
   * better.
   */
  readonly weakest: Weakest;
  readonly icl: number;
}

/** What a search leaves. */
export interface Found {
  readonly borders: Borders;
  readonly codes: RowCodes;
  readonly judged: readonly Judged[];
  /** By number of clusters: the results of the methods that run for all numbers. */
  readonly proposals: ReadonlyMap<number, ReadonlyMap<string, Judged>>;
  /** BIC of the mixture that starts from a partition, fitted once for each (mixtureBic.ts). */
  readonly bic: (one: Judged) => number;
  /** Milliseconds for the candidates and for judging them. */
  readonly time: { candidates: number; judgement: number };
}

/** The most evidence at every number of clusters from 2 on. */
export function evidenceByCount(judged: readonly Judged[]): Map<number, number> {
  const best = new Map<number, number>();
  for (const { partition, weakest } of judged) {
    const K = partition.clusters.length;
    if (K > 1 && weakest.evidence > (best.get(K) ?? -Infinity)) best.set(K, weakest.evidence);
  }
  return best;
}
