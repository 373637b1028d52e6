import type { Borders } from "./border.ts";
import type { Weakest } from "./judge.ts";
import type { Partition, RowCodes } from "./partition.ts";
import type { PartitionCandidate } from "./pool.ts";

/** A partition and all that made it: candidates that are the same partition are one. */
export interface Judged {
  readonly partition: Partition;
  readonly made: PartitionCandidate[];
  /** Of its weakest border. An upper bound where another partition into as many clusters was far better. */
  readonly weakest: Weakest;
  readonly icl: number;
}

/** What a search leaves. */
export interface Found {
  readonly borders: Borders;
  readonly codes: RowCodes;
  readonly judged: readonly Judged[];
  /** By number of clusters: what the methods that are asked for all numbers made. */
  readonly proposals: ReadonlyMap<number, ReadonlyMap<string, Judged>>;
  /** Of a partition as the start of a mixture; kept, so that each is fitted once (mixtureBic.ts). */
  readonly bic: (one: Judged) => number;
  /** Milliseconds of the candidates and of their judgement. */
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
