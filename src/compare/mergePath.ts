import type { Borders } from "./border.ts";
import { type Weakest, weakest } from "./judge.ts";
import { mergedPartition, type Partition, type RowCodes } from "./partition.ts";

/** A partition on the way from a fine one to one cluster, with its weakest border. */
export interface MergeStep {
  readonly partition: Partition;
  readonly weakest: Weakest;
}

/** Smaller clusters show no border: what has them is not offered. */
export const LEAST_CLUSTER = 6;

/**
 * From a fine partition the two clusters with the weakest border between them are merged, again and again. What is left
 * at every step has the borders for which there is most evidence, also where no method by itself finds it.
 */
export function mergePath(borders: Borders, start: Partition, codes: RowCodes): MergeStep[] {
  const steps: MergeStep[] = [];
  for (let current = start; current.clusters.length > 1;) {
    const least = weakest(borders, current);
    steps.push({ partition: current, weakest: least });
    if (least.a === undefined || least.b === undefined) break;
    current = mergedPartition(current, least.a, least.b, codes);
  }
  return steps;
}
